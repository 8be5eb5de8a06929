import assert from 'node:assert/strict';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { formatDay, isWeekend, parseDay, type Day } from '../../base/day.ts';
import { formatDecimal } from '../../base/decimal.ts';
import { readData } from '../../server/analytics/data/readData.ts';
import { SextantServer } from '../../server/server.ts';
import { identityFields, identityNamed } from '../identity.ts';
import type { UnusualSpending } from '../insights/unusual.ts';
import { unusualReport } from './unusualReport.ts';

const last = parseDay('2026-11-20')!;
const DAYS = 60;
const EXPLODES = parseDay('2026-11-17')!;

const RESOURCE = {
  product_display_name: 'IDE Agent',
  resource_display_name: 'opus-x',
  resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL',
  byok_status: 'COST_ANALYTICS_BYOK_STATUS_NON_BYOK',
};

/** Dollars of an account on a day. */
type Spending = (at: Day) => number;
const usual =
  (amount: number): Spending =>
  (at) =>
    isWeekend(at) ? 0 : amount + (at % 3);
const exploding =
  (amount: number): Spending =>
  (at) =>
    at >= EXPLODES ? amount * 20 : usual(amount)(at);

describe('the report of unusual spending', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer | undefined;
  afterEach(() => server?.close());

  /** Reports on bots, forty people whose weeks are small, others, and deleted accounts. */
  async function report(
    bots: Readonly<Record<string, Spending>>,
    people: Readonly<Record<string, Spending>> = {},
    deleted?: Spending,
  ): Promise<{ readonly found: readonly UnusualSpending[]; readonly bodies: number; readonly names: string[] }> {
    const ordinary = Array.from({ length: 40 }, (_, i) => [`p${i}@example.com`, usual(1)] as const);
    const named = [...ordinary, ...Object.entries(people)].map(
      ([name, spending]) => [identityFields(identityNamed(name)), spending] as const,
    );
    const robots = Object.entries(bots).map(([bot_name, spending]) => [{ bot_name }, spending] as const);
    const records: object[] = [
      ...named.map(([fields]) => ({ kind: 'user_email' in fields ? 'user' : 'service_account', ...fields })),
      ...robots.map(([fields]) => ({ kind: 'bot', ...fields })),
      { kind: 'org', plan: 'usd' },
      { kind: 'override', user_email: 'p0@example.com', resource: 'BUDGET_RESOURCE_USD_COST', period: 'BUDGET_PERIOD_MONTHLY', config: { limit: '900' } }, // oxfmt-ignore
    ];
    const all = [...named, ...robots, ...(deleted ? [[{}, deleted] as const] : [])];
    for (let at = last - DAYS + 1; at <= last; at++)
      for (const [user_info, spending] of all) {
        const amount = String(spending(at));
        const cost_metrics = { billed_amount_usd: amount, base_cost_usd: amount };
        if (amount === '0') continue;
        const info = { user_type: `COST_ANALYTICS_USER_TYPE_${typeOf(user_info)}`, ...user_info };
        records.push({ kind: 'cost', date: formatDay(at), ...RESOURCE, user_info: info, cost_metrics });
      }
    server = await SextantServer.start({
      now: Date.parse('2026-11-21T12:00:00Z'),
      rateLimit: false,
      data: () => readData([Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))]),
    });
    server.clock.freeze();
    const { found } = await unusualReport(openFigures(server, newFolder).data);
    const costs = server.requestLog.latest(100).filter(({ path }) => path.endsWith('/cost-analytics'));
    const accounts = found.filter(({ subject }) => subject === 'account');
    return { found: accounts, bodies: costs.length, names: accounts.map(({ name }) => name) };
  }

  const typeOf = (fields: object): string =>
    'bot_name' in fields ? 'BOT' : 'service_account_name' in fields ? 'SERVICE_ACCOUNT' : 'USER';

  it('has the exact days of a bot, which no filter names, without those of all accounts', async () => {
    const { found, bodies } = await report({ 'Review Bot': exploding(60) });
    const [bot, ...others] = found;
    assert.deepEqual([bot!.key, bot!.name, others], ['bot\0Review Bot', 'Review Bot', []]);
    assert.deepEqual([bot!.since, bot!.until, bot!.days], ['2026-11-17', '2026-11-20', 4]);
    assert.equal(formatDecimal(bot!.amount), String(4 * 1200));
    // The organization, its week by account the weeks before, the sum of all people: 41 accounts would have two pages of days.
    assert.equal(bodies, 4);
  });

  it('counts all bots and deleted accounts together, and names those that grew', async () => {
    const bots = { 'Review Bot': exploding(60), 'Quiet Bot': usual(3), 'Other Bot': usual(1) };
    const { found, names } = await report(bots, {}, usual(1));
    assert.deepEqual(names, ['Review Bot (with 2 other bots and deleted accounts)']);
    let [all, at] = [0, EXPLODES];
    for (; at <= last; at++) all += 1200 + usual(3)(at) + usual(1)(at) + usual(1)(at);
    assert.equal(formatDecimal(found[0]!.amount), String(all));
  });

  it('requests no days of bots that spent as before, and those of people beside them', async () => {
    const { names, bodies } = await report({ 'Review Bot': usual(300) }, { 'ci-nightly': exploding(40) });
    assert.deepEqual(names, ['ci-nightly']);
    assert.equal(bodies, 4);
  });
});
