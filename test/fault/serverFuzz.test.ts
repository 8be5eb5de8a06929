import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { endpoints } from '../../src/analytics/contract.ts';
import { parseResponse } from '../../src/analytics/validate.ts';
import { SextantServer } from '../../src/server/server.ts';
import { readData } from '../../src/server/analytics/data/readData.ts';
import { dataset } from '../conformance/dataset.ts';
import { RawConnection } from '../support/rawHttp.ts';
import { anyFrames, anyRequest, type Attempt, type FuzzTarget } from './fuzzRequests.ts';
import { WEBHOOK_TYPES } from '../../src/webhooks/names.ts';
import { chooseSeed, fastFolder } from './truth.ts';

const REQUESTS = Number(process.env.SEXTANT_FUZZ_REQUESTS ?? 3_000);
/** One in this number is raw bytes on the socket instead of HTTP. */
const RAW_SHARE = 5;
/** The time limit after which a request counts as unanswered. */
const HANG_MS = 120_000;
const ROUND = 2_000;
/** The number of requests between progress reports of a long run. */
const PROGRESS = 50_000;
/** Answers with 5xx whose reason is temporary or can be removed. */
const REASONED = new Set([503, 507]);
/** A shorter run ends before every cache is at its limit. */
const JUDGED_FROM = 100_000;

describe('The server under random requests', () => {
  let server: SextantServer;
  let target: FuzzTarget;
  const errors: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const state = fastFolder();

  before(async () => {
    const records = dataset(5, '2026-11-21');
    const ignore = (): void => undefined;
    server = await SextantServer.start(
      {
        state,
        now: Date.UTC(2026, 10, 21, 9),
        rateLimit: false,
        webhooks: { retention: { maxEvents: 500 } },
        data: () => readData([Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))]),
      },
      {
        logger: { debug: ignore, info: ignore, warn: ignore, error: (message) => void errors.push(message) },
        timeouts: { headersMs: 500, bodyIdleMs: 300, bodyMs: 2_000, lingerMs: 300 },
      },
    );
    const hooks = WEBHOOK_TYPES.map((type) => {
      const signature = type === 'hmac' ? { header: 'X-Sign', signed: '{url}.{body}' } : undefined;
      const { webhook, secret } = server.webhooks.definitions.createWebhook({ name: type, type, signature });
      return { id: webhook.id, secret, type, signature: webhook.signature };
    });
    server.webhooks.definitions.saveTrigger({
      name: 'all',
      webhook: 'bearer_token',
      filter: { '>': [{ var: 'n' }, 5] },
    });
    target = { token: server.token, adminToken: server.adminToken, hooks };
  });
  after(async () => {
    agent.destroy();
    await server.close();
    rmSync(state, { recursive: true, force: true });
  });

  it(`answers ${REQUESTS.toLocaleString('en')} requests without failing once`, async function () {
    this.timeout(REQUESTS * 30 + 600_000);
    const seed = chooseSeed();
    const rawCount = Math.ceil(REQUESTS / RAW_SHARE);
    const statuses = new Map<number, number>();
    const heap: number[] = [];
    const seen = (status: number, shown: () => string): void => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      assert.ok(status < 500 || REASONED.has(status), `SEXTANT_FAULT_SEED=${seed} ${shown()}`);
    };
    await inRounds(anyRequest(target), seed, REQUESTS - rawCount, heap, async (attempt) => {
      const { status, text } = await ask(attempt);
      const shown = (): string => `${JSON.stringify(attempt)}: ${status} ${text.slice(0, 500)}`;
      seen(status, shown);
      if (attempt.method === 'HEAD') return;
      if (status >= 400) {
        const { error } = JSON.parse(text) as { error: { code: unknown; message: unknown } };
        assert.ok(typeof error.code === 'string' && typeof error.message === 'string' && error.message !== '', shown());
      } else if (attempt.name && attempt.path.startsWith(endpoints[attempt.name].path))
        parseResponse(attempt.name, JSON.parse(text));
    });
    await inRounds(anyFrames(target), seed, rawCount, heap, async (parts) => {
      const connection = new RawConnection(server.url);
      for (const part of parts) connection.send(Buffer.from(part, 'latin1'));
      connection.halfClose();
      await within(connection.closed, `SEXTANT_FAULT_SEED=${seed}: no end to ${JSON.stringify(parts)}`);
      for (const [, status] of connection.received.matchAll(/^HTTP\/1\.1 (\d{3})/gm))
        seen(Number(status), () => `${JSON.stringify(parts)}: ${connection.received.slice(0, 500)}`);
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
    console.log(`      heap after collection, MB: ${some(heap).join(' ')}`);
    // Two or three in 3,000 are answered 201 and 409, so a short run may have none.
    const rare = REQUESTS < JUDGED_FROM ? [] : [201, 409];
    for (const expected of [200, 202, 400, 401, 404, 405, 415, ...rare])
      assert.ok(statuses.has(expected), `none was answered ${expected}`);
    if (REQUESTS < JUDGED_FROM) return;
    const quarter = heap.length >> 2;
    const [early, late] = [heap.slice(0, quarter), heap.slice(-quarter)].map((part) => Math.max(...part));
    assert.ok(late! < early! * 1.2 + 10, `${late} MB at the end after ${early} MB`);
  });

  it('closes the descriptors of connections that are broken or half closed', async function () {
    if (process.platform !== 'linux') this.skip();
    // Both ends belong to this process, and so to its list.
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
    // Node's client sends the body of a GET without its length.
    const all = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
    const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path, headers: all, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode!, text })).on('error', reject);
      });
      request
        .on('error', (cause: NodeJS.ErrnoException) => {
          // The server may close an idle connection just when it is used again; by HTTP, clients then retry.
          if (request.reusedSocket && cause.code === 'ECONNRESET') resolve(ask({ method, path, headers, body }));
          else reject(new Error(`${method} ${path} ${JSON.stringify(headers)} ${body}`, { cause }));
        })
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

/** Heap of this process, the server's and the test's, after a full collection. */
function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return Math.round(process.memoryUsage().heapUsed / 1e6);
}

/** At most twenty of the samples, evenly. */
function some(samples: readonly number[]): number[] {
  const step = Math.ceil(samples.length / 20);
  return samples.filter((_, i) => i % step === 0);
}

/** Sends `count` samples, sixteen at a time, and measures the heap after each round. */
async function inRounds<T>(
  arbitrary: fc.Arbitrary<T>,
  seed: number,
  count: number,
  heap: number[],
  work: (sample: T) => Promise<void>,
): Promise<void> {
  for (let done = 0; done < count; done += ROUND) {
    const samples = fc.sample(arbitrary, { seed: seed + done, numRuns: Math.min(ROUND, count - done) });
    const worker = async (): Promise<void> => {
      for (let sample = samples.pop(); sample !== undefined; sample = samples.pop()) await work(sample);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    heap.push(heapMegabytes());
    if ((done + ROUND) % PROGRESS === 0) console.log(`      ${done + ROUND} of ${count}: ${heap.at(-1)} MB of heap`);
  }
}
