import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { SextantError } from '../base/errors.ts';
import { SextantServer } from '../server/server.ts';
import { BlobTooLargeError } from '../wire/errors.ts';
import type { UploadBlob } from '../wire/batches.ts';
import type { Missing, BlobScope } from '../wire/scope.ts';
import type { ContextBackend } from './backend.ts';
import type { IndexingProgress } from './calls.ts';
import { DirectContext, type DirectContextOptions } from './directContext.ts';
import { EmbeddedBackend } from './embeddedBackend.ts';

const found = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();
const hasCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SextantError && error.code === code;
const QUERY_FILE = { path: 'src/query.ts', contents: 'export function parseQuery(text: string) {}\n' };
const RETRY_FILE = { path: 'src/retry.ts', contents: 'export function retryPayment() {}\n' };
const answer = async (prompt: string): Promise<string> => `asked: ${prompt}`;

/** A distinct word for each number. */
const word = (i: number): string => `${String(i).replaceAll(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)]!)}z`;

/** Records calls, and fails after a number of them. */
class FaultyBackend implements ContextBackend {
  readonly calls: string[] = [];
  readonly #inner: ContextBackend;
  #failAfter = Infinity;

  constructor(inner: ContextBackend) {
    this.#inner = inner;
  }

  failAfter(calls: number): void {
    this.#failAfter = calls;
  }

  async #call<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.calls.push(name);
    if (this.#failAfter-- <= 0) throw new Error('broken');
    return call();
  }

  findMissing(names: readonly string[]): Promise<Missing> {
    return this.#call('findMissing', () => this.#inner.findMissing(names));
  }
  upload(blobs: readonly UploadBlob[]): Promise<readonly string[]> {
    return this.#call('upload', () => this.#inner.upload(blobs));
  }
  checkpoint(scope: BlobScope): Promise<string> {
    return this.#call('checkpoint', () => this.#inner.checkpoint(scope));
  }
  retrieve(query: string, scope: BlobScope, length?: number): Promise<string> {
    return this.#call('retrieve', () => this.#inner.retrieve(query, scope, length));
  }
  ask(prompt: string): Promise<string> {
    return this.#call('ask', () => this.#inner.ask(prompt));
  }
  close(): Promise<void> {
    return this.#inner.close();
  }
}

describe('a direct context', () => {
  const folder = temporaryFolder();
  let server: SextantServer;
  before(async () => {
    server = await SextantServer.start({ port: 0, state: folder(), context: { answer } });
  });
  after(() => server.close());

  const backends: Readonly<Record<string, () => DirectContextOptions>> = {
    'of a service': () => ({ apiKey: server.token, apiUrl: `${server.url}/` }),
    embedded: () => ({ backend: 'embedded', answer }),
  };

  for (const [title, options] of Object.entries(backends)) {
    describe(title, () => {
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
        await context.removeFromIndex(['src/query.ts', 'not there']);
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
    });
  }

  it('needs credentials for a service', async () => {
    const edges = { env: {}, home: folder() };
    await assert.rejects(DirectContext.createWith(edges), /API key is required/);
    await assert.rejects(DirectContext.createWith(edges, { apiKey: 'k' }), /API URL is required/);
    const env = { SEXTANT_SESSION_AUTH: JSON.stringify({ accessToken: server.token, tenantURL: server.url }) };
    await using context = await DirectContext.createWith({ ...edges, env });
    await context.addToIndex([{ path: 'session.txt', contents: 'session' }]);
  });

  it('refuses values that are no state', async () => {
    const file = join(folder(), 'state.json');
    writeFileSync(file, '{"blobs": [');
    await assert.rejects(DirectContext.importFromFile(file, { backend: 'embedded' }), hasCode('InvalidState'));
    await assert.rejects(DirectContext.import([] as never, { backend: 'embedded' }), hasCode('InvalidState'));
  });

  it('names the problem of a state, a file or a service', async () => {
    await assert.rejects(
      DirectContext.import({ a: 1 } as never, { backend: 'embedded' }),
      /state\.blobs.*A state is what export\(\) returns: an object with blobs/,
    );
    await using context = await DirectContext.create({ backend: 'embedded' });
    const missing = join(folder(), 'missing');
    await assert.rejects(
      context.exportToFile(folder()),
      (error: unknown) =>
        error instanceof SextantError && error.code === 'IsAFolder' && !error.message.includes('.tmp'),
    );
    await assert.rejects(
      DirectContext.importFromFile(join(missing, 'state.json'), { backend: 'embedded' }),
      hasCode('NoStateFile'),
    );
    await assert.rejects(
      context.exportToFile(join(missing, 'state.json')),
      (error) => hasCode('NotAFolder')(error) && (error as Error).message.includes(`there is no folder ${missing}.`),
    );
    const options = { apiKey: 'k', apiUrl: 'http://127.0.0.1:9', requestTimeout: 50 };
    await using remote = await DirectContext.create(options);
    await assert.rejects(remote.addToIndex([QUERY_FILE]), /of \/find-missing from 127\.0\.0\.1:9/);
  });

  it('throws NoModel without an answerer', async () => {
    await using context = await DirectContext.create({ backend: 'embedded' });
    await context.addToIndex([QUERY_FILE]);
    await assert.rejects(context.searchAndAsk('query'), hasCode('NoModel'));
  });

  it('makes one change after the other', async () => {
    await using context = await DirectContext.create({ backend: 'embedded' });
    const all = await Promise.all([
      context.addToIndex([QUERY_FILE, RETRY_FILE]),
      context.addToIndex([QUERY_FILE]),
      context.removeFromIndex(['src/query.ts']),
      context.addToIndex([{ path: 'x', contents: 'y' }]),
    ]);
    assert.deepEqual(all[1], { newlyUploaded: [], alreadyUploaded: ['src/query.ts'] });
    assert.deepEqual(context.getIndexedPaths(), ['src/retry.ts', 'x']);
  });

  it('waits until files are indexed, within the time limit', async () => {
    const inner = await EmbeddedBackend.open(undefined, undefined, {});
    let polls = 0;
    const slow: ContextBackend = {
      findMissing: async (names) =>
        polls++ < 4 ? { unknown: [], nonindexed: names } : { unknown: [], nonindexed: [] },
      upload: (blobs) => inner.upload(blobs),
      checkpoint: (scope) => inner.checkpoint(scope),
      retrieve: (query, scope) => inner.retrieve(query, scope),
      ask: (prompt) => inner.ask(prompt),
      close: () => inner.close(),
    };
    await using context = await DirectContext.createWith({ backend: slow, pollMs: 1 });
    const stages: string[] = [];
    await context.addToIndex([QUERY_FILE], { onProgress: ({ stage, indexed }) => stages.push(`${stage} ${indexed}`) });
    assert.deepEqual(stages, ['uploading 0', 'indexing 0', 'indexing 0', 'indexing 0', 'indexing 1']);
    polls = -1e9;
    await assert.rejects(context.waitForIndexing(5), /Indexing timeout/);
    await assert.rejects(context.waitForIndexing(0), /Indexing timeout/);
    const added = await context.addToIndex([RETRY_FILE], { waitForIndexing: false });
    assert.deepEqual(added.newlyUploaded, ['src/retry.ts']);
    polls = 1e9;
    await context.waitForIndexing();
  });

  it('is as it was after a call that failed at any step, and whole after the same call again', async function () {
    this.timeout(300_000);
    const file = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('one', 'two', 'three'));
    const step = fc.record({
      failAfter: fc.constantFrom(0, 1, 2, 3, 99),
      change: fc.oneof(
        fc.record({ add: fc.array(file, { minLength: 1, maxLength: 3 }) }),
        fc.record({ remove: fc.subarray(['a', 'b', 'c']) }),
        // Enough files for a checkpoint.
        fc.constant({ many: true as const }),
      ),
    });
    const crowd = Array.from({ length: 1000 }, (_, i) => ({ path: `crowd/${i}`, contents: '' }));
    const inner = await EmbeddedBackend.open(undefined, undefined, {});
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
          const backend = new FaultyBackend(inner);
          const context = await DirectContext.createWith({ backend });
          const naive = new Map<string, string>();
          for (const { failAfter, change } of steps) {
            const before = context.export();
            const run = async (): Promise<unknown> => {
              if ('add' in change)
                return context.addToIndex(
                  change.add.map(([path, contents]) => ({ path, contents: `needle ${contents}` })),
                );
              if ('remove' in change) return context.removeFromIndex(change.remove);
              const isThere = naive.has('crowd/0');
              return isThere ? context.removeFromIndex(crowd.map(({ path }) => path)) : context.addToIndex(crowd);
            };
            backend.failAfter(failAfter);
            try {
              await run();
            } catch (error) {
              assert.equal((error as Error).message, 'broken');
              // Only the wait for files that are in the context already may fail after the change.
              const isWaiting = backend.calls.at(-1) === 'findMissing' && failAfter > 1;
              if (!isWaiting) assert.deepEqual(context.export(), before);
              backend.failAfter(Infinity);
              await run();
            }
            backend.failAfter(Infinity);
            if ('add' in change) for (const [path, contents] of change.add) naive.set(path, contents);
            else if ('remove' in change) for (const path of change.remove) naive.delete(path);
            else
              for (const { path } of crowd) {
                if (naive.has(path)) naive.delete(path);
                else naive.set(path, '');
              }
            assert.deepEqual(context.getIndexedPaths().sort(), [...naive.keys()].sort());
            if (naive.size === 0) continue;
            const expected = [...naive].filter(([, contents]) => contents !== '').map(([path]) => path);
            assert.deepEqual(found(await context.search('needle')), expected.sort());
            for (const one of ['one', 'two', 'three'])
              assert.deepEqual(
                found(await context.search(one)),
                [...naive].flatMap(([path, contents]) => (contents === one ? [path] : [])).sort(),
              );
          }
        }),
        { numRuns: 60 },
      );
    } finally {
      await inner.close();
    }
  });
});
