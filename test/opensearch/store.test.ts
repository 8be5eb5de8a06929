import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { AdjustableClock } from '../../src/base/clock.ts';
import { OpenSearchStore } from '../../src/context/opensearch/openSearchStore.ts';
import type { BlobScope } from '../../src/wire/scope.ts';
import { describeBlobStore } from '../support/blobStore.ts';
import { clusterOfTests } from '../support/opensearch.ts';
import { describeRepositories } from '../support/repositoryStore.ts';

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
