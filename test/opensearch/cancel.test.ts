import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSearchOf } from '../../src/cli/server/openSearchOptions.ts';
import { documentId } from '../../src/engine/documentId.ts';
import { SextantServer } from '../../src/server/server.ts';
import { clusterOfTests } from '../support/opensearch.ts';
import { until } from '../support/until.ts';

const CONTENT = 'export function lighthouse() {}\n';
const PATH = 'src/lighthouse.ts';

describe('a search on OpenSearch whose client goes away', () => {
  const cluster = clusterOfTests();
  /** Passes all requests on, but holds those for documents while `isHolding`. */
  let proxy: Server;
  let isHolding = false;
  let held: ServerResponse[] = [];
  let server: SextantServer;

  before(async () => {
    proxy = createServer((incoming, answer) => {
      if (isHolding && incoming.url!.includes('-documents/_search')) {
        held.push(answer);
        return;
      }
      const { method, headers, url } = incoming;
      const passed = request(new URL(url!, cluster().urls[0]), { method, headers }, (theirs) => {
        answer.writeHead(theirs.statusCode!, theirs.headers);
        theirs.pipe(answer);
      });
      incoming.pipe(passed);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const options = {
      store: 'opensearch',
      opensearchUrl: [`http://127.0.0.1:${port}`],
      opensearchPrefix: `cancel-${randomUUID()}`,
      opensearchShards: 1,
    } as const;
    server = await SextantServer.start({ context: { openStore: openSearchOf(options, {}) } });
    await post('/batch-upload', { blobs: [{ path: PATH, content: CONTENT }] });
    const blobs = { checkpoint_id: null, added_blobs: [documentId(PATH, Buffer.from(CONTENT))], deleted_blobs: [] };
    await post('/repositories/put', { name: 'light', blobs });
  });
  after(async () => {
    await server.close();
    proxy.closeAllConnections();
    proxy.close();
  });
  afterEach(() => {
    isHolding = false;
    held = [];
  });

  async function post(path: string, body: object, signal?: AbortSignal): Promise<string> {
    const answer = await fetch(server.url + path, {
      ...{ method: 'POST', body: JSON.stringify(body), signal: signal ?? null },
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return text;
  }

  for (const [what, path, body] of [
    ['of repositories', '/repositories/search', { query: 'lighthouse' }],
    ['of repositories for a prompt', '/repositories/retrieval', { information_request: 'lighthouse' }],
    [
      'of a context',
      '/agents/codebase-retrieval',
      {
        information_request: 'lighthouse',
        blobs: { checkpoint_id: null, added_blobs: [documentId(PATH, Buffer.from(CONTENT))], deleted_blobs: [] },
      },
    ],
  ] as const)
    it(`${what} ends there, and the next one is answered`, async () => {
      isHolding = true;
      const client = new AbortController();
      const search = post(path, body, client.signal);
      await until('the cluster has the search', () => held.length > 0);
      assert.ok(held.every(({ destroyed }) => !destroyed));
      client.abort();
      await assert.rejects(search, { name: 'AbortError' });
      await until('the requests to the cluster end', () => held.every(({ destroyed }) => destroyed));
      const sent = held.length;
      isHolding = false;
      assert.match(await post(path, body), /lighthouse\.ts/);
      assert.equal(held.length, sent, 'the search was not sent again');
    });
});
