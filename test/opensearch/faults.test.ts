import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '../../scripts/lib/opensearch.mjs';
import { SextantError } from '../../src/base/errors.ts';
import { openSearchOf } from '../../src/cli/server/openSearchOptions.ts';
import { OpenSearchStore } from '../../src/context/opensearch/openSearchStore.ts';
import { documentId } from '../../src/engine/documentId.ts';
import { SextantServer } from '../../src/server/server.ts';
import { WireClient } from '../../src/wire/wireClient.ts';
import { isSoak } from '../support/runs.ts';
import { until } from '../support/until.ts';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

const FILES_PER_UPLOAD = 20;
/** Nodes that fail; all of them in `npm run soak`. */
const FAILING = isSoak ? 3 : 1;
/** Errors that a client may see while nodes fail; it tries again. */
const PASSING = new Set(['StoreUnavailable', 'StoreOverloaded']);

describe('a store on three nodes of OpenSearch', () => {
  let cluster: Cluster;
  let store: OpenSearchStore;
  let files = 0;
  /** Names of the files of uploads that returned. */
  const acknowledged: { readonly name: string; readonly word: string }[] = [];

  before(async () => {
    // A node that does not answer is left out after some seconds instead of half a minute.
    const checks = ['follower', 'leader'].flatMap((one) => [
      [`cluster.fault_detection.${one}_check.timeout`, '2s'],
      [`cluster.fault_detection.${one}_check.interval`, '500ms'],
      [`cluster.fault_detection.${one}_check.retry_count`, 2],
    ]);
    cluster = await startCluster({ nodes: 3, settings: Object.fromEntries(checks) as Record<string, string> });
    store = await OpenSearchStore.open({
      ...{ cluster: { urls: cluster.urls, requestTimeoutMs: 5_000 }, prefix: `faults-${randomUUID()}` },
      ...{ shards: 3, replicas: 1, refreshMs: 200 },
    });
  });
  after(async () => {
    await store.close();
    await cluster.stop();
  });

  /** Uploads and searches until `count` more files are acknowledged. Returns the number of calls that failed. */
  async function work(count: number): Promise<number> {
    let failed = 0;
    for (const end = acknowledged.length + count; acknowledged.length < end;) {
      const blobs = Array.from({ length: FILES_PER_UPLOAD }, () => {
        const word = `lighthouse${files++}`;
        return { path: `src/${word}.ts`, content: `export function ${word}() {}\n`, word };
      });
      try {
        const names = await store.upload(blobs);
        for (const [i, name] of names.entries()) acknowledged.push({ name, word: blobs[i]!.word });
        await expectFound([acknowledged.at(-1)!]);
      } catch (error) {
        if (!(error instanceof SextantError && PASSING.has(error.code))) throw error;
        assert.match(error.message, /^OpenSearch (does not answer|has too much to do)/);
        failed++;
        await sleep(200);
      }
    }
    return failed;
  }

  async function expectFound(some: readonly { readonly name: string; readonly word: string }[]): Promise<void> {
    for (const { name, word } of some) {
      const found = await store.search(word, { checkpointId: undefined, added: [name], deleted: [] }, { limit: 1 });
      assert.deepEqual(
        found.map(({ hit }) => hit.path),
        [`src/${word}.ts`],
      );
    }
  }

  async function expectAll(): Promise<void> {
    const { unknown } = await store.findMissing(acknowledged.map(({ name }) => name));
    assert.deepEqual(unknown, []);
    await expectFound(acknowledged.filter((_, i) => i % 20 === 0));
  }

  /** A request may go to the failing node a last time. */
  function untilAllAreFound(): Promise<true> {
    return until('all files are found without the node', async () => {
      try {
        await expectAll();
        return true;
      } catch (error) {
        if (error instanceof SextantError && PASSING.has(error.code)) return false;
        throw error;
      }
    });
  }

  it('loses no acknowledged file when each node is killed in turn, and goes on without it', async () => {
    for (const node of cluster.nodes.slice(0, FAILING)) {
      await work(60);
      node.signal('SIGKILL');
      await node.ended;
      await work(60);
      await untilAllAreFound();
      await cluster.start();
    }
    await expectAll();
  });

  it('goes on when a node no longer answers, and loses nothing when it does again', async () => {
    for (const node of cluster.nodes.slice(0, FAILING)) {
      node.signal('SIGSTOP');
      try {
        await work(60);
        await untilAllAreFound();
      } finally {
        node.signal('SIGCONT');
      }
      await cluster.settled();
      await expectAll();
    }
  });

  it('reports in plain words that no node answers', async function () {
    if (FAILING === 1) this.skip();
    for (const node of cluster.nodes) node.signal('SIGKILL');
    await Promise.all(cluster.nodes.map(({ ended }) => ended));
    await assert.rejects(
      store.upload([{ path: 'a.ts', content: 'a' }]),
      (error) => error instanceof SextantError && error.code === 'StoreUnavailable',
    );
    await cluster.start();
    await expectAll();
  });

  it('answers clients of a server without an error while nodes restart in turn', async () => {
    const { urls } = cluster;
    const options = { store: 'opensearch', opensearchUrl: urls, opensearchPrefix: `rolling-${randomUUID()}` } as const;
    const server = await SextantServer.start({ context: { openStore: openSearchOf(options, {}) } });
    const client = new WireClient({ url: server.url, token: server.token, userAgent: 'test' });
    const over = new AbortController();
    let rounds = 0;
    const clients = (async () => {
      for (let i = 0; !over.signal.aborted; i++) {
        const content = `export function beacon${i}() {}\n`;
        const path = `src/beacon${i}.ts`;
        const blob = { name: documentId(path, Buffer.from(content)), path, content, size: content.length };
        const [name] = await client.upload([blob]);
        const text = await client.retrieve(`beacon${i}`, { checkpointId: undefined, added: [name!], deleted: [] });
        assert.match(text, new RegExp(`Path: ${path}`));
        rounds++;
      }
    })();
    // A failure is reported below.
    clients.catch(() => undefined);
    try {
      await until('clients work', () => rounds > 3);
      for (const node of cluster.nodes.slice(0, FAILING)) {
        node.signal('SIGTERM');
        await node.ended;
        const before = rounds;
        await Promise.race([clients, until('clients go on', () => rounds > before + 3)]);
        node.start();
        await cluster.settled();
      }
    } finally {
      over.abort();
      try {
        await clients;
      } finally {
        await client.close();
        await server.close();
      }
    }
  });
});
