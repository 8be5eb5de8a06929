import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandRunner } from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { hasTerminal } from '../support/terminal.ts';

/** Stands for the functions of zsh's own completion system, which needs a terminal. */
const ZSH_STUBS = `
compdef() { :; }
compadd() { shift; print -l -- "$@"; }
_describe() { print -l -- "\${(@P)2}"; }
_files() { print -- FILES; }
`;

describe('sextant completion', () => {
  const folder = temporaryFolder();
  const sextant = commandRunner(folder);
  const isThere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

  /** What a shell offers for words, of which the last is being typed. */
  const shells: Record<string, (script: string, words: readonly string[]) => string> = {
    bash: (script, words) => {
      const code = `source '${script}'; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _sextant; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return run('bash', ['--norc', '-c', code]);
    },
    zsh: (script, words) => {
      const code = `${ZSH_STUBS}; source '${script}'; words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'; _sextant`;
      return run('zsh', ['-f', '-c', code]);
    },
    fish: (script, words) => run('fish', ['--no-config', '-c', `source '${script}'; complete -C '${words.join(' ')}'`]),
    pwsh: (script, words) => {
      const line = words.join(' ');
      const code = `. '${script}'; (TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`;
      return run('pwsh', ['-NoProfile', '-Command', code]);
    },
  };

  function run(shell: string, args: readonly string[]): string {
    const cwd = folder();
    mkdirSync(join(cwd, 'config'));
    const env = { ...process.env, XDG_CONFIG_HOME: join(cwd, 'config'), HOME: cwd };
    const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', cwd, env });
    assert.equal(stderr, '');
    assert.ok(status === 0 || status === 1, stdout);
    return stdout;
  }

  for (const [shell, complete] of Object.entries(shells)) {
    it(`completes commands, options and their values in ${shell}`, function () {
      if (!isThere(shell)) this.skip();
      const name = shell === 'pwsh' ? 'powershell' : shell;
      const { stdout, code, stderr } = sextant('completion', name);
      assert.deepEqual([code, stderr], [0, '']);
      const script = join(folder(), `sextant.${shell === 'pwsh' ? 'ps1' : shell}`);
      writeFileSync(script, stdout);
      const offered = (...words: string[]): string[] =>
        complete(script, ['sextant', ...words])
          .split('\n')
          .filter(Boolean)
          .map((line) => line.split(/[:\t]/)[0]!);
      const top = offered('');
      for (const command of ['search', 'find-usages', 'outline', 'mcp', 'budgets', 'completion'])
        assert.ok(top.includes(command), `${command} of ${top.join()}`);
      const options = offered('search', '--');
      for (const option of ['--limit', '--vimgrep', '--color', '--help'])
        assert.ok(options.includes(option), options.join());
      assert.ok(!options.includes('--workspace-root'));
      assert.ok(offered('mcp', '--').includes('--workspace-root'));
      assert.deepEqual(new Set(offered('search', '--color', '')), new Set(['auto', 'always', 'never']));
      const clients = offered('mcp', 'install', '');
      assert.ok(clients.includes('claude-code') && clients.includes('zed'), clients.join());
      assert.ok(offered('completion', '').includes('fish'));
    });
  }

  /** How a shell starts in a terminal, and what it reads before the completions; `sextant` keeps its arguments and ends the shell. */
  const terminals: Record<string, readonly [start: string, setup: string]> = {
    bash: ['bash --rcfile start', `PS1=READY; sextant() { printf '<%s>' "$@" >typed; exit; }`],
    zsh: [
      'zsh -o NO_GLOBAL_RCS',
      `autoload -U compinit; compinit -u -D; PS1=READY; sextant() { printf '<%s>' "$@" >typed; exit; }`,
    ],
    fish: [
      'fish --no-config --init-command "source start"',
      `function sextant; printf '<%s>' $argv >typed; exit; end; function fish_prompt; echo -n READY; end`,
    ],
  };

  /** The arguments that a shell passes to `sextant` after a line was typed in a terminal. */
  async function typed(shell: string, line: string): Promise<string> {
    const cwd = folder();
    const [start, setup] = terminals[shell]!;
    const text = `${setup}\n${sextant('completion', shell).stdout}`;
    writeFiles(cwd, { start: text, '.zshrc': text, 'my docs/a file.txt': '', 'my docs/b.txt': '' });
    const env = { ...process.env, TERM: 'xterm', HOME: cwd, ZDOTDIR: cwd, XDG_CONFIG_HOME: cwd, XDG_DATA_HOME: cwd };
    const child = spawn('script', ['-qec', `stty cols 200; exec ${start}`, '/dev/null'], { cwd, env });
    const closed = once(child, 'close');
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (!shown.includes('READY') && (shown += chunk.toString()).includes('READY')) child.stdin.write(`${line}\r`);
    });
    await closed;
    return readFileSync(join(cwd, 'typed'), 'utf8');
  }

  for (const shell of Object.keys(terminals))
    it(`completes paths with spaces and --option=value in a terminal with ${shell}`, async function () {
      if (!isThere(shell) || !hasTerminal) this.skip();
      const lines = [
        ['sextant report --output my\ta\t', '<report><--output><my docs/a file.txt>'],
        ['sextant report --output=my\ta\t', '<report><--output=my docs/a file.txt>'],
        ['sextant report --format=h\t', '<report><--format=html>'],
        ['sextant search x my\tb\t', '<search><x><my docs/b.txt>'],
      ] as const;
      for (const [line, expected] of lines) assert.equal(await typed(shell, line), expected);
    });

  it('names every command of the help', () => {
    const script = sextant('completion', 'bash').stdout;
    const { stdout } = sextant('--help');
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)(?: \[options\])?(?: [<[].*?)? {2,}/gm)].map(
      ([, name]) => name!,
    );
    assert.ok(commands.length > 15, commands.join());
    for (const command of commands.filter((name) => name !== 'help'))
      assert.ok(script.includes(`' ${command}'`), command);
  });

  it('refuses other shells', () => {
    assert.equal(sextant('completion', 'tcsh').code, 2);
  });
});
