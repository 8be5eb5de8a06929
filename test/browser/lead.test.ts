import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { startServer, type DataRecordInput, type TestServer } from '../../src/server/testing.ts';
import { dayOf, formatDay, isWeekend, type Day } from '../../src/base/day.ts';
import { COMMAND } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Dashboard, HEIGHT } from './dashboard.ts';
import { shotName, type Theme } from './support.ts';

/** Differences of an organization from a calm one. */
interface Organization {
  /** Days of the past. */
  readonly days: number;
  /** Limit of each person in dollars. */
  readonly limit: number;
  /** Multiple of Bob's spending in the last five days. */
  readonly explosion: number;
  /** Whether Stan is silent since three weeks. */
  readonly stops: boolean;
  /** A day on which Ada alone works. */
  readonly holiday?: Day;
}

const CALM: Organization = { days: 70, limit: 100_000, explosion: 1, stops: false };
const PEOPLE = ['ada', 'bob', 'cora', 'dan', 'eve', 'stan'];
const MODELS = ['cedar', 'opus'];

/** People with steady use, less of it at weekends. */
function factsOf({ days, limit, explosion, stops, holiday }: Organization): DataRecordInput[] {
  const today = dayOf(Date.now());
  const daily = PEOPLE.flatMap((name, p) =>
    Array.from({ length: days }, (_, back) => today - 1 - back).flatMap((day) => {
      if (stops && name === 'stan' && day > today - 22) return [];
      if (day === holiday && name !== 'ada') return [];
      const user_email = `${name}@example.com`;
      const date = formatDay(day);
      // The share of a weekend day, and some noise without a random source.
      const part = (isWeekend(day) ? 20 : 100) + ((day * 7 + p * 13) % 11);
      const times = name === 'bob' && day > today - 6 ? explosion : 1;
      return [
        { kind: 'activity', date, user_email, language: 'Go', editor: 'CLI', metrics: METRICS },
        ...MODELS.map((model, m) => ({
          ...{ kind: 'cost', date, product_display_name: 'Chat', resource_display_name: model },
          ...{
            resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL',
            byok_status: 'COST_ANALYTICS_BYOK_STATUS_NON_BYOK',
          },
          user_info: { user_type: 'COST_ANALYTICS_USER_TYPE_USER', user_email },
          cost_metrics: {
            ...{ billed_amount_usd: ((part * times * (m + 1)) / 20).toFixed(2), base_cost_usd: '0.5' },
            ...{ input_tokens: part * times * 900, output_tokens: part * times * 100, cache_read_tokens: part * 500 },
          },
        })),
      ] as DataRecordInput[];
    }),
  );
  const overrides = PEOPLE.map((name) => ({
    ...{ kind: 'override', user_email: `${name}@example.com`, period: 'BUDGET_PERIOD_MONTHLY' },
    ...{ resource: 'BUDGET_RESOURCE_USD_COST', config: { limit: String(limit) } },
  })) as DataRecordInput[];
  const users = PEOPLE.map((name) => ({ kind: 'user', user_email: `${name}@example.com` }) as const);
  return [{ kind: 'org', plan: 'usd', enterprise: true }, ...users, ...daily, ...overrides];
}

const METRICS = {
  ...{ total_messages: 12, chat_messages: 12, total_tool_calls: 5, completions_count: 9, completions_accepted: 3 },
  ...{ completions_lines_of_code: 6, completions_suggested_lines_of_code: 20, total_modified_lines_of_code: 30 },
};

/** The organizations, and the sentences that their lead has to read first. */
const WALKS: readonly {
  readonly name: string;
  readonly organization: Organization;
  readonly theme: Theme;
  readonly sentences: readonly RegExp[];
}[] = [
  {
    ...{ name: 'calm', organization: CALM, theme: 'Default Light Modern' },
    sentences: [/^All is well: nothing needs attention\. Looked at: 6 limits, .*6 accounts, .*6 people/],
  },
  {
    ...{ name: 'over', organization: { ...CALM, limit: 20, stops: true }, theme: 'Default High Contrast' },
    sentences: [
      /@example\.com is \$[\d,.]+ over the limit of \$20\.00/,
      /^1 person was active and stopped: stan@example\.com/,
    ],
  },
  {
    ...{ name: 'exploding', organization: { ...CALM, explosion: 40 }, theme: 'Default Dark Modern' },
    sentences: [/^bob@example\.com spent \$[\d,.]+ more than usual/],
  },
  {
    ...{ name: 'new', organization: { ...CALM, days: 4 }, theme: 'Default Light Modern' },
    sentences: [/^All is well: nothing needs attention\./],
  },
];

/** Runs the command with a service; its JSON or text. */
function command(server: TestServer, state: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, SEXTANT_ANALYTICS_URL: server.url, SEXTANT_ANALYTICS_TOKEN: server.token };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [COMMAND, ...args, '--state', state], { env }, (error, stdout, stderr) =>
      // Exit codes report what was found.
      stdout === '' && error ? reject(new Error(stderr)) : resolve(stdout),
    );
  });
}

describe('a team lead', () => {
  const newFolder = temporaryFolder();
  let dashboard: Dashboard;

  before(async () => {
    dashboard = await Dashboard.open(newFolder(), { 'sextant.analytics.statusBar': true });
    await dashboard.show();
    await dashboard.workbench.page.evaluate(
      "addEventListener('keydown', ({ timeStamp }) => (window.pressed = performance.timeOrigin + timeStamp), true)",
    );
  });
  after(() => dashboard.workbench.close());
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await dashboard.workbench.shoot('lead-failed');
  });

  for (const { name, organization, theme, sentences } of WALKS)
    it(`has five answers on the first screen without a click, in an organization that is ${name}`, async () => {
      await using server = await startServer({ data: factsOf(organization) });
      const { frame, workbench } = dashboard;
      await dashboard.theme(theme);
      await workbench.connect(server);
      // Enter after the token was the last key; the page was open, and shows its first tab.
      const pressed = Number(await workbench.page.evaluate('window.pressed'));
      const list = frame.getByRole('region', { name: 'Needs attention' });
      // Who is over, what is unusual, who stopped.
      for (const sentence of sentences) await list.getByText(sentence).first().waitFor();
      await frame.locator('section.attention[aria-busy=false]').waitFor();
      // What the month costs, and what a unit does.
      const tile = (label: string) => frame.locator('.tile').filter({ hasText: label });
      await tile('Month ')
        .getByText(/about \$|needs 3 days/)
        .waitFor();
      await tile('Dollars per person')
        .getByText(/\$[\d.]+ a message, \$[\d.]+ an accepted line/)
        .waitFor();
      console.log(`      ${name}: ${((Date.now() - pressed) / 1000).toFixed(1)} s, 0 clicks`);
      await workbench.run('View: Close Primary Side Bar');
      for (const width of [1400, 400]) {
        await workbench.page.setViewportSize({ width, height: HEIGHT });
        await workbench.shoot(shotName(`lead-${name}`, theme, width));
      }
      await workbench.page.setViewportSize({ width: 1400, height: HEIGHT });
    });

  it('reads one figure for the month on each screen, for the organization and for a person', async () => {
    await using server = await startServer({ data: factsOf({ ...CALM, limit: 100 }) });
    await dashboard.connect(server);
    const { frame, workbench } = dashboard;
    const { page } = workbench;
    /** What each screen says. */
    const ofAll: Record<string, string> = {};
    const ofAda: Record<string, string> = {};
    const atEnd: Record<string, string> = {};
    const dollars = (text: string | null): string => /\$[\d,]+\.\d\d/.exec(text ?? '')?.[0] ?? String(text);
    const tile = (label: string) => frame.locator('.tile').filter({ hasText: label }).first();

    await dashboard.tab('Overview');
    await tile('Month ').getByText('$').first().waitFor();
    ofAll.overview = dollars(await tile('Month ').locator('.value').textContent());
    const projected = /about (\$[\d,.]+\d)|projected (\$[\d,.]+\d)/;
    const end = (text: string | null | undefined): string => dollars(projected.exec(text ?? '')?.[0] ?? null);
    atEnd.overview = end(await tile('Month ').textContent());
    await dashboard.tab('Cost');
    await tile('Month ').waitFor();
    atEnd.cost = dollars(await tile('At month’s end').locator('.value').textContent());
    ofAll.cost = dollars(await tile('Month ').locator('.value').textContent());
    ofAll.chart = dollars(
      await frame
        .locator('.card')
        .filter({ hasText: /^Month \d{4}-\d\d so far/ })
        .textContent(),
    );
    await dashboard.tab('Budgets');
    const row = frame.getByRole('row').filter({ hasText: 'ada@example.com' });
    await row.waitFor();
    ofAda.budgets = dollars(await row.textContent());
    await row.getByRole('button', { name: 'ada@example.com', exact: true }).click();
    await tile('Used of the limit').waitFor();
    ofAda['person page'] = dollars(await tile('Used of the limit').textContent());
    await workbench.shoot('lead-person');

    if (!(await page.locator('.part.sidebar').isVisible()))
      await workbench.run('View: Toggle Primary Side Bar Visibility');
    for (const view of ['Cost', 'Budgets']) await workbench.expand(view);
    const month = workbench.treeItem(/^Month \d{4}-\d\d \$/);
    await month.waitFor();
    ofAll['side bar'] = dollars(await month.getAttribute('aria-label'));
    atEnd['side bar'] = end(await workbench.treeItem(/^At month’s end/).getAttribute('aria-label'));
    await workbench.treeItem(/^ada@example\.com, [\d,.]+ % of/).hover();
    const tip = page.locator('.workbench-hover').filter({ hasText: 'used this month' }).first();
    await tip.waitFor();
    ofAda['side bar'] = dollars(await tip.textContent());
    ofAll['status bar'] = dollars(
      await page
        .locator('.statusbar-item')
        .filter({ hasText: /\$[\d,]+\.\d\d/ })
        .textContent(),
    );
    await workbench.shoot('lead-one-truth');

    const state = newFolder();
    const read = async (...args: string[]): Promise<string> => command(server, state, ...args);
    const shown = (amount: string | undefined): string =>
      dollars(`$${Number(amount).toLocaleString('en', { minimumFractionDigits: 2 })}`);
    const cost = await read('cost');
    ofAll['sextant cost'] = dollars(/\d{4}-\d\d: (\$[\d,.]+)/.exec(cost)?.[1] ?? null);
    atEnd['sextant cost'] = end(cost);
    ofAda['sextant budgets'] = dollars(/^.*ada@example\.com.*$/m.exec(await read('budgets', 'list'))?.[0] ?? null);
    const report = await read('report', '--format', 'md');
    ofAll['sextant report'] = dollars(/^.*so far.*$/m.exec(report)?.[0] ?? null);
    ofAda['sextant report'] = dollars(/^.*\| *ada@example\.com.*$/m.exec(report)?.[0] ?? null);
    const metrics = await read('metrics', '--once');
    ofAll['sextant metrics'] = shown(/^sextant_month_spending_usd (\S+)$/m.exec(metrics)?.[1]);
    ofAda['sextant metrics'] = shown(
      /^sextant_budget_consumed_usd\{account="ada@example\.com".*\} (\S+)$/m.exec(metrics)?.[1],
    );

    atEnd['sextant report'] = dollars(/^.*In all of.*$/m.exec(report)?.[0] ?? null);

    for (const screens of [ofAll, ofAda, atEnd]) {
      const figures = new Set(Object.values(screens));
      assert.ok(figures.size === 1 && /^\$[\d,]+\.\d\d$/.test([...figures][0]!), JSON.stringify(screens));
    }
    const counts = [ofAll, ofAda, atEnd].map((screens) => Object.keys(screens).length);
    assert.deepEqual(counts, [8, 6, 5]);
    await workbench.run('View: Close Primary Side Bar');
  }).timeout(300_000);

  it('reads of an unusual day in picture, tooltip, table and screen reader, and which days are weekends', async () => {
    const today = dayOf(Date.now());
    const holiday = [today - 9, today - 11].find((day) => !isWeekend(day))!;
    const weekend = [1, 2, 3, 4, 5, 6, 7].map((back) => today - 1 - back).find(isWeekend)!;
    await using server = await startServer({ data: factsOf({ ...CALM, holiday }) });
    await dashboard.connect(server);
    await dashboard.tab('Overview');
    const { frame, workbench } = dashboard;
    const card = frame.locator('.card').filter({ hasText: /^Active people/ });
    await card.getByText(`Unusual: ${formatDay(holiday)}.`).waitFor();
    await until('one day is marked', async () => (await card.locator('.plot .unusual').count()) === 1);
    assert.ok((await card.locator('.plot .weekend').count()) >= 4);
    const mark = card.getByRole('img', { name: `${formatDay(holiday)}, unusual: ` });
    assert.match((await mark.getAttribute('aria-label'))!, /: .*1\b/);
    await card.getByRole('img', { name: `${formatDay(weekend)}, weekend: ` }).waitFor();
    await mark.hover();
    await card
      .locator('.tooltip')
      .getByText(`${formatDay(holiday)}, unusual`)
      .waitFor();
    await workbench.shoot('lead-unusual');
    await card.getByRole('button', { name: /^Show Table: / }).click();
    const row = card.getByRole('row').filter({ hasText: formatDay(holiday) });
    await row.getByRole('cell', { name: 'unusual' }).waitFor();
    assert.equal(await card.getByRole('cell', { name: 'unusual' }).count(), 1);
    await card.getByRole('button', { name: /^Show Chart: / }).click();
  });

  it('has the price of tokens one click away, and hides names beside the page, too', async () => {
    await using server = await startServer({ data: factsOf({ ...CALM, limit: 20 }) });
    await dashboard.connect(server);
    await dashboard.tab('Cost');
    const { frame, workbench } = dashboard;
    for (const title of ['Price per million tokens', 'Tokens by model', 'Why the spending changed'])
      await frame.getByRole('heading', { name: title }).waitFor();
    await workbench.shoot('lead-cost');
    const { page } = workbench;
    // A second attempt finds the side bar open, and names hidden.
    if (!(await page.locator('.part.sidebar').isVisible()))
      await workbench.run('View: Toggle Primary Side Bar Visibility');
    await workbench.expand('Budgets');
    await frame.getByLabel('Anonymise').uncheck();
    const row = page.getByRole('treeitem', { name: /ada@example\.com, [\d,.]+ % of \$20/ });
    await row.waitFor();
    await frame.getByLabel('Anonymise').check();
    await row.waitFor({ state: 'detached' });
    await page
      .getByRole('treeitem', { name: /^Person \w{3}-\w{4}, [\d,.]+ % of \$20/ })
      .first()
      .waitFor();
    // Rows are drawn one after the other.
    const named = page.getByRole('treeitem', { name: /@example\.com/ });
    await until('no row has an address', async () => (await named.count()) === 0);
    await workbench.shoot('lead-hidden');
    await frame.getByLabel('Anonymise').uncheck();
    await row.waitFor();
  });
});
