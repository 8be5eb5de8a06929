/**
 * The embedded server for tests: starts in milliseconds, writes no files, and its clock can be set.
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
import { checkList, checkObject, checkText } from '../base/given.ts';
import type { Logger } from '../base/log.ts';
import { checkMoment, readMoment } from './admin/moment.ts';
import { readData } from './analytics/data/readData.ts';
import { readSimulation } from './analytics/simulation/options.ts';
import { loadData } from './launch.ts';
import { SextantServer } from './server.ts';

/** A record of a data file; see docs/local-server.md. */
export type DataRecordInput = Readonly<Record<string, unknown>>;

/** Data and behaviour of a test server. */
export interface StartServerOptions {
  /** The path of a data file, or its records. */
  readonly data?: string | Iterable<DataRecordInput>;
  /** Seed of a simulated organization. Without `data`, `seed`, `users` and `plan` the server is empty. */
  readonly seed?: number;
  /** Number of people in the simulated organization at a time. */
  readonly users?: number;
  /** The currency of its plan. */
  readonly plan?: 'credits' | 'usd';
  /** ISO 8601 time at which the clock starts, and to which `reset` returns it. */
  readonly now?: string;
  /** Enables rate limits, which are off by default so that quick tests are not refused. */
  readonly rateLimit?: boolean;
  /** A free port by default. */
  readonly port?: number;
  /** Random by default. */
  readonly token?: string;
  /** Token of the admin plane, random by default. */
  readonly adminToken?: string;
  /** Receives the server's log; silent by default. */
  readonly logger?: Logger;
}

/** The clock of a test server, for dates, expiry and rate limits. */
export interface TestClock {
  /** The present time in ISO 8601. */
  now(): string;
  /** Sets an ISO 8601 time. Throws `InvalidArgument` for other texts, or outside the years 1970 to 9998. */
  set(now: string): void;
  /** Adds milliseconds. */
  advance(ms: number): void;
  /** Stops the clock until {@link run}. */
  freeze(): void;
  /** Lets the clock run at the speed of time. */
  run(): void;
}

/** A running test server; {@link close} or `await using` stops it. */
export interface TestServer extends AsyncDisposable {
  /** Base URL such as `http://127.0.0.1:4321`, without a final slash. */
  readonly url: string;
  /** A token for everything but the admin plane. */
  readonly token: string;
  readonly adminToken: string;
  readonly clock: TestClock;
  /** Restores the initial data and clock. */
  reset(): Promise<void>;
  /** Adds records to the data: all of them, or none if one is invalid. */
  import(records: Iterable<DataRecordInput>): Promise<void>;
  /** Answers the requests in flight, and stops the server. */
  close(): Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1. Throws `BadData` for an invalid record, `NoDataFile`, and `InvalidArgument`. */
export async function startServer(options: StartServerOptions = {}): Promise<TestServer> {
  checkObject(options);
  const { seed, users, plan } = options;
  const isSimulated = seed !== undefined || users !== undefined || plan !== undefined;
  const { data, now, rateLimit = false, port = 0, token, adminToken, logger } = options;
  if (token !== undefined) checkText(token, 'token');
  if (adminToken !== undefined) checkText(adminToken, 'adminToken');
  if (data !== undefined && typeof data !== 'string') checkList(data, 'data');
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
      checkList(records, 'records');
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
