/**
 * The embedded server for tests: starts in milliseconds, keeps nothing, and its clock is yours.
 *
 * ```ts
 * import { startServer } from 'sextant-code/testing';
 *
 * const server = await startServer({
 *   now: '2026-11-21T09:00:00Z',
 *   data: [
 *     { kind: 'user', user_email: 'ada@example.com' },
 *     { kind: 'activity', date: '2026-11-20', user_email: 'ada@example.com', metrics: { total_messages: 3 } },
 *   ],
 * });
 * const response = await fetch(`${server.url}/analytics/v0/dau-count`, {
 *   headers: { authorization: `Bearer ${server.token}` },
 * });
 * server.clock.set('2026-11-22T01:00:00Z');
 * await server.reset();
 * await server.close();
 * ```
 *
 * @module sextant-code/testing
 */
import type { Logger } from '../base/log.ts';
import { checkMoment, readMoment } from './admin/moment.ts';
import { readData } from './analytics/data/readData.ts';
import { readSimulation } from './analytics/simulation/options.ts';
import { loadData } from './launch.ts';
import { SextantServer } from './server.ts';

/** A record of a data file: docs/local-server.md. */
export type DataRecordInput = Readonly<Record<string, unknown>>;

/** What a test server holds, and how it behaves. */
export interface StartServerOptions {
  /** The path of a data file, or its records. */
  readonly data?: string | Iterable<DataRecordInput>;
  /** Any of the next three simulates an organization; without them and `data` it is empty. */
  readonly seed?: number;
  /** How many people it has at a time. */
  readonly users?: number;
  /** What it pays in. */
  readonly plan?: 'credits' | 'usd';
  /** An ISO 8601 moment at which the clock starts, and to which `reset` sets it back. */
  readonly now?: string;
  /** Rate limits are off unless this is true, so that a test is not refused for being quick. */
  readonly rateLimit?: boolean;
  /** A free one by default. */
  readonly port?: number;
  /** Random by default, and so is `adminToken`. */
  readonly token?: string;
  /** For the admin plane. */
  readonly adminToken?: string;
  /** Receives the server's log; silent by default. */
  readonly logger?: Logger;
}

/** The clock of a test server, by which it dates, expires and limits. */
export interface TestClock {
  /** ISO 8601. */
  now(): string;
  /** To an ISO 8601 moment. Throws `InvalidArgument` where it is none, or outside the years 1970 to 9998. */
  set(now: string): void;
  /** Milliseconds to add. */
  advance(ms: number): void;
  /** It stands still until {@link run}. */
  freeze(): void;
  /** It goes as time does. */
  run(): void;
}

/** A running test server; it ends with {@link close} or `await using`. */
export interface TestServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:4321`, without a slash at its end. */
  readonly url: string;
  /** May use everything but the admin plane. */
  readonly token: string;
  readonly adminToken: string;
  readonly clock: TestClock;
  /** Back to the data and the clock that it was started with. */
  reset(): Promise<void>;
  /** Adds records to the data: all of them, or none where one is wrong. */
  import(records: Iterable<DataRecordInput>): Promise<void>;
  /** Answers what is in flight, and ends it. */
  close(): Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1. Throws `BadData` where a record is wrong, and `NoDataFile`. */
export async function startServer(options: StartServerOptions = {}): Promise<TestServer> {
  const { seed, users, plan } = options;
  const isSimulated = seed !== undefined || users !== undefined || plan !== undefined;
  const { data, now, rateLimit = false, port = 0, token, adminToken, logger } = options;
  const server = await SextantServer.start(
    {
      port,
      token,
      adminToken,
      rateLimit,
      now: now === undefined ? undefined : readMoment(now),
      simulation: isSimulated ? readSimulation({ seed, users, plan }) : undefined,
      data:
        data === undefined ? undefined : () => (typeof data === 'string' ? loadData(data) : readData([toLines(data)])),
    },
    logger ? { logger } : {},
  );
  const { clock } = server;
  return {
    url: server.url,
    token: server.token,
    adminToken: server.adminToken,
    clock: {
      now: () => new Date(clock.now()).toISOString(),
      set: (moment) => clock.set(checkMoment(readMoment(moment))),
      advance: (ms) => clock.set(checkMoment(clock.now() + ms, 'the clock')),
      freeze: () => clock.freeze(),
      run: () => clock.run(),
    },
    reset: () => server.reset(),
    import: async (records) => {
      await server.organization.import(once(toLines(records)));
    },
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function toLines(records: Iterable<DataRecordInput>): Buffer {
  return Buffer.from([...records].map((record) => JSON.stringify(record)).join('\n'));
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield await Promise.resolve(value);
}
