import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { startCluster } from '../../scripts/lib/opensearch.mjs';
import { openSearchOf } from '../../src/cli/server/openSearchOptions.ts';
import { documentId } from '../../src/engine/documentId.ts';
import { SextantServer } from '../../src/server/server.ts';
import { until } from '../support/until.ts';

const blobOf = (word: string): { readonly path: string; readonly content: string } => ({
  path: `src/${word}.ts`,
  content: `export function ${word}() {}\n`,
});
const nameOf = ({ path, content }: { readonly path: string; readonly content: string }): string =>
  documentId(path, Buffer.from(content));

describe('a store on OpenSearch whose disks are nearly full', () => {
  // The limits of disks are those of a whole cluster, which blocks new indexes as well.
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let server: SextantServer;
  before(async () => {
    cluster = await startCluster();
    server = await SextantServer.start({ context: { openStore: openStore() } });
  });
  after(async () => {
    await server.close();
    await cluster.stop();
  });

  const prefix = `disk-${randomUUID()}`;
  const openStore = (own = prefix): ReturnType<typeof openSearchOf> =>
    openSearchOf({ store: 'opensearch', opensearchUrl: cluster.urls, opensearchPrefix: own, opensearchShards: 1 }, {});

  async function post(path: string, body: object, to = server): Promise<{ status: number; text: string }> {
    const answer = await fetch(to.url + path, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { authorization: `Bearer ${to.token}`, 'content-type': 'application/json' },
    });
    return { status: answer.status, text: await answer.text() };
  }

  const upload = (word: string): Promise<{ status: number; text: string }> =>
    post('/batch-upload', { blobs: [blobOf(word)] });

  async function push(word: string, repository: string): Promise<void> {
    assert.equal((await upload(word)).status, 200);
    const blobs = { checkpoint_id: null, added_blobs: [nameOf(blobOf(word))], deleted_blobs: [] };
    const { status, text } = await post('/repositories/put', { name: repository, blobs });
    assert.equal(status, 200, text);
  }

  /** Makes the cluster count as full while its disk has less than this free. */
  async function setWatermarks(free: string): Promise<void> {
    const disk = 'cluster.routing.allocation.disk';
    const marks = ['low', 'high', 'flood_stage'].map((mark) => [`${disk}.watermark.${mark}`, free]);
    const settings = {
      ...(Object.fromEntries(marks) as Record<string, string>),
      [`${disk}.threshold_enabled`]: true,
      'cluster.info.update.interval': '10s',
    };
    const answer = await fetch(`${cluster.urls[0]}/_cluster/settings`, {
      method: 'PUT',
      body: JSON.stringify({ persistent: settings }),
      headers: { 'content-type': 'application/json' },
    });
    assert.ok(answer.ok, await answer.text());
  }

  it('refuses uploads with 507 and the reason, goes on searching, and takes uploads again', async () => {
    await push('lighthouse', 'acme/one');
    await push('harbour', 'acme/two');
    await setWatermarks('9999tb');
    let tries = 0;
    const refused = await until('the cluster refuses uploads', async () => {
      const answer = await upload(`refused${tries++}`);
      return answer.status !== 200 && answer;
    });
    assert.equal(refused.status, 507, refused.text);
    assert.match(refused.text, /"InsufficientStorage"/);
    assert.match(refused.text, /OpenSearch takes no more files, since its disks are nearly full .*Free space there/);

    // Another server has searched nothing yet: it must note no use, and store no union of sets.
    const other = await SextantServer.start({ context: { openStore: openStore() } });
    try {
      for (const [query, path] of [
        ['lighthouse', 'src/lighthouse.ts'],
        ['harbour repo:acme/two', 'src/harbour.ts'],
      ] as const) {
        const { status, text } = await post('/repositories/search', { query }, other);
        assert.equal(status, 200, text);
        assert.equal((JSON.parse(text) as { results: { path: string }[] }).results[0]?.path, path);
      }
      const blobs = { checkpoint_id: null, added_blobs: [nameOf(blobOf('harbour'))], deleted_blobs: [] };
      const { text } = await post('/agents/codebase-retrieval', { information_request: 'harbour', blobs }, other);
      assert.match(text, /src\/harbour\.ts/);
    } finally {
      await other.close();
    }

    const young = SextantServer.start({ context: { openStore: openStore('young') } });
    const { status, text } = await post('/batch-upload', { blobs: [blobOf('first')] }, await young);
    assert.equal(status, 507, text);
    await (await young).close();

    await setWatermarks('1b');
    await until('uploads are taken again', async () => (await upload('lantern')).status === 200);
    assert.equal((await post('/find-missing', { mem_object_names: [nameOf(blobOf('lantern'))] })).status, 200);
  });
});
