import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { manifestsOf } from '../../../test/support/indexFiles.ts';
import { describeBlobStore } from '../../../test/support/blobStore.ts';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { AdjustableClock } from '../../base/clock.ts';
import { SextantError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { documentId } from '../../engine/documentId.ts';
import type { BlobScope } from '../../wire/scope.ts';
import { ContentStore } from './contentStore.ts';

const DAY = 86_400_000;
const scope = (added: readonly string[], checkpointId?: string, deleted: readonly string[] = []): BlobScope => ({
  checkpointId,
  added,
  deleted,
});
const nameOf = (path: string, content: string): string => documentId(path, Buffer.from(content));
const found = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();

/** The folder of packs or checkpoints in a store; its name has the number of the lease. */
function inner(place: string, stem: 'packs' | 'checkpoints'): string {
  const [name, ...more] = readdirSync(place).filter((one) => one.startsWith(stem));
  assert.deepEqual(more, []);
  return join(place, name!);
}

describe('the store of contexts in a folder', () => {
  describeBlobStore((folder) => ContentStore.open(folder));
});

describe('the store of contexts', () => {
  const folder = temporaryFolder();
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  afterEach(() => void logged.splice(0));

  async function withStore<T>(
    place: string,
    use: (store: ContentStore) => Promise<T>,
    options: Parameters<typeof ContentStore.open>[1] = {},
  ): Promise<T> {
    const store = await ContentStore.open(place, { logger, ...options });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }

  it('keeps everything over a restart, also without its index', async () => {
    const place = folder();
    const content = 'the needle is here\n';
    const { name, checkpoint } = await withStore(place, async (store) => {
      const [name] = await store.upload([{ path: 'hay.txt', content }]);
      return { name: name!, checkpoint: await store.checkpoint(scope([name!])) };
    });
    for (const lose of [
      () => undefined,
      () => rmSync(join(place, 'index'), { recursive: true }),
      () => {
        for (const manifest of manifestsOf(join(place, 'index'))) writeFileSync(manifest, '{"format":999999}');
      },
    ]) {
      lose();
      await withStore(place, async (store) => {
        assert.deepEqual(store.findMissing([name]), { unknown: [], nonindexed: [] });
        assert.deepEqual(found(await store.retrieve('needle', scope([], checkpoint))), ['hay.txt']);
      });
    }
  });

  it('requests damaged files again, and is whole after their upload', async () => {
    const place = folder();
    const content = 'the needle is here\n';
    const [name] = await withStore(place, (store) => store.upload([{ path: 'hay.txt', content }]));
    const bytes = readFileSync(join(inner(place, 'packs'), 'pack-1.sxb'));
    // Folders of a version without numbers of leases.
    const pack = join(place, 'packs/pack-1.sxb');
    for (const damage of [
      () => writeFileSync(pack, bytes.with(20, bytes[20]! ^ 1)),
      () => writeFileSync(pack, bytes.subarray(0, 10)),
      () => writeFileSync(pack, ''),
      ...(process.platform === 'win32' ? [] : [() => void execFileSync('mkfifo', [pack])]),
    ]) {
      rmSync(inner(place, 'packs'), { recursive: true });
      mkdirSync(join(place, 'packs'));
      damage();
      await withStore(place, async (store) => {
        assert.deepEqual(store.findMissing([name!]).unknown, [name]);
        assert.deepEqual(found(await store.retrieve('needle', scope([name!]))), []);
        assert.match(logged.join(), /damaged/);
        await store.upload([{ path: 'hay.txt', content }]);
        assert.deepEqual(found(await store.retrieve('needle', scope([name!]))), ['hay.txt']);
      });
    }
    // Damage to content is found when it is read.
    rmSync(inner(place, 'packs'), { recursive: true });
    await withStore(place, async (store) => {
      await store.upload([{ path: 'hay.txt', content }]);
      const file = join(inner(place, 'packs'), readdirSync(inner(place, 'packs'))[0]!);
      const whole = readFileSync(file);
      writeFileSync(file, whole.with(whole.length - 1, 0));
      assert.deepEqual(found(await store.retrieve('needle', scope([name!]))), []);
      assert.deepEqual(store.findMissing([name!]).unknown, [name]);
      await store.upload([{ path: 'hay.txt', content }]);
      assert.deepEqual(found(await store.retrieve('needle', scope([name!]))), ['hay.txt']);
    });
  });

  it('repairs a damaged index from the packs while it is open', async () => {
    const place = folder();
    await withStore(place, async (store) => {
      const names = await store.upload([{ path: 'a.ts', content: 'export const lantern = 1;' }]);
      const index = join(place, 'index');
      const segment = readdirSync(index).find((name) => name.endsWith('.sxs'))!;
      truncateSync(join(index, segment), 0);
      const find = async (): Promise<string[]> => found(await store.retrieve('lantern', scope(names)));
      for (let tries = 0; (await find()).length === 0 && tries < 20; tries++) await store.collect();
      assert.match(logged.join(), /The index was damaged/);
      assert.deepEqual([await find(), store.findMissing(names)], [['a.ts'], { unknown: [], nonindexed: [] }]);
    });
  });

  it('treats a damaged checkpoint as missing, and creates it again', async () => {
    const place = folder();
    const set = scope([nameOf('a', 'b')]);
    const id = await withStore(place, (store) => store.checkpoint(set));
    truncateSync(join(inner(place, 'checkpoints'), `${id}.sxc`), 20);
    await withStore(place, async (store) => {
      await assert.rejects(store.retrieve('x', scope([], id)), /no checkpoint/);
      assert.equal(await store.checkpoint(set), id);
      assert.deepEqual(found(await store.retrieve('x', scope([], id))), []);
    });
  });

  it('is open in one process at a time', async () => {
    const place = folder();
    await withStore(place, () =>
      assert.rejects(ContentStore.open(place), (error) => error instanceof SextantError && error.code === 'StoreBusy'),
    );
  });

  it('refuses a newer format, and leaves it unchanged', async () => {
    const place = folder();
    await withStore(place, (store) => store.upload([{ path: 'a', content: 'b' }]));
    const pack = join(inner(place, 'packs'), 'pack-1.sxb');
    const newer = readFileSync(pack);
    newer.write('SXPACK2\n');
    writeFileSync(pack, newer);
    await assert.rejects(
      ContentStore.open(place),
      (error) => error instanceof SextantError && error.code === 'StoreNewer',
    );
    assert.deepEqual(readFileSync(pack), newer);
  });

  it('merges many small uploads into few files', async () => {
    const place = folder();
    await withStore(place, async (store) => {
      const names: string[] = [];
      for (let i = 0; i < 40; i++) names.push(...(await store.upload([{ path: `f${i}`, content: `needle ${i}` }])));
      await store.collect();
      assert.equal(readdirSync(inner(place, 'packs')).length, 1);
      assert.deepEqual(store.findMissing(names).unknown, []);
      assert.equal(found(await store.retrieve('needle', scope(names))).length, 40);
    });
  });

  it('removes blobs that no checkpoint has and no client used for 30 days, whatever happens in between', async function () {
    this.timeout(300_000);
    // A day at a time, with uploads, looks, checkpoints, uses of them, collections and restarts; beside it, what has to be there.
    const file = fc.nat(7);
    const step = fc.oneof(
      fc.record({ upload: fc.array(file, { minLength: 1, maxLength: 4 }) }),
      fc.record({ ask: file }),
      fc.record({ checkpoint: fc.array(file, { minLength: 1, maxLength: 3 }) }),
      fc.record({ use: fc.nat(3) }),
      fc.record({ days: fc.integer({ min: 1, max: 25 }) }),
      fc.constant('collect' as const),
      fc.constant('reopen' as const),
    );
    const blobOf = (i: number): { path: string; content: string } => ({ path: `f${i}.txt`, content: `needle ${i}` });
    const names = Array.from({ length: 8 }, (_, i) => nameOf(blobOf(i).path, blobOf(i).content));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const place = folder();
        const clock = new AdjustableClock({ now: () => 0 });
        clock.set(Date.UTC(2026, 0, 1));
        let store = await ContentStore.open(place, { clock, logger });
        const usedAt = new Map<number, number>();
        const checkpoints = new Map<string, { readonly files: readonly number[]; usedAt: number }>();
        const isYoung = (at: number): boolean => clock.now() - at <= 30 * DAY;
        const check = async (): Promise<void> => {
          const here = new Set(names.filter((name) => store.findMissing([name]).unknown.length === 0));
          // The check counts as a use of the blobs found.
          for (const [i, at] of usedAt) {
            const isNeeded = [...checkpoints.values()].some(
              ({ files, usedAt }) => files.includes(i) && isYoung(usedAt),
            );
            if (isYoung(at) || isNeeded) assert.ok(here.has(names[i]!), `f${i} is gone`);
            if (here.has(names[i]!)) usedAt.set(i, clock.now());
            else usedAt.delete(i);
          }
          const expected = [...usedAt.keys()].map((i) => `f${i}.txt`).sort();
          assert.deepEqual(found(await store.retrieve('needle', scope(names))), expected);
        };
        try {
          for (const one of steps) {
            if (one === 'collect') {
              await store.collect();
              await check();
            } else if (one === 'reopen') {
              await store.close();
              store = await ContentStore.open(place, { clock, logger });
            } else if ('upload' in one) {
              await store.upload(one.upload.map(blobOf));
              for (const i of one.upload) usedAt.set(i, clock.now());
            } else if ('ask' in one) {
              const { unknown } = store.findMissing([names[one.ask]!]);
              if (unknown.length === 0 && usedAt.has(one.ask)) usedAt.set(one.ask, clock.now());
              if (unknown.length > 0 && usedAt.has(one.ask)) {
                const isNeeded = [...checkpoints.values()].some(
                  ({ files, usedAt }) => files.includes(one.ask) && isYoung(usedAt),
                );
                assert.ok(!isNeeded && !isYoung(usedAt.get(one.ask)!), `f${one.ask} is gone`);
                usedAt.delete(one.ask);
              }
            } else if ('checkpoint' in one) {
              const files = [...new Set(one.checkpoint)];
              await store.upload(files.map(blobOf));
              for (const i of files) usedAt.set(i, clock.now());
              checkpoints.set(await store.checkpoint(scope(files.map((i) => names[i]!))), {
                files,
                usedAt: clock.now(),
              });
            } else if ('use' in one) {
              const [id, checkpoint] = [...checkpoints][one.use] ?? [];
              if (id === undefined) continue;
              const search = store.retrieve('needle', scope([], id));
              if (isYoung(checkpoint!.usedAt)) {
                assert.deepEqual(found(await search), checkpoint!.files.map((i) => `f${i}.txt`).sort());
                checkpoint!.usedAt = clock.now();
              } else {
                // A checkpoint that still exists may lack content.
                await search.catch(() => undefined);
                checkpoints.delete(id);
              }
            } else clock.advance(one.days * DAY);
          }
          clock.advance(200 * DAY);
          await store.collect();
          assert.deepEqual(store.findMissing(names).unknown, names, 'all blobs are removed in the end');
          assert.deepEqual(readdirSync(inner(place, 'packs')), []);
          assert.deepEqual(readdirSync(inner(place, 'checkpoints')), []);
        } finally {
          await store.close();
        }
      }),
      { numRuns: runs(15) },
    );
  });
});
