import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { AdjustableClock } from '../../src/base/clock.ts';
import { OpenSearchStore } from '../../src/context/opensearch/openSearchStore.ts';
import { ANALYSIS_VERSION } from '../../src/engine/index/format.ts';
import type { BlobScope } from '../../src/wire/scope.ts';
import { describeBlobStore } from '../support/blobStore.ts';
import { clusterOfTests } from '../support/opensearch.ts';
import { describeRepositories } from '../support/repositoryStore.ts';
import { until } from '../support/until.ts';

describe('the store of contexts on OpenSearch', () => {
  const cluster = clusterOfTests();
  // One store for all: an index for each would take longer than the tests.
  const prefix = `test-${randomUUID()}`;

  describeBlobStore(() =>
    OpenSearchStore.open({ cluster: { urls: cluster().urls }, prefix, shards: 2, refreshMs: 100 }),
  );
});

describe('repositories of a store on OpenSearch', () => {
  const cluster = clusterOfTests();

  // Each test lists all repositories, and needs a store of its own.
  describeRepositories(() =>
    OpenSearchStore.open({
      ...{ cluster: { urls: cluster().urls }, prefix: `test-${randomUUID()}` },
      ...{ shards: 1, replicas: 0, refreshMs: 100 },
    }),
  );
});

describe('an index of a newer analysis', () => {
  const cluster = clusterOfTests();

  it('is filled while the older one answers, by a server that may be killed, and takes the alias over', async () => {
    const urls = cluster().urls;
    const prefix = `test-${randomUUID()}`;
    const options = { cluster: { urls }, prefix, ...{ shards: 1, replicas: 0, refreshMs: 100, settleMs: 300 } };
    const analysis = ANALYSIS_VERSION - 1;
    const alias = `${prefix}-documents`;
    const answering = async (): Promise<string[]> => {
      const response = await fetch(`${urls[0]}/${alias}/_alias`);
      return Object.keys((await response.json()) as object);
    };
    const countIn = async (index: string, of = ''): Promise<number> => {
      const response = await fetch(`${urls[0]}/${index}/_count${of}`);
      return response.ok ? ((await response.json()) as { count: number }).count : 0;
    };
    const old = await OpenSearchStore.open({ ...options, analysis });
    let newer: OpenSearchStore | undefined;
    try {
      assert.deepEqual(await answering(), [`${alias}-v${analysis}`]);
      const blobOf = (i: number): { path: string; content: string } => ({
        path: `src/file${i}.ts`,
        content: `export function needle${i}() {}\n`.repeat(40),
      });
      const names = await old.upload(Array.from({ length: 1_500 }, (_, i) => blobOf(i)));
      const set = await old.checkpoint({ checkpointId: undefined, added: names, deleted: [] });
      const find = async (store: OpenSearchStore, name: string): Promise<string | undefined> =>
        (await store.searchSets(name, [set], { limit: 1 })).hits[0]?.path;

      const module = new URL('../../src/context/opensearch/openSearchStore.ts', import.meta.url).href;
      const script = `const { OpenSearchStore } = await import(${JSON.stringify(module)});
        const store = await OpenSearchStore.open(${JSON.stringify({ ...options, leaseMs: 1 })}); await store.upgraded;`;
      const server = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
      const ended = once(server, 'exit');
      const own = `${alias}-v${ANALYSIS_VERSION}`;
      await until('a part is copied', async () => (await countIn(own)) > 0);
      server.kill('SIGKILL');
      await ended;
      const copied = await countIn(own);
      assert.ok(copied < names.length, `${copied} files are copied`);
      assert.deepEqual(await answering(), [`${alias}-v${analysis}`]);

      newer = await OpenSearchStore.open(options);
      assert.equal(await find(newer, 'needle1499'), 'src/file1499.ts');
      const [during] = await newer.upload([{ path: 'during.ts', content: 'export function heron() {}\n' }]);
      await newer.upgraded;
      assert.deepEqual(await answering(), [own]);
      assert.equal(await countIn(own, `?q=analysis:${ANALYSIS_VERSION}`), names.length + 1);
      for (const store of [old, newer]) assert.equal(await find(store, 'needle7'), 'src/file7.ts');

      // An older server writes with its own analysis, until it is updated.
      const [late] = await old.upload([{ path: 'late.ts', content: 'export function egret() {}\n' }]);
      const added = { checkpointId: undefined, added: [during!, late!], deleted: [] };
      assert.match(await newer.retrieve('heron egret', added), /Path: during\.ts[^]*Path: late\.ts/);
      assert.equal((await newer.collect()).blobs, 0);
      await until('it is analysed again', async () => {
        return (await countIn(own, `?q=analysis:${ANALYSIS_VERSION}`)) === names.length + 2;
      });
      assert.equal(await countIn(`${alias}-v${analysis}`), names.length + 1, 'the older index remains for a day');
      const clock = new AdjustableClock({ now: () => Date.now() + 2 * 86_400_000 });
      const later = await OpenSearchStore.open({ ...options, clock });
      await later.collect();
      assert.equal(await countIn(`${alias}-v${analysis}`), 0);
      assert.match(await later.retrieve('heron egret', added), /Path: late\.ts/);
      await later.close();
    } finally {
      await newer?.close();
      await old.close();
    }
  });
});

describe('unused files of a store on OpenSearch', () => {
  const cluster = clusterOfTests();
  const DAY = 86_400_000;
  const scopeOf = (added: readonly string[], checkpointId?: string): BlobScope => ({
    checkpointId,
    added,
    deleted: [],
  });

  it('are removed after a month, but not those of sets, of repositories and of clients that use them', async () => {
    const clock = new AdjustableClock({ now: () => 0 });
    const options = {
      ...{ cluster: { urls: cluster().urls }, prefix: `test-${randomUUID()}` },
      ...{ shards: 1, replicas: 0, refreshMs: 100, clock },
    };
    const store = await OpenSearchStore.open(options);
    const other = await OpenSearchStore.open(options);
    try {
      const blobOf = (path: string): { path: string; content: string } => ({ path, content: `needle of ${path}` });
      const upload = async (path: string): Promise<string> => (await store.upload([blobOf(path)]))[0]!;
      const [unused, inSet, pushed, touched] = [
        await upload('unused.ts'),
        await upload('inSet.ts'),
        await upload('pushed.ts'),
        await upload('touched.ts'),
      ];
      const kept = await store.checkpoint(scopeOf([inSet]));
      const old = await store.checkpoint(scopeOf([unused]));
      const version = { checkpoint: await store.checkpoint(scopeOf([pushed])), files: 1, pushedAt: 0 };
      await store.repositories.put('pay', undefined, version, 0);
      clock.set(40 * DAY);
      await store.retrieve('needle', scopeOf([], kept));
      assert.deepEqual(await store.findMissing([touched]), { unknown: [], nonindexed: [] });

      const counts = await Promise.all([store.collect(), other.collect()]);
      assert.equal(counts[0].blobs + counts[1].blobs, 1, 'two servers at a time remove it once');
      const { unknown } = await other.findMissing([unused, inSet, pushed, touched]);
      assert.deepEqual(unknown, [unused]);
      await assert.rejects(other.retrieve('needle', scopeOf([], old)), /no checkpoint/);
      const { hits } = await other.searchSets('needle', [kept, version.checkpoint], { limit: 10 });
      assert.deepEqual(hits.map(({ path }) => path).sort(), ['inSet.ts', 'pushed.ts']);

      assert.equal(await upload('unused.ts'), unused, 'uploaded again');
      assert.match(await other.retrieve('needle', scopeOf([unused])), /Path: unused\.ts/);
      assert.deepEqual(await store.collect(), { blobs: 0 });
    } finally {
      await store.close();
      await other.close();
    }
  });
});
