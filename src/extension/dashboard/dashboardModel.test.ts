import assert from 'node:assert/strict';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { accountKey } from '../../analytics/client/account.ts';
import { AnalyticsClient } from '../../analytics/client/analyticsClient.ts';
import { ServiceData, type AnalyticsData } from '../../analytics/client/analyticsData.ts';
import { AnswerCache } from '../../analytics/client/answerCache.ts';
import { RequestBudget } from '../../analytics/client/requestBudget.ts';
import { endpoints, METRIC_FIELDS, RATE_LIMITS, type Endpoint, type Plan } from '../../analytics/contract.ts';
import { daysOf } from '../../analytics/dateRules.ts';
import { parseGroups } from '../../analytics/groups/groupFile.ts';
import type { GroupLimit } from '../../analytics/groups/groupLimits.ts';
import type { Groups } from '../../analytics/groups/groups.ts';
import { identityNamed, type Identity } from '../../analytics/identity.ts';
import { tableCsv } from '../../analytics/reports/csv.ts';
import { ReportStore } from '../../analytics/reports/reportStore.ts';
import { formatCell, type Cell } from '../../analytics/reports/table.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { formatDay, parseDay } from '../../base/day.ts';
import { parseDecimal } from '../../base/decimal.ts';
import type { Table } from '../../analytics/reports/table.ts';
import { silentLogger } from '../../base/log.ts';
import { readData } from '../../server/analytics/data/readData.ts';
import { SextantServer } from '../../server/server.ts';
import { TABS, type Tab } from '../../protocol/dashboardChoices.ts';
import type { Choices, Page } from '../../protocol/dashboardView.ts';
import { BudgetEditor } from '../analytics/budgetEditor.ts';
import { DashboardModel, FIRST_CHOICES } from './dashboardModel.ts';
import { asJson, asMarkdown } from './exportText.ts';

/** Days of which the ninety that a first page loads have a half. */
const HALF_KNOWN = { preset: 'custom', first: '2026-08-10', last: '2026-09-06' } as const;

const endpointAt = (path: string): Endpoint | undefined =>
  Object.values<Endpoint>(endpoints).find((one) => one.path === path);

describe('the model of the dashboard', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer | undefined;
  const models: DashboardModel[] = [];
  afterEach(async () => {
    for (const model of models.splice(0)) model.dispose();
    await server?.close();
  });

  async function start(
    plan: Plan = 'credits',
    now = '2026-11-21T12:00:00Z',
    users = 40,
    seed = 7,
  ): Promise<SextantServer> {
    server = await SextantServer.start({
      now: Date.parse(now),
      rateLimit: false,
      simulation: { seed, users, plan },
    });
    server.clock.freeze();
    return server;
  }

  /** Serves a data file. */
  async function serve(records: readonly object[]): Promise<void> {
    server = await SextantServer.start({
      now: Date.parse('2026-11-21T12:00:00Z'),
      rateLimit: false,
      data: () => readData([Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))]),
    });
    server.clock.freeze();
  }

  function open(
    folder = newFolder(),
    choices: Partial<Choices> = {},
    roster: readonly Identity[] = [],
    groups?: Groups,
    limits?: readonly GroupLimit[],
  ): DashboardModel {
    const { data } = openFigures(server!, newFolder, folder);
    const kept = { ...FIRST_CHOICES, preset: '7d' as const, ...choices };
    return connect(data, kept, undefined, roster, groups, limits);
  }

  function connect(
    data: AnalyticsData,
    kept?: Choices,
    clock?: Clock,
    roster: readonly Identity[] = [],
    groups?: Groups | Promise<Groups>,
    limits: readonly GroupLimit[] = [],
  ): DashboardModel {
    const common = { logger: silentLogger, clock: clock ?? server!.clock, onChange: () => undefined };
    const editor = new BudgetEditor({ ...common, onOutdated: () => undefined, onAcknowledged: () => undefined });
    const model = new DashboardModel({ ...common, kept, keep: () => undefined, secret: 'secret', editor });
    models.push(model);
    const range = { first: data.newestDay - 6, last: data.newestDay };
    model.connect(
      { kind: 'ready', name: 'here', organizations: 1 },
      new ReportStore(data, range, {
        ...common,
        roster: () => Promise.resolve(roster),
        groups: async () => groups,
        groupLimits: () => Promise.resolve(limits),
      }),
    );
    return model;
  }

  async function loaded(model: DashboardModel): Promise<DashboardModel['state']['page']> {
    return until('it is loaded', () => {
      const { page } = model.state;
      const isLoading = page.isLoading || page.attention?.isLoading === true;
      return !isLoading && (page.isFilled || page.error || page.empty) ? page : undefined;
    });
  }

  /** Waits for the people and, besides them, for who stopped. */
  async function withPresence(model: DashboardModel): Promise<Page> {
    await loaded(model);
    return until('it is known who stopped', () => {
      const { page } = model.state;
      return tileOf(page, 'stopped') === undefined ? undefined : page;
    });
  }

  const tileOf = (page: Page, name: string): string | undefined => page.tiles.find(({ id }) => id === name)?.value;

  const labelOf = (page: Page, name: string): string => page.tiles.find(({ id }) => id === name)?.label ?? '';

  const choose = (model: DashboardModel, change: Partial<Choices>): void =>
    model.choose({ ...model.choices, ...change });

  for (const plan of ['usd', 'credits'] as const)
    it(`shows all of the first page, in ${plan}, with the requests that need no wait`, async () => {
      const { requestLog } = await start(plan, '2026-11-21T12:00:00Z', 300, 9);
      const model = open(newFolder(), { tab: 'overview', preset: '28d' });
      await loaded(model);
      const page = await until('the people are counted', () => {
        const { page } = model.state;
        return tileOf(page, 'perPerson') === undefined ? undefined : page;
      });
      assert.match(page.attention!.note, /limits, the spending of \d\d\d accounts, the activity of 3\d\d people/);
      const answered = requestLog.latest(1000);
      const bytes = Math.max(...answered.map(({ headers }) => Number(headers['content-length'] ?? 0)));
      assert.ok(bytes > 5_000 || plan === 'credits', 'a bot grew, so all people are named: the rest are bots');
      // Each day of who was active is a request that the page does not wait for.
      const groups = answered.flatMap(({ path }) => (path.endsWith('/dau') ? [] : [endpointAt(path)!.rateGroup]));
      assert.ok(groups.includes('cost-analytics'));
      for (const group of groups) {
        const { length } = groups.filter((one) => one === group);
        // One of a burst is left to spare.
        assert.ok(length < RATE_LIMITS[group].burst, `${length} of ${group}`);
      }
    });

  it('sums by the columns of a group file, and finds the people of a group', async () => {
    await start('credits');
    const file = 'account,team,manager\n*a*,Alpha,boss@example.com\nuser-*,Beta,\n';
    const model = open(newFolder(), { tab: 'teams' }, [], await parseGroups(file, 'teams.csv'));
    const teams = await loaded(model);
    assert.deepEqual(
      model.state.groups.map(({ name }) => name),
      ['Team', 'Manager'],
    );
    const total = tileOf(teams, 'total');
    choose(model, { column: 'manager' });
    assert.equal(tileOf(model.state.page, 'total'), total, 'the sum is that of all groups and of who is in none');
    assert.ok(model.rows('teams', 0, 10).some(({ cells }) => cells[0] === 'boss@example.com'));
    choose(model, { anonymise: true });
    assert.ok(model.state.page.list!.count > 0);
    assert.ok(
      !JSON.stringify([model.state.page, model.rows('teams', 0, 10)]).includes('boss@'),
      'a manager is a person',
    );
    choose(model, { tab: 'people', filter: 'Alpha', anonymise: false });
    const people = await until('the groups of people are known', () => {
      const { list } = model.state.page;
      return list?.columns.some(({ id }) => id === 'team') && list.count < list.all ? list : undefined;
    });
    const team = people.columns.findIndex(({ id }) => id === 'team');
    assert.ok(people.count > 0 && model.rows('people', 0, 100).every(({ cells }) => cells[team] === 'Alpha'));
  });

  it('limits every page to a group, and divides the spending by groups, whose sum is the whole', async () => {
    await start('credits');
    const groups = await parseGroups(
      'account,team,manager\nuser-1*,Alpha,boss@example.com\na*,Alpha,boss@example.com\nuser-2*,Beta,\nm*,Beta,\n',
      'teams.csv',
    );
    const model = open(newFolder(), { tab: 'credits', group: 'group', column: 'team' }, [], groups);
    const daysOf = (): Table => model.shown.figures.find(({ shape }) => shape.id === 'days')!.table;
    const sumIn = ({ rows }: Table, from = 1): bigint =>
      rows.flatMap((row) => row.slice(from)).reduce((sum: bigint, cell) => sum + (cell as bigint), 0n);
    await loaded(model);
    const whole = sumIn(daysOf());
    const titles = daysOf()
      .columns.slice(1)
      .map(({ title }) => title);
    assert.deepEqual(titles.sort(), ['Alpha', 'Beta', 'unmapped']);
    const { columns, rows } = model.shown.table!;
    const at = columns.findIndex(({ name }) => name === 'credits_consumed');
    assert.equal(sumIn({ columns, rows: rows.map((row) => [row[at]]) }, 0), whole, 'the table has the same sum');
    assert.deepEqual(
      model.state.onlyGroups.map(({ id }) => id),
      ['team=Alpha', 'team=Beta', 'team=unmapped', 'manager=boss@example.com', 'manager=unmapped'],
    );
    let sum = 0n;
    for (const only of ['team=Alpha', 'team=Beta', 'team=unmapped']) {
      choose(model, { only, group: 'resource' });
      assert.equal(model.state.page.tiles.length, 0, 'figures of others are gone at once');
      await loaded(model);
      sum += sumIn(daysOf());
    }
    assert.equal(sum, whole, 'the groups, with unmapped, add up to all');
    choose(model, { only: 'team=Alpha', tab: 'people' });
    const people = await loaded(model);
    assert.ok(people.list!.count > 0);
    assert.ok(model.rows('people', 0, 100).every(({ cells }) => /^(user-1|a)/.test(cells[0]!)));
    for (const tab of ['overview', 'languages', 'cost', 'budgets'] as const) {
      choose(model, { tab });
      const page = await loaded(model);
      assert.equal(page.error, null, tab);
    }
    choose(model, { only: 'manager=boss@example.com', anonymise: true });
    await loaded(model);
    assert.ok(!JSON.stringify([model.state.onlyGroups, model.state.only, model.state.page]).includes('boss@'));
    choose(model, { only: 'team=Missing' });
    const { error, tiles } = await loaded(model);
    assert.deepEqual([error?.title, tiles], ['The group is unknown', []]);
    choose(model, { only: '', tab: 'teams' });
    assert.equal((await loaded(model)).error, null);
    assert.deepEqual(model.state.onlyGroups, []);
  });

  it('shows limits of groups with the limits of accounts, and those of its groups on the page of teams', async () => {
    await start('credits');
    const groups = await parseGroups('account,manager\n*a*,boss@example.com\n*,Beta\n', 'teams.csv');
    const limits = [
      { of: { column: 'manager', group: 'boss@example.com' }, limit: '100' },
      { of: 'organization' as const, limit: '90000000' },
      { of: { column: 'manager', group: 'no.boss@example.com' }, limit: '100' },
    ];
    const model = open(newFolder(), { tab: 'budgets' }, [], groups, limits);
    const shown = (count: number): Promise<string[]> =>
      until('the limits are loaded', () => {
        const chart = model.state.page.charts.find(({ id }) => id === 'group-limits');
        return chart?.table.rows.length === count ? chart.table.rows.map((row) => row[1]!) : undefined;
      });
    assert.deepEqual(await shown(2), ['boss@example.com', 'Organization']);
    // Each report shows as it is loaded.
    const { tiles, charts } = await until('the days and the credits are loaded', () => {
      const { page } = model.state;
      const isLoaded = page.charts.some(({ id }) => id === 'burn-down') && page.tiles.some(({ id }) => id === 'limits');
      return isLoaded ? page : undefined;
    });
    assert.match(tiles.find(({ id }) => id === 'limits')!.note, /^[\d,]+ credits together/);
    assert.match(charts.find(({ id }) => id === 'burn-down')!.summary, /^[\d,]+ credits in [\d.]+ of \d+ days\./);
    choose(model, { tab: 'teams', column: 'manager' });
    assert.deepEqual(await shown(1), ['boss@example.com']);
    choose(model, { tab: 'credits' });
    const burnDown = await until('the limits are loaded', () => {
      const { summary } = model.state.page.charts.find(({ id }) => id === 'burn-down') ?? {};
      return summary?.includes('The limit is 90,000,000.') ? summary : undefined;
    });
    choose(model, { only: 'manager=boss@example.com' });
    await until('the limit is that of the group', () => {
      const { summary } = model.state.page.charts.find(({ id }) => id === 'burn-down') ?? {};
      return summary !== burnDown && summary?.includes('The limit is 100.');
    });
    choose(model, { tab: 'overview', only: '' });
    const overOf = async (): Promise<string[]> => {
      const { attention } = await loaded(model);
      const { text, tab, tone } = attention!.rows.find((row) => row.text.includes('over the limit'))!;
      return [text.replaceAll(/\d[\d,.]*/g, '#'), tab, tone];
    };
    const over = 'is # credits over the limit of # credits (# % used)';
    assert.deepEqual(await overOf(), [`Manager boss@example.com ${over}`, 'budgets', 'bad']);
    choose(model, { only: 'manager=Beta' });
    assert.ok(!(await overOf())[0]!.startsWith('Manager'), 'another group has its own limit alone');
    choose(model, { only: '' });
    const [first] = (await loaded(model)).attention!.rows;
    assert.equal(
      first!.text,
      'No row of the group file has manager=no.boss@example.com, so the use of its limit is unknown',
    );
    choose(model, { tab: 'teams', anonymise: true });
    assert.ok(!JSON.stringify(model.state.page).includes('boss@'));
    choose(model, { tab: 'overview' });
    assert.match((await overOf())[0]!, /^Manager Person .* is # credits over/);
    assert.ok(!JSON.stringify(model.state.page).includes('boss@'));
  });

  it('names a group file that cannot be read, and offers another', async () => {
    await start('credits');
    const data = openFigures(server!, newFolder).data;
    const model = connect(
      data,
      { ...FIRST_CHOICES, tab: 'teams' },
      undefined,
      [],
      parseGroups('name\nx\n', 'teams.csv'),
    );
    const { error } = await loaded(model);
    assert.deepEqual([error?.title, error?.next], ['The group file cannot be read', ['retry', 'chooseGroups']]);
    assert.match(error!.message, /teams\.csv names no accounts/);
  });

  it('writes a report with the groups whose file is still being read', async () => {
    await start('credits');
    const { data } = openFigures(server!, newFolder);
    let give: (groups: Groups) => void = () => undefined;
    const reading = new Promise<Groups>((resolve) => (give = resolve));
    const model = connect(data, { ...FIRST_CHOICES, tab: 'people' }, undefined, [], reading);
    const writing = model.document(new AbortController().signal);
    give(await parseGroups('account,team\n*,Alpha\n', 'teams.csv'));
    assert.match(
      JSON.stringify(await writing, (_, cell: unknown) => (typeof cell === 'bigint' ? String(cell) : cell)),
      /Alpha/,
    );
  });

  it('says how teams become known without a group file', async () => {
    await start('credits');
    const model = open(newFolder(), { tab: 'teams' });
    const { empty } = await loaded(model);
    assert.deepEqual(empty?.next, ['createGroups', 'chooseGroups']);
    choose(model, { tab: 'people' });
    await loaded(model);
    assert.ok(model.accounts.length > 10);
  });

  for (const plan of ['credits', 'usd'] as const) {
    it(`fills each tab, on the plan ${plan}`, async () => {
      await start(plan);
      const model = open(newFolder(), {}, [], await parseGroups('account,team\n*a*,Alpha\n*,Beta\n', 'teams.csv'));
      for (const tab of TABS) {
        choose(model, { tab });
        const page = await loaded(model);
        assert.equal(page.error, null, tab);
        if (plan === 'usd' && tab === 'credits') assert.match(page.empty!.message, /see Cost/);
        else assert.ok(page.charts.length > 0, tab);
        for (const chart of page.charts) {
          assert.notEqual(chart.summary, '');
          assert.ok(
            chart.table.rows.length > 0 && chart.table.rows.every((row) => row.length === chart.table.columns.length),
          );
        }
      }
    }).timeout(60_000);
  }

  it('puts what needs attention first, with its place, and says what was looked at', async () => {
    await start();
    const model = open();
    const { attention } = await loaded(model);
    assert.ok(attention!.rows.length > 0);
    assert.match(
      attention!.note,
      /^Looked at: \d+ limits, the spending of \d+ accounts, the activity of \d+ people, up to 2026-11-20\.$/,
    );
    const over = attention!.rows.find(({ text }) => text.includes('over the limit of'))!;
    assert.deepEqual([over.tone, over.tab], ['bad', 'budgets']);
    assert.match(over.text, /^\S+ is [\d,]+ credits over the limit of [\d,]+ credits \(\d+\.\d % used\)$/);
    model.openPerson(over.person);
    assert.ok(over.text.startsWith(model.state.page.person!.name));
    choose(model, { tab: 'people' });
    assert.equal(model.state.page.attention, null);
  });

  for (const [plan, now] of [
    ['credits', '2026-11-21T21:55:00Z'],
    ['usd', '2026-11-11T03:00:00Z'],
    ['credits', '2026-11-01T01:00:00Z'],
  ] as const)
    it(`has one truth about the month on all pages, on the plan ${plan} at ${now}`, async () => {
      await start(plan, now);
      const model = open();
      const tiles = (await loaded(model)).tiles;
      const { value, label, note } = tiles.find(({ id }) => id === 'projected')!;
      const burnDown = ({ charts }: Page): string => charts.find(({ id }) => id === 'burn-down')!.summary;
      choose(model, { tab: plan === 'usd' ? 'cost' : 'credits' });
      const ofMonth = burnDown(await loaded(model));
      const unit = plan === 'usd' ? '' : ' credits';
      assert.ok(ofMonth.startsWith(`${value}${unit} in `), `${label}: ${value}, ${ofMonth}`);
      const [atEnd] = /about .* at month’s end/.exec(note) ?? [];
      assert.ok(atEnd !== undefined && ofMonth.toLowerCase().includes(atEnd.toLowerCase()), `${note}, ${ofMonth}`);
      choose(model, { tab: 'budgets' });
      await loaded(model);
      for (const { id, cells } of model.rows('budgets', 0, 3)) {
        const [name, , used, consumed, limit, projected] = cells;
        model.openPerson(id);
        const page = await loaded(model);
        const own = page.tiles.find((one) => one.id === 'limit')!;
        assert.deepEqual([own.value, own.note], [used, `${consumed} of ${limit}`], name);
        const text = burnDown(page);
        assert.ok(text.startsWith(`${consumed}${unit} in `), `${consumed}, ${text}`);
        assert.ok(text.includes(`About ${projected} at month’s end`), `${projected}, ${text}`);
        choose(model, { tab: 'budgets' });
        await loaded(model);
      }
    });

  it('shows exact sums in the tile, the days and the parts', async () => {
    await start('usd');
    const model = open(undefined, { tab: 'cost' });
    await loaded(model);
    const { figures, tiles } = model.shown;
    const days = figures.find(({ shape }) => shape.id === 'days')!.table;
    const sum = days.rows.flatMap((row) => row.slice(1)).reduce((total: bigint, cell) => total + (cell as bigint), 0n);
    const { rows } = JSON.parse(asJson(model.shown)) as { rows: { billed_amount_usd: string }[] };
    assert.equal(
      rows.reduce((total, row) => total + parseDecimal(row.billed_amount_usd)!, 0n),
      sum,
    );
    const cents = Number((sum + 5n * 10n ** 35n) / 10n ** 36n) / 100;
    assert.equal(
      tiles.find(({ id }) => id === 'billed')!.value,
      new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(cents),
    );
  });

  it('has the same sums of days for each grouping', async () => {
    await start();
    const model = open(undefined, { tab: 'credits' });
    const sums: string[] = [];
    for (const group of ['resource', 'product', 'byok', 'user', 'expert'] as const) {
      choose(model, { group });
      await loaded(model);
      const days = await until(
        'it is divided',
        () => model.shown.figures.find(({ shape }) => shape.id === 'days')?.table,
      );
      sums.push(
        days.rows.map((row) => row.slice(1).reduce((total: bigint, cell) => total + (cell as bigint), 0n)).join(),
      );
    }
    assert.equal(new Set(sums).size, 1);
  });

  it('limits the spending to a product or an expert, whose figures are those of the facts', async () => {
    const { client } = openFigures(await start('usd'), newFolder);
    const model = open(undefined, { tab: 'cost', group: 'user' });
    await loaded(model);
    const parts = await until('experts are listed', () => {
      const { parts } = model.state;
      return parts.some(({ id }) => id.startsWith('expert:')) ? parts : undefined;
    });
    assert.ok(parts.some(({ name }) => name.startsWith('Product ')) && parts.every(({ name }) => name !== ''));
    const all = tileOf(model.state.page, 'billed');
    for (const { id, name } of [parts[0]!, parts.find((one) => one.id.startsWith('expert:'))!]) {
      choose(model, { part: id });
      const page = await until('the part is shown', () => {
        const { page } = model.state;
        return !page.isLoading && page.isFilled && tileOf(page, 'billed') !== all ? page : undefined;
      });
      const value = id.slice(id.indexOf(':') + 1);
      const { data_points: points } = await client.call('costAnalytics', {
        ...{ start_date: model.state.range.first, end_date: model.state.range.last, group_by_keys: [] },
        filters: id.startsWith('product:') ? { product_names: [value] } : { expert_ids: [value] },
      });
      const [{ cost_metrics: metrics } = { cost_metrics: undefined }] = points;
      assert.equal(tileOf(page, 'billed'), formatCell(parseDecimal(metrics!.billed_amount_usd), { kind: 'usd' }));
      assert.deepEqual(
        [page.tiles.some((one) => one.id === 'month'), model.state.group, model.shown.title],
        [false, 'resource', `Cost, ${name}`],
      );
      assert.ok(model.state.groups.every((one) => one.id !== 'user' && one.id !== 'expert'));
    }
    choose(model, { part: '' });
    await until('all is shown', () => tileOf(model.state.page, 'billed') === all);
    choose(model, { part: 'product:None such' });
    assert.equal((await loaded(model)).empty?.title, 'No cost on these days');
    assert.equal(model.state.parts.at(-1)!.name, 'Product None such');
  });

  it('hides each name on the page and in exports if it is set to, and still opens people', async () => {
    await start();
    const model = open(undefined, { tab: 'people', anonymise: true });
    for (const tab of TABS) {
      choose(model, { tab, group: 'user' });
      await loaded(model);
      const { shown, state } = model;
      const rows = state.page.list ? model.rows(state.page.list.list, 0, 500) : [];
      const all = [
        JSON.stringify(state),
        JSON.stringify(rows),
        asJson(shown),
        asMarkdown(shown),
        shown.table ? await tableCsv(shown.table) : '',
      ].join('\n');
      assert.doesNotMatch(all, /@northwind\.example|nightly-build|release-train|ci-runner/, tab);
    }
    choose(model, { tab: 'people' });
    await loaded(model);
    const [first] = model.rows('people', 0, 1);
    model.openPerson(first!.id);
    const page = await loaded(model);
    assert.equal(page.person!.name, first!.cells[0]);
    await until('their days are there', () => model.state.page.charts.length === 3);
  });

  it('sorts, filters and opens people, and filters no totals', async () => {
    await start();
    const model = open(undefined, { tab: 'people' });
    const before = (await loaded(model)).tiles[0]!.value;
    model.sort('people', 'total_messages', false);
    const fewest = model.rows('people', 0, 500).map(({ cells }) => Number(cells[2]!.replaceAll(',', '')));
    assert.deepEqual(
      fewest,
      [...fewest].sort((a, b) => a - b),
    );
    const [row] = model.rows('people', 5, 1);
    choose(model, { filter: row!.cells[0]!.toUpperCase() });
    const { page } = model.state;
    assert.deepEqual([page.list!.count, page.tiles[0]!.value], [1, before]);
    model.openPerson('nobody');
    assert.equal(model.state.page.person, null);
  });

  it('shows cached figures while the service is unreachable', async () => {
    const folder = newFolder();
    const { faults } = await start();
    await loaded(open(folder));
    faults.add({ status: 503 });
    const again = open(folder);
    await until('it is filled', () => again.state.page.isFilled);
    choose(again, HALF_KNOWN);
    const page = await loaded(again);
    assert.deepEqual([page.isFilled, page.error!.kind, page.error!.next], [true, 'failed', ['retry']]);
    assert.match(page.error!.message, /Missing or incomplete: 2026-08-10 to 2026-08-22\.$/);
    faults.clear();
    await again.resume();
    assert.equal((await loaded(again)).error, null);
  });

  it('shows no zeros if the service fails without cached figures', async () => {
    const { faults } = await start();
    faults.add({ status: 503 });
    const page = await loaded(open());
    assert.deepEqual([page.isFilled, page.error!.title], [false, 'The service fails']);
  });

  it('retries failed reports in each tab', async () => {
    const { faults } = await start();
    faults.add({ status: 500 });
    const model = open(newFolder(), {}, [], await parseGroups('account,team\n*,All\n', 'teams.csv'));
    for (const tab of TABS) {
      choose(model, { tab });
      assert.equal((await loaded(model)).error!.kind, 'failed', tab);
    }
    faults.clear();
    for (const tab of TABS) {
      choose(model, { tab });
      await model.resume();
      const { error, isFilled } = await loaded(model);
      assert.deepEqual([error, isFilled], [null, true], tab);
    }
  }).timeout(60_000);

  for (const status of [401, 403, 404, 500]) {
    it(`retries a refresh after ${status}, and shows the error until then`, async () => {
      const { faults } = await start();
      const model = open(undefined, { tab: 'budgets' });
      await loaded(model);
      faults.add({ status });
      await model.refresh();
      const { error, isFilled } = model.state.page;
      assert.deepEqual([error?.next.includes('retry'), isFilled], [true, true]);
      await model.resume();
      assert.deepEqual(model.state.page.error, error);
      faults.clear();
      await model.resume();
      assert.equal(model.state.page.error, null);
    });
  }

  for (const [status, kind, next] of [
    [401, 'unauthenticated', 'connect'],
    [403, 'forbidden', 'connect'],
    [429, 'rate-limited', 'retry'],
    [500, 'failed', 'retry'],
  ] as const) {
    it(`explains ${status}, with the next step`, async () => {
      const { faults } = await start();
      faults.add({ status, ...(status === 429 && { retryAfter: 300 }) });
      const model = open();
      // Requests after a 429 wait for the demanded time.
      const error = await until('the error is shown', () => {
        const { error, isLoading } = model.state.page;
        return error && !isLoading && error.next.length > 0 ? error : undefined;
      });
      assert.deepEqual([error.kind, error.next[0]], [kind, next]);
      assert.notEqual(error.message, '');
    });
  }

  it('keeps the shown days if the chosen ones are not available, with the reason', async () => {
    await start();
    const model = open();
    await loaded(model);
    choose(model, { preset: 'custom', first: '2026-01-01', last: '2026-11-20' });
    const { page, range } = model.state;
    assert.deepEqual([page.error!.kind, page.isFilled, range.text], ['range', true, '2026-11-14 to 2026-11-20']);
  });

  it('shows the figures of another account, of a group and of limits, also while the chosen days are not available', async () => {
    await start();
    const groups = await parseGroups('account,team\na*,Alpha\n*@*,Rest\n', 'teams.csv');
    const model = open(undefined, {}, [], groups);
    const other = await SextantServer.start({
      now: server!.clock.now(),
      rateLimit: false,
      simulation: { seed: 8, users: 90, plan: 'credits' },
    });
    try {
      other.clock.freeze();
      const messages = async (): Promise<string> => tileOf(await loaded(model), 'messages')!;
      const all = await messages();
      await until('the groups are known', () => model.state.onlyGroups.length > 0);
      choose(model, { preset: 'custom', first: '2026-11-20', last: '2026-11-10' });
      assert.equal(await messages(), all);
      await model.refresh();
      assert.equal(await messages(), all);
      choose(model, { tab: 'budgets' });
      assert.equal((await loaded(model)).error, null);
      choose(model, { tab: 'overview', only: 'team=Alpha' });
      const some = await messages();
      assert.notEqual(some, all);
      const { data } = openFigures(other, newFolder);
      const range = { first: data.newestDay - 6, last: data.newestDay };
      const store = new ReportStore(data, range, {
        logger: silentLogger,
        clock: other.clock,
        onChange: () => undefined,
        groups: () => Promise.resolve(groups),
      });
      model.connect({ kind: 'ready', name: 'there', organizations: 2 }, store);
      choose(model, { only: '' });
      const others = await messages();
      assert.ok(others !== all && others !== some);
      assert.deepEqual([model.state.page.error?.kind, model.state.range.text], ['range', '2026-11-14 to 2026-11-20']);
    } finally {
      await other.close();
    }
  });

  it('stops a long load, keeps the loaded days, and resumes with the others', async () => {
    const { faults } = await start();
    const model = open(undefined, { preset: '28d' });
    await loaded(model);
    const path = '/analytics/v0/daily-user-activity-by-editor-language';
    faults.add({ path, latency: { ms: 20 } });
    choose(model, { tab: 'languages' });
    const running = await until('some days are there', () => {
      const { progress, charts } = model.state.page;
      return progress?.state === 'running' && progress.done > 2 && charts.length > 0 ? progress : undefined;
    });
    assert.match(running.text, /^\d+ of 28 days.*about .* left$/);
    model.stop();
    const stopped = model.state.page;
    assert.deepEqual(
      [stopped.progress!.state, stopped.progress!.next, stopped.charts.length],
      ['stopped', ['resume'], 3],
    );
    const matches = faults.list()[0]!.matches;
    await model.resume();
    const page = await loaded(model);
    assert.equal(page.progress, null);
    // A day has one or two pages for these people: none is requested twice.
    assert.ok(faults.list()[0]!.matches - matches <= 2 * (28 - stopped.progress!.done + 1));
    assert.ok(page.charts.every(({ table }) => table.rows.length > 0));
  });

  it('shows people page by page with an estimate of their number, stops, keeps them and resumes', async () => {
    const { faults, requestLog } = await start('credits', undefined, 450);
    const path = '/analytics/v0/user-activity';
    // Long enough to be seen between two pages, also when the machine is busy.
    faults.add({ path, latency: { ms: 300 } });
    const pagesOfWeek = (): number =>
      requestLog.latest(1000).filter((one) => one.path === path && one.query.includes('start_date=2026-11-14')).length;
    const model = open(undefined, { tab: 'people' });
    const running = await until('some are there, and how many there will be', () => {
      const { progress, list } = model.state.page;
      // Until the answer about spending, the busiest day is a lower bound.
      return progress?.state === 'running' && progress.text.includes('of about') && list ? progress : undefined;
    });
    assert.match(running.text, /^\d+ of about \d+ people, about .* left$/);
    assert.ok(model.rows('people', 0, 10).length > 0);
    model.stop();
    const { progress, list, tiles } = model.state.page;
    assert.deepEqual([progress!.state, progress!.next], ['stopped', ['resume']]);
    assert.equal(list!.all, progress!.done);
    assert.deepEqual([tiles[0]!.value, tiles[0]!.note], ['–', `${progress!.done} people so far`]);
    const asked = pagesOfWeek();
    await model.resume();
    const page = await withPresence(model);
    assert.deepEqual([page.progress, page.list!.all > progress!.done], [null, true]);
    assert.equal(tileOf(page, 'distinct'), String(page.list!.all - Number(tileOf(page, 'stopped'))));
    // The page in transit at the stop is requested twice, and may arrive after the count.
    assert.ok(pagesOfWeek() - asked <= Math.ceil(page.list!.all / 100) - progress!.done / 100 + 1);
  });

  it('lists who stopped, was never active or is new, with the last active day, and exports every field', async () => {
    // Ada is active each day, Stan stops, Newt begins.
    const spans = {
      ada: ['2026-10-01', '2026-11-20'],
      stan: ['2026-10-01', '2026-10-30'],
      newt: ['2026-11-18', '2026-11-20'],
    };
    const records = Object.entries(spans).flatMap(([name, [first, last]]) =>
      daysOf({ first: parseDay(first!)!, last: parseDay(last!)! }).map((day) => ({
        ...{ kind: 'activity', date: formatDay(day), user_email: `${name}@example.com` },
        ...{ language: 'Go', editor: 'CLI', metrics: { chat_messages: 3, total_messages: 3 } },
      })),
    );
    await serve(records);
    const model = open(undefined, { tab: 'people' }, [identityNamed('nora.never@example.com')]);
    const page = await withPresence(model);
    const { columns, rows } = model.shown.table!;
    const at = (name: string): number => columns.findIndex((column) => column.name === name);
    const rowOf = (name: string): readonly Cell[] => rows.find(([first]) => first === name)!;
    assert.deepEqual(
      [rowOf('stan@example.com')[at('presence')], rowOf('stan@example.com')[at('last_active')]],
      ['Stopped', '2026-10-30'],
    );
    assert.deepEqual(
      [rowOf('nora.never@example.com')[at('presence')], rowOf('nora.never@example.com')[at('active_days')]],
      ['Never active', 0],
    );
    assert.equal(rowOf('newt@example.com')[at('presence')], 'New');
    assert.equal(tileOf(page, 'stopped'), '1');
    assert.equal(page.tiles.find(({ id }) => id === 'stopped')!.note, '1 never active');
    for (const field of METRIC_FIELDS) assert.ok(at(field) >= 0, field);
    assert.ok(!page.list!.columns.some(({ id }) => id === 'total_tool_calls'), 'the page has no room for all');
  });

  it('compares a month with the same days of the month before, and typed days with others', async () => {
    await start();
    const model = open(undefined, { preset: 'month', tab: 'credits' });
    await loaded(model);
    assert.equal(model.state.range.before, '2026-10-01 to 2026-10-20');
    const [first, last, before] = ['2026-11-10', '2026-11-12', '2026-09-08'];
    choose(model, { preset: 'custom', first, last, before, tab: 'overview' });
    const page = await loaded(model);
    assert.equal(model.state.range.before, '2026-09-08 to 2026-09-10');
    const sum = async (from: string, to: string): Promise<number> => {
      const url = new URL(`${server!.url}/analytics/v0/daily-usage?start_date=${from}&end_date=${to}`);
      const response = await fetch(url, { headers: { authorization: `Bearer ${server!.token}` } });
      const { daily_usage } = (await response.json()) as { daily_usage: { metrics: { total_messages: number } }[] };
      return daily_usage.reduce((all, { metrics }) => all + metrics.total_messages, 0);
    };
    const [now, then] = [await sum(first, last), await sum(before, '2026-09-10')];
    const percent = Math.abs(Math.round(((now - then) / then) * 1000) / 10);
    assert.ok(page.tiles.find(({ id }) => id === 'messages')!.note.includes(`${percent} %`));
  });

  it('shows no control that does nothing, and the same parts by account on each plan', async () => {
    await start();
    const model = open(undefined, { tab: 'overview' });
    const controls = async (tab: Tab): Promise<readonly boolean[]> => {
      choose(model, { tab });
      await loaded(model);
      const { days, compare, filter } = model.state.controls;
      return [days, compare, filter];
    };
    assert.deepEqual(await controls('overview'), [true, true, false]);
    assert.deepEqual(await controls('people'), [true, false, true]);
    assert.deepEqual(await controls('languages'), [true, false, true]);
    assert.deepEqual(await controls('teams'), [false, false, false], 'without a group file');
    assert.deepEqual(await controls('budgets'), [false, false, true]);
    assert.equal(model.state.range.text, 'Month 2026-11');
    assert.deepEqual(await controls('cost'), [true, false, true], 'changes are in credits');
    choose(model, { group: 'user' });
    const chart = await until('dollars by account', () => model.state.page.charts.find(({ id }) => id === 'days'));
    assert.match(chart.title, /^Billed by day/);
  });

  it('moves an open page to the new day at 02:00 UTC, and to the new month, by itself', async () => {
    const { clock } = await start('credits', '2026-11-30T01:00:00Z');
    const model = open(undefined, { preset: 'month' });
    await loaded(model);
    const at = async (moment: string): Promise<readonly string[]> => {
      clock.advance(Date.parse(moment) - clock.now());
      await model.moveOn();
      const page = await loaded(model);
      assert.equal(page.error, null);
      return [model.state.range.first, model.state.range.last, labelOf(page, 'projected')];
    };
    assert.deepEqual(await at('2026-11-30T01:59:00Z'), ['2026-11-01', '2026-11-28', 'Month 2026-11']);
    assert.deepEqual(await at('2026-11-30T02:01:00Z'), ['2026-11-01', '2026-11-29', 'Month 2026-11']);
    // Credits of the new month are counted at once; its first finished day comes later.
    assert.equal((await at('2026-12-01T00:30:00Z'))[1], '2026-11-29');
    assert.deepEqual((await at('2026-12-01T02:01:00Z')).slice(0, 2), ['2026-11-01', '2026-11-30']);
    assert.deepEqual(await at('2026-12-02T02:01:00Z'), ['2026-12-01', '2026-12-01', 'Month 2026-12']);
    choose(model, { preset: '7d' });
    await loaded(model);
    assert.equal((await at('2026-12-03T02:01:00Z'))[0], '2026-11-26');
  });

  it('marks unknown figures, and states the number of known days of the others', async () => {
    const folder = newFolder();
    const { faults } = await start();
    await loaded(open(folder));
    faults.add({ status: 503 });
    const model = open(folder, HALF_KNOWN);
    const page = await loaded(model);
    const figures = Object.fromEntries(page.tiles.map(({ id, value, note }) => [id, [value !== '–', note]]));
    const half = [true, '15 of 28 days known'];
    assert.deepEqual(figures, {
      active: [true, 'on 2026-09-06, a weekend; 13 on 2026-09-04'],
      mean: half,
      distinct: [false, 'unknown'],
      messages: half,
      accepted: half,
      acceptedLines: half,
      spent: half,
      projected: figures.projected,
    });
    assert.match(String(figures.projected), /^true,about /);
    for (const { id, table } of page.charts) assert.equal(table.rows[0]![1] === '–', true, id);
    choose(model, { tab: 'people' });
    assert.equal((await loaded(model)).list, null);
  });

  it('waits for the demanded pause, shows its end, and continues by itself', async () => {
    const { faults } = await start();
    faults.add({ status: 429, retryAfter: 1, path: '/analytics/v0/dau-count', times: 1 });
    const { clock, url, token } = server!;
    const budget = new RequestBudget(newFolder());
    const client = new AnalyticsClient({ url, token }, budget);
    const data = new ServiceData(client, new AnswerCache(newFolder(), 'account', { clock }), clock);
    const model = connect(data, undefined, systemClock);
    const error = await until('the error is shown', () => model.state.page.error ?? undefined);
    assert.deepEqual([error.kind, error.next], ['rate-limited', ['stop']]);
    assert.match(
      error.message,
      /^It accepts no requests until \d\d:\d\d:\d\d UTC\. This page then continues by itself\./,
    );
    const page = await until('all is there', () => {
      const { page } = model.state;
      return page.isFilled && page.error === null && !page.isLoading ? page : undefined;
    });
    assert.notEqual(tileOf(page, 'mean'), '–');
  });

  it('gives the reason of a failure also while the service wants a pause of other requests', async () => {
    const { faults } = await start();
    const { id } = faults.add({ status: 429, retryAfter: 1, path: '/analytics/v0/dau-count' });
    faults.add({ status: 404, path: '/analytics/v0/daily-usage' });
    const { clock, url, token } = server!;
    const client = new AnalyticsClient({ url, token }, new RequestBudget(newFolder()));
    const data = new ServiceData(client, new AnswerCache(newFolder(), 'account', { clock }), clock);
    const model = connect(data, undefined, systemClock);
    await until('a second pause', () => faults.list().some((one) => one.id === id && one.hits > 1));
    await until('the failure is shown', () => model.state.page.error?.kind === 'failed');
    assert.match(model.state.page.error!.message, /has no analytics API at this address/);
    model.stop();
  });

  it('reports a failing service at once, with cached figures and a way to stop', async () => {
    const folder = newFolder();
    const { faults } = await start();
    await loaded(open(folder));
    faults.add({ status: 503, retryAfter: 60 });
    const { clock, url, token } = server!;
    const client = new AnalyticsClient({ url, token }, new RequestBudget(newFolder()));
    const cache = new AnswerCache(folder, accountKey({ url, token }), { clock });
    const model = connect(new ServiceData(client, cache, clock), { ...FIRST_CHOICES, ...HALF_KNOWN }, systemClock);
    const { page } = await until('the failure is shown', () => {
      const { state } = model;
      const isThere = tileOf(state.page, 'mean') !== undefined;
      return state.page.error?.next.includes('stop') && isThere ? state : undefined;
    });
    assert.equal(page.error!.title, 'The service fails – showing cached data');
    assert.match(page.error!.message, /503.* The next attempt is at \d\d:\d\d:\d\d UTC, in (59|60) s\./);
    assert.equal(page.isLoading, true);
    assert.ok(
      page.tiles.some(({ note }) => note === '15 of 28 days known'),
      JSON.stringify(page.tiles),
    );
    model.stop();
    const stopped = model.state.page;
    assert.deepEqual([stopped.isLoading, stopped.error!.next], [false, ['retry']]);
    faults.clear();
    await model.resume();
    assert.equal((await loaded(model)).error, null);
  });

  it('writes exports in which no name is a formula or Markdown', async () => {
    const hostile = '=HYPERLINK("x")|[a](b)<img src=x>@example.com';
    const data = [
      { kind: 'org', plan: 'credits', enterprise: true },
      { kind: 'user', user_email: hostile },
      { kind: 'activity', date: '2026-11-20', user_email: hostile, metrics: { total_messages: 3 } },
    ];
    await serve(data);
    const model = open(undefined, { tab: 'people' });
    await loaded(model);
    const { shown } = model;
    assert.match(await tableCsv(shown.table!), /"'=HYPERLINK\(""x""\)/);
    const markdown = asMarkdown(shown);
    assert.ok(!/(?<!\\)(<img|\[a)/.test(markdown));
    assert.ok(markdown.includes(String.raw`\|\[a\](b)\<img`));
    assert.equal((JSON.parse(asJson(shown)) as { rows: { identity: string }[] }).rows[0]!.identity, hostile);
  });

  it('starts with the last choices, or with the default ones if those are invalid', async () => {
    await start();
    assert.equal(open(undefined, { tab: 'cost' }).choices.tab, 'cost');
    assert.deepEqual(open(undefined, { tab: 'nothing' as Tab }).choices, FIRST_CHOICES);
  });
});
