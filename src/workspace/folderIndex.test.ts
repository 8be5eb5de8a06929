import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
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

  function flipLastByte(file: string): void {
    const bytes = readFileSync(file);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file, bytes);
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

  it('indexes what is text and leaves out the rest, each with its reason', async () => {
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

  it('does not read the content of unchanged files when it is opened again', async () => {
    const root = folder();
    const state = folder();
    const longAgo = new Date(2020, 1, 1);
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    utimesSync(join(root, 'a.ts'), longAgo, longAgo);
    await withIndex(root, state, (index) => index.reconcile());
    // Other content, same size and time: whoever sees it has read the file.
    writeFileSync(join(root, 'a.ts'), 'const harbour = 1;');
    utimesSync(join(root, 'a.ts'), longAgo, longAgo);
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'harbour'), []);
  });

  it('reads a file again that was modified in the moment it was read', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    const now = new Date();
    utimesSync(join(root, 'a.ts'), now, now);
    await withIndex(root, state, (index) => index.reconcile(), Date.now);
    writeFileSync(join(root, 'a.ts'), 'const harbour = 1;');
    utimesSync(join(root, 'a.ts'), now, now);
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'harbour'), ['a.ts']);
  });

  it('finds everything that changed while it was closed', async () => {
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

  it('follows hints about files, folders and ignore files', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'lantern', 'dir/b.ts': 'lantern', 'dir/deep/c.ts': 'lantern' });
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      writeFiles(root, { 'new.ts': 'lantern' });
      await index.hint(['new.ts', 'never-there.ts']);
      assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts', 'dir/b.ts', 'dir/deep/c.ts', 'new.ts']);
      rmSync(join(root, 'dir/deep'), { recursive: true });
      await index.hint(['dir/deep']);
      assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts', 'dir/b.ts', 'new.ts']);
      writeFiles(root, { '.git/HEAD': '', '.gitignore': 'a.ts' });
      await index.hint(['.gitignore']);
      assert.equal(index.skipped().get('a.ts')?.reason, 'ignored');
      mkdirSync(join(root, 'made'));
      writeFiles(root, { 'made/x.ts': 'lantern' });
      await index.hint(['made']);
      assert.deepEqual(await paths(root, state, 'lantern'), ['dir/b.ts', 'made/x.ts', 'new.ts']);
    });
  });

  it('loses nothing and keeps nothing too much when it crashed between its two commits', async () => {
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

  it('reads again what a damaged index lost and nothing else, and says so', async () => {
    const root = folder();
    const state = folder();
    const longAgo = new Date(2020, 1, 1);
    const write = (path: string, text: string): void => {
      writeFiles(root, { [path]: text });
      utimesSync(join(root, path), longAgo, longAgo);
    };
    write('a.ts', 'const lantern = 1;');
    write('b.ts', 'const harbour = 1;');
    await withIndex(root, state, (index) => index.reconcile());
    write('c.ts', 'const lantern = 2;');
    await withIndex(root, state, (index) => index.reconcile());
    // Other content, same size and time: whoever sees it has read the file.
    write('b.ts', 'const halyard = 1;');
    const flip = (): void => flipLastByte(join(indexFolderOf(state), 'segment-2.sxs'));
    flip();
    await withIndex(root, state, async (index) => {
      await index.reconcile();
      const { repaired, state } = index.status();
      assert.deepEqual([repaired?.files, repaired?.damage.length, state.kind], [1, 1, 'ready']);
      assert.match(repaired!.damage[0]!, /segment-2\.sxs, not a whole segment\. 1 documents are to be added again/);
    });
    assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts', 'c.ts']);
    assert.deepEqual(await paths(root, state, 'halyard'), []);
  });

  it('repairs what is damaged while it is open', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    await withIndex(root, state, async (index, seen) => {
      await index.reconcile();
      assert.equal(index.status().repaired, undefined);
      flipLastByte(join(indexFolderOf(state), 'segment-1.sxs'));
      await index.verify();
      assert.equal(seen.at(-1)?.repaired?.files, 1);
      assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts']);
    });
  });

  it('makes an index anew of which nothing can be read, or that another version wrote', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'lantern' });
    await withIndex(root, state, (index) => index.reconcile());
    const manifests = ['manifest.json', 'manifest.copy.json'].map((name) => join(indexFolderOf(state), name));
    for (const file of manifests) writeFileSync(file, 'nonsense');
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts']);
    cpSync(join(import.meta.dirname, '../../test/fixtures/formats/format-1-analysis-1/index'), indexFolderOf(state), {
      recursive: true,
    });
    await withIndex(root, state, (index) => index.reconcile());
    assert.deepEqual(await paths(root, state, 'lantern'), ['a.ts']);
  });

  it('says how far it is, and stops when told to', async () => {
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

  it('tells that the folder is gone, and recovers when it is back', async () => {
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

  it('equals a fresh index after any edits, told by hints or found by walking', async () => {
    const name = fc.constantFrom('a.ts', 'b.ts', 'dir/c.ts', 'dir/d.ts', 'dir/sub/e.ts');
    const content = fc.constantFrom('amber', 'birch lane', 'cedar', '', 'amber cedar');
    const edit = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), path: name, content }),
      fc.record({
        kind: fc.constant('remove' as const),
        path: fc.oneof(name, fc.constant('dir'), fc.constant('dir/sub')),
      }),
      fc.record({
        kind: fc.constant('ignore' as const),
        content: fc.constantFrom('', 'dir/\n', '*.ts\n!b.ts\n', 'd.ts\n'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(edit, fc.boolean()), { maxLength: 12 }), async (edits) => {
        const root = folder();
        const state = folder();
        mkdirSync(join(root, '.git'));
        await withIndex(
          root,
          state,
          async (index) => {
            await index.reconcile();
            for (const [one, hinted] of edits) {
              const path = one.kind === 'ignore' ? '.gitignore' : one.path;
              if (one.kind === 'remove') rmSync(join(root, path), { recursive: true, force: true });
              else writeFiles(root, { [path]: one.content });
              await (hinted ? index.hint([path]) : index.reconcile());
            }
            await index.reconcile();
          },
          Date.now,
        );
        const fresh = folder();
        await withIndex(root, fresh, (index) => index.reconcile(), Date.now);
        for (const word of ['amber', 'birch', 'cedar']) {
          assert.deepEqual(await paths(root, state, word), await paths(root, fresh, word));
        }
      }),
      { numRuns: 40 },
    );
  });
});
