import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { APIError } from './errors.ts';
import { WireClient, type WireClientOptions } from './wireClient.ts';

interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly port: number | undefined;
}
type Script = (response: ServerResponse, seen: Seen) => void;

const reply =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Script =>
  (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
  };
const NOTHING = { checkpointId: undefined, added: [], deleted: [] };

describe('the client of the protocol', () => {
  /** Answers to consecutive requests; the last one repeats. */
  let script: Script[] = [];
  let seen: Seen[] = [];
  let url: string;
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { url: path = '', headers, socket } = request;
      seen.push({ path, headers, body, port: socket.remotePort });
      (script.length > 1 ? script.shift()! : script[0]!)(response, seen.at(-1)!);
    })();
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => (seen = []));

  async function withClient<T>(
    use: (client: WireClient) => Promise<T>,
    options: Partial<WireClientOptions> = {},
  ): Promise<T> {
    const client = new WireClient({ url, token: 'secret', userAgent: 'test/1', backoffBaseMs: 1, ...options });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  const failure = async (promise: Promise<unknown>): Promise<APIError> => {
    const error = await promise.then(
      () => assert.fail('it did not fail'),
      (error: unknown) => error,
    );
    assert.ok(error instanceof APIError, String(error));
    assert.equal(error.name, 'APIError');
    assert.doesNotMatch(error.message, /secret/);
    return error;
  };

  it('sends the requests of the protocol, over one connection', async () => {
    script = [
      reply(200, { unknown_memory_names: ['b'] }),
      reply(200, { blob_names: ['n'], more: 1 }),
      reply(200, { new_checkpoint_id: 'c' }),
      reply(201, { formatted_retrieval: 'text' }),
      reply(200, '{"text":"He"}\nno json\ndata: {"text":"x"}\n{"nodes":[]}\n{"text":null}\n{"text":"llö"}'),
    ];
    const scope = { checkpointId: 'c', added: ['b', 'a'], deleted: ['d'] };
    await withClient(
      async (client) => {
        assert.deepEqual(await client.findMissing(['a', 'b']), { unknown: ['b'], nonindexed: [] });
        const blob = { name: 'n', path: 'p', content: '\ud800', size: 3 };
        assert.deepEqual(await client.upload([blob]), ['n']);
        assert.equal(await client.checkpoint(NOTHING), 'c');
        assert.equal(await client.retrieve('query', scope, 500), 'text');
        assert.equal(await client.ask('prompt'), 'Hellö');
      },
      { url: `${url}/prefix/` },
    );
    const session = seen[0]!.headers['x-request-session-id'];
    const wireScope = { checkpoint_id: 'c', added_blobs: ['a', 'b'], deleted_blobs: ['d'] };
    assert.deepEqual(
      seen.map(({ path, body }): unknown[] => [path, JSON.parse(body)]),
      [
        ['/prefix/find-missing', { mem_object_names: ['a', 'b'] }],
        ['/prefix/batch-upload', { blobs: [{ blob_name: 'n', path: 'p', content: '\ud800' }] }],
        ['/prefix/checkpoint-blobs', { blobs: { checkpoint_id: null, added_blobs: [], deleted_blobs: [] } }],
        [
          '/prefix/agents/codebase-retrieval',
          { information_request: 'query', blobs: wireScope, dialog: [], max_output_length: 500 },
        ],
        [
          '/prefix/chat-stream',
          {
            nodes: [{ id: 0, type: 0, text_node: { content: 'prompt' } }],
            chat_history: [],
            conversation_id: session,
          },
        ],
      ],
    );
    for (const { headers } of seen) {
      assert.equal(headers.authorization, 'Bearer secret');
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['user-agent'], 'test/1');
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
      assert.equal(headers['x-request-session-id'], session);
    }
    assert.equal(new Set(seen.map(({ headers }) => headers['x-request-id'])).size, 5);
    // A connection is not always free when the next request starts.
    assert.ok(new Set(seen.map(({ port }) => port)).size <= 2, 'connections are kept');
    assert.deepEqual([seen[4]!.headers['conversation-id'], seen[4]!.headers['x-mode']], [session, 'sdk']);
  });

  it('requests at most 1,000 names at once', async () => {
    script = [
      (response, { body }) => {
        const names = (JSON.parse(body) as { mem_object_names: string[] }).mem_object_names;
        reply(200, { unknown_memory_names: names.slice(0, 1), nonindexed_blob_names: names.slice(1, 2) })(
          response,
          seen[0]!,
        );
      },
    ];
    const names = Array.from({ length: 2001 }, (_, i) => `${i}`);
    const missing = await withClient((client) => client.findMissing(names));
    assert.deepEqual(missing, { unknown: ['0', '1000', '2000'], nonindexed: ['1', '1001'] });
    assert.equal(seen.length, 3);
  });

  const breaksOff: Script = (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 });
    response.write('{"new_check', () => response.socket!.resetAndDestroy());
  };
  const good = reply(200, { new_checkpoint_id: 'good' });
  const passing: Readonly<Record<string, Script>> = {
    '499': reply(499, 'gone'),
    '500': reply(500, {}),
    '503': reply(503, 'busy', { 'Retry-After': '0' }),
    '529': reply(529, ''),
    '429': reply(429, '', { 'Retry-After': '0' }),
    'a reset instead of an answer': (response) => void response.socket!.resetAndDestroy(),
    'a reset in the midst of the body': breaksOff,
    'a body that ends early': (response) => void response.writeHead(200).end('{"new_checkpoint'),
    'an empty body': reply(200, ''),
  };
  for (const [title, bad] of Object.entries(passing)) {
    it(`retries after ${title}, with the same request id`, async () => {
      script = [bad, bad, good];
      assert.equal(await withClient((client) => client.checkpoint(NOTHING)), 'good');
      assert.equal(seen.length, 3);
      assert.equal(new Set(seen.map(({ headers }) => headers['x-request-id'])).size, 1);
      assert.equal(new Set(seen.map(({ body }) => body)).size, 1);
    });

    it(`gives up if ${title} does not pass`, async () => {
      script = [bad];
      const error = await failure(withClient((client) => client.checkpoint(NOTHING)));
      assert.equal(error.status, /^\d/.test(title) ? Number(title) : undefined);
      if (error.status === undefined) assert.ok(error.cause);
      assert.equal(seen.length, 8);
    });
  }

  it('gives up earlier on request', async () => {
    script = [reply(503, '')];
    await failure(withClient((client) => client.checkpoint(NOTHING), { retries: 2 }));
    assert.equal(seen.length, 3);
  });

  for (const status of [301, 400, 401, 403, 404, 409, 413, 422])
    it(`does not retry after ${status}`, async () => {
      script = [reply(status, 'the body', { Location: '/elsewhere' })];
      const error = await failure(withClient((client) => client.checkpoint(NOTHING)));
      assert.equal(error.status, status);
      assert.match(error.message, new RegExp(`^API request failed: ${status} [A-Z][A-Za-z ]+ - the body$`));
      assert.equal(seen.length, 1);
    });

  for (const [status, body, text] of [
    [302, '', "redirects to another address, which would receive the token. Name the service's own URL."],
    [401, '<p>no</p>', 'refuses the token: it is wrong or was revoked. Give another.'],
    [403, { error: { code: 'c', message: 'not yours' } }, 'answers 403 Forbidden: not yours. Use a token that may.'],
    [403, '<p>no</p>', 'answers 403 Forbidden with a web page. Check the URL, and whether a proxy is in between.'],
    [404, 'not here', 'answers 404 Not Found. Check the URL of the service.'],
    [404, { error: { code: 'c', message: 'no such file' } }, 'answers 404 Not Found: no such file.'],
    [407, '', 'answers 407 Proxy Authentication Required. A proxy in between requires a login.'],
    [502, ' \n<!DOCTYPE html>', 'answers 502 Bad Gateway with a web page. Try again later.'],
  ] as const)
    it(`explains ${status} with ${JSON.stringify(body)} to a user, and keeps the status`, async () => {
      script = [reply(status, body)];
      const advice = { token: 'Give another.', certificate: '' };
      const error = await failure(withClient((client) => client.checkpoint(NOTHING), { advice }));
      assert.equal(error.message, `${url} ${text}`);
      assert.equal(error.status, status);
    });

  it('does not retry an answer of another kind', async () => {
    script = [reply(200, { new_checkpoint_id: 7 })];
    const error = await failure(withClient((client) => client.checkpoint(NOTHING)));
    assert.equal(error.status, 200);
    assert.match(error.message, /new_checkpoint_id/);
    assert.equal(seen.length, 1);
    script = [reply(200, { users: [] })];
    const other = await failure(withClient((client) => client.listRepositories()));
    assert.match(
      other.message,
      /the answer of \/repositories\/list from 127\.0\.0\.1:\d+ is not .* \(repositories: .*\)\. Check the URL of the service\.$/,
    );
  });

  it('gives no more results than requested where the service ignores the limit', async () => {
    const at = { start_line: 1, end_line: 2, symbol: null, text: 'x' };
    const result = {
      repositories: ['a'],
      repository_count: 1,
      blob_name: '0'.repeat(64),
      path: 'x.ts',
      language: 'ts',
      score: 1,
      places: [at],
      alike: 0,
      url: null,
    };
    script = [reply(200, { results: Array.from({ length: 9 }, () => result), searched: 1, problems: [] })];
    const { results } = await withClient((client) => client.searchRepositories('x', { limit: 2 }));
    assert.equal(results.length, 2);
  });

  it('does not retry a page of the web, as that of a login', async () => {
    script = [reply(200, ' \n<!DOCTYPE html><title>Log in</title>', { 'Content-Type': 'text/html' })];
    const error = await failure(withClient((client) => client.checkpoint(NOTHING)));
    assert.equal(error.status, 200);
    assert.match(error.message, /answers with a web page, not with JSON\. Check the URL/);
    assert.equal(seen.length, 1);
  });

  it('reports an unreachable service', async () => {
    const error = await failure(withClient((client) => client.checkpoint(NOTHING), { url: 'http://127.0.0.1:9' }));
    assert.equal(error.status, undefined);
    assert.ok(error.cause);
  });

  it('waits for no answer beyond the limit, be it silent, slow or for ever busy', async () => {
    const drips: Script = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    };
    for (const one of [() => undefined, drips, reply(429, '', { 'Retry-After': '3600' })]) {
      script = [one];
      const error = await failure(withClient((client) => client.checkpoint(NOTHING), { timeoutMs: 300 }));
      assert.ok(error.status === undefined || error.status === 429);
    }
    assert.equal(seen.length, 3);
  });

  it('throws on an incomplete answer of the model, rather than return half of it', async () => {
    script = [
      (response) => {
        response.writeHead(200);
        response.write('{"text":"Do it"}\n', () => response.socket!.resetAndDestroy());
      },
    ];
    const error = await failure(withClient((client) => client.ask('prompt')));
    assert.equal(error.status, undefined);
    assert.equal(seen.length, 1);
  });

  it('aborts requests when it is closed', async () => {
    script = [() => undefined];
    const client = new WireClient({ url, token: 'secret', userAgent: 'test/1' });
    const call = client.checkpoint(NOTHING);
    const ended = assert.rejects(call, /cancelled/);
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    await ended;
  });
});
