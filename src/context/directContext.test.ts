import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { answer, describeDirectContext, QUERY_FILE, RETRY_FILE } from '../../test/support/directContextSuite.ts';
import { runs } from '../../test/support/runs.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { until } from '../../test/support/until.ts';
import { SextantError } from '../base/errors.ts';
import { SextantServer } from '../server/server.ts';
import type { UploadBlob } from '../wire/batches.ts';
import type { Missing, BlobScope } from '../wire/scope.ts';
import type { ContextBackend } from './backend.ts';
import { DirectContext } from './directContext.ts';
import { EmbeddedBackend } from './embeddedBackend.ts';

const found = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();
const hasCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SextantError && error.code === code;
/** Records calls, and fails after a number of them. */
class FaultyBackend implements ContextBackend {
  readonly calls: string[] = [];
  readonly #inner: ContextBackend;
  #failAfter = Infinity;
  /** A call of this name is never answered. */
  hangsAt: string | undefined;

  constructor(inner: ContextBackend) {
    this.#inner = inner;
  }

  failAfter(calls: number): void {
    this.#failAfter = calls;
  }

  async #call<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.calls.push(name);
    if (name === this.hangsAt) await new Promise(() => undefined);
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

  describe('of a service', () => describeDirectContext(() => ({ apiKey: server.token, apiUrl: `${server.url}/` })));
  describe('embedded', () => describeDirectContext(() => ({ backend: 'embedded', answer })));

  it('needs credentials for a service', async () => {
    const edges = { env: {}, home: folder() };
    await assert.rejects(DirectContext.createWith(edges), /API key is required/);
    await assert.rejects(DirectContext.createWith(edges, { apiKey: 'k' }), /API URL is required/);
    const key = DirectContext.createWith(edges, { apiKey: `${server.token}\n`, apiUrl: server.url });
    await assert.rejects(key, hasCode('InvalidApiKey'));
    for (const apiUrl of ['no address', '127.0.0.1:80', 'localhost:80', 'file:///tmp'])
      await assert.rejects(DirectContext.createWith(edges, { apiKey: 'k', apiUrl }), hasCode('InvalidApiUrl'));
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

  it('ends a cancelled addition at once, whatever it waits for', async () => {
    const inner = await EmbeddedBackend.open(undefined, undefined, {});
    const backend = new FaultyBackend(inner);
    const context = await DirectContext.createWith({ backend });
    const many = Array.from({ length: 1000 }, (_, i) => ({ path: `${i}.txt`, contents: `${i}` }));
    for (const name of ['findMissing', 'upload', 'checkpoint']) {
      backend.hangsAt = name;
      const controller = new AbortController();
      const adding = context.addToIndex(many, { signal: controller.signal });
      await until(name, () => backend.calls.at(-1) === name);
      // One that waits for its turn is cancelled, too.
      const waiting = context.addToIndex(many, { signal: AbortSignal.any([controller.signal]) });
      controller.abort();
      await assert.rejects(waiting, hasCode('Cancelled'), name);
      await assert.rejects(adding, hasCode('Cancelled'), name);
      assert.deepEqual(context.getIndexedPaths(), []);
      backend.hangsAt = undefined;
    }
    await context.addToIndex(many);
    assert.equal(context.getIndexedPaths().length, many.length);
    await context.close();
  });

  it('keeps no results of earlier changes', async () => {
    await using context = await DirectContext.create({ backend: 'embedded' });
    const add = async (): Promise<WeakRef<object>> => new WeakRef(await context.addToIndex([QUERY_FILE]));
    const first = await add();
    await context.addToIndex([RETRY_FILE]);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await until('the first result is collected', () => {
      collect();
      return first.deref() === undefined;
    });
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
        { numRuns: runs(60) },
      );
    } finally {
      await inner.close();
    }
  });
});
