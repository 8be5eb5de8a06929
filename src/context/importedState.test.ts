import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { SextantError } from '../base/errors.ts';
import { SextantServer } from '../server/server.ts';
import type { ContextBackend } from './backend.ts';
import type { File } from './calls.ts';
import { DirectContext, type DirectContextOptions } from './directContext.ts';
import { EmbeddedBackend } from './embeddedBackend.ts';
import type { FullContextState } from './state.ts';

const found = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();
const isMissing =
  (what: RegExp) =>
  (error: unknown): boolean =>
    error instanceof SextantError && error.code === 'FilesMissing' && what.test(error.message);
const filesOf = (count: number): File[] =>
  Array.from({ length: count }, (_, i) => ({ path: `f${i}.txt`, contents: `needle n${i}n\n` }));

/** Records each request of a context to a service. */
function counting(inner: ContextBackend): { readonly backend: ContextBackend; readonly calls: string[] } {
  const calls: string[] = [];
  const noted =
    <A extends unknown[], R>(name: string, call: (...args: A) => R) =>
    (...args: A): R => {
      calls.push(name);
      return call(...args);
    };
  return {
    calls,
    backend: {
      findMissing: noted('findMissing', inner.findMissing.bind(inner)),
      upload: noted('upload', inner.upload.bind(inner)),
      checkpoint: noted('checkpoint', inner.checkpoint.bind(inner)),
      retrieve: noted('retrieve', inner.retrieve.bind(inner)),
      ask: inner.ask.bind(inner),
      close: inner.close.bind(inner),
    },
  };
}

/** A backend that loses its files between two contexts. */
interface Loss {
  /** The state of a context with these files. */
  readonly exported: (files: readonly File[]) => Promise<FullContextState>;
  /** Options of a backend without the files. */
  readonly options: () => Promise<DirectContextOptions>;
}

describe('a state imported where its files are not', () => {
  const folder = temporaryFolder();
  const running: SextantServer[] = [];
  afterEach(async () => {
    for (const server of running.splice(0)) await server.close();
  });

  async function start(state: string, keepMs?: number): Promise<DirectContextOptions> {
    const server = await SextantServer.start({ port: 0, state, ...(keepMs !== undefined && { context: { keepMs } }) });
    running.push(server);
    return { apiKey: server.token, apiUrl: server.url };
  }
  async function exportOf(options: DirectContextOptions, files: readonly File[]): Promise<FullContextState> {
    await using context = await DirectContext.create(options);
    await context.addToIndex(files);
    return context.export();
  }

  const losses: Readonly<Record<string, () => Loss>> = {
    'in another embedded context': () => ({
      exported: (files) => exportOf({ backend: 'embedded' }, files),
      options: () => Promise.resolve({ backend: 'embedded' }),
    }),
    'in a second service': () => ({
      exported: async (files) => exportOf(await start(folder()), files),
      options: () => start(folder()),
    }),
    'in a service that has removed unused files': () => {
      const state = folder();
      return {
        exported: async (files) => exportOf(await start(state), files),
        options: async () => {
          await running.pop()!.close();
          // Removes all files used before its start.
          const options = await start(state, -60_000);
          await using context = await DirectContext.create(options);
          await context.addToIndex([{ path: 'other', contents: 'other' }]);
          return options;
        },
      };
    },
  };
  for (const [title, loss] of Object.entries(losses))
    for (const count of [3, 1100])
      it(`${title} reports ${count} missing files, and has them after they are added again`, async function () {
        this.timeout(300_000);
        const { exported, options }: Loss = loss();
        const files = filesOf(count);
        const state = await exported(files);
        assert.equal(state.checkpointId !== undefined, count >= 1000);
        const opened = await options();
        await using context = await DirectContext.import(state, opened);
        await assert.rejects(
          context.search('needle'),
          isMissing(new RegExp(`lacks ${count} of the ${count} files .*f0\\.txt.* addToIndex`)),
        );
        await assert.rejects(context.searchAndAsk('needle'), isMissing(/addToIndex/));
        await assert.rejects(context.waitForIndexing(), isMissing(/lacks/));
        assert.equal(context.getIndexedPaths().length, count);

        const some = await context.addToIndex(files.slice(1));
        assert.equal(some.newlyUploaded.length, count - 1);
        await assert.rejects(context.search('needle'), isMissing(new RegExp(`lacks 1 of the ${count} files`)));
        assert.deepEqual(await context.addToIndex(files.slice(0, 2)), {
          newlyUploaded: ['f0.txt'],
          alreadyUploaded: ['f1.txt'],
        });
        assert.deepEqual(found(await context.search('n0n')), ['f0.txt']);
        await context.waitForIndexing();
        await context.removeFromIndex(['f1.txt']);
        assert.deepEqual(found(await context.search('n1n')), []);

        if (opened.backend === 'embedded') return;
        await using again = await DirectContext.import(context.export(), opened);
        assert.deepEqual(found(await again.search('n2n')), ['f2.txt']);
      });

  it('can be searched again once the missing files are removed from it', async () => {
    const state = await exportOf({ backend: 'embedded' }, filesOf(2));
    await using context = await DirectContext.import(state, { backend: 'embedded' });
    await context.addToIndex(filesOf(1));
    await assert.rejects(context.search('needle'), isMissing(/lacks 1 of the 2/));
    await context.removeFromIndex(['f1.txt']);
    assert.deepEqual(found(await context.search('needle')), ['f0.txt']);
  });

  for (const count of [3, 1100])
    it(`throws FilesMissing for a search-only state of ${count} files`, async function () {
      this.timeout(300_000);
      await using from = await DirectContext.create({ backend: 'embedded' });
      await from.addToIndex(filesOf(count));
      const state = from.export({ mode: 'search-only' });
      for (const options of [{ backend: 'embedded' } as const, await start(folder())]) {
        await using context = await DirectContext.import(state, options);
        await assert.rejects(
          context.search('needle'),
          isMissing(count < 1000 ? /lacks 3 of the files of this search-only/ : /lacks the files of this search-only/),
        );
      }
    });

  it('costs one more request at the first use, and none later', async () => {
    const place = folder();
    const files = filesOf(5);
    const state = await exportOf({ backend: 'embedded', folder: place }, files);
    for (const first of ['search', 'add'] as const) {
      const { backend, calls } = counting(await EmbeddedBackend.open(place, undefined, {}));
      await using context = await DirectContext.createWith({ backend });
      await context.addToIndex(files);
      calls.length = 0;
      await context.search('needle');
      assert.deepEqual(calls, ['retrieve'], 'nothing is checked if the context added the files');
      await context.close();
      const second = counting(await EmbeddedBackend.open(place, undefined, {}));
      await using imported = await DirectContext.importWith({ backend: second.backend }, state);
      if (first === 'add') await imported.addToIndex(files, { waitForIndexing: false });
      else await Promise.all([imported.search('needle'), imported.search('needle')]);
      await imported.search('needle');
      await imported.addToIndex(files);
      await imported.search('needle');
      assert.deepEqual(
        second.calls,
        first === 'add'
          ? ['findMissing', 'retrieve', 'retrieve']
          : ['findMissing', 'retrieve', 'retrieve', 'retrieve', 'retrieve'],
      );
    }
  });

  it('sends its set again where only the checkpoint is lost', async function () {
    this.timeout(300_000);
    const place = folder();
    const state = await exportOf({ backend: 'embedded', folder: place }, filesOf(1100));
    const lose = (): void => {
      const name = readdirSync(place).find((one) => one.startsWith('checkpoints.'))!;
      rmSync(join(place, name), { recursive: true });
    };
    lose();
    for (const change of [
      (_: DirectContext) => Promise.resolve(),
      (context: DirectContext) => context.removeFromIndex(filesOf(1050).map(({ path }) => path)),
    ]) {
      await using context = await DirectContext.import(state, { backend: 'embedded', folder: place });
      await change(context);
      const texts = await Promise.all([context.search('n1099n'), context.search('n1099n')]);
      for (const text of texts) assert.deepEqual(found(text), ['f1099.txt']);
      await context.close();
      lose();
    }
  });

  it('reports blobs that a service has lost since it took them, rather than a timeout', async function () {
    this.timeout(300_000);
    const inner = await EmbeddedBackend.open(undefined, undefined, {});
    const { backend } = counting(inner);
    await using context = await DirectContext.createWith({ backend, pollMs: 1 });
    await context.addToIndex(filesOf(2));
    const lost = context.export().addedBlobs[0]!;
    (backend as { findMissing: ContextBackend['findMissing'] }).findMissing = async (names) =>
      Promise.resolve({ unknown: names.filter((name) => name === lost), nonindexed: [] });
    await assert.rejects(context.waitForIndexing(50), isMissing(/lacks 1 of the 2/));
    await assert.rejects(context.waitForIndexing(), isMissing(/lacks 1 of the 2/));
  });
});
