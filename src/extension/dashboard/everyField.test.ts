import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { endpoints, METRIC_FIELDS, TOKEN_FIELDS, type Endpoint } from '../../analytics/contract.ts';
import { tableCsv } from '../../analytics/reports/csv.ts';
import { ReportStore } from '../../analytics/reports/reportStore.ts';
import { silentLogger } from '../../base/log.ts';
import { readData } from '../../server/analytics/data/readData.ts';
import { SextantServer } from '../../server/server.ts';
import { GROUPS, TABS } from '../../protocol/dashboardChoices.ts';
import type { Page } from '../../protocol/dashboardView.ts';
import { BudgetEditor } from '../analytics/budgetEditor.ts';
import { DashboardModel, FIRST_CHOICES } from './dashboardModel.ts';
import { asJson } from './exportText.ts';

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: unknown;
}

const jsonSchemaOf = (schema: Endpoint['response']): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** Names of the fields of an answer's rows that are no objects. */
function leavesOf({ properties, items, anyOf = [] }: JsonSchema, name?: string): string[] {
  const inner = properties
    ? Object.entries(properties)
        .filter(([field, { not }]) => field !== 'metadata' && field !== 'pagination' && not === undefined)
        .flatMap(([field, part]) => leavesOf(part, field))
    : [...(items ? [items] : []), ...anyOf].flatMap((part) => leavesOf(part));
  return inner.length > 0 || name === undefined ? inner : [name];
}

describe('the fields of the service', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer | undefined;
  let model: DashboardModel | undefined;
  afterEach(async () => {
    model?.dispose();
    await server?.close();
  });

  async function open(records: readonly object[]): Promise<DashboardModel> {
    server = await SextantServer.start({
      ...{ now: Date.parse('2026-11-21T12:00:00Z'), rateLimit: false },
      data: () => readData([Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))]),
    });
    server.clock.freeze();
    const { data } = openFigures(server, newFolder);
    const common = { logger: silentLogger, clock: server.clock, onChange: () => undefined };
    const editor = new BudgetEditor({ ...common, onOutdated: () => undefined, onAcknowledged: () => undefined });
    const kept = { ...FIRST_CHOICES, preset: '7d' as const };
    model = new DashboardModel({ ...common, kept, keep: () => undefined, secret: 'secret', editor });
    const range = { first: data.newestDay - 6, last: data.newestDay };
    model.connect({ kind: 'ready', name: 'here', organizations: 1 }, new ReportStore(data, range, common));
    return model;
  }

  async function loaded(model: DashboardModel): Promise<Page> {
    return until('it is loaded', () => {
      const { page } = model.state;
      return !page.isLoading && page.attention?.isLoading !== true && (page.isFilled || page.empty) ? page : undefined;
    });
  }

  it('are on a page, in the JSON and in the CSV', async () => {
    // Each number is that of one field alone. All are of one day, so that sums are these numbers.
    let last = 1_000_003;
    const next = (): number => (last += 1_009);
    const numbersOf = (fields: readonly string[]): Record<string, number> =>
      Object.fromEntries(fields.map((field) => [field, next()]));
    const metrics = numbersOf(METRIC_FIELDS);
    const costs = numbersOf([...TOKEN_FIELDS, 'base_cost_usd', 'billed_amount_usd', 'credits_consumed']);
    const surcharge_usd = costs.billed_amount_usd! - costs.base_cost_usd!;
    const [date, limit, names] = ['2026-11-20', next(), { language: 'Zig', editor: 'Helix' }];
    const account = { service_account_name: 'ci-nightly' };
    const kinds = {
      resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL',
      byok_status: 'COST_ANALYTICS_BYOK_STATUS_NON_BYOK',
      user_type: 'COST_ANALYTICS_USER_TYPE_SERVICE_ACCOUNT',
    };
    const cost = (resource: string, user_info: object, amounts: Readonly<Record<string, number>>): object => {
      const of = { product_display_name: 'Forge', resource_display_name: resource, expert_id: 'expert-9' };
      const { user_type, ...rest } = kinds;
      const cost_metrics = Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, name.includes('tokens') ? amount : String(amount)])); // oxfmt-ignore
      return { kind: 'cost', date, ...of, ...rest, user_info: { user_type, ...user_info }, cost_metrics };
    };
    const rule = { resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED', period: 'BUDGET_PERIOD_MONTHLY' };
    const bot = { user_type: 'COST_ANALYTICS_USER_TYPE_BOT', bot_name: 'Review Bot' };
    const person = { user_type: 'COST_ANALYTICS_USER_TYPE_USER', user_email: 'ada@example.com' };
    const records = [
      { kind: 'org', plan: 'credits', enterprise: true },
      { kind: 'service_account', ...account },
      { kind: 'user', user_email: person.user_email },
      { kind: 'bot', bot_name: bot.bot_name },
      { kind: 'expert', expert_id: 'expert-9', name: 'Reviewer' },
      { kind: 'activity', date, ...account, ...names, metrics },
      { kind: 'credits', date, ...account, model_name: 'opus-x', credits_consumed: costs.credits_consumed },
      cost('opus-x', account, costs),
      ...[bot, person].map((info) =>
        cost('cedar', info, { billed_amount_usd: 2, base_cost_usd: 1, credits_consumed: 1 }),
      ),
      { kind: 'override', ...account, ...rule, config: { limit: String(limit) } },
    ];
    const model = await open(records);
    let [page, rows, files] = ['', '', ''];
    const collect = async (shown: Page): Promise<void> => {
      const { figures, table } = model.shown;
      const list = shown.list === null ? [] : model.rows('people', 0, 9).concat(model.rows('budgets', 0, 9));
      page += JSON.stringify([shown, list]);
      rows += asJson(model.shown);
      for (const one of [...figures.map(({ table }) => table), ...(table ? [table] : [])]) files += await tableCsv(one);
    };
    for (const tab of TABS)
      for (const group of tab === 'cost' ? GROUPS : (['resource'] as const)) {
        model.choose({ ...model.choices, tab, group });
        await collect(await loaded(model));
      }
    const values: Readonly<Record<string, string | number>> = {
      ...{ ...metrics, ...costs, ...kinds, ...names, ...account, surcharge_usd, date, limit },
      ...{
        start_date: date,
        end_date: date,
        estimated_customer_cost_usd: costs.billed_amount_usd!,
        model_name: 'opus-x',
      },
      ...{ product_display_name: 'Forge', resource_display_name: 'opus-x', expert_id: 'expert-9', name: 'Reviewer' },
      ...{ user_email: person.user_email, bot_name: bot.bot_name },
    };
    // Too small to be found as text, or the same for all limits of a plan.
    const others = ['user_count', 'active_days', 'resource', 'period'];
    const { setUserBudgetOverrides: _, ...read } = endpoints;
    const fields = new Set(Object.values<Endpoint>(read).flatMap(({ response }) => leavesOf(jsonSchemaOf(response))));
    assert.deepEqual([...fields].sort(), [...Object.keys(values), ...others].sort(), 'the contract has other fields');
    for (const [field, value] of Object.entries(values)) {
      for (const text of [rows, files]) assert.ok(text.includes(String(value)), field);
      // A page has words for kinds, and the name of an expert in place of the id.
      const shown = typeof value === 'number' ? value.toLocaleString('en') : value;
      if (!(field in kinds) && field !== 'expert_id') assert.ok(page.includes(shown), `${field} on a page`);
    }
    for (const words of ['Active', 'Active days', 'service accounts', "The service's models"])
      assert.ok(page.includes(words), words);
  });
});
