import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
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
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config') },
    });

  it('adds the server to each client, twice without a change, and removes it', () => {
    for (const client of MCP_CLIENTS) {
      const [root, home] = [folder(), folder()];
      const added = install(root, home, client, '--yes');
      assert.equal(added.status, 0, added.stderr);
      const file = /^Added to (.*?)\. /.exec(added.stdout)?.[1] ?? '';
      const text = readFileSync(file, 'utf8');
      // A file of the user is read by applications that do not know the PATH of a shell.
      const isOfProject = file.startsWith(root);
      assert.ok(text.includes(isOfProject ? '"sextant"' : JSON.stringify(process.execPath)), text);
      assert.equal(text.includes(JSON.stringify(COMMAND)), !isOfProject);
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
    writeFiles(home, { '.config/zed/settings.json': zed });
    writeFiles(root, { '.codex/config.toml': codex });
    for (const [client, at, named, old] of [
      ['zed', join(home, '.config/zed/settings.json'), root, zed],
      ['codex', join(root, '.codex/config.toml'), '.', codex],
    ] as const) {
      assert.equal(install(home, home, client, '--workspace-root', root, '--yes').status, 0);
      const text = readFileSync(at, 'utf8');
      assert.ok(text.includes(JSON.stringify(named)));
      assert.match(text, /other/);
      assert.equal(readFileSync(`${at}.sextant-backup`, 'utf8'), old);
      install(root, home, client, '--remove', '--yes');
      const rest = readFileSync(at, 'utf8');
      assert.doesNotMatch(rest, /sextant/);
      assert.match(
        rest,
        client === 'zed' ? /\/\/ mine\n {4}"theme": "One Dark"/ : /^model = "x"\n\n\[mcp_servers\.other\]/,
      );
    }
  });

  it('removes all tables of the server from TOML, and leaves other forms to the user', () => {
    const [root, home] = [folder(), folder()];
    const file = join(root, '.codex/config.toml');
    const others = '[mcp_servers.sextant2]\ncommand = "y"\nargs = [\n  "a",\n]\n';
    const own = '[ mcp_servers . "sextant" ] # mine\ncommand = "z"\n\n[mcp_servers.sextant.env]\nA = "[b]"\n';
    writeFiles(root, { '.codex/config.toml': `${own}\n${others}` });
    assert.equal(install(root, home, 'codex', '--remove', '--yes').status, 0);
    assert.equal(readFileSync(file, 'utf8'), others);
    assert.match(install(root, home, 'codex', '--remove', '--yes').stdout, /has no server of Sextant/);
    assert.equal(install(root, home, 'codex', '--yes').status, 0);
    assert.ok(readFileSync(file, 'utf8').startsWith(`${others}\n[mcp_servers.sextant]\ncommand = "sextant"\n`));
    for (const form of ['mcp_servers.sextant.command = "z"\n', '[mcp_servers]\nsextant = { command = "z" }\n']) {
      writeFiles(root, { '.codex/config.toml': form });
      const refused = install(root, home, 'codex', '--yes');
      assert.deepEqual([refused.status, readFileSync(file, 'utf8')], [2, form]);
      assert.match(refused.stderr, /without a table \[mcp_servers\.sextant\]/);
    }
  });

  it('keeps the readers of a file and a link to it', () => {
    const [root, home, dotfiles] = [folder(), folder(), folder()];
    const file = join(home, '.codeium/windsurf/mcp_config.json');
    const old = '{ "mcpServers": { "other": { "env": { "KEY": "secret" } } } }\n';
    writeFiles(home, { '.codeium/windsurf/mcp_config.json': old, '.config/zed/README': '' });
    chmodSync(file, 0o600);
    assert.equal(install(root, home, 'windsurf', '--yes').status, 0);
    for (const one of [file, `${file}.sextant-backup`]) assert.equal(statSync(one).mode & 0o777, 0o600, one);
    const link = join(home, '.config/zed/settings.json');
    writeFiles(dotfiles, { 'zed.json': '{}\n' });
    symlinkSync(join(dotfiles, 'zed.json'), link);
    assert.equal(install(root, home, 'zed', '--yes').status, 0);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.match(readFileSync(join(dotfiles, 'zed.json'), 'utf8'), /context_servers/);
    assert.equal(install(root, home, 'zed', '--remove', '--yes').status, 0);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.deepEqual(JSON.parse(readFileSync(link, 'utf8')), {});
  });

  it('keeps what the user added to the server, and the first backup', () => {
    const [root, home] = [folder(), folder()];
    const file = join(root, '.mcp.json');
    const old = '{"mcpServers": {"sextant": {"command":"mine","env":{"A":"b"}}}}';
    writeFileSync(file, old);
    assert.equal(install(root, home, 'claude-code', '--yes').status, 0);
    const { sextant } = (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, object> }).mcpServers;
    assert.deepEqual(sextant, { command: 'sextant', env: { A: 'b' }, args: ['mcp', '--workspace-root', '.'] });
    assert.match(install(root, home, 'claude-code', '--yes').stdout, /is as wanted already/);
    assert.equal(readFileSync(`${file}.sextant-backup`, 'utf8'), old);
  });

  it('writes the options of the server, and keeps comments above the next table of TOML', () => {
    const [root, home] = [folder(), folder()];
    const file = join(root, '.codex/config.toml');
    const next = '# The next one.\n[mcp_servers.other]\ncommand = "y"\n';
    writeFiles(root, { '.codex/config.toml': `[mcp_servers.sextant]\n# mine\ncommand = "z"\n\n${next}` });
    assert.equal(install(root, home, 'codex', '--team', '--wait', '5', '--yes').status, 0);
    const args = 'args = ["mcp","--workspace-root",".","--wait","5","--team"]\n';
    assert.equal(readFileSync(file, 'utf8'), `${next}\n[mcp_servers.sextant]\ncommand = "sextant"\n${args}`);
  });

  it('takes a file with a byte order mark, and prints the configuration whatever the file holds', () => {
    const [root, home] = [folder(), folder()];
    const file = join(root, '.mcp.json');
    writeFileSync(file, '\uFEFF{ "mcpServers": { "other": {} } }\n');
    assert.equal(install(root, home, 'claude-code', '--yes').status, 0);
    assert.match(readFileSync(file, 'utf8'), /"other"[^]*"sextant"/);
    for (const [text, problem] of [
      ['{ "mcpServers": ', /is no valid JSON/],
      ['{ "mcpServers": [] }', /mcpServers of .*\.mcp\.json is no JSON object\. Mend it first, or use --print\./],
      ['[]', /mcpServers of .* is no JSON object/],
      [Buffer.from('{ "a": "\u00fc" }', 'latin1'), /is no text in UTF-8/],
    ] as const) {
      writeFileSync(file, text);
      const refused = install(root, home, 'claude-code', '--yes');
      assert.equal(refused.status, 2);
      assert.match(refused.stderr, problem);
      assert.deepEqual(readFileSync(file), Buffer.from(text));
      assert.match(install(root, home, 'claude-code', '--print').stdout, /"sextant"/);
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
