import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { endpoints, type EndpointName } from '../../src/analytics/contract.ts';
import { parseResponse } from '../../src/analytics/validate.ts';
import { SextantServer } from '../../src/server/server.ts';
import { readData } from '../../src/server/analytics/data/readData.ts';
import { Agent, request as httpRequest } from 'node:http';
import { dataset } from '../conformance/dataset.ts';
import { RawConnection } from '../support/rawHttp.ts';
import { chooseSeed } from './truth.ts';

const REQUESTS = Number(process.env.SEXTANT_FUZZ_REQUESTS ?? 2_000);
/** One in so many is bytes on the socket instead of HTTP. */
const RAW_SHARE = 5;
/** Who has no answer by then has none. */
const HANG_MS = 20_000;
const ROUND = 2_000;
const NAMES = Object.keys(endpoints) as EndpointName[];

interface Attempt {
  readonly name: EndpointName;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

// Values that are right, nearly right and wrong.
const word = fc.oneof(
  fc.constantFrom(
    '',
    'ada@example.com',
    'ADA@EXAMPLE.COM',
    'release',
    '__proto__',
    'constructor',
    'toString',
    '\0',
    '\u{1F600}',
    '\ud800',
    '%',
    "';--",
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const day = fc.oneof(
  fc
    .integer({ min: -900, max: 10 })
    .map((offset) => new Date(Date.UTC(2026, 10, 21 + offset)).toISOString().slice(0, 10)),
  fc.constantFrom('2026-02-30', '0000-00-00', '9999-12-31', '2024-02-29', '+12026-01-01', '2026-11-1'),
  word,
);
const enums = fc.constantFrom(
  ...['PRODUCT', 'RESOURCE', 'USER', 'BYOK_STATUS', 'EXPERT'].map((key) => `COST_ANALYTICS_GROUP_BY_${key}`),
  ...['TOTAL', 'DAY'].map((key) => `COST_ANALYTICS_TIME_GRANULARITY_${key}`),
  ...['BUDGET_RESOURCE_CREDITS_CONSUMED', 'BUDGET_RESOURCE_USD_COST', 'BUDGET_PERIOD_MONTHLY', ''],
);
const size = fc.oneof(fc.constantFrom('1', '2', '100', '100000', '0', '-1', '1e3', '9'.repeat(400), ''), word);
const query = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom('start_date', 'end_date', 'date'), day),
      fc.tuple(fc.constantFrom('page_size'), size),
      fc.tuple(fc.constantFrom('by_date', 'by_model'), fc.constantFrom('true', 'false', '1', '')),
      fc.tuple(fc.constantFrom('cursor'), word),
      fc.tuple(word, word),
    ),
    { maxLength: 5 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'));
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  day,
  enums,
  word,
  fc.constantFrom(1e308, -0, 1e30, 5, null, [], {}),
);
const list = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.oneof(word, enums), { maxLength: 4 }) },
  { weight: 1, arbitrary: anything },
);
/** More items than a function can be given arguments. */
const longList = fc.record({ long: fc.constantFrom(0, null, [], 'a'), last: anything }).map(({ long, last }) => {
  const items = new Array<unknown>(200_000).fill(long);
  items.push(last);
  return items;
});
const longBody = fc.tuple(fc.constantFrom('user_emails', 'group_by_keys', 'overrides'), longList, fc.boolean());
const entry = fc.record(
  {
    user_email: fc.oneof(word, anything),
    service_account_name: fc.oneof(word, anything),
    resource: fc.oneof(enums, anything),
    period: fc.oneof(enums, anything),
    config: fc.oneof(fc.record({ limit: fc.oneof(fc.constantFrom('5', '', '0', '1'.repeat(19)), anything) }), anything),
  },
  { requiredKeys: [] },
);
const filters = fc.record(
  {
    user_emails: list,
    service_account_names: list,
    product_names: list,
    resource_names: list,
    expert_ids: list,
    [`x`]: list,
  },
  { requiredKeys: [] },
);
const json = fc
  .record(
    {
      start_date: day,
      end_date: day,
      group_by_keys: list,
      granularity: enums,
      filters: fc.oneof(filters, anything),
      cursor: word,
      page_size: fc.oneof(fc.integer({ min: -5, max: 2000 }), anything),
      user_emails: list,
      service_account_names: list,
      resource: enums,
      period: enums,
      overrides: fc.oneof(fc.array(entry, { maxLength: 5 }), anything),
    },
    { requiredKeys: [] },
  )
  .chain((body) => {
    const fields = Object.entries(body);
    const some = fc.subarray(fields, { maxLength: Math.min(4, fields.length) });
    return some.map((chosen) => JSON.stringify(Object.fromEntries(chosen)));
  });
const body = fc.oneof(
  { weight: 6, arbitrary: json },
  { weight: 1, arbitrary: json.map((text) => text.slice(0, text.length / 2)) },
  { weight: 1, arbitrary: word },
  {
    weight: 1,
    arbitrary: longBody.map(([field, items, isFilter]) =>
      JSON.stringify(isFilter ? { filters: { [field]: items } } : { [field]: items }),
    ),
  },
  { weight: 1, arbitrary: fc.nat(5000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)) },
  { weight: 1, arbitrary: fc.constant('{"__proto__":{"page_size":1},"constructor":{}}') },
);
const rare = <T>(common: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(common) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

function encode(text: string): string {
  return text.includes('\ud800') ? '%ed%a0%80' : encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/gu, ''));
}

describe('The server, asked for anything', () => {
  let server: SextantServer;
  const errors: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });

  before(async () => {
    const records = dataset(5, '2026-11-21');
    const ignore = (): void => undefined;
    server = await SextantServer.start(
      {
        now: Date.UTC(2026, 10, 21, 9),
        rateLimit: false,
        data: () => readData([Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))]),
      },
      {
        logger: { debug: ignore, info: ignore, warn: ignore, error: (message) => void errors.push(message) },
        timeouts: { headersMs: 500, bodyIdleMs: 300, bodyMs: 2_000, lingerMs: 300 },
      },
    );
  });
  after(async () => {
    agent.destroy();
    await server.close();
  });

  const attempts = fc.constantFrom(...NAMES).chain((name): fc.Arbitrary<Attempt> => {
    const { method, path } = endpoints[name];
    return fc.record({
      name: fc.constant(name),
      method: rare<string>(method, 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'GET', 'POST'),
      path: fc
        .tuple(rare(path, '/', '/nowhere', `${path}/`, '/__admin/clock', '/openapi.json', '/healthz'), query)
        .map(([at, search]) => `${at}?${search}`),
      headers: fc
        .tuple(
          rare(`Bearer ${server.token}`, 'Bearer wrong', '', `Bearer ${server.adminToken}`, 'Basic x'),
          rare('application/json', 'text/plain', 'application/json; charset=utf-16', ''),
          rare('', 'gzip'),
        )
        .map(([authorization, type, encoding]) => ({
          authorization,
          'content-type': type,
          ...(encoding !== '' && { 'content-encoding': encoding }),
        })),
      body: method === 'POST' ? body : fc.constant(undefined),
    });
  });

  const pieces = fc.array(
    fc.oneof(
      attempts.map(({ method, path, headers, body = '' }) => {
        const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': Buffer.byteLength(body) });
        return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
      }),
      fc.constantFrom(
        '\r\n',
        'GET ',
        ' HTTP/1.1\r\n',
        'Transfer-Encoding: chunked\r\n\r\n',
        '5\r\nhello\r\n',
        '0\r\n\r\n',
        'Expect: 100-continue\r\n',
        '\0',
        ': \r\n',
      ),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
    { minLength: 1, maxLength: 4 },
  );

  it(`answers ${REQUESTS.toLocaleString('en')} requests without failing once`, async function () {
    this.timeout(REQUESTS * 30 + 120_000);
    const seed = chooseSeed();
    const rawCount = Math.ceil(REQUESTS / RAW_SHARE);
    const statuses = new Map<number, number>();
    const seen = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
    await inRounds(attempts, seed, REQUESTS - rawCount, async (attempt) => {
      const { status, text } = await ask(attempt);
      seen(status);
      const told = `SEXTANT_FAULT_SEED=${seed} ${JSON.stringify(attempt)}: ${status} ${text.slice(0, 500)}`;
      assert.ok(status < 500, told);
      if (attempt.method === 'HEAD') return;
      if (status >= 400) {
        const { error } = JSON.parse(text) as { error: { code: unknown; message: unknown } };
        assert.ok(typeof error.code === 'string' && typeof error.message === 'string', told);
      } else if (attempt.path.startsWith(endpoints[attempt.name].path)) parseResponse(attempt.name, JSON.parse(text));
    });
    await inRounds(pieces, seed, rawCount, async (parts) => {
      const connection = new RawConnection(server.url);
      for (const part of parts) connection.send(Buffer.from(part, 'latin1'));
      connection.halfClose();
      await within(connection.closed, `SEXTANT_FAULT_SEED=${seed}: no end to ${JSON.stringify(parts)}`);
      for (const [, status] of connection.received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
        seen(Number(status));
        assert.ok(
          Number(status) < 500,
          `SEXTANT_FAULT_SEED=${seed} ${JSON.stringify(parts)}: ${connection.received.slice(0, 500)}`,
        );
      }
      connection.destroy();
    });
    assert.deepEqual(errors, []);
    const { status } = await fetch(`${server.url}/healthz`);
    assert.equal(status, 200);
    console.log(
      `      from seed ${seed}: ${[...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${count} × ${status}`)
        .join(', ')}`,
    );
    for (const expected of [200, 400, 401, 404, 405, 415])
      assert.ok(statuses.has(expected), `none was answered ${expected}`);
  });

  it('keeps no descriptor of connections that are broken off or half closed', async function () {
    if (process.platform !== 'linux') this.skip();
    // Both ends are of this process, and so in its list.
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    agent.destroy();
    await settled(descriptors);
    const before = descriptors();
    const starts = [
      '',
      'GET /heal',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\n',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
      `POST ${endpoints.costAnalytics.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"',
      'nonsense\r\n\r\n',
    ];
    for (let round = 0; round < 5; round++) {
      const connections = Array.from({ length: 60 }, (_, i) => {
        const connection = new RawConnection(server.url).send(starts[i % starts.length]!);
        return i % 4 === 3 ? (connection.destroy(), connection) : connection.halfClose();
      });
      for (const { closed } of connections) await within(closed, 'a half-closed connection has no end');
      for (const connection of connections) connection.destroy();
    }
    await settled(descriptors);
    assert.ok(descriptors() <= before, `${before} descriptors before, ${descriptors()} after`);
  });

  function ask({ method, path, headers, body }: Attempt): Promise<{ readonly status: number; readonly text: string }> {
    const { hostname, port } = new URL(server.url);
    // Node's client sends the body of a GET without saying how long it is.
    const all = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
    const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path, headers: all, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode!, text })).on('error', reject);
      });
      request
        .on('error', (cause) => reject(new Error(`${method} ${path} ${JSON.stringify(headers)} ${body}`, { cause })))
        .end(body);
    });
    return within(answer, `no answer to ${method} ${path}`);
  }
});

async function within<T>(work: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error(otherwise)), HANG_MS)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until a count no longer falls: sockets are closed a moment after they are destroyed. */
async function settled(count: () => number): Promise<void> {
  for (let known = Infinity, same = 0; same < 5;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    same = count() < known ? 0 : same + 1;
    known = count();
  }
}

/** So many different ones, sixteen at a time. */
async function inRounds<T>(
  arbitrary: fc.Arbitrary<T>,
  seed: number,
  count: number,
  work: (sample: T) => Promise<void>,
): Promise<void> {
  for (let done = 0; done < count; done += ROUND) {
    const samples = fc.sample(arbitrary, { seed: seed + done, numRuns: Math.min(ROUND, count - done) });
    const worker = async (): Promise<void> => {
      for (let sample = samples.pop(); sample !== undefined; sample = samples.pop()) await work(sample);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  }
}
