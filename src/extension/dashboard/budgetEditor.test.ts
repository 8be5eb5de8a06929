import assert from 'node:assert/strict';
import { organizationOf, person, quickClient, serviceAccount } from '../../../test/support/budgets.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { readBudgetCsv } from '../../analytics/budgets/csv.ts';
import { readLimits } from '../../analytics/budgets/budgetService.ts';
import { ServiceData } from '../../analytics/client/analyticsData.ts';
import { AnswerCache } from '../../analytics/client/answerCache.ts';
import { endpoints } from '../../analytics/contract.ts';
import type { Identity } from '../../analytics/identity.ts';
import { ReportStore } from '../../analytics/reports/reportStore.ts';
import { silentLogger } from '../../base/log.ts';
import { readData } from '../../server/analytics/data/readData.ts';
import { SextantServer } from '../../server/server.ts';
import type { BudgetEditorAction } from '../../protocol/budgetChoices.ts';
import type { BudgetEditorState, BudgetEditorStep } from '../../protocol/budgetsView.ts';
import type { ListedRow } from '../../protocol/rowList.ts';
import { BudgetEditor } from '../analytics/budgetEditor.ts';
import { DashboardModel, FIRST_CHOICES } from './dashboardModel.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const SET = endpoints.setUserBudgetOverrides.path;
const HOSTILE = '<img src=x onerror=alert(1)>=x@x.io';
const MOST = '999999999999999998';
const MEMBERS: readonly (readonly [Identity, string])[] = [
  [person('ada@x.io'), '100'],
  [person('bob@x.io'), ''],
  [person('eve@x.io'), ''],
  [person(HOSTILE), '300'],
  [serviceAccount('nightly'), '400'],
];

describe('the budget editor of the dashboard', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer;
  let folder: string;
  const models: DashboardModel[] = [];
  const stores: ReportStore[] = [];
  const editors = new Map<DashboardModel, BudgetEditor>();

  before(async () => {
    const records = [
      ...organizationOf(MEMBERS),
      { kind: 'credits', date: '2026-11-20', user_email: 'ada@x.io', model_name: 'm', credits_consumed: 150 },
      { kind: 'credits', date: '2026-11-20', user_email: 'bob@x.io', model_name: 'm', credits_consumed: 7 },
      { kind: 'activity', date: '2026-11-20', user_email: 'eve@x.io', metrics: { total_messages: 3 } },
    ];
    const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    server = await SextantServer.start({ now: NOON, rateLimit: false, data: () => readData([lines]) });
  });
  after(() => server.close());
  beforeEach(async () => {
    server.faults.clear();
    await server.reset();
    server.clock.freeze();
    folder = newFolder();
  });
  afterEach(() => {
    for (const one of [...models.splice(0), ...stores.splice(0)]) one.dispose();
  });

  /** Opens a window; all windows share the folder of the account. */
  async function open({ token = server.token, anonymise = false, batchSize = 5000 } = {}): Promise<DashboardModel> {
    const client = quickClient({ url: server.url, token }, newFolder());
    const { clock } = server;
    const data = new ServiceData(client, new AnswerCache(newFolder(), 'account', { clock }), clock);
    const range = { first: data.newestDay - 6, last: data.newestDay };
    const reports = new ReportStore(data, range, { logger: silentLogger, clock, onChange: () => undefined });
    stores.push(reports);
    const editor = new BudgetEditor({
      logger: silentLogger,
      onOutdated: () => void reports.reloadBudgets(),
      onAcknowledged: () => undefined,
    });
    const model = new DashboardModel({
      kept: { ...FIRST_CHOICES, tab: 'budgets', anonymise },
      keep: () => undefined,
      secret: 'secret',
      editor,
      logger: silentLogger,
      clock,
      onChange: () => undefined,
    });
    models.push(model);
    editors.set(model, editor);
    editor.connect(new BudgetChanges(data.service, folder, { clock, batchSize }));
    // The side bar.
    await reports.load(['usage', 'cost', 'budgets', 'people']);
    model.connect({ kind: 'ready', name: 'here', organizations: 1 }, reports);
    await until('it is loaded', () => !model.state.page.isLoading && model.state.page.isFilled);
    return model;
  }

  const editorOf = (model: DashboardModel): BudgetEditorState => model.state.editor!;
  const step = (model: DashboardModel, kind: BudgetEditorStep['kind']): Promise<BudgetEditorStep> =>
    until(`it comes to ${kind}`, () => {
      const { step } = editorOf(model);
      return step.kind === kind && step;
    });
  const acts = ({ actions }: Pick<BudgetEditorStep, 'actions'>): BudgetEditorAction[] => actions.map(({ id }) => id);
  const rowOf = (model: DashboardModel, name: string): ListedRow =>
    // The page reads the state before the rows.
    (model.state.page.list ? model.rows('budgets', 0, 500) : []).find(({ cells }) => cells[0] === name)!;
  const changeRows = (model: DashboardModel): string[][] =>
    model.rows('changes', 0, 500).map(({ cells }) => [...cells]);
  async function apply(model: DashboardModel): Promise<BudgetEditorStep> {
    model.editor.act('apply');
    return step(model, 'report');
  }

  /** The limits in the service, by name. */
  async function limits(): Promise<Record<string, string>> {
    const { overrides } = await readLimits(quickClient(server, newFolder()));
    return Object.fromEntries([...overrides.values()].map(({ identity, limit }) => [identity.name, limit]));
  }

  it('shows the limit of a person in the unit of the plan, also without any cost', async () => {
    const model = await open();
    model.openPerson(rowOf(model, 'ada@x.io').id);
    const tiles = await until('all is shown', () => {
      const { isLoading, tiles } = model.state.page;
      return !isLoading && tiles.some(({ id, value }) => id === 'spent' && value !== '–') && tiles;
    });
    assert.equal(tiles.find(({ id }) => id === 'limit')?.note, '150 of 100');
  });

  it('changes a limit in place, exact to 18 digits, lists it, and undoes it', async () => {
    const model = await open();
    const { id } = rowOf(model, 'ada@x.io');
    assert.equal(model.editor.limitOf(id), '100');
    assert.equal(model.editor.setLimit(id, MOST, '100'), null);
    const shown = await step(model, 'preview');
    assert.deepEqual(
      [shown.title, shown.summary],
      ['Limit of ada@x.io', '100 → 999,999,999,999,999,998, in credits a month.'],
    );
    assert.deepEqual(acts(shown), ['apply', 'close']);
    assert.equal((await limits())['ada@x.io'], '100', 'nothing is changed yet');
    const report = await apply(model);
    assert.deepEqual([report.tone, acts(report)], ['good', ['close', 'undo']]);
    assert.equal((await limits())['ada@x.io'], MOST);
    await until('it is listed', () => rowOf(model, 'ada@x.io').cells[4] === '999,999,999,999,999,998');
    model.editor.act('close');
    assert.match(
      editorOf(model).last!.text,
      /^Last change, 2026-11-21 12:00 UTC: New limit\. The limit is set as requested/,
    );
    model.editor.act('undo');
    await step(model, 'preview');
    await apply(model);
    assert.equal((await limits())['ada@x.io'], '100');
  });

  it('explains an invalid limit or account without a request', async () => {
    const model = await open();
    const { id } = rowOf(model, 'ada@x.io');
    const matches = server.faults.add({ path: '/*', times: 99, latency: { ms: 0 } });
    const problem = (limit: string): string => model.editor.setLimit(id, limit, '100')!.problem;
    assert.match(problem(`${MOST}0`), /18 digits/);
    assert.match(problem('5e17'), /spreadsheet/);
    assert.match(problem('1,500'), /without separators/);
    assert.match(problem(''), /removes one/);
    assert.equal(model.editor.checkLimit('5'), '');
    assert.deepEqual(model.editor.addLimit('', null, '5')!.field, 'account');
    assert.deepEqual(model.editor.addLimit('bob@x.io', null, 'x')!.field, 'limit');
    assert.equal(editorOf(model).step.kind, 'none');
    assert.equal(server.faults.list().find((one) => one.id === matches.id)!.matches, 0);
  });

  it('adds a limit for a typed or suggested account, and clears one', async () => {
    const model = await open();
    assert.deepEqual(
      model.editor.accounts('X.IO').map(({ name, note }) => [name, note]),
      [
        [HOSTILE, 'limit 300'],
        ['ada@x.io', 'limit 100'],
        ['bob@x.io', 'no override'],
        ['eve@x.io', 'no override'],
      ],
    );
    const [bob] = model.editor.accounts('bob');
    assert.equal(model.editor.addLimit(bob!.name, bob!.id, '7'), null);
    assert.match((await step(model, 'preview')).summary, /^none → 7/);
    await apply(model);
    model.editor.act('close');
    model.editor.addLimit('nobody@x.io', null, '7');
    const unknown = await step(model, 'preview');
    assert.deepEqual([unknown.tone, acts(unknown)], ['bad', ['close']]);
    assert.match(unknown.summary, /knows no such account/);
    await until('it is listed', () => rowOf(model, 'bob@x.io'));
    model.editor.clearLimit(rowOf(model, 'nightly').id);
    await until('it is looked at', () => editorOf(model).step.summary.startsWith('400 → none'));
    await apply(model);
    const { 'bob@x.io': set, nightly } = await limits();
    assert.deepEqual([set, nightly], ['7', undefined]);
  });

  it('changes a limit with four requests, side bar included: the preview, a read, the write, the confirming read', async () => {
    const model = await open();
    server.requestLog.clear();
    model.editor.setLimit(rowOf(model, 'ada@x.io').id, '777', '100');
    await step(model, 'preview');
    await apply(model);
    await until('it is listed', () => rowOf(model, 'ada@x.io').cells[4] === '777');
    await until('all is loaded', () => !model.state.page.isLoading);
    const requests = server.requestLog.latest(100).map(({ method, path }) => `${method} ${path}`);
    const read = 'POST /analytics/v0/get-user-budget-overrides';
    assert.deepEqual(requests.reverse(), [read, read, 'POST /analytics/v0/set-user-budget-overrides', read]);
  });

  it('shows a limit that another window has changed since, and overwrites it only on request', async () => {
    const [one, other] = [await open(), await open()];
    const { id } = rowOf(one, 'ada@x.io');
    other.editor.setLimit(id, '200', '100');
    await step(other, 'preview');
    await apply(other);
    assert.equal(rowOf(one, 'ada@x.io').cells[4], '100', 'it does not know yet');
    one.editor.setLimit(id, '500', '100');
    const conflict = await step(one, 'preview');
    assert.equal(conflict.summary, 'Another client changed the limit from 100 to 200. Your change: 500.');
    assert.deepEqual(acts(conflict), ['overwrite', 'close']);
    await until('it is listed', () => rowOf(one, 'ada@x.io').cells[4] === '200');
    one.editor.act('apply');
    assert.equal((await limits())['ada@x.io'], '200', 'there is nothing to apply');
    one.editor.act('overwrite');
    await until('it may be', () => acts(editorOf(one).step).includes('apply'));
    await apply(one);
    assert.equal((await limits())['ada@x.io'], '500');
    // Both windows have one journal, so this is the last change of the other one, too.
    editors.get(other)!.reread();
    other.editor.act('close');
    assert.match(editorOf(other).last!.text, /1 applied/);
  });

  it('groups pasted rows by result, with counts and reasons, and saves skipped rows', async () => {
    const model = await open();
    model.editor.importLimits(
      [
        'limit,account',
        '150,ADA@x.io',
        '9,bob@x.io',
        ',nightly',
        `300,"${HOSTILE}"`,
        '5e3,f@x.io',
        '5,nobody@x.io',
      ].join('\r\n'),
      'rows',
    );
    const shown = await step(model, 'preview');
    assert.equal(shown.summary, '3 changes: 1 new, 1 changed, 1 cleared; 1 unchanged; 2 problems.');
    assert.deepEqual(
      shown.parts.map(({ id, count }) => [id, count]),
      [
        ['all', '6'],
        ['invalid', '1'],
        ['stranger', '1'],
        ['new', '1'],
        ['changed', '1'],
        ['cleared', '1'],
        ['unchanged', '1'],
      ],
    );
    assert.deepEqual(
      changeRows(model).map(([, , , , , , line]) => line),
      ['2', '3', '4', '5', '6', '7'],
    );
    model.editor.showPart('invalid');
    assert.equal(editorOf(model).step.list!.count, 1);
    assert.match(changeRows(model)[0]!.at(-1)!, /^“5e3”: A spreadsheet shortened the number/);
    model.editor.showPart('all');
    assert.match(
      (await editors.get(model)!.failuresCsv())!,
      /^user_email,.*\r\nf@x\.io,,5e3,.*\r\nnobody@x\.io,,5,.*Line 7: /,
    );
    assert.match(
      shown.note,
      /^(No account|\d+ accounts?) would be over at once .*\. All limits together: [\d,]+ → [\d,]+ credits\. As read /,
    );
    const report = await apply(model);
    assert.match(report.summary, /^All 3 limits are set as requested: 3 applied; 2 skipped\.$/);
    assert.deepEqual(acts(report), ['saveFailures', 'undo', 'close']);
    // Another process finds them later.
    const later = await open();
    assert.match((await editors.get(later)!.failuresCsv())!, /f@x\.io,,5e3,/);
    later.editor.act('undo');
    await step(later, 'preview');
    await apply(later);
    assert.deepEqual(await limits(), { 'ada@x.io': '100', nightly: '400', [HOSTILE]: '300' });
  });

  it('saves all limits as a file that can be imported', async () => {
    const model = await open();
    const { wanted, problems } = await readBudgetCsv((await editors.get(model)!.limitsCsv())!);
    assert.deepEqual([wanted.length, problems], [3, []]);
    assert.deepEqual(wanted.map(({ identity }) => identity.name).sort(), [HOSTILE, 'ada@x.io', 'nightly'].sort());
  });

  it('reports an interrupted batch in each window, and resumes or verifies it', async () => {
    const model = await open({ batchSize: 1 });
    // The second request and all later ones fail.
    model.editor.importLimits('account,limit\nada@x.io,150\nbob@x.io,7\n', 'rows');
    await step(model, 'preview');
    server.faults.add({ path: SET, times: 1, latency: { ms: 0 } });
    server.faults.add({ path: SET, status: 500 });
    const report = await apply(model);
    assert.deepEqual(acts(report), ['resume', 'verify', 'close']);
    assert.match(report.note, /The service failed/);
    assert.deepEqual(
      changeRows(model).map(([name, what]) => [name, what]),
      [
        ['ada@x.io', 'Applied'],
        ['bob@x.io', 'Not sent'],
      ],
    );
    const other = await open();
    const { interrupted } = editorOf(other);
    assert.match(interrupted!.text, /^The last change was interrupted\. Import of rows: 1 of 2 limits/);
    other.editor.clearLimit(rowOf(other, 'nightly').id);
    await step(other, 'preview');
    other.editor.act('apply');
    assert.match((await step(other, 'refused')).summary, /interrupted and is not settled/);
    server.faults.clear();
    other.editor.act('resume');
    assert.equal((await step(other, 'report')).tone, 'good');
    assert.equal((await limits())['bob@x.io'], '7');
    model.editor.act('close');
    editors.get(model)!.reread();
    assert.equal(editorOf(model).interrupted, null);
  });

  it('stops on request, and reports its progress', async () => {
    const model = await open({ batchSize: 1 });
    model.editor.importLimits('account,limit\nada@x.io,150\nbob@x.io,7\n', 'rows');
    await step(model, 'preview');
    server.faults.add({ path: SET, latency: { ms: 400 } });
    model.editor.act('apply');
    await step(model, 'running');
    model.editor.act('cancel');
    assert.match(editorOf(model).step.title, /^Stopping after/);
    const report = await step(model, 'report');
    assert.deepEqual(acts(report), ['resume', 'verify', 'close']);
    model.editor.act('verify');
    await until('it is settled', () => acts(editorOf(model).step)[0] === 'retry');
    model.editor.importLimits('account,limit\nada@x.io,151\n', 'rows');
    model.editor.act('cancel');
    await step(model, 'none');
  });

  it('names the missing permission, and still shows all limits', async () => {
    const { token } = await server.createToken(undefined, ['analytics:read']);
    const model = await open({ token });
    model.editor.setLimit(rowOf(model, 'ada@x.io').id, '5', '100');
    await step(model, 'preview');
    const report = await apply(model);
    assert.match(report.note, /Changing budgets needs the permission budgets:write/);
    assert.equal(rowOf(model, 'ada@x.io').cells[4], '100');
  });

  it('shows no names while they are hidden, and still changes limits', async () => {
    const model = await open({ anonymise: true });
    const all = (): string =>
      JSON.stringify([
        model.state,
        model.rows('budgets', 0, 500),
        model.rows('changes', 0, 500),
        model.editor.accounts(''),
      ]);
    assert.match(editorOf(model).notice, /Names are hidden/);
    const [row] = model.rows('budgets', 0, 1);
    const named = /ada|bob|nightly|onerror|nobody/i;
    assert.doesNotMatch(all(), named);
    model.editor.addLimit(row!.cells[0]!, null, '5');
    assert.equal((await step(model, 'preview')).title, `Limit of ${row!.cells[0]!}`);
    assert.doesNotMatch(all(), named);
    await apply(model);
    assert.doesNotMatch(all(), named);
    model.editor.importLimits('account,limit\nada@x.io,150\nnobody@x.io,7\nbob@x.io,05\n', 'rows');
    await until('it is looked at', () => editorOf(model).step.list);
    assert.doesNotMatch(all(), named);
  });

  it('lists accounts over their limit, and all accounts', async () => {
    const model = await open();
    const names = (): string[] => model.rows('budgets', 0, 500).map(({ cells }) => cells[0]!);
    assert.deepEqual([model.state.page.list!.count, names()[0]], [3, 'ada@x.io']);
    model.editor.showScope('over');
    assert.deepEqual([model.state.page.list!.count, names()], [1, ['ada@x.io']]);
    model.editor.showScope('all');
    assert.equal(model.state.page.list!.count, 4);
    assert.deepEqual(rowOf(model, 'bob@x.io').cells, ['bob@x.io', 'The plan’s default', '–', '7', '–', '–', '–']);
  });

  it('raises a limit to the projected need, on the page of a person', async () => {
    const model = await open();
    model.openPerson(rowOf(model, 'ada@x.io').id);
    const { person } = editorOf(model);
    // 150 on 20.5 of 30 days, rounded up to two digits.
    assert.deepEqual(
      [person!.text, person!.raise],
      ['Override: 100, in credits a month.', 'Raise to Projected Need, 220…'],
    );
    model.editor.raiseLimit(person!.id);
    assert.match((await step(model, 'preview')).summary, /^100 → 220/);
    await apply(model);
    assert.equal((await limits())['ada@x.io'], '220');
    model.openPerson(model.editor.accounts('bob')[0]!.id);
    assert.deepEqual([editorOf(model).person!.hasLimit, editorOf(model).person!.raise], [false, '']);
  });
});
