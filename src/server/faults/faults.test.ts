import assert from 'node:assert/strict';
import { Client, PATHS } from '../../../test/conformance/client.ts';
import { refused } from '../../../test/conformance/suite.ts';
import { RawConnection } from '../../../test/support/rawHttp.ts';
import { until } from '../../../test/support/until.ts';
import { SextantServer } from '../server.ts';
import { Faults } from './faults.ts';
import { readFaultRule } from './faultRules.ts';
import { SCENARIOS } from './scenarios.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

describe('rules of faults', () => {
  const hits = (rule: unknown, count: number): boolean[] => {
    const faults = new Faults();
    faults.add(readFaultRule(rule));
    return Array.from({ length: count }, () => faults.take('GET', '/a') !== undefined);
  };

  it('hit every n-th request, with a probability, and a limited number of times', () => {
    assert.deepEqual(hits({ every: 3, status: 500 }, 7), [false, false, true, false, false, true, false]);
    assert.deepEqual(hits({ times: 2, status: 500 }, 4), [true, true, false, false]);
    const some = hits({ probability: 0.2, seed: 9, status: 500 }, 5000);
    const share = some.filter(Boolean).length / some.length;
    assert.ok(share > 0.17 && share < 0.23, String(share));
    assert.deepEqual(hits({ probability: 0.2, seed: 9, status: 500 }, 5000), some, 'the same with the same seed');
    assert.notDeepEqual(hits({ probability: 0.2, seed: 10, status: 500 }, 5000), some);
    assert.ok(!hits({ probability: 0, status: 500 }, 100).includes(true));
    assert.ok(!hits({ probability: 1, status: 500 }, 100).includes(false));
  });

  it('hit the method and path that they name, and the first of several counts', () => {
    const faults = new Faults();
    faults.add(readFaultRule({ method: 'post', path: '/a/*', status: 500 }));
    faults.add(readFaultRule({ path: '/a/b', status: 503 }));
    assert.equal(faults.take('GET', '/a/c'), undefined);
    assert.equal(faults.take('POST', '/b'), undefined);
    assert.equal(faults.take('POST', '/a/b')?.rule.status, 500);
    assert.equal(faults.take('GET', '/a/b')?.rule.status, 503);
    assert.deepEqual(
      faults.list().map(({ id, matches, hits }) => [id, matches, hits]),
      [
        ['fault-1', 1, 1],
        ['fault-2', 1, 1],
      ],
    );
  });

  it('wait lognormally about the median', () => {
    const faults = new Faults();
    faults.add(readFaultRule({ latency: { medianMs: 100, sigma: 0.5 } }));
    const delays = Array.from({ length: 2001 }, () => faults.take('GET', '/')!.delayMs).sort((a, b) => a - b);
    assert.ok(delays[1000]! > 90 && delays[1000]! < 110, String(delays[1000]));
    // One in 6.3 is more than one sigma above.
    const above = delays.filter((one) => one > 100 * Math.exp(0.5)).length / delays.length;
    assert.ok(above > 0.13 && above < 0.19, String(above));
  });

  it('are refused where they make no sense', () => {
    for (const rule of [
      ...[{}, { every: 2 }, { status: 200 }, { every: 0, status: 500 }, { probability: 2, status: 500 }],
      ...[{ every: 2, probability: 0.5, status: 500 }, { latency: { ms: -1 } }, { truncate: false }, { stauts: 500 }],
      ...[[], null, 'all'],
    ])
      assert.throws(() => readFaultRule(rule), { code: 'InvalidArgument' }, JSON.stringify(rule));
  });
});

describe('a server with faults', () => {
  let server: SextantServer;
  let client: Client;
  before(async () => {
    server = await SextantServer.start({
      ...{ now: NOON, rateLimit: false, simulation: { seed: 5, users: 40, plan: 'credits' } },
    });
    client = new Client(server);
  });
  after(() => server.close());
  beforeEach(() => server.reset());

  const ask = (path: string = PATHS.dauCount): Promise<Response> =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.token}` } });

  it('has rules that are added, listed with their hits, replaced, removed and cleared; the admin plane is spared', async () => {
    const { body: rule } = await client.admin('POST', 'faults', { status: 503, every: 2 });
    await client.admin('POST', 'faults', { path: '/healthz', latency: { ms: 1 } });
    assert.equal((await ask()).status, 200);
    refused(await client.get(PATHS.dauCount), 503, 'ServiceUnavailable', /injected by fault-/);
    const { body } = await client.admin('GET', 'faults');
    const listed = body.faults as { id: string; hits: number; matches: number }[];
    assert.deepEqual([listed.length, listed[0]!.id, listed[0]!.matches, listed[0]!.hits], [2, rule.id, 2, 1]);
    const log = (await client.admin('GET', 'requests?limit=1')).body.requests as {
      status: number;
      warnings: string[];
    }[];
    assert.deepEqual([log[0]!.status, log[0]!.warnings], [503, [`injected by ${String(rule.id)}`]]);
    const { body: other } = await client.admin('PUT', `faults/${String(rule.id)}`, { status: 500 });
    assert.deepEqual([other.id, other.rule, other.hits], [rule.id, { status: 500 }, 0]);
    const { faults } = (await client.admin('GET', 'faults')).body as { faults: readonly unknown[] };
    assert.deepEqual([faults.length, faults[0]], [2, other]);
    refused(await client.admin('PUT', 'faults/fault-99', { status: 500 }), 404, 'NotFound');
    refused(await client.admin('PUT', `faults/${String(rule.id)}`, { status: 42 }), 400, 'InvalidArgument', /status/);
    assert.equal((await client.admin('DELETE', `faults/${String(rule.id)}`)).status, 200);
    refused(await client.admin('DELETE', `faults/${String(rule.id)}`), 404, 'NotFound');
    assert.equal((await client.admin('DELETE', 'faults')).status, 200);
    assert.deepEqual((await client.admin('GET', 'faults')).body, { faults: [] });
    refused(await client.admin('POST', 'faults', { status: 42 }), 400, 'InvalidArgument', /status/);
  });

  it('breaks answers off, lets them drip, makes them late, and resets connections', async () => {
    const path = PATHS.dauCount;
    await client.admin('POST', 'faults', { path, times: 1, truncate: true });
    const cut = await ask();
    assert.equal(cut.status, 200);
    await assert.rejects(cut.text(), 'half of the body is missing');
    await client.admin('DELETE', 'faults');

    const size = Number((await ask()).headers.get('content-length'));
    await client.admin('POST', 'faults', { path, drip: { bytesPerSecond: size * 4 } });
    const connection = new RawConnection(server.url);
    connection.send(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n\r\n`);
    assert.equal(((await connection.answer())?.body ?? '').length, size);
    connection.destroy();
    await client.admin('DELETE', 'faults');

    await client.admin('POST', 'faults', { path, latency: { ms: 120 } });
    const began = performance.now();
    assert.equal((await ask()).status, 200);
    assert.ok(performance.now() - began >= 115);
    await client.admin('DELETE', 'faults');

    await client.admin('POST', 'faults', { path, reset: true });
    await assert.rejects(ask());
    await client.admin('DELETE', 'faults');
    assert.equal((await ask()).status, 200);
  });

  it('lets go what it holds back as soon as the server closes', async () => {
    const late = { ms: 600_000 };
    for (const rule of [{ latency: late }, { latency: late, status: 503 }, { drip: { bytesPerSecond: 1 } }]) {
      const slow = await SextantServer.start({
        now: NOON,
        rateLimit: false,
        simulation: { seed: 5, users: 40, plan: 'usd' },
      });
      slow.faults.add(readFaultRule(rule));
      const headers = { authorization: `Bearer ${slow.token}` };
      const leave = new AbortController();
      const gone = fetch(slow.url + PATHS.dauCount, { headers, signal: leave.signal }).then((response) =>
        response.text(),
      );
      const answer = fetch(slow.url + PATHS.dauCount, { headers });
      await until('both are held back', () => slow.faults.list()[0]?.hits === 2);
      leave.abort();
      await assert.rejects(gone);
      // Where one of them were waited for, this would take longer than a test may.
      const closed = slow.close();
      const response = await answer;
      assert.equal(response.status, rule.status ?? 200);
      assert.equal(typeof (await response.json()), 'object');
      await closed;
    }
  });

  it('has scenarios by name, one at a time', async () => {
    const { body } = await client.admin('GET', 'scenario');
    assert.deepEqual(
      (body.scenarios as { name: string }[]).map(({ name }) => name),
      Object.keys(SCENARIOS),
    );
    const apply = (scenario: string): ReturnType<Client['admin']> => client.admin('POST', 'scenario', { scenario });
    refused(await apply('doomsday'), 400, 'InvalidArgument', /scenario must be one of: rate-limited/);

    assert.equal((await apply('rate-limited')).body.active, 'rate-limited');
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200]);
    const third = await ask();
    assert.deepEqual([third.status, third.headers.get('retry-after')], [429, '1']);
    await apply('outage');
    assert.deepEqual([(await ask()).status, (await ask()).status], [503, 503]);
    await apply('token-revoked');
    refused(await client.get(PATHS.dau), 401, 'Unauthenticated');
    assert.equal((await client.get('/healthz')).status, 200);

    const newest = async (): Promise<string> => {
      const { body: credits } = await client.get(PATHS.credits, { by_date: true, start_date: '2026-11-18' });
      assert.ok(Array.isArray(credits.records), JSON.stringify(credits));
      return (credits.records as { date: string }[]).at(-1)!.date;
    };
    await apply('stale-credits');
    assert.equal(await newest(), '2026-11-20');
    const { metadata } = (await client.get(PATHS.credits)).body;
    assert.equal((metadata as { generated_at: string }).generated_at, '2026-11-20T09:00:00Z');
    await client.admin('DELETE', 'scenario');
    assert.equal(await newest(), '2026-11-21');

    const active = async (): Promise<number> => {
      const { body: counts } = await client.get(PATHS.userActivity, { page_size: 100 });
      return (counts.users as unknown[]).length;
    };
    const before = await active();
    await apply('new-user-flood');
    assert.ok((await active()) > before, String(before));
    await client.admin('DELETE', 'scenario');
    assert.equal(await active(), before);

    await apply('month-end');
    assert.match((await client.admin('GET', 'clock')).body.now as string, /^2026-11-30T23:5/);
    await server.reset();
    assert.equal((await client.admin('GET', 'scenario')).body.active, null);
    assert.deepEqual((await client.admin('GET', 'faults')).body, { faults: [] });
  });

  it('is flaky as it says: mostly good, some errors, some answers that break off, some connections that are reset', async () => {
    const once = async (): Promise<string[]> => {
      await server.reset();
      server.applyScenario('flaky');
      const outcomes: string[] = [];
      for (let i = 0; i < 200; i++) {
        const outcome = await ask().then(
          (response) =>
            response.text().then(
              () => String(response.status),
              () => 'broken off',
            ),
          () => 'reset',
        );
        outcomes.push(outcome);
      }
      return outcomes;
    };
    const outcomes = await once();
    const count = (wanted: string): number => outcomes.filter((outcome) => outcome === wanted).length;
    assert.ok(count('200') > 140 && count('500') > 8 && count('broken off') > 1 && count('reset') > 1, outcomes.join());
    assert.equal(count('200') + count('500') + count('broken off') + count('reset'), 200);
    assert.deepEqual(await once(), outcomes, 'the same requests fail again');
    const { body } = await client.admin('GET', 'faults');
    const hits = (body.faults as { hits: number }[]).reduce((sum, fault) => sum + fault.hits, 0);
    assert.equal(hits, 200 - count('200'));
  });

  it('is slow as it says: as long as the rule drew, or in drips', async () => {
    const faults = new Faults();
    for (const rule of SCENARIOS.slow!.rules!) faults.add(rule, 'slow');
    const drawn = Array.from({ length: 2000 }, () => faults.take('GET', PATHS.dauCount)!);
    const delays = drawn.flatMap(({ rule, delayMs }) => (rule.latency ? [delayMs] : [])).sort((a, b) => a - b);
    const median = delays[delays.length >> 1]!;
    assert.ok(median > 750 && median < 850 && delays.at(-1)! > 5000, `${median}, at most ${delays.at(-1)}`);
    const drips = 2000 - delays.length;
    assert.ok(drips > 60 && drips < 140, String(drips));
    server.applyScenario('slow');
    // One that is not too long for a test.
    const next = drawn.findIndex(({ delayMs }) => delayMs > 150 && delayMs < 400);
    for (let i = 0; i < next; i++) server.faults.take('GET', PATHS.dauCount);
    const began = performance.now();
    assert.equal((await ask()).status, 200);
    // Timers may come a millisecond early.
    assert.ok(performance.now() - began >= drawn[next]!.delayMs - 2, String(drawn[next]!.delayMs));
  });
});
