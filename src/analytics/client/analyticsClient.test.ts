import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { TestAuthority } from '../../../test/support/certificates.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { AdjustableClock } from '../../base/clock.ts';
import { describeError, type SextantError } from '../../base/errors.ts';
import type { Sleep } from '../../base/sleep.ts';
import type { ProxySettings } from '../../base/undici.ts';
import type { FaultRule } from '../../server/faults/faultRules.ts';
import { SextantServer } from '../../server/server.ts';
import { endpoints, type EndpointName } from '../contract.ts';
import { readConnection } from './account.ts';
import { AnalyticsClient, type ClientDependencies } from './analyticsClient.ts';
import { RequestBudget } from './requestBudget.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const LIMIT = { resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED', period: 'BUDGET_PERIOD_MONTHLY' } as const;

/** Sleep that advances the clock. */
function sleepBy(clock: AdjustableClock): Sleep {
  return async (ms) => {
    clock.advance(ms);
    return Promise.resolve();
  };
}

describe('the client of the analytics API', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer;
  let pauses: number[];
  let silent: Server | undefined;
  before(async () => {
    const simulation = { seed: 5, users: 300, plan: 'credits' } as const;
    server = await SextantServer.start({ now: NOON, rateLimit: false, simulation });
  });
  after(() => server.close());
  afterEach(() => silent?.close());
  beforeEach(async () => {
    await server.reset();
    pauses = [];
  });

  function clientOf(edges: Partial<ClientDependencies> = {}, token = server.token, url = server.url): AnalyticsClient {
    const clock = new AdjustableClock();
    clock.freeze();
    const sleep = async (ms: number): Promise<void> => {
      pauses.push(ms);
      return sleepBy(clock)(ms);
    };
    const budget = new RequestBudget(newFolder(), { clock, sleep: sleepBy(clock) });
    return new AnalyticsClient({ url, token }, budget, { clock, sleep, random: () => 1, ...edges });
  }

  /** A server that accepts connections and never answers. */
  async function silentUrl(onRequest: () => void = () => undefined): Promise<string> {
    silent = createServer((socket) => socket.on('error', () => socket.destroy()).once('data', onRequest));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    return `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  }

  /** A server that answers each request as `answer` does. */
  async function urlOf(answer: (response: ServerResponse) => void): Promise<string> {
    silent = createHttpServer((request, response) => {
      request.resume();
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    return `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  }

  const fault = (rule: FaultRule): unknown => server.faults.add(rule);
  const requests = (): number => server.requestLog.latest(1000).length;
  const setOne = (client: AnalyticsClient): Promise<unknown> =>
    client.call('setUserBudgetOverrides', {
      overrides: [{ service_account_name: 'nobody', ...LIMIT, config: { limit: '5' } }],
    });

  it('calls every endpoint, with parameters of every kind', async () => {
    const client = clientOf();
    const range = { start_date: '2026-11-14', end_date: '2026-11-20' };
    const counts = await client.call('dauCount', range);
    assert.equal(counts.daily_active_user_counts.length, 7);
    assert.equal((await client.call('dailyUsage', range)).metadata.effective_end_date, '2026-11-20');
    assert.equal((await client.call('dau', { date: '2026-11-20', page_size: 3 })).users.length, 3);
    assert.equal((await client.call('userActivity', { ...range, page_size: 2 })).users.length, 2);
    const { records } = await client.call('dailyUserActivityByEditorLanguage', { date: '2026-11-20' });
    assert.ok(records.every(({ language, editor }) => language && editor));
    const credits = await client.call('creditUsageByUser', { ...range, by_date: true, by_model: true });
    assert.ok(credits.records.every(({ date, model_name }) => date !== undefined && model_name !== undefined));
    const cost = await client.call('costAnalytics', { ...range, group_by_keys: ['COST_ANALYTICS_GROUP_BY_PRODUCT'] });
    assert.ok(cost.data_points.every(({ group_by_values }) => group_by_values.product_display_name !== undefined));
    assert.ok((await client.call('getUserBudgetOverrides', {})).overrides.length > 0);
    assert.deepEqual(await setOne(client), {
      failures: [
        {
          service_account_name: 'nobody',
          error_message: 'service_account_name(s) not found on this organization: nobody',
        },
      ],
    });
    assert.equal(requests(), Object.keys(endpoints).length);
  });

  it('fetches pages of the largest size, and none that the caller does not consume', async () => {
    const client = clientOf();
    const range = { start_date: '2026-11-14', end_date: '2026-11-20' };
    const names = new Set<string>();
    let pages = 0;
    for await (const { users } of client.pages('userActivity', range)) {
      for (const { user_email = '', service_account_name = '' } of users) names.add(user_email + service_account_name);
      pages++;
    }
    assert.equal(pages, Math.ceil(names.size / endpoints.userActivity.pageSize!.maximum));
    assert.ok(pages > 2);
    const before = requests();
    for await (const { users } of client.pages('userActivity', { ...range, page_size: 7 })) {
      assert.equal(users.length, 7);
      break;
    }
    assert.equal(requests(), before + 1);
  });

  it('retries transient failures, after growing pauses', async () => {
    for (const rule of [{ status: 500 }, { status: 503 }, { reset: true }, { truncate: true }] as const) {
      pauses = [];
      fault({ ...rule, times: 3 });
      assert.ok(await clientOf().call('dauCount', {}), JSON.stringify(rule));
      assert.deepEqual(pauses, [500, 1000, 2000]);
    }
  });

  it('explains what a proxy or a login answers, and shows nothing of a web page', async () => {
    const page = '<!DOCTYPE html><title>Log in</title>';
    for (const [status, code, message] of [
      [302, 'UnexpectedResponse', /^127\S+ redirects to another address, which would receive the token\./],
      [403, 'PermissionDenied', /^The service refuses this: the answer is a web page\./],
      [502, 'ServiceFailed', /^The service failed \(502: the answer is a web page\)\./],
      [200, 'UnexpectedResponse', /^The service answered no JSON\./],
    ] as const) {
      const other = createHttpServer((_, response) => response.writeHead(status, { location: '/login' }).end(page));
      await once(other.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      await assert.rejects(clientOf({}, 'token', url).call('dauCount', {}), { code, message });
      other.closeAllConnections();
      other.close();
    }
  });

  it('reports at once that the authority of a certificate is unknown', async () => {
    const { cert, key } = new TestAuthority(newFolder()).issue('DNS:localhost');
    const secured = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) });
    await once(secured.listen(0, '127.0.0.1'), 'listening');
    const url = `https://localhost:${(secured.address() as AddressInfo).port}`;
    const message = /^No known authority signed the certificate of localhost:\d+\. .*NODE_EXTRA_CA_CERTS/;
    await assert.rejects(clientOf({}, 'token', url).call('dauCount', {}), { code: 'Unreachable', message });
    assert.deepEqual(pauses, []);
    secured.close();
  });

  it('connects through the proxy of the settings or environment, and not to this machine', async () => {
    const targets: unknown[] = [];
    const proxy = createHttpServer();
    proxy.on('connect', ({ url }, socket) => {
      targets.push(url);
      socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const former = process.env.HTTPS_PROXY;
    const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      for (const named of [`http://${address}`, address]) {
        process.env.HTTPS_PROXY = process.env.HTTP_PROXY = named;
        const client = clientOf({}, 'token', 'https://api.example');
        await assert.rejects(client.call('dauCount', {}), { code: 'Unreachable' });
        assert.equal(targets.splice(0)[0], 'api.example:443', named);
      }
      // Settings of the editor count before the environment.
      process.env.HTTPS_PROXY = process.env.HTTP_PROXY = 'http://127.0.0.1:1';
      const call = (proxy: ProxySettings): Promise<unknown> =>
        clientOf({ proxy: () => proxy }, 'token', 'https://api.example').call('dauCount', {});
      await assert.rejects(call({ url: `http://${address}` }), { code: 'Unreachable' });
      assert.equal(targets.splice(0)[0], 'api.example:443');
      await assert.rejects(call({ url: `http://${address}`, noProxy: 'other.example,*.example' }), {
        code: 'Unreachable',
      });
      assert.ok(await clientOf({ proxy: () => ({ url: `http://${address}` }) }).call('dauCount', {}));
      assert.deepEqual(targets, []);
      // A changed setting counts for the open connection.
      let proxy: ProxySettings = {};
      const open = clientOf({ proxy: () => proxy }, 'token', 'https://api.example');
      await assert.rejects(open.call('dauCount', {}), { code: 'Unreachable' });
      assert.deepEqual(targets, []);
      proxy = { url: `http://${address}` };
      await assert.rejects(open.call('dauCount', {}), { code: 'Unreachable' });
      assert.equal(targets[0], 'api.example:443');
    } finally {
      delete process.env.HTTP_PROXY;
      if (former === undefined) delete process.env.HTTPS_PROXY;
      else process.env.HTTPS_PROXY = former;
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('gives up after five attempts, and reports the cause', async () => {
    fault({ status: 500 });
    await assert.rejects(clientOf().call('dauCount', {}), { code: 'ServiceFailed', message: /500: injected by/ });
    assert.equal(requests(), 5);
    const nobody = clientOf({}, 'token', 'http://127.0.0.1:1');
    await assert.rejects(nobody.call('dauCount', {}), { code: 'Unreachable', message: /127\.0\.0\.1:1/ });
    const hasty = clientOf({ timeoutMs: 30 }, 'token', await silentUrl());
    await assert.rejects(hasty.call('dau', {}), { code: 'TimedOut' });
  });

  it('waits as long as the service requests, unless that exceeds the longest pause', async () => {
    fault({ status: 429, retryAfter: 7, times: 1 });
    const client = clientOf();
    await client.call('dauCount', {});
    assert.deepEqual(pauses, [7000]);
    fault({ status: 503, retryAfter: 90, times: 1 });
    const reported: [number, string][] = [];
    const before = Date.now();
    await client.call('dauCount', {}, { onPause: (until, { code }) => void reported.push([until, code]) });
    assert.deepEqual(pauses, [7000, 90_000]);
    assert.deepEqual([reported.length, reported[0]![1]], [1, 'ServiceFailed']);
    assert.ok(reported[0]![0] >= before + 80_000, 'the end of the pause is known at once');
    fault({ status: 429, retryAfter: 3600, times: 1 });
    await assert.rejects(client.call('dauCount', {}), { code: 'RateLimited', message: /1 h 0 min/ });
  });

  it('never repeats a write that may have reached the service', async () => {
    for (const rule of [
      { status: 500 },
      { status: 503, retryAfter: 1 },
      { reset: true },
      { truncate: true },
    ] as const) {
      server.faults.clear();
      server.requestLog.clear();
      fault({ ...rule, times: 1 });
      await assert.rejects(setOne(clientOf()), { code: 'WriteUnknown' }, JSON.stringify(rule));
      assert.equal(requests(), 1, JSON.stringify(rule));
    }
    server.requestLog.clear();
    fault({ status: 429, times: 1 });
    await setOne(clientOf());
    assert.equal(requests(), 2, 'what was refused was not heard');
    await assert.rejects(setOne(clientOf({}, 'token', 'http://127.0.0.1:1')), { code: 'Unreachable' });
  });

  it('explains an invalid token, permission, address or request', async () => {
    const fails = (client: AnalyticsClient, name: EndpointName, request: object): Promise<unknown> =>
      client.call(name, request);
    const wrong = 'sxt_wrong-token';
    await assert.rejects(fails(clientOf({}, wrong), 'dau', {}), (error) => {
      assert.equal((error as SextantError).code, 'Unauthenticated');
      assert.equal(describeError(error).includes(wrong), false, 'no message has the token');
      return true;
    });
    await assert.rejects(fails(clientOf({}, server.token, `${server.url}/other`), 'dau', {}), { code: 'NotFound' });
    const argument = { code: 'InvalidArgument', message: 'date must be a valid date in YYYY-MM-DD format' };
    await assert.rejects(fails(clientOf(), 'dau', { date: 'soon' }), argument);
    fault({ status: 403, times: 1 });
    await assert.rejects(fails(clientOf(), 'dau', {}), { code: 'PermissionDenied', message: /injected by/ });
    assert.deepEqual(pauses, [], 'none of this gets better by itself');
  });

  it('reads no answer without an end into memory', async () => {
    let sent = 0;
    let closed: Promise<unknown> | undefined;
    const url = await urlOf((response) => {
      closed = once(response, 'close');
      const megabyte = Buffer.alloc(1 << 20, ' ');
      const go = (): void => {
        do sent += megabyte.length;
        while (!response.destroyed && response.write(megabyte));
        response.once('drain', go);
      };
      go();
    });
    const tooMuch = /answered more than 128 MB/;
    await assert.rejects(clientOf({}, 'token', url).call('dau', {}), { code: 'UnexpectedResponse', message: tooMuch });
    await closed;
    assert.ok(sent < 1 << 28, `${sent} bytes were sent`);
    await assert.rejects(setOne(clientOf({}, 'token', url)), { code: 'WriteUnknown' });
    assert.deepEqual(pauses, [], 'it is not requested again');
  });

  it('refuses pages that lead back, and times and days that are none', async () => {
    const answer = { users: [], metadata: { effective_date: '2026-11-20', generated_at: '2026-11-21T09:00:00Z' } };
    let count = 0;
    const next = (): unknown => ({ has_more: true, next_cursor: count++ % 2 === 0 ? 'a' : 'b' });
    let changed: object = {};
    const url = await urlOf((response) => {
      const { metadata, ...rest } = answer;
      const details = { returned_user_count: 0, ...metadata, ...changed };
      response.end(JSON.stringify({ ...rest, pagination: next(), metadata: details }));
    });
    const client = clientOf({}, 'token', url);
    const readAll = async (): Promise<void> => {
      for await (const page of client.pages('dau', {})) assert.equal(page.users.length, 0);
    };
    await assert.rejects(readAll(), { code: 'UnexpectedResponse', message: /that there is more, and not where/ });
    assert.equal(count, 3);
    for (changed of [
      { generated_at: 'soon' },
      { generated_at: '2026-13-01T00:00:00Z' },
      { effective_date: '2026-02-30' },
    ])
      await assert.rejects(client.call('dau', {}), { code: 'UnexpectedResponse', message: /metadata\.\w+: / });
    for (const zone of ['Z', '.250Z', '+01:00', '']) {
      changed = { generated_at: `2026-11-21T09:00:00${zone}` };
      assert.ok(await client.call('dau', {}));
    }
  });

  it('ends at once when cancelled, during or between attempts', async () => {
    const cancel = new AbortController();
    const url = await silentUrl(() => cancel.abort());
    const underWay = clientOf({}, 'token', url).call('dauCount', {}, { signal: cancel.signal });
    await assert.rejects(underWay, { code: 'Cancelled' });
    await assert.rejects(clientOf().call('dauCount', {}, { signal: cancel.signal }), { code: 'Cancelled' });
  });

  it('accepts pasted addresses and tokens, and sends no token in the clear', () => {
    const read = (url: string, token = ' sxt_1\n'): string => readConnection(url, token).url;
    assert.equal(read(' https://example.com/base/ '), 'https://example.com/base');
    assert.equal(read('http://127.0.0.1:4000'), 'http://127.0.0.1:4000');
    assert.equal(readConnection('https://example.com', ' sxt_1\n').token, 'sxt_1');
    for (const url of ['example.com', 'ftp://example.com', '', 'https://user:pass@example.com'])
      assert.throws(() => read(url), { code: 'BadUrl', message: /^(?!.*pass).* is no address of a service/ });
    for (const url of ['http://example.com', 'http://127.0.0.1.example.com', 'http://10.0.0.1'])
      assert.throws(() => read(url), { code: 'InsecureUrl' });
    for (const token of ['', 'a b', 'a\r\nX: y', 'tökén'])
      assert.throws(() => read('https://example.com', token), { code: 'BadToken' });
  });
});
