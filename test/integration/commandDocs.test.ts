import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/main.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A word of a command or option, not a value: `webhooks`, `--json`. */
const WORD = /^(?:--)?[a-z][a-z-]*$/;

describe('The pages, helps and messages', () => {
  let program: Command;

  before(async () => {
    // Nothing is run, so nothing is written.
    const terminal = { ...process, signal: new AbortController().signal };
    program = await createProgram(['node', 'sextant', 'completion'], '1.0.0', terminal, () => undefined);
  });

  function* allCommands(command = program): Generator<Command> {
    yield command;
    for (const one of command.commands) yield* allCommands(one);
  }

  const inner = (command: Command, name: string): Command | undefined =>
    command.commands.find((one) => one.name() === name);

  /** The command that words begin with, or the first word that is none. */
  function commandOf(
    words: readonly string[],
    start = program,
  ): { readonly command: Command; readonly unknown?: string } {
    let command = start;
    for (const word of words) {
      if (command.commands.length === 0 || !WORD.test(word) || word.startsWith('--')) break;
      if (word === 'help') break;
      const next = inner(command, word);
      if (!next) return { command, unknown: word };
      command = next;
    }
    return { command };
  }

  /** What is wrong with a command line in a text, without the name of the program. */
  function problemsOf(line: string): string[] {
    const words = line.replace(/ (?:--|[|&>;#]).*$/, '').split(/\s+/);
    const { command, unknown } = commandOf(words);
    if (unknown !== undefined) return [`sextant ${line}: there is no command ${unknown}`];
    const isKnown = (word: string): boolean =>
      // Clients of the service write --mcp in place of the command mcp.
      ['--help', '--version', '--mcp'].includes(word) || command.options.some(({ long }) => long === word);
    const options = words.map((word) => /^--[a-z-]+/.exec(word)?.[0]).filter((word) => word !== undefined);
    // A group takes the options of its commands in a sentence about all of them.
    const all = [...allCommands(command)].flatMap((one) => one.options.map(({ long }) => long));
    return options
      .filter((word) => !isKnown(word) && !(command.commands.length > 0 && all.includes(word)))
      .map((word) => `sextant ${line}: it has no option ${word}`);
  }

  it('name commands that exist, with options that these take', () => {
    const problems: string[] = [];
    let lines = 0;
    const check = (place: string, line: string): void => {
      lines++;
      problems.push(...problemsOf(line).map((problem) => `${place}: ${problem}`));
    };
    for (const page of ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: ROOT })]) {
      const text = readFileSync(join(ROOT, page), 'utf8');
      for (const [, line] of text.matchAll(/`sextant ([^`]+)`/g)) check(page, line!);
      for (const [, block] of text.matchAll(/^ *```(?:sh|console|bash)\n([^]*?)^ *```/gm))
        for (const [, line] of block!.matchAll(/^ *(?:\$ )?sextant (.*)$/gm)) check(page, line!);
      // Other commands of the same group: `sextant webhooks create` and `rotate`.
      for (const [, first, others] of text.matchAll(/`sextant ([^`]+)`((?:(?:,| and|, and| or) `[a-z][^`]*`)+)/g)) {
        const { command } = commandOf(first!.split(' '));
        for (const [, line] of others!.matchAll(/`([^`]+)`/g)) {
          const words = line!.split(' ');
          if (words[0] === 'sextant' || !WORD.test(words[0]!)) continue;
          const starts = [command, command.parent, ...(words.length > 1 ? [program] : [])];
          if (!starts.some((start) => start && inner(start, words[0]!)))
            problems.push(`${page}: sextant ${first} … ${line}: there is no command ${words[0]}`);
        }
      }
    }
    for (const command of allCommands()) {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      for (const [, line] of help.matchAll(/^ *(?:.*[|;] )?sextant (.*)$/gm)) check(`help of ${command.name()}`, line!);
    }
    for (const file of globSync('src/**/*.ts', { cwd: ROOT, exclude: (name) => name.endsWith('.test.ts') }))
      for (const [, line] of readFileSync(join(ROOT, file), 'utf8').matchAll(/["`]sextant ([a-z][^"`$\n]*)["`]/g))
        check(file, line!);
    assert.deepEqual(problems, []);
    assert.ok(lines >= 300, `${lines}`);
  });

  it('name each command with --json beside its schema', () => {
    const named = new Set<Command>();
    for (const row of readFileSync(join(ROOT, 'docs/json/README.md'), 'utf8').split('\n')) {
      let group = program;
      for (const [, span] of row.matchAll(/`([^`]+)`/g)) {
        const words = span!.replace(/^sextant /, '').split(' ');
        const start = words.length === 1 && inner(group, words[0]!) ? group : program;
        const { command } = commandOf(words, [group, start].find((one) => inner(one, words[0]!)) ?? program);
        named.add(command);
        group = command.parent ?? program;
      }
    }
    const printing = [...allCommands()].filter((one) => one.options.some(({ long }) => long === '--json'));
    const missing = printing.filter((one) => one.commands.length === 0 && !named.has(one));
    assert.deepEqual(
      missing.map((one) => `${one.parent?.name()} ${one.name()}`),
      [],
    );
  });

  it('link to pages and headings that exist', () => {
    const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '');
    /** The anchors that GitHub gives to headings. */
    const anchorsOf = (page: string): ReadonlySet<string> => {
      const anchors = new Set<string>();
      for (const [, heading] of read(page).matchAll(/^#+ (.*)$/gm)) {
        const text = heading!.replaceAll(/\]\([^)]*\)/g, '').toLowerCase();
        const anchor = text.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
        let count = 0;
        while (anchors.has(count === 0 ? anchor : `${anchor}-${count}`)) count++;
        anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
      }
      return anchors;
    };
    const broken: string[] = [];
    for (const page of [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      ...globSync('docs/**/*.md', { cwd: ROOT }),
    ])
      for (const [, link] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^(?:https?|mailto):/.test(link!)) continue;
        const [file = '', anchor] = link!.split('#');
        const target = file === '' ? page : join(dirname(page), file);
        const isThere = existsSync(join(ROOT, target));
        if (!isThere || (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)))
          broken.push(`${page}: ${link}`);
      }
    assert.deepEqual(broken, []);
  });

  it('document each option that is not hidden', () => {
    const words = (text: string): ReadonlySet<string> => new Set(text.split(/[^\w-]+/));
    const pages = ['README.md', ...globSync('docs/{*,design/*}.md', { cwd: ROOT })];
    const inPages = words(pages.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n'));
    const missing: string[] = [];
    for (const command of allCommands()) {
      const inHelp = words(command.helpInformation());
      for (const { short, long, description, hidden } of command.options) {
        if (hidden) continue;
        const name = `${command.parent?.name()} ${command.name()} ${long}`;
        if (!inHelp.has(long ?? '') || description === '') missing.push(`help: ${name}`);
        // --no-header is the reverse of --header.
        const flags = [short, long, long?.replace(/^--no-/, '--')];
        if (!flags.some((flag) => flag !== undefined && inPages.has(flag))) missing.push(`pages: ${name}`);
      }
    }
    assert.deepEqual(missing, []);
  });
});
