import assert from 'node:assert/strict';
import { execFileSync, type ChildProcess } from 'node:child_process';
import { cpSync, lstatSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'; // oxfmt-ignore
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { silentLogger } from '../../src/base/log.ts';
import { systemCode } from '../../src/base/errors.ts';
import { FolderIndexer } from '../../src/workspace/folderIndexer.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { Searcher } from '../../src/workspace/searcher.ts';
import { chooseSeed, seeded } from '../fault/truth.ts';
import { killed, spawnUntil } from '../support/processes.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { isSoak } from '../support/runs.ts';
import { documentsOf, find, freshDocuments } from './support.ts';

const MINUTES = Number(process.env.SEXTANT_SOAK_MINUTES ?? 30);
const ROUNDS = 6;
const EDITS = 30;
/** Words, a phrase, filters, exclusions and symbols that the random texts answer. */
const QUERIES = [
  ...['lantern', 'harbour keel', 'halyard -mast', '"lantern harbour"', 'mast -"keel"', 'sym:halyard*', 'sym:mast keel'],
  ...['file:*.ts', 'path:a/', 'lang:go', 'lang:markdown lantern', '-path:build/ keel', 'file:b.ts function'],
];

describe('An index in a storm of changes', () => {
  const folder = temporaryFolder();
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  it('has the documents and the results of a new index after each round', async function () {
    this.timeout(isSoak ? (MINUTES + 10) * 600_000 : 600_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    const root = folder();
    const stateFolder = folder();
    const edits = new RandomEdits(root, random);
    const options = { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
    const edges = { logger: silentLogger, now: Date.now, onStatus: () => undefined, onUnwatched: () => undefined };
    let keeper: FolderIndexer | undefined;
    const stop = async (): Promise<void> => {
      await keeper?.close();
      keeper = undefined;
    };
    const start = (): void => {
      // Half of the runs have no events.
      const deaf = random() < 0.5 ? { watch: () => () => Promise.resolve() } : {};
      keeper = new FolderIndexer(options, { ...edges, ...deaf, ...(!isSoak && { scanMs: 100 }) });
      keeper.start();
    };
    const editFor = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        edits.next();
        if (random() < 0.3) await setTimeout(random() * 50);
      }
    };
    const old = join(folder(), 'old');
    /** Events of the index itself, besides the edits. The first rounds have each event once. */
    const mishaps: readonly (() => Promise<void>)[] = [
      () => Promise.resolve(),
      async () => {
        await stop();
        start();
      },
      // The state, or the index without the catalog, is put back from a backup. Once `status` compares the two, it is to
      // say that such an index is behind (index.md 7); that an update repairs it holds today.
      async () => {
        await stop();
        cpSync(stateFolder, old, { recursive: true });
        start();
        await editFor(EDITS);
        await stop();
        const part = random() < 0.5 ? '' : 'index';
        rmSync(join(stateFolder, part), { recursive: true });
        cpSync(join(old, part), join(stateFolder, part), { recursive: true });
        edits.log.push(`restore of the old state/${part}`);
        start();
      },
      // Another process takes over in the middle of the work, and may be killed while it writes.
      async () => {
        const { child } = await spawnUntil('begins', KEEPING, [root, stateFolder]);
        children.push(child);
        await stop();
        await editFor(EDITS);
        await setTimeout(random() * 300);
        await killed(child);
        edits.log.push('kill of another keeper');
        start();
      },
    ];
    start();
    const end = Date.now() + MINUTES * 60_000;
    let rounds = 0;
    for (; isSoak ? Date.now() < end : rounds < ROUNDS; rounds++) {
      await editFor(EDITS);
      const mishap = rounds < mishaps.length ? rounds : Math.floor(random() * mishaps.length);
      await mishaps[mishap]!();
      const freshFolder = folder();
      const fresh = await freshDocuments(root, freshFolder);
      const said = (): string => `round ${rounds} from seed ${seed}, after ${edits.log.slice(-60).join('; ')}`;
      try {
        await until('equality', () => isEqual(documentsOf(stateFolder), fresh), 60_000);
      } catch {
        assert.deepEqual(documentsOf(stateFolder), fresh, said());
      }
      // The order of the first ten, and which place of a file is best, still follow the statistics of removed documents,
      // and so the index's history (index.md 6). Until a merge drops these documents, results are compared as a set.
      for (const query of QUERIES) {
        const found = await find(root, stateFolder, query, 10_000);
        assert.deepEqual(found, await find(root, freshFolder, query, 10_000), `${query}: ${said()}`);
      }
      await assertShownAsOnDisk(root, stateFolder, said);
      rmSync(freshFolder, { recursive: true });
    }
    await stop();
    console.log(`      ${rounds} rounds, ${edits.log.length} edits from seed ${seed}`);
  });
});

const KEEPING = `
  import { FolderIndexer } from './src/workspace/folderIndexer.ts';
  const [root, stateFolder] = process.argv.slice(1);
  const log = () => undefined;
  new FolderIndexer({ root, stateFolder, exclude: [], maxFileBytes: 1048576 }, {
    logger: { debug: log, info: log, warn: log, error: log },
    now: Date.now, onUnwatched: log, onStatus: log, scanMs: 100,
  }).start();
  console.log('begins');`;

function isEqual(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, id]) => b.get(path) === id);
}

/** Checks that each line of a result is at its place in the file. */
async function assertShownAsOnDisk(root: string, stateFolder: string, said: () => string): Promise<void> {
  const searcher = new Searcher();
  const { results, leftOut } = await searcher.search({ folders: [{ root, stateFolder }], query: 'lantern', limit: 50 });
  searcher.close();
  assert.equal(leftOut, 0, said());
  for (const { path, line, text } of results) {
    const lines = readFileSync(join(root, path), 'utf8').split(/\r\n|\r|\n/);
    assert.ok(lines[line - 1]?.trim().startsWith(text.trim()), `${path}:${line} is not "${text}": ${said()}`);
  }
}

/** Random edits of a person with an editor and Git. */
class RandomEdits {
  readonly log: string[] = [];
  readonly #root: string;
  readonly #random: () => number;
  #last: { readonly file: string; readonly text: string } | undefined;

  constructor(root: string, random: () => number) {
    this.#root = root;
    this.#random = random;
    this.#git('init', '-q', '-b', 'main');
    for (let i = 0; i < 40; i++) this.#write();
    this.#git('add', '-A');
    this.#git('commit', '-qm', 'first');
    this.#git('branch', 'other');
  }

  next(): void {
    // oxlint-disable typescript/unbound-method -- called with `this` below
    const edits = [
      ...[this.#write, this.#write, this.#write, this.#write, this.#writeInTheSameMoment, this.#append, this.#undo],
      ...[this.#rename, this.#rename, this.#remove, this.#removeFolder, this.#link, this.#ignore, this.#switch],
      ...[this.#commit, this.#restore, this.#large, this.#odd, this.#odd, this.#setTime, this.#setTime, this.#many],
    ];
    // oxlint-enable typescript/unbound-method
    const edit = this.#pick(edits);
    try {
      this.log.push(edit.call(this));
    } catch (error) {
      // Skips edits that the present state of the files does not allow.
      const code = systemCode(error) ?? '';
      if (!['ENOENT', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ENOTEMPTY', 'EINVAL', 'ELOOP'].includes(code)) throw error;
    }
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)]!;
  }

  #git(...args: string[]): boolean {
    const settings = ['user.name=a', 'user.email=a@example.org', 'core.fsync=none', 'gc.auto=0'];
    try {
      execFileSync('git', [...settings.flatMap((one) => ['-c', one]), ...args], { cwd: this.#root, stdio: 'pipe' });
      return true;
    } catch {
      // Nothing to commit, or changes that block a switch.
      return false;
    }
  }

  #path(): string {
    const depth = Math.floor(this.#random() * 3);
    const folders = Array.from({ length: depth }, () => this.#pick(['a', 'b', 'build', 'ü']));
    return [...folders, this.#pick(['a.ts', 'b.ts', 'c.log', 'd.md', 'e', '.env', 'x y.go', 'key.pem'])].join('/');
  }

  #text(): string {
    const words = [
      'lantern',
      'harbour',
      'halyard',
      'mast',
      'keel',
      'keel\n',
      'function halyardMast() {}\n',
      '{}\n',
      'lantern harbour',
      '\0',
    ];
    return Array.from({ length: 1 + Math.floor(this.#random() * 30) }, () => this.#pick(words)).join(' ');
  }

  /** Writes a file, after removing one that would block or break a writer. */
  #put(path: string, text: string): void {
    const file = join(this.#root, path);
    if (!isFileOrNothing(file)) rmSync(file, { recursive: lstatSync(file).isDirectory() });
    writeFiles(this.#root, { [path]: text });
  }

  #write(): string {
    const path = this.#path();
    this.#put(path, this.#text());
    return `write ${path}`;
  }

  /** Writes content with the same size and modification time as before. */
  #writeInTheSameMoment(): string {
    const path = this.#path();
    const file = join(this.#root, path);
    const { size, atime, mtime } = lstatSync(file);
    if (!isFileOrNothing(file)) return 'nothing';
    writeFileSync(file, this.#pick(['a', 'b', 'c']).repeat(size));
    utimesSync(file, atime, mtime);
    return `write ${path} in the same moment`;
  }

  #append(): string {
    const file = join(this.#root, this.#path());
    const text = this.#text();
    if (!isFileOrNothing(file)) return 'nothing';
    this.#last = { file, text };
    writeFileSync(file, text, { flag: 'r+' });
    return `change ${file}`;
  }

  #undo(): string {
    if (this.#last && isFileOrNothing(this.#last.file)) writeFileSync(this.#last.file, this.#last.text, { flag: 'r+' });
    return 'undo';
  }

  #rename(): string {
    const from = this.#pick([this.#path(), dirname(this.#path())]);
    const to = this.#pick([this.#path(), dirname(this.#path()), 'moved', 'a/moved']);
    if (from !== '.' && to !== '.') renameSync(join(this.#root, from), join(this.#root, to));
    return `rename ${from} to ${to}`;
  }

  #remove(): string {
    const path = this.#path();
    unlinkSync(join(this.#root, path));
    return `remove ${path}`;
  }

  #removeFolder(): string {
    if (this.#random() < 0.7) return 'nothing';
    const path = this.#pick(readdirSync(this.#root).filter((name) => name !== '.git'));
    rmSync(join(this.#root, path), { recursive: true });
    return `remove all of ${path}`;
  }

  #link(): string {
    const path = this.#path();
    symlinkSync(this.#pick(['.', '..', 'a.ts', '/']), join(this.#root, path));
    return `link ${path}`;
  }

  #ignore(): string {
    const path = this.#pick(['.gitignore', 'a/.gitignore', '.sextantignore', 'b/.sextantignore', '.git/info/exclude']);
    const rules = this.#pick(['', '*.log\n', 'build/\n', '/a\n', '!build/b.ts\n', 'b/*\n!b/a.ts\n']);
    this.#put(path, rules);
    return `rules in ${path}`;
  }

  #switch(): string {
    const to = this.#pick(['main', 'other']);
    return `switch to ${to}: ${this.#git('checkout', '-q', to)}`;
  }

  #commit(): string {
    this.#git('add', '-A');
    return `commit: ${this.#git('commit', '-qm', 'more')}`;
  }

  #restore(): string {
    return `restore: ${this.#git('reset', '-q', '--hard')}`;
  }

  #large(): string {
    const path = this.#path();
    this.#put(path, 'lantern\n'.repeat(this.#random() < 0.5 ? 140_000 : 1000));
    return `write ${path}, large`;
  }

  /** A pipe, or a socket, in place of a file or a rule file of ours; Git itself would wait for a pipe named .gitignore. */
  #odd(): string {
    if (process.platform === 'win32') return 'nothing';
    const path = this.#random() < 0.2 ? this.#pick(['.sextantignore', 'b/.sextantignore']) : this.#path();
    const file = join(this.#root, path);
    unlinkSync(file);
    if (this.#random() < 0.5) execFileSync('mkfifo', [file]);
    else execFileSync(process.execPath, ['-e', SOCKET, file]);
    return `odd ${path}`;
  }

  /** Sets an old or future time, like a restored backup, an unpacked archive or a wrong clock. */
  #setTime(): string {
    const path = this.#path();
    const file = join(this.#root, path);
    const times = [0, 1, Date.now() / 1000 - 3600, Date.now() / 1000 + 3600, 4_000_000_000];
    if (this.#random() < 0.5 && isFileOrNothing(file)) writeFileSync(file, this.#text(), { flag: 'r+' });
    const time = this.#pick(times);
    utimesSync(file, time, time);
    return `time ${time} of ${path}`;
  }

  #many(): string {
    const name = this.#pick(['many', 'a/many']);
    for (let i = 0; i < 60; i++) this.#put(`${name}/f${i}.ts`, this.#text());
    return `write 60 files in ${name}`;
  }
}

/** Creates a socket at a path, via a short name: the system allows 107 bytes. */
const SOCKET = `
  const { createServer } = require('node:net');
  const { renameSync, mkdtempSync, rmSync } = require('node:fs');
  const folder = mkdtempSync(require('node:os').tmpdir() + '/s-');
  const server = createServer().listen(folder + '/s', () => {
    renameSync(folder + '/s', process.argv[1]);
    server.close();
    rmSync(folder, { recursive: true });
  });`;

/** Whether writing to a path neither waits nor meets a device; links are followed, as a writer does. */
function isFileOrNothing(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return systemCode(error) === 'ENOTDIR';
  }
}
