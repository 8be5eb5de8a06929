import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { manifestsOf, replaceByEarlierVersion, segmentsOf } from '../../test/support/indexFiles.ts';
import { runs } from '../../test/support/runs.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { systemCode } from '../base/errors.ts';
import { silentLogger } from '../base/log.ts';
import { FolderIndex } from './folderIndex.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { Searcher } from './searcher.ts';
import type { FolderStatus } from './status.ts';

/** Long enough ago that no file counts as still being written. */
const LATER = (): number => Date.now() + 60_000;

describe('FolderIndex', () => {
  const folder = temporaryFolder();

  function options(root: string, stateFolder: string): FolderOptions {
    return { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
  }

  async function withIndex<T>(
    root: string,
    stateFolder: string,
    work: (index: FolderIndex, seen: FolderStatus[]) => Promise<T>,
    now: () => number = LATER,
  ): Promise<T> {
    const seen: FolderStatus[] = [];
    const edges = { logger: silentLogger, now, onStatus: (status: FolderStatus) => void seen.push(status) };
    const index = FolderIndex.open(options(root, stateFolder), edges);
    try {
      return await work(index, seen);
    } finally {
      await index.close();
    }
  }

  function truncate(file: string): void {
    writeFileSync(file, readFileSync(file).subarray(0, -1));
  }

  async function paths(root: string, stateFolder: string, query: string): Promise<string[]> {
    const searcher = new Searcher();
    try {
      const { results } = await searcher.search({ folders: [{ root, stateFolder }], query, limit: 100 });
      return results.map((result) => result.path).sort();
    } finally {
      searcher.close();
    }
  }

  it('indexes text files and leaves out others, each with its reason', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, {
      'src/lantern.ts': 'export function lightLantern() {}',
      'big.txt': 'lantern '.repeat(150_000),
      'limit.txt': 'x'.repeat(MAX_FILE_BYTES - 8) + ' lantern',
      'logo.bin': Buffer.from([1, 0, 2, 0]),
      '.env': 'LANTERN=1',
      'key.txt': '-----BEGIN PRIVATE KEY-----\nlantern\n',
      'node_modules/lantern/index.js': 'lantern',
      'out.log': 'lantern',
      '.git/HEAD': 'ref: refs/heads/main',
      '.gitignore': '*.log',
      'empty.txt': '',
    });
    symlinkSync(join(root, 'src'), join(root, 'loop'));
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      assert.deepEqual(await paths(root, state, 'lantern'), ['limit.txt', 'src/lantern.ts']);
      assert.deepEqual(Object.fromEntries([...index.skipped()].map(([path, { reason }]) => [path, reason])), {
        'big.txt': 'tooLarge',
        'logo.bin': 'binary',
        '.env': 'secret',
        'key.txt': 'secret',
        node_modules: 'excluded',
        '.git': 'excluded',
        'out.log': 'ignored',
        loop: 'link',
      });
      const status = index.status();
      assert.deepEqual(status.state, { kind: 'ready' });
      assert.equal(status.files, 4);
      assert.ok(status.indexBytes > 0);
    });
  });

  it('does not read unchanged files when opened again', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'const lantern = 1;', 'logo.bin': Buffer.from([1, 0]), '.gitignore': 'x' });
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      assert.deepEqual(index.work(), { filesRead: 3, analysed: 2 });
    });
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      await index.scanTimes();
      assert.deepEqual(index.work(), { filesRead: 0, analysed: 0 });
    });
  });

  it('reads a file again that was modified while it was read', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    await withIndex(root, state, (index) => index.reconcile(), Date.now);
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      assert.deepEqual(index.work(), { filesRead: 1, analysed: 0 });
      await index.scanTimes();
      assert.equal(index.work().filesRead, 1);
    });
  });

  it('finds new content of the same size and time, and restored content', async () => {
    const root = folder();
    const state = folder();
    const write = (text: string, time: Date): void => {
      writeFiles(root, { 'a.ts': text });
      utimesSync(join(root, 'a.ts'), time, time);
    };
    write('const lantern = 1;', new Date(2020, 1, 1));
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      write('const harbour = 1;', new Date(2020, 1, 1));
      await index.scanTimes();
      assert.deepEqual(await paths(root, state, 'harbour'), ['a.ts']);
      // As after a clock is set back.
      write('const halyard = 1;', new Date(2010, 1, 1));
      await index.scanTimes();
      assert.deepEqual(await paths(root, state, 'halyard'), ['a.ts']);
    });
  });

  it('finds every change made while it was closed', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, {
      'a.ts': 'lantern one',
      'b.ts': 'lantern two',
      'dir/c.ts': 'lantern three',
      'd.ts': 'lantern four',
    });
    await withIndex(root, state, (index) => index.reconcile());
    writeFiles(root, { 'a.ts': 'harbour, and longer' });
    rmSync(join(root, 'b.ts'));
    renameSync(join(root, 'dir'), join(root, 'moved'));
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'lantern'), ['d.ts', 'moved/c.ts']);
    assert.deepEqual(await paths(root, state, 'harbour'), ['a.ts']);
  });

  it('scans given paths of files, folders and ignore files', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'lantern', 'dir/b.ts': 'lantern', 'dir/deep/c.ts': 'lantern' });
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      writeFiles(root, { 'new.ts': 'lantern' });
      await index.scanPaths(['new.ts', 'never-there.ts']);
      assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts', 'dir/b.ts', 'dir/deep/c.ts', 'new.ts']);
      rmSync(join(root, 'dir/deep'), { recursive: true });
      await index.scanPaths(['dir/deep']);
      assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts', 'dir/b.ts', 'new.ts']);
      writeFiles(root, { '.git/HEAD': '', '.gitignore': 'a.ts' });
      await index.scanPaths(['.gitignore']);
      assert.equal(index.skipped().get('a.ts')?.reason, 'ignored');
      mkdirSync(join(root, 'made'));
      writeFiles(root, { 'made/x.ts': 'lantern' });
      await index.scanPaths(['made']);
      assert.deepEqual(await paths(root, state, 'lantern'), ['dir/b.ts', 'made/x.ts', 'new.ts']);
    });
  });

  it('equals the folder after a crash between its two commits', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'lantern', 'b.ts': 'lantern too' });
    await withIndex(root, state, (index) => index.reconcile());
    const catalog = readFileSync(join(state, 'files.json'));
    writeFiles(root, { 'a.ts': 'harbour instead', 'c.ts': 'lantern new' });
    rmSync(join(root, 'b.ts'));
    await withIndex(root, state, (index) => index.reconcile());
    // The index has the second commit, the catalog only the first.
    writeFileSync(join(state, 'files.json'), catalog);
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'lantern'), ['c.ts']);
    rmSync(join(state, 'files.json'));
    rmSync(join(root, 'c.ts'));
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'lantern'), []);
    assert.deepEqual(await paths(root, state, 'harbour'), ['a.ts']);
  });

  it('reads only files again that a damaged index lost, and reports the repair', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'const lantern = 1;', 'b.ts': 'const harbour = 1;' });
    await withIndex(root, state, (index) => index.reconcile());
    writeFiles(root, { 'c.ts': 'const lantern = 2;' });
    await withIndex(root, state, (index) => index.reconcile());
    truncate(segmentsOf(indexFolderOf(state))[1]!);
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      const { repaired, state } = index.status();
      assert.deepEqual([repaired?.files, repaired?.damage.length, state.kind], [1, 1, 'ready']);
      assert.equal(index.work().filesRead, 1);
      assert.match(repaired!.damage[0]!, /segment\.2\.1\.sxs, not a whole segment\. 1 documents are to be added again/);
    });
    assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts', 'c.ts']);
  });

  it('repairs damage while it is open', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    await withIndex(root, state, async (index, seen) => {
      await index.reconcile();
      assert.equal(index.status().repaired, undefined);
      truncate(segmentsOf(indexFolderOf(state))[0]!);
      await index.verify();
      assert.equal(seen.at(-1)?.repaired?.files, 1);
      assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts']);
    });
  });

  it('reads no file again if the copy of a damaged manifest is whole', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    await withIndex(root, state, (index) => index.reconcile());
    await withIndex(root, state, async (index, seen) => {
      writeFileSync(join(indexFolderOf(state), 'manifest.2.json'), 'nonsense');
      await index.verify();
      const damage = ['The index was damaged: manifest.2.json, checksum. Nothing is lost.'];
      assert.deepEqual(seen.at(-1)?.repaired, { damage, files: 0 });
      assert.deepEqual([index.work().filesRead, await paths(root, state, 'lantern')], [0, ['a.ts']]);
    });
  });

  it('rebuilds an unreadable index, and one of another version', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'lantern' });
    await withIndex(root, state, (index) => index.reconcile());
    for (const file of manifestsOf(indexFolderOf(state))) writeFileSync(file, 'nonsense');
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts']);
    replaceByEarlierVersion(indexFolderOf(state));
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts']);
  });

  it('reports its progress, and stops when cancelled', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`f${i}.ts`, `const lantern${i} = 1;`])));
    await withIndex(root, state, async (index, seen) => {
      const controller = new AbortController();
      const work = index.reconcile(controller.signal);
      await new Promise<void>((resolve) => {
        const timer = setInterval(() => {
          if (!seen.some(({ state }) => state.kind === 'indexing')) return;
          clearInterval(timer);
          resolve();
        }, 1);
      });
      controller.abort();
      await assert.rejects(work, { code: 'Cancelled' });
      await index.reconcile();
      const progress = seen.map(({ state }) => state).find((state) => state.kind === 'indexing');
      assert.equal(progress?.total, 700);
    });
    assert.equal((await paths(root, state, 'const')).length, 100);
  });

  it('reports its progress also when the clock is set back', async () => {
    const root = folder();
    writeFiles(root, Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}.ts`, `const lantern${i} = 1;`])));
    const steady = performance.now.bind(performance);
    let [time, clock] = [steady(), LATER()];
    performance.now = () => (time += 300);
    try {
      const seen = await withIndex(
        root,
        folder(),
        async (index, statuses) => {
          await index.reconcile();
          return statuses;
        },
        () => (clock -= 1_000),
      );
      assert.ok(seen.some(({ state }) => state.kind === 'indexing' && state.done > 0));
    } finally {
      performance.now = steady;
    }
  });

  it('reports a missing folder, and recovers when it is back', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'lantern' });
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      renameSync(root, `${root}-away`);
      await assert.rejects(index.reconcile());
      assert.equal(index.status().state.kind, 'failed');
      renameSync(`${root}-away`, root);
      await index.reconcile();
      assert.equal(index.status().state.kind, 'ready');
    });
    assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts']);
  });

  it('finds files deleted while a scan was cancelled', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`d${i % 300}/f${i}.ts`, ''])));
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      for (let i = 0; i < 300; i += 2) rmSync(join(root, `d${i}`), { recursive: true });
      const controller = new AbortController();
      // A clock on which every step is long, so that the scan is always cut somewhere in the middle.
      const now = performance.now.bind(performance);
      let time = now();
      performance.now = () => (time += 10);
      try {
        const scan = index.scanTimes(controller.signal);
        setImmediate(() => controller.abort());
        await assert.rejects(scan, { code: 'Cancelled' });
      } finally {
        performance.now = now;
      }
      await index.scanTimes();
      assert.equal(index.status().files, 1500);
    });
  });

  it('equals a fresh index after any edits, by given paths or by scans', async () => {
    const name = fc.constantFrom('a.ts', 'b.ts', 'dir/c.ts', 'dir/d.ts', 'dir/sub/e.ts', 'dir/sub/key.pem');
    const any = fc.oneof(name, fc.constantFrom('dir', 'dir/sub'));
    const content = fc.constantFrom('amber', 'birch lane', 'cedar', '', 'amber cedar', 'amber\0');
    const edit = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), path: name, content }),
      fc.record({ kind: fc.constant('remove' as const), path: any }),
      fc.record({ kind: fc.constant('rename' as const), path: any, to: fc.constantFrom('dir/f.ts', 'other', 'dir/x') }),
      fc.record({
        kind: fc.constant('ignore' as const),
        path: fc.constantFrom('.gitignore', 'dir/.gitignore', '.sextantignore', '.git/info/exclude'),
        content: fc.constantFrom('', 'dir/\n', '*.ts\n!b.ts\n', 'd.ts\n', '!dir/sub/\n'),
      }),
    );
    const scan = fc.constantFrom('hint' as const, 'scanTimes' as const, 'scanAll' as const, 'nothing' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(edit, scan), { maxLength: 12 }), async (edits) => {
        const root = folder();
        const state = folder();
        mkdirSync(join(root, '.git'));
        await withIndex(
          root,
          state,
          async (index) => {
            await index.reconcile();
            for (const [one, how] of edits) {
              applyEdit(root, one);
              if (how === 'hint') await index.scanPaths(one.kind === 'rename' ? [one.path, one.to] : [one.path]);
              else if (how === 'scanTimes') await index.scanTimes();
              else if (how === 'scanAll') await index.reconcile();
            }
            await index.scanTimes();
            const fresh = folder();
            await withIndex(
              root,
              fresh,
              async (other) => {
                await other.reconcile();
                assert.deepEqual([...index.skipped()].sort(), [...other.skipped()].sort());
              },
              Date.now,
            );
            for (const word of ['amber', 'birch', 'cedar']) {
              assert.deepEqual(await paths(root, state, word), await paths(root, fresh, word));
            }
          },
          Date.now,
        );
      }),
      { numRuns: runs(60) },
    );
  });
});

type Edit =
  | { readonly kind: 'write' | 'ignore'; readonly path: string; readonly content: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string };

/** What the present state of the files does not allow is left undone. */
function applyEdit(root: string, edit: Edit): void {
  try {
    if (edit.kind === 'remove') rmSync(join(root, edit.path), { recursive: true, force: true });
    else if (edit.kind === 'rename') renameSync(join(root, edit.path), join(root, edit.to));
    else writeFiles(root, { [edit.path]: edit.content });
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ENOTEMPTY', 'EINVAL'].includes(systemCode(error) ?? ''))
      throw error;
  }
}
