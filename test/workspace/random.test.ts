import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { silentLogger } from '../../src/base/log.ts';
import { systemCode } from '../../src/base/errors.ts';
import { FolderKeeper } from '../../src/workspace/folderKeeper.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { chooseSeed, seeded } from '../fault/truth.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { documentsOf, freshDocuments, isSoak } from './support.ts';

const MINUTES = Number(process.env.SEXTANT_SOAK_MINUTES ?? 30);

describe('A folder under random edits', () => {
  const folder = temporaryFolder();

  it('has an index that equals a fresh one at every checkpoint', async function () {
    this.timeout(isSoak ? (MINUTES + 10) * 60_000 : 120_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    const root = folder();
    const stateFolder = folder();
    const edits = new RandomEdits(root, random);
    const options = { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
    const edges = { logger: silentLogger, now: Date.now, onStatus: () => undefined, onUnwatched: () => undefined };
    // Half of the time nobody tells of anything.
    const isDeaf = (): boolean => random() < 0.5;
    let keeper: FolderKeeper | undefined;
    const restart = async (): Promise<void> => {
      await keeper?.close();
      const deaf = isDeaf() ? { watch: () => () => Promise.resolve() } : {};
      keeper = new FolderKeeper(options, { ...edges, ...deaf, ...(!isSoak && { sweepMs: 100 }) });
      keeper.start();
    };
    await restart();
    const end = Date.now() + MINUTES * 60_000;
    let checkpoints = 0;
    for (; isSoak ? Date.now() < end : checkpoints < 5; checkpoints++) {
      for (let i = 0; i < 30; i++) {
        edits.next();
        if (random() < 0.3) await setTimeout(random() * 50);
      }
      if (random() < 0.2) await restart();
      const fresh = await freshDocuments(root, folder());
      const told = (): string =>
        `checkpoint ${checkpoints} from seed ${seed}, after ${edits.log.slice(-40).join('; ')}`;
      try {
        await until('equality', () => isEqual(documentsOf(stateFolder), fresh));
      } catch {
        assert.deepEqual(documentsOf(stateFolder), fresh, told());
      }
    }
    await keeper?.close();
    console.log(`      ${checkpoints} checkpoints, ${edits.log.length} edits from seed ${seed}`);
  });
});

function isEqual(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, id]) => b.get(path) === id);
}

/** Edits of a person with an editor and Git, in any order. */
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
    const edits = [
      ...[this.#write, this.#write, this.#write, this.#write, this.#writeInTheSameMoment, this.#append, this.#undo],
      ...[this.#rename, this.#rename, this.#remove, this.#removeFolder, this.#link, this.#ignore, this.#switch],
      ...[this.#commit, this.#restore, this.#large],
    ];
    const edit = this.#pick(edits);
    try {
      this.log.push(edit.call(this));
    } catch (error) {
      // What the present state of the files does not allow is left undone.
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
      // Nothing to commit, or changes in the way of a switch.
      return false;
    }
  }

  #path(): string {
    const depth = Math.floor(this.#random() * 3);
    const folders = Array.from({ length: depth }, () => this.#pick(['a', 'b', 'build', 'ü']));
    return [...folders, this.#pick(['a.ts', 'b.ts', 'c.log', 'd.md', 'e', '.env', 'x y.go', 'key.pem'])].join('/');
  }

  #text(): string {
    const words = ['lantern', 'harbour', 'halyard', 'mast', 'keel', '\n', 'function', '{}', '\0'];
    return Array.from({ length: 1 + Math.floor(this.#random() * 30) }, () => this.#pick(words)).join(' ');
  }

  #write(): string {
    const path = this.#path();
    writeFiles(this.#root, { [path]: this.#text() });
    return `write ${path}`;
  }

  /** The same size and modification time as before. */
  #writeInTheSameMoment(): string {
    const path = this.#path();
    const file = join(this.#root, path);
    const { size, atime, mtime } = lstatSync(file);
    writeFileSync(file, this.#pick(['a', 'b', 'c']).repeat(size));
    utimesSync(file, atime, mtime);
    return `write ${path} in the same moment`;
  }

  #append(): string {
    const file = join(this.#root, this.#path());
    const text = this.#text();
    this.#last = { file, text };
    writeFileSync(file, text, { flag: 'r+' });
    return `change ${file}`;
  }

  #undo(): string {
    if (this.#last) writeFileSync(this.#last.file, this.#last.text, { flag: 'r+' });
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
    writeFiles(this.#root, {
      [path]: this.#pick(['', '*.log\n', 'build/\n', '/a\n', '!build/b.ts\n', 'b/*\n!b/a.ts\n']),
    });
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
    writeFiles(this.#root, { [path]: 'lantern\n'.repeat(this.#random() < 0.5 ? 140_000 : 1000) });
    return `write ${path}, large`;
  }
}
