import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { METRIC_FIELDS, TOKEN_FIELDS } from '../../src/analytics/contract.ts';
import { formatDecimal, parseDecimal } from '../../src/base/decimal.ts';
import { residentMegabytes } from '../bench/load.ts';
import { Client, PATHS } from '../conformance/client.ts';
import { plusDays } from '../conformance/naive.ts';
import { RawConnection } from '../support/rawHttp.ts';
import { isSoak } from '../support/runs.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { folderOfTest } from '../support/temporary.ts';
import { chooseSeed, seeded } from './truth.ts';

/** The number of steps of the day, and of requests by each client in a step. */
const STEPS = isSoak ? 24 * 12 : 24;
const ASKED = 10;
const USERS = isSoak ? 10_000 : 300;
/** Each client sets the budget of one of these accounts, which never leave. */
const ACCOUNTS = ['nightly-build', 'release-train', 'ci-runner', 'dependency-updates'];
const OVERRIDE = { resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED', period: 'BUDGET_PERIOD_MONTHLY' };
const HOUR_MS = 3_600_000;
const BEGIN = '2026-11-19T22:10:00Z';
/** Figures of the process, from the hour in which all caches are filled. */
const WARM_HOURS = 6;
const MAX_MEGABYTES = 300;

const RULES = [
  { path: '/analytics/*', probability: 0.04, seed: 11, status: 500 },
  { path: '/analytics/*', probability: 0.03, seed: 12, truncate: true },
  { path: '/analytics/*', probability: 0.03, seed: 13, reset: true },
  { path: '/analytics/*', probability: 0.02, seed: 14, drip: { bytesPerSecond: 400_000 } },
  { path: '/analytics/*', probability: 0.1, seed: 15, latency: { medianMs: 3, sigma: 1 } },
];
const SCENARIOS = ['flaky', 'stale-credits', 'rate-limited', 'new-user-flood', 'outage', 'token-revoked'];

type Row = Readonly<Record<string, unknown>>;
type Random = () => number;
interface Answer {
  readonly status: number;
  readonly body: Row;
}

describe('A simulated day of 24 hours', () => {
  const folder = folderOfTest();
  // A second attempt starts from nothing.

  it('with faults and an advancing clock ends with consistent figures and without leaks', async function () {
    if (process.platform !== 'linux') this.skip();
    this.timeout(3_600_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    const state = join(folder(), 'state');
    const server = await serve(['--state', state, '--seed', '11', '--users', String(USERS), '--now', BEGIN]);
    try {
      const day = new Day(server, random);
      await day.begin();
      const before = descriptors(server);
      const megabytes: number[] = [];
      for (let step = 0; step < STEPS; step++) {
        await day.step(step);
        if ((step + 1) % (STEPS / 24) === 0) megabytes.push(residentMegabytes(server.info.pid)!);
      }
      await day.end();
      console.log(
        `      from seed ${seed}: ${day.outcomes()}; memory by the hour, MB: ${megabytes.map(Math.round).join(' ')}`,
      );
      assert.ok(Math.max(...megabytes) < MAX_MEGABYTES, 'the memory is bounded');
      if (isSoak) {
        const [early, late] = [megabytes.slice(WARM_HOURS, 15), megabytes.slice(15)].map((some) => Math.max(...some));
        assert.ok(late! < early! * 1.1, 'the memory is flat');
      }
      await until('no descriptor is left', () => descriptors(server) <= before);
      assert.equal(await stop(server), 0);
      assert.doesNotMatch(readFileSync(join(state, 'server.log'), 'utf8'), / error /i);
    } finally {
      if (server.child.exitCode === null) await stop(server, 'SIGKILL');
    }
  });
});

/** The work of the day, and the checks after it. */
class Day {
  readonly #server: ServeProcess;
  readonly #random: Random;
  readonly #clients: Client[] = [];
  /** An own agent, so that its connections can be closed. */
  readonly #connections = new Agent();
  readonly #counts = new Map<string, number>();
  /**
   * The limits that each client's account may have: the last acknowledged one, and those sent since without an
   * answer.
   */
  readonly #limits: string[][] = [];

  constructor(server: ServeProcess, random: Random) {
    this.#server = server;
    this.#random = random;
  }

  get #admin(): Client {
    return this.#clients[0]!;
  }

  async begin(): Promise<void> {
    const { url, adminToken, token } = this.#server.info;
    this.#clients.push(new Client({ url, token, adminToken }));
    for (let i = 1; i < ACCOUNTS.length; i++) {
      const { body } = await this.#admin.admin('POST', 'tokens', { scopes: ['analytics:read', 'budgets:write'] });
      this.#clients.push(new Client({ url, token: body.token as string }));
    }
    for (const client of this.#clients) await this.#setLimit(client);
    for (const rule of RULES) assert.equal((await this.#admin.admin('POST', 'faults', rule)).status, 200);
  }

  async step(step: number): Promise<void> {
    if (step % (STEPS / 12) === 0) await this.#changeScenario();
    const advanceMs = (24 * HOUR_MS) / STEPS;
    assert.equal((await this.#admin.admin('POST', 'clock', { advanceMs })).status, 200);
    await Promise.all(
      this.#clients.map(async (client) => {
        for (let i = 0; i < ASKED; i++) await this.#act(client);
      }),
    );
    if (step % 7 === 0) await this.#beRude();
    for (const path of ['requests?limit=50', 'faults', 'clock'])
      assert.equal((await this.#admin.admin('GET', path)).status, 200);
  }

  /** Removes the injected faults; the remaining state must be consistent. */
  async end(): Promise<void> {
    for (const path of ['faults', 'scenario']) assert.equal((await this.#admin.admin('DELETE', path)).status, 200);
    await this.#assertBudgets();
    const { body } = await this.#admin.admin('GET', 'clock');
    const today = (body.now as string).slice(0, 10);
    assert.equal(today, '2026-11-20', 'a day went by');
    const dates = { start_date: plusDays(today, -3), end_date: plusDays(today, -1) };
    await this.#assertActivity(dates);
    await this.#assertCredits(dates);
    await this.#assertCosts(dates);
    assert.deepEqual((await this.#admin.get('/healthz')).body.status, 'ok');
    await this.#connections.close();
  }

  outcomes(): string {
    return [...this.#counts].map(([outcome, count]) => `${count} × ${outcome}`).join(', ');
  }

  async #changeScenario(): Promise<void> {
    const scenario = SCENARIOS[Math.floor(this.#random() * SCENARIOS.length * 2)];
    const { status } = await (scenario === undefined
      ? this.#admin.admin('DELETE', 'scenario')
      : this.#admin.admin('POST', 'scenario', { scenario }));
    assert.equal(status, 200);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  async #act(client: Client): Promise<void> {
    const last = -1 - this.#below(500);
    const day = (offset: number): string => plusDays(BEGIN.slice(0, 10), offset);
    const range = { start_date: day(last - this.#below(90)), end_date: day(last) };
    const page_size = 1 + this.#below(100);
    const group_by_keys = ['PRODUCT', 'RESOURCE', 'USER', 'BYOK_STATUS', 'EXPERT']
      .filter(() => this.#random() < 0.4)
      .map((key) => `COST_ANALYTICS_GROUP_BY_${key}`);
    const granularity = `COST_ANALYTICS_TIME_GRANULARITY_${this.#random() < 0.5 ? 'DAY' : 'TOTAL'}`;
    const acts: (() => Promise<unknown>)[] = [
      () => this.#ask(client, PATHS.dauCount, range),
      () => this.#ask(client, PATHS.dailyUsage, range),
      () => this.#walk(client, PATHS.dau, { date: range.end_date, page_size }),
      () => this.#walk(client, PATHS.userActivity, { ...range, page_size }),
      () => this.#walk(client, PATHS.editorLanguage, { date: range.end_date, page_size }),
      () => this.#walk(client, PATHS.credits, { page_size, by_date: true, by_model: true }),
      () => this.#walk(client, PATHS.cost, { ...range, group_by_keys, granularity, page_size }),
      () => this.#ask(client, PATHS.getOverrides, {}),
      () => this.#setLimit(client),
      () => this.#ask(client, PATHS.dauCount, { start_date: '2026-02-30' }),
    ];
    await acts[this.#below(acts.length)]!();
  }

  /** A few pages. */
  async #walk(client: Client, path: string, request: Row): Promise<void> {
    let cursor = '';
    for (let page = 0; page < 3; page++) {
      const answer = await this.#ask(client, path, { ...request, cursor });
      const pagination = answer?.body.pagination as { next_cursor: string; has_more: boolean } | undefined;
      if (!pagination?.has_more) return;
      cursor = pagination.next_cursor;
    }
  }

  async #setLimit(client: Client): Promise<void> {
    const at = this.#clients.indexOf(client);
    const limit = String(1 + this.#below(1e6));
    const outcome = await this.#try(client, PATHS.setOverrides, {
      overrides: [{ service_account_name: ACCOUNTS[at], ...OVERRIDE, config: { limit } }],
    });
    if (outcome === 'unknown') this.#limits[at]!.push(limit);
    else if (outcome !== 'refused') this.#limits[at] = [limit];
  }

  /** The answer, unless a fault replaced it. */
  async #ask(client: Client, path: string, request: Row): Promise<Answer | undefined> {
    const outcome = await this.#try(client, path, request);
    return typeof outcome === 'string' ? undefined : outcome;
  }

  /** `unknown` if the answer was lost; fails on an answer that no fault explains. */
  async #try(client: Client, path: string, request: Row): Promise<Answer | 'refused' | 'unknown'> {
    const isPost = [PATHS.cost, PATHS.getOverrides, PATHS.setOverrides].includes(path as never);
    const { url, token } = client.target;
    const search = new URLSearchParams(
      Object.entries(request).map(([name, value]): [string, string] => [name, String(value)]),
    );
    let answer: Answer;
    try {
      const response = await fetch(`${url}${path}${isPost ? '' : `?${search.toString()}`}`, {
        method: isPost ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        dispatcher: this.#connections,
        ...(isPost && { body: JSON.stringify(request) }),
      });
      answer = { status: response.status, body: (await response.json()) as Row };
    } catch {
      this.#count('broken off');
      return 'unknown';
    }
    this.#count(String(answer.status));
    const { status, body } = answer;
    if (status === 200) return answer;
    const { code, message } = body.error as { readonly code: string; readonly message: string };
    const isExpected =
      message.startsWith('injected by ') || status === 429 || (status === 400 && message.startsWith('start_date '));
    assert.ok(isExpected, `${path} ${JSON.stringify(request)}: ${status} ${code} ${message}`);
    return 'refused';
  }

  #count(outcome: string): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  /** Clients that disconnect in the middle of a request. */
  async #beRude(): Promise<void> {
    const { url } = this.#server.info;
    const starts = ['', 'GET /heal', `POST ${PATHS.cost} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{`];
    for (const start of starts) {
      const connection = new RawConnection(url).send(start).halfClose();
      await connection.closed;
      connection.destroy();
    }
  }

  // Checks after the day

  /** A request without faults; waits by the server's clock after a 429. */
  async #sure(path: string, request: Row): Promise<Answer['body']> {
    for (;;) {
      const answer = await this.#ask(this.#admin, path, request);
      if (answer) return answer.body;
      await this.#admin.admin('POST', 'clock', { advanceMs: 11_000 });
    }
  }

  async #all(path: string, field: string, request: Row): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor = ''; ;) {
      const body = await this.#sure(path, { ...request, page_size: 1000, cursor });
      rows.push(...(body[field] as Row[]));
      const { next_cursor, has_more } = body.pagination as { next_cursor: string; has_more: boolean };
      if (!has_more) return rows;
      cursor = next_cursor;
    }
  }

  async #assertBudgets(): Promise<void> {
    const { overrides } = await this.#sure(PATHS.getOverrides, { service_account_names: ACCOUNTS });
    const limits = new Map(
      (overrides as { service_account_name: string; config: { limit: string } }[]).map(
        ({ service_account_name, config }) => [service_account_name, config.limit],
      ),
    );
    ACCOUNTS.forEach((account, at) => {
      const limit = limits.get(account);
      assert.ok(this.#limits[at]!.includes(limit!), `${account} has ${limit}, not ${this.#limits[at]!.join(' or ')}`);
    });
  }

  async #assertActivity(dates: { readonly start_date: string; readonly end_date: string }): Promise<void> {
    const byDay = (await this.#sure(PATHS.dailyUsage, dates)).daily_usage as Row[];
    const byUser = await this.#all(PATHS.userActivity, 'users', dates);
    const { daily_active_user_counts: counts } = await this.#sure(PATHS.dauCount, dates);
    const byEditor: Row[] = [];
    for (const { date, user_count } of counts as { date: string; user_count: number }[]) {
      assert.equal((await this.#all(PATHS.dau, 'users', { date })).length, user_count, date);
      byEditor.push(...(await this.#all(PATHS.editorLanguage, 'records', { date })));
    }
    const total = (rows: readonly Row[], field: string): number =>
      rows.reduce((sum, { metrics }) => sum + (metrics as Record<string, number>)[field]!, 0);
    for (const field of METRIC_FIELDS) {
      assert.equal(total(byUser, field), total(byDay, field), field);
      assert.equal(total(byEditor, field), total(byDay, field), field);
    }
    assert.ok(total(byDay, 'total_messages') > 0);
  }

  async #assertCredits(dates: Row): Promise<void> {
    const total = async (by: Row): Promise<number> =>
      (await this.#all(PATHS.credits, 'records', { ...dates, ...by })).reduce(
        (sum, { credits_consumed }) => sum + (credits_consumed as number),
        0,
      );
    const whole = await total({});
    assert.ok(whole > 0);
    for (const by of [{ by_date: true }, { by_model: true }, { by_date: true, by_model: true }])
      assert.equal(await total(by), whole, JSON.stringify(by));
  }

  async #assertCosts(dates: Row): Promise<void> {
    const money = [
      'billed_amount_usd',
      'base_cost_usd',
      'surcharge_usd',
      'estimated_customer_cost_usd',
      'credits_consumed',
    ];
    const totals = async (request: Row): Promise<string[]> => {
      const points = await this.#all(PATHS.cost, 'data_points', { ...dates, ...request });
      const metrics = points.map(({ cost_metrics }) => cost_metrics as Readonly<Record<string, string | number>>);
      return [
        ...money.map((field) =>
          formatDecimal(metrics.reduce((sum, one) => sum + parseDecimal(String(one[field]))!, 0n)),
        ),
        ...TOKEN_FIELDS.map((field) => String(metrics.reduce((sum, one) => sum + BigInt(one[field]!), 0n))),
      ];
    };
    const whole = await totals({});
    for (const key of ['PRODUCT', 'RESOURCE', 'USER', 'BYOK_STATUS', 'EXPERT'])
      for (const granularity of ['TOTAL', 'DAY'])
        assert.deepEqual(
          await totals({
            group_by_keys: [`COST_ANALYTICS_GROUP_BY_${key}`],
            granularity: `COST_ANALYTICS_TIME_GRANULARITY_${granularity}`,
          }),
          whole,
          `${key} ${granularity}`,
        );
  }
}

/** The number of open files and sockets of the server. */
function descriptors({ info }: ServeProcess): number {
  return readdirSync(`/proc/${info.pid}/fd`).length;
}
