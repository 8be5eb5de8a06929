import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SextantError } from '../../src/base/errors.ts';
import type { IndexingProgress } from '../../src/context/calls.ts';
import { DirectContext, type DirectContextOptions } from '../../src/context/directContext.ts';
import { BlobTooLargeError } from '../../src/wire/errors.ts';
import { temporaryFolder } from './temporary.ts';

const found = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();
const hasCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SextantError && error.code === code;
export const QUERY_FILE = { path: 'src/query.ts', contents: 'export function parseQuery(text: string) {}\n' };
export const RETRY_FILE = { path: 'src/retry.ts', contents: 'export function retryPayment() {}\n' };

/** The model of the contexts that {@link describeDirectContext} tests. */
export const answer = async (prompt: string): Promise<string> => `asked: ${prompt}`;

/** A distinct word for each number. */
export const word = (i: number): string => `${String(i).replaceAll(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)]!)}z`;

/** What holds for the library with each backend. `options` are those of contexts that {@link answer} answers. Call it inside `describe`. */
export function describeDirectContext(options: () => DirectContextOptions): void {
  const folder = temporaryFolder();

  it('finds present files after adding, replacing, removing and clearing, and nothing else', async () => {
    await using context = await DirectContext.create(options());
    await assert.rejects(context.search('query'), /Index not initialized/);
    assert.deepEqual(await context.addToIndex([QUERY_FILE, RETRY_FILE]), {
      newlyUploaded: ['src/query.ts', 'src/retry.ts'],
      alreadyUploaded: [],
    });
    assert.deepEqual(context.getIndexedPaths(), ['src/query.ts', 'src/retry.ts']);
    assert.match(await context.search('parse query'), /Path: src\/query\.ts\n {5}1\texport function parseQuery/);
    const changed = { path: 'src/query.ts', contents: 'export function understand() {}\n' };
    assert.deepEqual(await context.addToIndex([RETRY_FILE, changed]), {
      newlyUploaded: ['src/query.ts'],
      alreadyUploaded: ['src/retry.ts'],
    });
    assert.doesNotMatch(await context.search('parse query'), /parseQuery/);
    assert.deepEqual(found(await context.search('understand')), ['src/query.ts']);
    // The list is the caller's, who may change it at once.
    const removed = ['src/query.ts', 'not there'];
    const removing = context.removeFromIndex(removed);
    removed.length = 0;
    await removing;
    assert.deepEqual(context.getIndexedPaths(), ['src/retry.ts']);
    assert.deepEqual(found(await context.search('understand')), []);
    assert.deepEqual(await context.addToIndex([changed]), {
      newlyUploaded: [],
      alreadyUploaded: ['src/query.ts'],
    });
    assert.deepEqual(found(await context.search('understand')), ['src/query.ts']);
    await context.clearIndex();
    assert.deepEqual(context.getIndexedPaths(), []);
    await assert.rejects(context.search('retry'), /Index not initialized/);
    await context.waitForIndexing();
  });

  it('answers with the search result', async () => {
    await using context = await DirectContext.create(options());
    await context.addToIndex([RETRY_FILE]);
    assert.match(
      await context.searchAndAsk('retry payment'),
      /^asked: Relevant context:\n[^]*Path: src\/retry\.ts\n[^]*\n\nretry payment$/,
    );
    assert.match(await context.searchAndAsk('retry payment', 'Why?'), /\n\nWhy\?$/);
  });

  it('ends a call whose signal aborts, and stays as it was', async () => {
    await using context = await DirectContext.create(options());
    await context.addToIndex([QUERY_FILE]);
    const aborted = AbortSignal.abort();
    const calls = [
      context.addToIndex([RETRY_FILE], { signal: aborted }),
      context.search('retry', { signal: aborted }),
      context.waitForIndexing(undefined, undefined, aborted),
      context.searchAndAsk('retry', undefined, { signal: aborted }),
    ];
    for (const call of calls) await assert.rejects(call, hasCode('Cancelled'));
    assert.deepEqual(context.getIndexedPaths(), [QUERY_FILE.path]);
    // In the middle of many uploads.
    const many = Array.from({ length: 8 }, (_, i) => ({
      path: `${word(i)}.txt`,
      contents: `${word(i)} `.repeat(1e5),
    }));
    const controller = new AbortController();
    const adding = context.addToIndex(many, { signal: controller.signal, onProgress: () => controller.abort() });
    await assert.rejects(adding, hasCode('Cancelled'));
    assert.deepEqual(context.getIndexedPaths(), [QUERY_FILE.path]);
    await context.addToIndex([RETRY_FILE]);
    assert.deepEqual(found(await context.search('retry payment')), [RETRY_FILE.path]);
  });

  it('never returns a text above the limit', async () => {
    await using context = await DirectContext.create(options());
    const contents = Array.from({ length: 2000 }, (_, i) => `needle number ${i} of the hay\n`).join('');
    await context.addToIndex(
      Array.from({ length: 30 }, (_, i) => ({ path: `${i}.txt`, contents: `${i}\n${contents}` })),
    );
    const lengthOf = async (maxOutputLength?: number): Promise<number> =>
      (await context.search('needle', { maxOutputLength })).length;
    assert.ok((await lengthOf(500)) <= 500);
    const usual = await lengthOf();
    assert.ok(usual > 10_000 && usual <= 20_000, `${usual}`);
    const longest = await lengthOf(1_000_000);
    assert.ok(longest > 40_000 && longest <= 80_000, `${longest}`);
  });

  it('refuses files that are too large before anything is sent, and takes the largest', async () => {
    await using context = await DirectContext.create(options());
    const files = [RETRY_FILE, { path: 'ä.txt', contents: 'ä'.repeat(524_289) }];
    await assert.rejects(
      context.addToIndex(files),
      (error) => error instanceof BlobTooLargeError && error.path === 'ä.txt' && error.size === 1_048_578,
    );
    assert.deepEqual(context.getIndexedPaths(), []);
    await context.addToIndex([{ path: 'ä.txt', contents: 'ä'.repeat(524_288) }]);
    assert.deepEqual(context.getIndexedPaths(), ['ä.txt']);
    await assert.rejects(context.addToIndex([{ path: 'x' } as never]), hasCode('InvalidArgument'));
    await assert.rejects(context.addToIndex([null as never]), hasCode('InvalidArgument'));
  });

  it('uses the last of two files with one path, and finds odd names and empty files', async () => {
    await using context = await DirectContext.create(options());
    await context.addToIndex([
      { path: 'a', contents: 'first needle' },
      { path: 'a', contents: 'second needle' },
      { path: '../ \ud800 odd\n', contents: 'odd needle' },
      { path: 'empty', contents: '' },
      { path: 'binary', contents: 'needle \0' },
    ]);
    const text = await context.search('needle');
    assert.match(text, /second needle/);
    assert.match(text, /odd needle/);
    assert.doesNotMatch(text, /first needle/);
    assert.equal(context.getIndexedPaths().length, 4);
  });

  it('makes checkpoints of many files, and sees the same in an import of either form', async function () {
    this.timeout(300_000);
    const opened = { ...options(), ...(options().backend === 'embedded' && { folder: folder() }) };
    let context = await DirectContext.create(opened);
    const files = Array.from({ length: 1200 }, (_, i) => ({ path: `f${i}.txt`, contents: `${word(i)} common\n` }));
    const progress: IndexingProgress[] = [];
    await context.addToIndex(files, { onProgress: (one) => progress.push(one) });
    assert.deepEqual(progress.at(-1)?.indexed, 1200);
    assert.ok(progress.some(({ stage, bytesUploaded = 0 }) => stage === 'uploading' && bytesUploaded > 0));
    const state = context.export();
    assert.deepEqual([state.addedBlobs, state.deletedBlobs, state.blobs.length], [[], [], 1200]);
    await context.removeFromIndex(['f7.txt']);
    await context.addToIndex([{ path: 'f8.txt', contents: 'changed' }]);
    const full = join(folder(), 'full.json');
    const small = join(folder(), 'small.json');
    await context.exportToFile(full);
    await context.exportToFile(small, { mode: 'search-only' });
    assert.equal(readFileSync(full, 'utf8'), `${JSON.stringify(context.export(), undefined, 2)}\n`);
    const check = async (): Promise<void> => {
      assert.deepEqual(found(await context.search(word(7))), []);
      assert.deepEqual(found(await context.search(word(8))), []);
      assert.deepEqual(found(await context.search('changed')), ['f8.txt']);
      assert.deepEqual(found(await context.search(word(1199))), ['f1199.txt']);
    };
    await check();
    await context.close();
    context = await DirectContext.importFromFile(full, opened);
    await check();
    assert.equal(context.getIndexedPaths().length, 1199);
    assert.deepEqual((await context.addToIndex(files.slice(20))).newlyUploaded, []);
    await context.close();
    context = await DirectContext.importFromFile(small, opened);
    await check();
    await assert.rejects(context.addToIndex([RETRY_FILE]), /search-only state/);
    await assert.rejects(context.removeFromIndex(['a']), /search-only state/);
    assert.throws(() => context.getIndexedPaths(), /search-only state/);
    assert.throws(() => context.export(), /search-only state/);
    assert.equal(context.export({ mode: 'search-only' }).checkpointId, state.checkpointId);
    await context.close();
    await assert.rejects(context.search('x'), hasCode('ContextClosed'));
    await assert.rejects(context.clearIndex(), hasCode('ContextClosed'));
  });

  it('closes after the calls before it, also those that wait for their turn', async () => {
    const context = await DirectContext.create(options());
    const unwaited = { waitForIndexing: false };
    const calls = [
      context.addToIndex([RETRY_FILE], unwaited),
      context.addToIndex([{ path: 'other.ts', contents: 'export const other = 1;' }], unwaited),
      context.removeFromIndex(['other.ts']),
    ];
    await context.close();
    await Promise.all(calls);
    assert.deepEqual(context.getIndexedPaths(), [RETRY_FILE.path]);
  });
}
