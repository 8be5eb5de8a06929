import assert from 'node:assert/strict';
import { Client, PATHS, type Answer } from '../../test/conformance/client.ts';
import { refused } from '../../test/conformance/suite.ts';
import { openApiDocument } from '../analytics/openapi.ts';
import { RawConnection, type RawAnswer } from '../../test/support/rawHttp.ts';
import { SextantServer } from './server.ts';

const TIMEOUTS = { headersMs: 300, bodyIdleMs: 200, bodyMs: 400, lingerMs: 200, idleMs: 1000 };
const NOON = Date.UTC(2026, 10, 21, 12);

describe('the embedded server', () => {
  let server: SextantServer;
  let client: Client;
  const errors: string[] = [];

  before(async () => {
    const ignore = (): void => undefined;
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (message: string): void => void errors.push(message),
    };
    server = await SextantServer.start({ now: NOON, allowHosts: ['tunnel.example'] }, { logger, timeouts: TIMEOUTS });
    client = new Client(server);
  });
  after(() => server.close());
  beforeEach(() => server.reset());
  afterEach(() => assert.deepEqual(errors.splice(0), []));

  /** One request as bytes, and its answer. */
  async function raw(...parts: (string | Uint8Array)[]): Promise<RawAnswer | undefined> {
    const connection = new RawConnection(server.url);
    for (const part of parts) connection.send(part);
    const answer = await connection.answer();
    connection.destroy();
    return answer;
  }

  function head(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string {
    const all = { Host: '127.0.0.1', Authorization: `Bearer ${server.token}`, ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  }

  const post = { 'Content-Type': 'application/json' };

  function assertError(answer: RawAnswer | undefined, status: number, code: string): void {
    assert.equal(answer?.status, status, JSON.stringify(answer));
    assert.match(answer.headers, /^content-type: application\/json/im);
    assert.equal((JSON.parse(answer.body) as { error: { code: string } }).error.code, code);
  }

  async function assertAlive(): Promise<void> {
    const { status, body } = await client.get('/healthz');
    assert.deepEqual([status, body.status], [200, 'ok']);
  }

  describe('admits', () => {
    /** Without waiting. */
    const ask = async (path: string, token = server.token): Promise<Response> =>
      fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const statuses = async (path: string, count: number, token?: string): Promise<number[]> => {
      const all: number[] = [];
      for (let i = 0; i < count; i++) all.push((await ask(path, token)).status);
      return all;
    };
    const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

    it('as many requests at once as the burst, then one per interval', async () => {
      server.clock.freeze();
      assert.deepEqual(await statuses(PATHS.dau, 20), times(20, 200));
      for (let second = 0; second < 5; second++) {
        server.clock.advance(1000);
        assert.deepEqual(await statuses(PATHS.dailyUsage, 1), [200]);
      }
      assert.deepEqual(await statuses(PATHS.credits, 10), times(10, 200), 'a group of its own');
      server.clock.advance(1999);
      assert.deepEqual(await statuses(PATHS.credits, 1), [429]);
    });

    it('no request for ten seconds after one too many, however many come', async () => {
      server.clock.freeze();
      assert.deepEqual(await statuses(PATHS.dau, 21), [...times(20, 200), 429]);
      const refusal = await ask(PATHS.dau);
      assert.equal(refusal.headers.get('retry-after'), '10');
      assert.deepEqual(await refusal.json(), { error: { code: 'ResourceExhausted', message: 'rate limit exceeded' } });
      server.clock.advance(9_999);
      const late = await ask(PATHS.dau);
      assert.deepEqual([late.status, late.headers.get('retry-after')], [429, '1']);
      assert.equal((await ask(PATHS.credits)).status, 200, 'another group is not blocked');
      server.clock.advance(1);
      assert.deepEqual(await statuses(PATHS.dau, 11), [...times(10, 200), 429], 'what was saved up meanwhile');
    });

    it('each caller on their own, and cost by its own limit', async () => {
      server.clock.freeze();
      const { body } = await client.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'other' });
      assert.deepEqual(await statuses(PATHS.dau, 21), [...times(20, 200), 429]);
      assert.deepEqual(await statuses(PATHS.dau, 1, body.token as string), [200]);
      const cost = async (): Promise<number> =>
        (
          await fetch(`${server.url}${PATHS.cost}`, {
            method: 'POST',
            headers: { ...post, authorization: `Bearer ${server.token}` },
          })
        ).status;
      const all: number[] = [];
      for (let i = 0; i < 11; i++) all.push(await cost());
      assert.deepEqual(all, [...times(10, 200), 429]);
    });

    it('and names in its log whom it refuses for a permission or the rate', async () => {
      const lastRequest = async (): Promise<unknown[]> => {
        const [last] = (await client.admin('GET', 'requests?limit=1')).body.requests as Record<string, unknown>[];
        return [last!.path, last!.status, last!.caller];
      };
      const { body } = await client.admin('POST', 'tokens', { scopes: ['budgets:write'], name: 'writer' });
      for (const path of [PATHS.dau, '/find-missing', '/repositories/list']) {
        assert.equal((await ask(path, body.token as string)).status, 403);
        assert.deepEqual(await lastRequest(), [path, 403, 'writer']);
      }
      server.clock.freeze();
      await statuses(PATHS.dau, 21);
      assert.deepEqual(await lastRequest(), [PATHS.dau, 429, 'default']);
    });

    it('tokens by their permissions only', async () => {
      const tokenOf = async (scope: string): Promise<string> =>
        (await client.admin('POST', 'tokens', { scopes: [scope], name: scope.replace(':', '-') })).body.token as string;
      const [reader, writer] = [await tokenOf('analytics:read'), await tokenOf('budgets:write')];
      for (const path of Object.values(PATHS)) {
        const [right, wrong] = path === PATHS.setOverrides ? [writer, reader] : [reader, writer];
        refused(await client.get(path, {}, wrong), 403, 'PermissionDenied', /analytics:read|budgets:write/);
        assert.notEqual((await client.get(path, {}, right)).status, 403);
      }
      assert.equal((await client.admin('DELETE', 'tokens/analytics-read')).status, 200);
      refused(await client.get(PATHS.dau, {}, reader), 401, 'Unauthenticated');
    });

    it('no request where the organization is not on the enterprise plan', async () => {
      await client.admin('POST', 'import', '{"kind":"org","plan":"usd","enterprise":false}');
      for (const path of Object.values(PATHS)) refused(await client.get(path), 403, 'PermissionDenied', /enterprise/);
      refused(await client.get(PATHS.dau, {}, 'wrong'), 401, 'Unauthenticated');
    });
  });

  describe('checks', () => {
    it('the host and the origin that a request names', async () => {
      for (const host of [
        '127.0.0.1',
        'localhost:1234',
        '[::1]:80',
        'LOCALHOST',
        'tunnel.example',
        'Tunnel.Example:443',
      ])
        assert.equal((await raw(head('GET', '/healthz', { Host: host })))?.status, 200, host);
      for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.', '10.0.0.1', 'a b', '@127.0.0.1'])
        assertError(await raw(head('GET', '/healthz', { Host: host })), 403, 'PermissionDenied');
      assertError(await raw('GET /healthz HTTP/1.1\r\n\r\n'), 400, 'InvalidArgument');
      const twice = head('GET', '/healthz', { Host: 'localhost', host: 'evil.example' });
      assertError(await raw(twice), 400, 'InvalidArgument');
      assertError(await raw(head('GET', 'http://evil.example/healthz')), 403, 'PermissionDenied');
      assert.equal((await raw('GET /healthz HTTP/1.0\r\n\r\n'))?.status, 200);
      for (const origin of ['http://localhost:3000', 'https://tunnel.example'])
        assert.equal((await raw(head('GET', '/healthz', { Origin: origin })))?.status, 200, origin);
      for (const origin of [
        'https://evil.example',
        'null',
        'file://',
        'vscode-webview://x',
        'http://localhost@evil.example',
      ])
        assertError(await raw(head('GET', '/healthz', { Origin: origin })), 403, 'PermissionDenied');
    });

    it('in the order: host, path, token, permission, rate, method, content type, size, schema', async () => {
      const wrong = { Authorization: 'Bearer x', Host: 'evil.example', 'Content-Length': 9_000_000 };
      const request = (
        path: string,
        headers: Readonly<Record<string, string | number>>,
        method = 'POST',
      ): Promise<RawAnswer | undefined> => raw(head(method, path, { 'Content-Length': 9_000_000, ...headers }));
      assertError(await request('/nowhere', wrong), 403, 'PermissionDenied');
      assertError(await request('/nowhere', { Authorization: 'Bearer x' }), 404, 'NotFound');
      assertError(await request(PATHS.cost, { Authorization: 'Bearer x' }, 'PUT'), 401, 'Unauthenticated');
      assertError(await request(PATHS.cost, {}, 'PUT'), 405, 'MethodNotAllowed');
      assertError(await request(PATHS.cost, { 'Content-Type': 'text/plain' }), 415, 'UnsupportedMediaType');
      assertError(await request(PATHS.cost, { ...post, 'Content-Encoding': 'gzip' }), 415, 'UnsupportedMediaType');
      assertError(
        await request(PATHS.cost, { 'Content-Type': 'application/json; charset=latin1' }),
        415,
        'UnsupportedMediaType',
      );
      assertError(await request(PATHS.cost, post), 413, 'PayloadTooLarge');
      server.clock.freeze();
      for (let i = 0; i < 8; i++) await request(PATHS.cost, {}, 'PUT');
      assertError(await request(PATHS.cost, {}, 'PUT'), 429, 'ResourceExhausted');
    });

    it('absolute targets by their path', async () => {
      assert.equal((await raw(head('GET', 'http://127.0.0.1/healthz')))?.status, 200);
      assertError(await raw(head('GET', '*')), 404, 'NotFound');
      assertError(await raw(head('GET', '//healthz')), 404, 'NotFound');
      assertError(await raw(head('GET', '/analytics/v0/d%61u')), 404, 'NotFound');
    });
  });

  describe('answers', () => {
    const cost = (body: string | Uint8Array, headers = {}): Promise<RawAnswer | undefined> =>
      raw(head('POST', PATHS.cost, { ...post, 'Content-Length': Buffer.byteLength(body), ...headers }), body);

    it('bodies that are deep, huge or in pieces', async () => {
      const deep = `{"filters":${'['.repeat(2e6)}${']'.repeat(2e6)}}`;
      assertError(await cost(deep), 400, 'InvalidArgument');
      assertError(await cost(`{"x":${'{"a":'.repeat(1e6)}1${'}'.repeat(1e6)}}`), 400, 'InvalidArgument');
      assertError(await cost('['.repeat(8e6)), 400, 'InvalidArgument');
      const wrongKeys = await cost(`{"group_by_keys":[${'0,'.repeat(1e6)}0]}`);
      assertError(wrongKeys, 400, 'InvalidArgument');
      assert.match(wrongKeys!.body, /group_by_keys must be one of/);
      const unknown = Array.from({ length: 300_000 }, (_, i) => `"k${i}":0`).join();
      const overrides = `{"overrides":[{"user_email":"a","config":{${unknown}}}]}`;
      const length = { ...post, 'Content-Length': overrides.length };
      assertError(await raw(head('POST', PATHS.setOverrides, length), overrides), 400, 'InvalidArgument');
      const brackets = `"\\\\\\"${'[{'.repeat(2_000)}"`;
      assert.equal((await cost(`{"filters":{"user_emails":[${brackets}]}}`))?.status, 200);
      assertError(await cost(`{"filters":{"user_emails":["${'x'.repeat(8 * 1024 * 1024)}"]}}`), 413, 'PayloadTooLarge');
      const names = Array.from({ length: 200_000 }, (_, i) => `user${i}@example.com`);
      assert.equal((await cost(JSON.stringify({ filters: { user_emails: names } })))?.status, 200);
      const chunked = { ...post, 'Transfer-Encoding': 'chunked' };
      assert.equal((await raw(head('POST', PATHS.cost, chunked), '1\r\n{\r\n', '1\r\n}\r\n0\r\n\r\n'))?.status, 200);
      const endless = `100000\r\n${' '.repeat(0x100000)}\r\n`;
      assertError(
        await raw(head('POST', PATHS.cost, chunked), ...Array.from({ length: 9 }, () => endless)),
        413,
        'PayloadTooLarge',
      );
      assertError(await raw(head('POST', PATHS.cost, chunked), 'zz\r\n'), 400, 'InvalidArgument');
      await assertAlive();
    });

    it('Expect, before the body comes', async () => {
      const connection = new RawConnection(server.url);
      const expects = { ...post, Expect: '100-continue', 'Content-Length': 2 };
      connection.send(head('POST', PATHS.cost, expects));
      assert.equal((await connection.answer())?.status, 100);
      assert.equal((await connection.send('{}').answer())?.status, 200);
      connection.destroy();
      assertError(await raw(head('POST', PATHS.cost, { ...expects, Authorization: 'x' })), 401, 'Unauthenticated');
      assertError(await raw(head('POST', PATHS.cost, { ...expects, 'Content-Length': 1e9 })), 413, 'PayloadTooLarge');
      assertError(await raw(head('POST', PATHS.cost, { ...expects, Expect: 'a-miracle' })), 417, 'ExpectationFailed');
    });

    it('what is no HTTP', async () => {
      assertError(await raw('nonsense\r\n\r\n'), 400, 'InvalidArgument');
      assertError(await raw(new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])), 400, 'InvalidArgument');
      assertError(await raw(head('GET', '/healthz', { 'X-Long': 'x'.repeat(40_000) })), 431, 'HeadersTooLarge');
      assertError(await raw(head('FOO', PATHS.dau)), 405, 'MethodNotAllowed');
      assertError(await raw(head('CONNECT', '127.0.0.1:80')), 405, 'MethodNotAllowed');
      assertError(await raw(head('POST', PATHS.cost, { 'Content-Length': 'many' })), 400, 'InvalidArgument');
      await assertAlive();
    });

    it('clients that are slow with a timeout', async () => {
      assertError(await raw('GET /healthz HT'), 408, 'RequestTimeout');
      assertError(await raw(head('POST', PATHS.cost, { ...post, 'Content-Length': 10 }), '{'), 408, 'RequestTimeout');
      const dripping = new RawConnection(server.url);
      dripping.send(head('POST', PATHS.cost, { ...post, 'Content-Length': 1000 }));
      const timer = setInterval(() => dripping.send(' '), 50);
      assertError(await dripping.answer(), 408, 'RequestTimeout');
      await dripping.closed;
      clearInterval(timer);
    });

    it('clients that end their side and still read, and drops closed connections', async () => {
      const half = new RawConnection(server.url).send(head('GET', PATHS.dau)).halfClose();
      assert.equal((await half.answer())?.status, 200);
      await half.closed;
      const cut = new RawConnection(server.url)
        .send(head('POST', PATHS.cost, { ...post, 'Content-Length': 10 }))
        .send('{')
        .halfClose();
      await cut.closed;
      for (let i = 0; i < 20; i++) {
        const gone = new RawConnection(server.url)
          .send(head('POST', PATHS.cost, { ...post, 'Content-Length': 10 }))
          .send('{');
        gone.socket.once('connect', () => gone.destroy());
        await gone.closed;
      }
      await assertAlive();
    });

    it('what came before something that is no HTTP, or before the client said that nothing more comes', async () => {
      const good = head('GET', PATHS.dau);
      for (const rest of ['', 'nonsense\r\n\r\n', 'GET']) {
        for (let i = 0; i < 6; i++) {
          const connection = new RawConnection(server.url).send(good + rest).halfClose();
          assert.equal((await connection.answer())?.status, 200, rest);
          connection.destroy();
        }
      }
      await assertAlive();
    });

    it('with the whole contract and its own address, to anybody', async () => {
      const { status, body } = await client.send('/openapi.json', { method: 'GET' }, undefined);
      assert.equal(status, 200);
      assert.deepEqual(body, JSON.parse(JSON.stringify(openApiDocument(server.url, '0'))));
      assert.deepEqual(Object.keys(body.paths as object), Object.values(PATHS));
    });

    it('with the contract also while ten connections request it a thousand times each', async () => {
      // Not with the short timeouts: a busy machine may not read a request in the time they leave.
      const patient = await SextantServer.start({ now: NOON });
      const connections = Array.from({ length: 10 }, () => new RawConnection(patient.url));
      for (const connection of connections) connection.send(head('GET', '/openapi.json').repeat(1_000));
      for (const connection of connections) assert.equal((await connection.answer())?.status, 200);
      assert.equal((await new Client(patient).get('/healthz')).status, 200);
      for (const connection of connections) connection.destroy();
      await patient.close();
    });

    it('several requests on one connection, in their order', async () => {
      const connection = new RawConnection(server.url);
      connection.send(head('GET', PATHS.dau) + head('GET', '/nowhere') + head('GET', '/healthz'));
      const statuses = [await connection.answer(), await connection.answer(), await connection.answer()].map(
        (answer) => answer?.status,
      );
      assert.deepEqual(statuses, [200, 404, 200]);
      connection.destroy();
    });

    it('large answers that are read late, as they were when they were made, whatever was answered since', async function () {
      this.timeout(300_000);
      const many = await SextantServer.start({
        now: NOON,
        simulation: { seed: 1, users: 200, plan: 'credits' },
        rateLimit: false,
      });
      many.clock.freeze();
      try {
        const get = (day: string): string =>
          `GET ${PATHS.userActivity}?start_date=${day}&end_date=${day}&page_size=100 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${many.token}\r\n\r\n`;
        const days = ['2026-11-17', '2026-11-18'] as const;
        const answers = async (connection: RawConnection, count: number): Promise<Set<string>> => {
          const all = new Set<string>();
          for (let i = 0; i < count; i++) all.add((await connection.answer())?.body ?? 'none');
          return all;
        };
        const [late, other] = [new RawConnection(many.url), new RawConnection(many.url)];
        const expected = await answers(late.send(get(days[0])), 1);
        // All together are more than the system takes for one who does not read, of which some wait in the server.
        late.socket.pause();
        const [WAVES, COUNT] = [8, 50];
        for (let wave = 0; wave < WAVES; wave++) {
          late.send(get(days[0]).repeat(COUNT));
          await answers(other.send(get(days[1]).repeat(COUNT)), COUNT);
        }
        late.socket.resume();
        assert.deepEqual(await answers(late, WAVES * COUNT), expected);
        late.destroy();
        other.destroy();
      } finally {
        await many.close();
      }
    });

    it('closes a connection on which a refused body goes on and on', async () => {
      const connection = new RawConnection(server.url);
      connection.send(head('POST', PATHS.cost, { 'Content-Type': 'text/plain', 'Content-Length': 1e9 }));
      assertError(await connection.answer(), 415, 'UnsupportedMediaType');
      const timer = setInterval(() => connection.send('x'.repeat(1000)), 20);
      await connection.closed;
      clearInterval(timer);
    });
  });

  describe('has an admin plane', () => {
    it('behind a token of its own', async () => {
      for (const path of ['clock', 'export', 'requests?limit=1']) {
        refused(await client.get(`/__admin/${path}`), 401, 'Unauthenticated');
        refused(await client.send(`/__admin/${path}`, { method: 'GET' }, undefined), 401, 'Unauthenticated');
      }
      refused(await client.get(PATHS.dau, {}, server.adminToken), 401, 'Unauthenticated');
      refused(await client.admin('GET', 'nonsense'), 404, 'NotFound');
      refused(await client.admin('GET', 'reset'), 405, 'MethodNotAllowed');
    });

    it('that sets, advances, freezes and runs the clock', async () => {
      const change = async (body: object): Promise<Answer['body']> => (await client.admin('POST', 'clock', body)).body;
      assert.deepEqual(await change({ frozen: true, now: '2025-03-01T02:00:00Z' }), {
        now: '2025-03-01T02:00:00.000Z',
        frozen: true,
      });
      assert.deepEqual(await change({ advanceMs: 86_400_000 }), { now: '2025-03-02T02:00:00.000Z', frozen: true });
      assert.deepEqual((await client.admin('GET', 'clock')).body, { now: '2025-03-02T02:00:00.000Z', frozen: true });
      const { body } = await client.get(PATHS.dau);
      assert.deepEqual(body.metadata, {
        effective_date: '2025-03-01',
        generated_at: '2025-03-02T02:00:00Z',
        returned_user_count: 0,
      });
      assert.equal((await change({ frozen: false })).frozen, false);
      for (const wrong of [
        { now: 'noon' },
        { now: '2025-02-30' },
        { advanceMs: 0.5 },
        { frozen: 1 },
        { time: 1 },
        { now: '0001-01-01' },
        { advanceMs: -1e15 },
      ])
        refused(await client.admin('POST', 'clock', wrong), 400, 'InvalidArgument');
      await client.admin('POST', 'reset');
      assert.match(String((await client.admin('GET', 'clock')).body.now), /^2026-11-21T12:00:0/);
    });

    it('that shows requests without secrets, and what is odd about them', async () => {
      await client.get(PATHS.dau, 'page_size=999&colour=red&api_token=abc&date=');
      await fetch(`${server.url}/healthz`, { headers: { cookie: 'session=abc', 'x-api-key': 'abc', accept: 'x/y' } });
      const { body } = await client.admin('GET', 'requests?limit=5');
      const [health, dau] = body.requests as Record<string, unknown>[];
      assert.deepEqual(
        [dau!.method, dau!.path, dau!.query, dau!.status, dau!.code, dau!.caller],
        ['GET', PATHS.dau, 'page_size=999&colour=red&api_token=[redacted]&date=', 400, 'InvalidArgument', 'default'],
      );
      assert.deepEqual(dau!.warnings, [
        'unknown parameter colour is ignored',
        'unknown parameter api_token is ignored',
      ]);
      assert.equal(health!.caller, null);
      assert.ok(!JSON.stringify(body).includes(server.token) && !JSON.stringify(body).includes('abc'));
      assert.equal((health!.headers as Record<string, string>).accept, 'x/y');
      for (const limit of ['0', '-1', 'x', '', '1&limit=2'])
        refused(await client.admin('GET', `requests?limit=${limit}`), 400, 'InvalidArgument');
    });

    it('that creates tokens once for a name', async () => {
      const create = (body: object): Promise<Answer> => client.admin('POST', 'tokens', body);
      assert.equal((await create({ scopes: ['analytics:read'], name: 'ci' })).status, 200);
      refused(await create({ scopes: ['analytics:read'], name: 'ci' }), 400, 'InvalidArgument', /ci/);
      for (const wrong of [
        {},
        { scopes: [] },
        { scopes: ['all'] },
        { scopes: 'analytics:read' },
        { scopes: ['analytics:read'], name: 'a b' },
      ])
        refused(await create(wrong), 400, 'InvalidArgument');
      refused(await client.admin('DELETE', 'tokens/nobody'), 404, 'NotFound');
    });

    it('that loads a cleared override, which clears the one that was there', async () => {
      const override = (limit: string): string =>
        JSON.stringify({
          kind: 'override',
          user_email: 'cleared@example.com',
          resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED',
          period: 'BUDGET_PERIOD_MONTHLY',
          config: { limit },
        });
      const limits = async (): Promise<unknown> => {
        const { status, body } = await client.post(PATHS.getOverrides, { user_emails: ['cleared@example.com'] });
        assert.equal(status, 200);
        return (body.overrides as { config: unknown }[]).map(({ config }) => config);
      };
      for (const [limit, expected] of [
        ['', []],
        ['5', [{ limit: '5' }]],
        ['', []],
      ] as const) {
        const user = JSON.stringify({ kind: 'user', user_email: 'cleared@example.com' });
        const { status } = await client.admin('POST', 'import', `${user}\n${override(limit)}\n`);
        assert.deepEqual([status, await limits()], [200, expected]);
      }
    });

    it('that loads names of such a length that every cursor can be sent back', async () => {
      for (const character of ['m', '語', '\u0001']) {
        const name = character.repeat(character === '\u0001' ? 500 : 1000);
        const activity = { kind: 'activity', date: '2026-11-20', service_account_name: name, language: name };
        const lines = ['1', '2'].map((end) =>
          JSON.stringify({ ...activity, editor: `${name.slice(1)}${end}`, metrics: { chat_messages: 1 } }),
        );
        assert.equal((await client.admin('POST', 'import', lines.join('\n'))).status, 200);
        const first = await client.get(PATHS.editorLanguage, { page_size: 1 });
        const cursor = (first.body.pagination as { next_cursor: string }).next_cursor;
        assert.ok(cursor.length > 4_000);
        const second = await client.get(PATHS.editorLanguage, { page_size: 1, cursor });
        assert.equal(second.status, 200, JSON.stringify(second.body));
        await client.admin('POST', 'reset');
      }
    });

    it('that loads all lines of a file or none, and says which is wrong', async () => {
      const cost = {
        kind: 'cost',
        date: '2026-11-20',
        product_display_name: 'P',
        resource_display_name: 'R',
        resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL',
        user_info: null,
        byok_status: 'COST_ANALYTICS_BYOK_STATUS_BYOK',
        cost_metrics: { billed_amount_usd: '3', base_cost_usd: '2' },
      };
      const nonByok = { ...cost, byok_status: 'COST_ANALYTICS_BYOK_STATUS_NON_BYOK' };
      const withAmounts = (record: object, cost_metrics: object): string =>
        JSON.stringify({ ...record, cost_metrics: { ...cost.cost_metrics, ...cost_metrics } });
      const override = {
        kind: 'override',
        user_email: 'a@b',
        resource: 'BUDGET_RESOURCE_USD_COST',
        period: 'BUDGET_PERIOD_MONTHLY',
        config: { limit: '5' },
      };
      const activity = { kind: 'activity', date: '2026-11-20', user_email: 'a@b', metrics: { chat_messages: 1 } };
      const bad: [string, RegExp][] = [
        ['{', /line 2: it is not JSON/],
        ['[]', /line 2: it is not a JSON object/],
        ['{"kind":"toString"}', /line 2: kind must be one of: org, user/],
        [JSON.stringify({ ...activity, service_account_name: 'x' }), /exactly one of/],
        [JSON.stringify({ ...activity, user_email: undefined }), /exactly one of/],
        [JSON.stringify({ ...activity, date: '2026-02-30' }), /date must be a valid date/],
        [JSON.stringify({ ...activity, metrics: { chat: 1 } }), /there is no metric "chat"/],
        [JSON.stringify({ ...activity, metrics: { chat_messages: -1 } }), /chat_messages must be an integer/],
        [JSON.stringify({ ...activity, metrics: { chat_messages: 1.5 } }), /chat_messages must be an integer/],
        [JSON.stringify({ ...activity, team: 'x' }), /there is no field "team"/],
        [JSON.stringify({ ...activity, metrics: { chat_messages: Number.MAX_SAFE_INTEGER } }), /above 2\^53/],
        ['{"kind":"org","plan":"free"}', /plan must be one of: credits, usd/],
        ['{"kind":"user","user_email":"a","left":"soon"}', /left must be a valid date/],
        [
          '{"kind":"credits","date":"2026-11-20","user_email":"a","model_name":"m","credits_consumed":"1"}',
          /credits_consumed/,
        ],
        [
          JSON.stringify({ kind: 'user', user_email: 'm'.repeat(1001) }),
          /line 2: user_email must be at most 1000 characters/,
        ],
        [JSON.stringify({ ...activity, editor: '\u0001'.repeat(501) }), /line 2: editor must be .* 3000 bytes as JSON/],
        [JSON.stringify({ ...cost, expert_id: 'e' }), /line 2: no record of kind "expert" declares the expert_id e/],
        [JSON.stringify({ ...cost, user_info: { user_email: 'a', bot_name: 'b' } }), /at most one of/],
        [
          JSON.stringify({ ...cost, user_info: { user_email: 'a', user_type: 'COST_ANALYTICS_USER_TYPE_BOT' } }),
          /user_type/,
        ],
        [withAmounts(cost, { surcharge_usd: '1' }), /surcharge_usd must be billed_amount_usd, as/],
        [withAmounts(nonByok, { surcharge_usd: '3' }), /surcharge_usd must be billed_amount_usd minus/],
        [withAmounts(cost, { estimated_customer_cost_usd: '4' }), /estimated_customer_cost_usd must be/],
        [
          withAmounts(cost, { estimated_customer_cost_usd: '3' }),
          /line 2: estimated_customer_cost_usd must be base_cost_usd plus/,
        ],
        [withAmounts(cost, { billed_amount_usd: '1e3' }), /billed_amount_usd must be a decimal/],
        [withAmounts(cost, { billed_amount_usd: 0.5 }), /billed_amount_usd must be a decimal/],
        [withAmounts(cost, { input_tokens: -1 }), /input_tokens must be a count/],
        [
          `${withAmounts(cost, { billed_amount_usd: `${'9'.repeat(37)}5` })}\n${withAmounts(cost, {})}`,
          /line 3: a sum over all records could have more than 38 digits/,
        ],
        [JSON.stringify(override), /line 2: an earlier line has an override/],
        [JSON.stringify({ ...override, config: { limit: '05' } }), /config\.limit/],
        [JSON.stringify({ ...override, config: { limit: '5', y: 2 } }), /line 2: there is no field "config\.y" here/],
      ];
      for (const [line, message] of bad) {
        const first = line.includes('override"') ? override : activity;
        refused(
          await client.admin('POST', 'import', `${JSON.stringify(first)}\n${line}\n`),
          400,
          'InvalidArgument',
          message,
        );
        assert.match(
          String((await client.admin('POST', 'import', `{"kind":"user","user_email":"x"}\n${line}`)).status),
          /200|400/,
        );
        await client.admin('POST', 'reset');
      }
      const { body } = await client.get(PATHS.dau);
      assert.deepEqual(body.users, []);
      const init = { method: 'POST', body: new Uint8Array([0x7b, 0xc3, 0x28]) };
      refused(await client.send('/__admin/import', init, server.adminToken), 400, 'InvalidArgument', /UTF-8/);
      for (const right of [
        withAmounts(cost, { surcharge_usd: '3.00', estimated_customer_cost_usd: '5' }),
        withAmounts(nonByok, { surcharge_usd: '1', estimated_customer_cost_usd: '3' }),
        `\uFEFF\r\n${JSON.stringify(activity)}\r\n\n`,
      ])
        assert.equal((await client.admin('POST', 'import', right)).status, 200, right);
    });
  });
});
