import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND } from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { MCP_CLIENTS } from '../../src/cli/ask/mcpHelp.ts';

describe('sextant mcp install', () => {
  const folder = temporaryFolder();

  const install = (
    root: string,
    home: string,
    ...args: string[]
  ): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [COMMAND, 'mcp', 'install', ...args], {
      encoding: 'utf8',
      input: '',
      cwd: root,
      env: { ...process.env, HOME: home },
    });

  it('adds the server to each client, twice without a change, and removes it', () => {
    for (const client of MCP_CLIENTS) {
      const [root, home] = [folder(), folder()];
      const added = install(root, home, client, '--yes');
      assert.equal(added.status, 0, added.stderr);
      const file = /^Added to (.*?)\. /.exec(added.stdout)?.[1] ?? '';
      const text = readFileSync(file, 'utf8');
      assert.match(text, /"?command"?(?::| =) "sextant"/);
      assert.match(install(root, home, client, '--yes').stdout, /is as wanted already/);
      assert.equal(install(root, home, client, '--print').stdout, text);
      assert.equal(install(root, home, client, '--remove', '--yes').status, 0);
      assert.equal(existsSync(file), false, client);
    }
  });

  it('keeps the rest of a file, with its comments, and a backup', () => {
    const [root, home] = [folder(), folder()];
    const zed =
      '{\n    // mine\n    "theme": "One Dark",\n    "context_servers": { "other": { "command": "x" } },\n}\n';
    const codex = 'model = "x"\n\n[mcp_servers.other]\ncommand = "y"\n';
    writeFiles(home, { '.config/zed/settings.json': zed, '.codex/config.toml': codex });
    for (const [client, file, old] of [
      ['zed', '.config/zed/settings.json', zed],
      ['codex', '.codex/config.toml', codex],
    ] as const) {
      assert.equal(install(home, home, client, '--workspace-root', root, '--yes').status, 0);
      const text = readFileSync(join(home, file), 'utf8');
      assert.ok(text.includes(JSON.stringify(root)));
      assert.match(text, /other/);
      assert.equal(readFileSync(join(home, `${file}.sextant-backup`), 'utf8'), old);
      install(root, home, client, '--remove', '--yes');
      const rest = readFileSync(join(home, file), 'utf8');
      assert.doesNotMatch(rest, /sextant/);
      assert.match(
        rest,
        client === 'zed' ? /\/\/ mine\n {4}"theme": "One Dark"/ : /^model = "x"\n\n\[mcp_servers\.other\]/,
      );
    }
  });

  it('changes nothing without a confirmation, and no file that it cannot read', () => {
    const [root, home] = [folder(), folder()];
    const asked = install(root, home, 'claude-code');
    assert.deepEqual([asked.status, existsSync(join(root, '.mcp.json'))], [2, false]);
    assert.match(asked.stderr, /Nothing was changed\. Add --yes to create .*\.mcp\.json without a terminal\./);
    writeFiles(root, { '.mcp.json': '{ "mcpServers": ' });
    const broken = install(root, home, 'claude-code', '--yes');
    assert.equal(broken.status, 2);
    assert.match(broken.stderr, /is no valid JSON/);
    assert.equal(readFileSync(join(root, '.mcp.json'), 'utf8'), '{ "mcpServers": ');
    assert.match(install(root, home, 'emacs').stderr, /Allowed choices are vscode/);
  });
});
