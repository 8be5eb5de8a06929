import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createProgram, PARTS } from '../../src/cli/main.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { COMMAND, copySample } from '../support/command.ts';
import { nameOf, runnable } from '../support/commandTree.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

/** A command line and the exit code by its help, for each command and each code that needs no service. */
const CASES: readonly (readonly [code: number, ...args: string[]])[] = [
  [1, 'index', '--list'],
  [1, 'status'],
  [0, 'index'],
  [0, 'index', '--list'],
  [0, 'status'],
  [0, 'search', 'verifyPassword'],
  [1, 'search', 'quuxNowhere'],
  [2, 'search', 'verifyPassword', './missing'],
  [2, 'search'],
  [2, 'search', ' '],
  [2, 'search', 'verifyPassword', '--state', ''],
  [0, 'find-usages', 'verifyPassword'],
  [1, 'find-usages', 'quuxNowhere'],
  [2, 'find-usages', 'two names'],
  [0, 'outline', 'src'],
  [1, 'outline', 'note.txt'],
  [2, 'outline', '../elsewhere'],
  [0, 'ask', 'how are passwords verified?'],
  [1, 'ask', 'quuxNowhere'],
  [2, 'ask', 'quuxNowhere', '--provider', 'nothing'],
  [0, 'why', 'src/auth/passwordHash.ts'],
  [1, 'why', 'src/missing.ts'],
  [2, 'why'],
  [0, 'doctor'],
  [2, 'doctor', './missing'],
  [0, 'context', 'export', '-o', '../index.tar'],
  [2, 'context', 'export', '-o', '../index.tar'],
  [0, 'context', 'import', '../index.tar'],
  [2, 'context', 'import', '../missing.tar'],
  [0, 'mcp'],
  [2, 'mcp', '--workspace-root', './missing'],
  [0, 'mcp', 'install', 'cursor', '--yes'],
  [2, 'mcp', 'install', 'zed'],
  [0, 'filters', 'test', '{"==": [{"var": "a"}, 1]}', 'payload.json'],
  [1, 'filters', 'test', '{"==": [{"var": "a"}, 2]}', 'payload.json'],
  [2, 'filters', 'test', '{"==": [{"var": "a"}, 1]}', 'missing.json'],
  [2, 'webhooks', 'list'],
  [2, 'triggers', 'list'],
  [2, 'experts', 'list'],
  [2, 'events', 'list'],
  [2, 'listen', '--undo', 'one'],
  [2, 'usage'],
  [2, 'cost'],
  [2, 'budgets', 'list'],
  [2, 'report'],
  [2, 'report', '--all-orgs'],
  [1, 'orgs', 'list'],
  [0, 'orgs', 'add', 'acme', 'https://acme.example.com', '--token-env', 'ACME_TOKEN'],
  [0, 'orgs', 'list'],
  [2, 'orgs', 'add', 'acme', 'https://acme.example.com'],
  [0, 'orgs', 'remove', 'acme'],
  [1, 'orgs', 'remove', 'acme'],
  [2, 'groups', 'check'],
  [2, 'metrics', '--once'],
  [0, 'completion', 'bash'],
  [2, 'completion', 'tcsh'],
  [2, 'login'],
  [1, 'token', 'print'],
  [0, 'logout'],
  [2, 'serch', 'verifyPassword'],
];

describe('the parts of sextant', () => {
  it('name each of their commands, so that it is loaded without the others', async () => {
    for (const { names } of PARTS) {
      const argv = ['node', 'sextant', names[0]!];
      const program = await createProgram(argv, '1.0.0', {} as Terminal, () => undefined);
      assert.deepEqual(program.commands.map((one) => one.name()).toSorted(), [...names, 'completion'].toSorted());
    }
  });
});

describe('exit codes of sextant', () => {
  const folder = temporaryFolder();
  let program: Command;

  before(async () => {
    // Nothing is run, so nothing is written.
    const terminal = { ...process, signal: new AbortController().signal };
    program = await createProgram(['node', 'sextant', 'completion'], '1.0.0', terminal, () => undefined);
  });

  it('is 2 where a file takes only a part of the output', function () {
    if (process.platform === 'win32') return this.skip();
    const file = join(folder(), 'help.txt');
    const limited = ['-c', 'ulimit -f 1; exec "$0" "$1" --help > "$2"', process.execPath, COMMAND, file];
    const { status, stderr } = spawnSync('bash', limited, { encoding: 'utf8' });
    assert.match(stderr, /^sextant: The output is incomplete\. Free some space, or write elsewhere\. \(EFBIG/);
    assert.equal(status, 2);
  });

  it('are in the help of each command that does something', () => {
    const commands = runnable(program);
    assert.ok(commands.length > 50, String(commands.length));
    for (const command of commands) {
      const help = helpOf(command);
      assert.match(help, /^Exit codes: 0 [^]*?\b2 /m, `${command.name()}:\n${help}`);
    }
  });

  it('are those of the help', () => {
    const home = folder();
    const root = copySample(join(folder(), 'project'));
    writeFiles(root, { 'note.txt': 'no definition is here\n', 'payload.json': '{"a": 1}' });
    mkdirSync(join(home, 'cache'));
    const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: join(home, 'cache'), NO_COLOR: '1' };
    const commands = new Map(runnable(program).map((command) => [nameOf(command), command]));
    for (const [code, ...args] of CASES) {
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
        cwd: root,
        env,
        input: '',
        encoding: 'utf8',
      });
      assert.equal(status, code, `sextant ${args.join(' ')}: ${status}, not ${code}\n${stderr}`);
      const command = commands.get(args.slice(0, 2).join(' ')) ?? commands.get(args[0]!) ?? program;
      assert.match(helpOf(command), new RegExp(`^Exit codes: [^]*\\b${code} `, 'm'), args.join(' '));
    }
  });
});

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}
