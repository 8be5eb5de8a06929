import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError, type Command } from 'commander';
import { createProgram } from '../../src/cli/main.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { COMMAND } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary.ts';

const DOCS = join(import.meta.dirname, '../../docs/webhooks.md');
/** What stands for a value in a command of the text. */
const VALUES: Readonly<Record<string, string>> = {
  NAME: 'some',
  W: 'some',
  T: 'github-push',
  ID: 'evt_0000000001',
  'ID…': 'evt_0000000001',
  DIR: 'lab',
  RULE: '{}',
  URL: 'http://localhost:3000/hooks',
  SENDER: 'github',
  'EVENT…': 'github.push',
};

describe('the commands of docs/webhooks.md', () => {
  const folder = temporaryFolder();

  it('succeed in their order, as they are written', function () {
    const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
    if (process.platform === 'win32' || !['bash', 'jq', 'curl', 'timeout'].every(has)) this.skip();
    const blocks = [...readFileSync(DOCS, 'utf8').matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block!);
    const commands = blocks.flatMap((block) => [...block.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command!));
    assert.ok(commands.length >= 10, `${commands.length}`);
    // All commands are in blocks of this kind; others hold JSON.
    const kinds = [...readFileSync(DOCS, 'utf8').matchAll(/^```(\w*)\n/gm)]
      .map(([, kind]) => kind)
      .filter((kind) => kind !== '');
    assert.deepEqual(new Set(kinds), new Set(['console', 'json']));
    const lines = commands.flatMap((command) => {
      // It runs until Ctrl-C.
      if (command.startsWith('sextant listen')) return [`timeout -s INT 6 ${command} || test $? = 124`];
      // A person waits until it says that it is ready.
      if (command.endsWith('&')) {
        const state = /--state \S+/.exec(command)?.[0] ?? '';
        return [command, `until sextant triggers list ${state}; [ $? -le 1 ]; do sleep 0.2; done`];
      }
      return [command];
    });
    const place = folder();
    const bin = join(place, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'sextant'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`);
    chmodSync(join(bin, 'sextant'), 0o755);
    writeFileSync(join(place, 'stripe-secret.txt'), 'whsec_ASecretOfStripe\n');
    const script = ['set -ex', "trap 'kill $(jobs -p); wait' EXIT", ...lines].join('\n');
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, HOME: place, XDG_DATA_HOME: join(place, 'data') };
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: place,
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^When an event comes to issues and `action` is "opened": record it\.$/m);
    assert.match(stdout, /opened did not fire: `action` is "opened": `action` was "closed"/);
    assert.match(stdout, /^notes {3}runs tee -a notes\.txt: 1 at once, 60 s each, 3 attempts$/m);
    assert.match(stdout, /^invoices +bearer_token +organization of jo +enabled /m);
    assert.match(stdout, /"name":"deploys"/);
    assert.match(stdout, /github localhost-3000 forwards to http:\/\/localhost:3000\/hooks/);
  });

  it('and those in its text are commands, with options that these take', async () => {
    const program = await createProgram([], '0', {} as Terminal, () => undefined);
    const quiet = (command: Command): void => {
      command.exitOverride().configureOutput({ writeErr: () => undefined });
      if (command.commands.length === 0) command.action(() => undefined);
      command.commands.forEach(quiet);
    };
    quiet(program);
    const inner = (command: Command, name = ''): Command | undefined =>
      command.commands.find((one) => one.name() === name);
    /** The command that a text begins with: `webhooks list`, `listen`; not a group alone. */
    const commandOf = ([first, second]: readonly string[], group = program): Command | undefined => {
      const found = inner(group, first);
      return found && found.commands.length > 0 ? inner(found, second) : found;
    };
    const problemOf = (words: readonly string[], command: Command): string | undefined => {
      const depth = command.parent === program ? 1 : 2;
      try {
        command.parse(
          words.slice(depth).map((word) => VALUES[word] ?? word),
          { from: 'user' },
        );
        return undefined;
      } catch (error) {
        if (!(error instanceof CommanderError)) throw error;
        // A command in a sentence names only what the sentence is about.
        return /missing/i.test(error.code) ? undefined : error.message;
      }
    };
    const problems: string[] = [];
    let [parsed, options] = [0, 0];
    for (const section of readFileSync(DOCS, 'utf8').split(/^##+ /m)) {
      const named = new Set<Command>();
      for (const [, line] of section.matchAll(/^\$ (?:.*\$\()?sextant (.*)$/gm))
        named.add(commandOf(line!.split(' '))!);
      const spans: string[][] = [];
      for (const row of section.replaceAll(/^```[\s\S]*?^```/gm, '').split('\n')) {
        let group = program;
        for (const [, text] of row.matchAll(/`([^`]+)`/g)) {
          const words = text!.replace(/^sextant /, '').split(' ');
          // In the table of commands, `list` after `webhooks create` is `webhooks list`.
          const isShort =
            group !== program && !text!.startsWith('-') && row.startsWith('| `') && inner(group, words[0]);
          const whole = isShort ? [group.name(), ...words] : words;
          const command = commandOf(whole);
          if (text!.startsWith('--') && text !== '--help') spans.push(words);
          if (!command || (words.length === 1 && words[0] !== 'listen' && !isShort)) continue;
          named.add(command);
          group = command.parent ?? program;
          parsed++;
          const problem = problemOf(whole, command);
          if (problem !== undefined) problems.push(`${text}: ${problem}`);
        }
      }
      for (const words of spans) {
        options++;
        const takers = [...named].filter((command) => command.options.some(({ long }) => long === words[0]));
        const isTaken = takers.some((command) => {
          const start = command.parent === program ? [command.name()] : [command.parent!.name(), command.name()];
          return words.length === 1 || problemOf([...start, ...words], command) === undefined;
        });
        if (!isTaken) problems.push(`${words.join(' ')}: no command of “${section.split('\n')[0]}” takes it`);
      }
    }
    assert.deepEqual(problems, []);
    assert.ok(parsed >= 40 && options >= 30, `${parsed} ${options}`);
  });
});
