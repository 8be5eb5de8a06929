import { formatDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { CostRow, CreditRow, LanguageRow } from '../client/analyticsData.ts';
import { identityOf } from '../identity.ts';
import { METRIC_FIELDS, METRICS, TOKEN_FIELDS, type MetricField } from '../contract.ts';
import { nameIn, roundAmount, wholeAmount, type Dimension } from '../insights/amounts.ts';
import { MESSAGE_KINDS, KIND_FIELDS, acceptance, usageBy, type Usage } from '../insights/people.ts';
import { unitCosts, type SubjectOf, type UnitCost } from '../insights/unitCost.ts';
import type { BudgetStatus, LimitStatus } from '../insights/budgets.ts';
import type { BudgetReport } from './budgetReport.ts';
import type { Cell, Column, Table } from './table.ts';
import type { Unit } from './unit.ts';
import type { PeopleReport, UsageReport } from './usageReport.ts';

/* The tables of the reports: their columns are exported, so change their names with care. */

export const text = (name: string, title: string): Column => ({ name, title, kind: 'text' });
export const count = (name: string, title: string): Column => ({ name, title, kind: 'count' });
const share = (name: string, title: string): Column => ({ name, title, kind: 'share' });

export const USE: readonly Column[] = [
  count('total_messages', 'Messages'),
  count('total_modified_lines_of_code', 'Lines'),
  share('acceptance_by_suggestions', 'Accepted suggestions'),
  share('acceptance_by_lines', 'Accepted lines'),
];

type PersonMetrics = PeopleReport['people'][number]['metrics'];

/** The fields of a metrics object that a table has no column for. */
function detailsBesides(shown: readonly string[]): readonly MetricField[] {
  return METRIC_FIELDS.filter((field) => !shown.includes(field));
}

const detail = (column: Column): Column => ({ ...column, isDetail: true });
const metricDetails = (fields: readonly MetricField[]): Column[] =>
  fields.map((field) => detail(count(field, METRICS[field])));

/** Fields besides those of {@link USE}. */
const REST = detailsBesides(USE.map(({ name }) => name));
const DAY_REST = REST.filter((field) => !(field in MESSAGE_KINDS));

export function use(metrics: PersonMetrics): Cell[] {
  const { bySuggestions, byLines } = acceptance(metrics);
  return [metrics.total_messages, metrics.total_modified_lines_of_code, bySuggestions, byLines];
}

function restOf(metrics: PersonMetrics): Cell[] {
  return REST.map((field) => metrics[field]);
}

/** Each day: active people, and their activity by kind. */
export function dayTable({ days }: UsageReport): Table {
  return {
    columns: [
      text('date', 'Day'),
      count('active', 'Active'),
      ...USE,
      ...KIND_FIELDS.map((field) => count(field, MESSAGE_KINDS[field])),
      ...metricDetails(DAY_REST),
    ],
    rows: days.map(({ date, active, metrics }) => [
      date,
      active,
      ...(metrics ? use(metrics) : USE.map(() => undefined)),
      ...KIND_FIELDS.map((field) => metrics?.[field]),
      ...DAY_REST.map((field) => metrics?.[field]),
    ]),
  };
}

/** Each person, the highest number of messages first. */
export function personTable({ people }: PeopleReport): Table {
  const sorted = [...people].sort((a, b) => b.metrics.total_messages - a.metrics.total_messages);
  return {
    columns: [text('identity', 'Person'), count('active_days', 'Active days'), ...USE, ...metricDetails(REST)],
    rows: sorted.map((row) => [identityOf(row).name, row.active_days, ...use(row.metrics), ...restOf(row.metrics)]),
  };
}

/** Each language or editor. People of several are counted in each. */
export function languageTable(rows: readonly LanguageRow[], dimension: 'language' | 'editor'): Table {
  return usageTable(usageBy(rows, dimension), dimension);
}

/** Table of usage that is summed already. */
export function usageTable(usage: readonly Usage[], dimension: 'language' | 'editor'): Table {
  const title = dimension === 'language' ? 'Language' : 'Editor';
  return {
    columns: [text(dimension, title), count('people', 'People (overlapping)'), ...USE, ...metricDetails(REST)],
    rows: usage.map(({ name, people, metrics }) => [name, people, ...use(metrics), ...restOf(metrics)]),
  };
}

const COST_TITLES: Readonly<Record<Dimension, string>> = {
  product: 'Product',
  resource: 'Resource',
  user: 'Account',
  byok: 'Keys',
  expert: 'Expert',
  day: 'Day',
};

/** Titles of the tokens, in the order of their fields. */
export const TOKEN_TITLES: Readonly<Record<(typeof TOKEN_FIELDS)[number], string>> = {
  input_tokens: 'Input tokens',
  output_tokens: 'Output tokens',
  cache_read_tokens: 'Tokens read from the cache',
  cache_write_tokens: 'Tokens written to the cache',
};

/**
 * Cost of each subject in dollars and credits, with the parts of the cost and the tokens; days in order, else the
 * highest first.
 */
export function costTable(points: readonly CostRow[], dimension: Dimension): Table {
  const table = costsBy(points, dimension, text(dimension, COST_TITLES[dimension]), detailsIn(points, dimension));
  if (dimension !== 'day') return table;
  return { ...table, rows: [...table.rows].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)) };
}

/** The same for other subjects, named by the first column. */
export function costsBy(
  points: readonly CostRow[],
  subject: SubjectOf,
  named: Column,
  details?: SubjectDetails,
): Table {
  const billed = unitCosts(points, subject, 'billed_amount_usd');
  const of = (measure: 'estimated_customer_cost_usd' | 'credits_consumed'): Map<string, UnitCost> =>
    new Map(unitCosts(points, subject, measure).map((one) => [one.key, one]));
  const [estimated, credits] = [of('estimated_customer_cost_usd'), of('credits_consumed')];
  const amount = (name: string, title: string, kind: 'usd' | 'credits' = 'usd'): Column => ({ name, title, kind });
  return {
    columns: [
      named,
      amount('billed_amount_usd', 'Billed'),
      amount('estimated_customer_cost_usd', 'Estimated'),
      amount('credits_consumed', 'Credits', 'credits'),
      amount('estimated_usd_per_million_tokens', 'Estimated per million tokens'),
      detail(amount('credits_per_million_tokens', 'Credits per million tokens', 'credits')),
      detail(amount('base_cost_usd', 'Base cost')),
      detail(amount('surcharge_usd', 'Surcharge')),
      ...TOKEN_FIELDS.map((field) => detail(count(field, TOKEN_TITLES[field]))),
      detail(share('cache_share', 'Input from the cache')),
      ...(details ? [details.column] : []),
    ],
    rows: billed.map(({ key, name, amount, base, surcharge, tokens, cacheShare }): Cell[] => [
      name,
      amount,
      estimated.get(key)?.amount,
      credits.get(key)?.amount,
      roundedPrice(estimated.get(key)?.perMillion),
      roundedPrice(credits.get(key)?.perMillion),
      base,
      surcharge,
      ...TOKEN_FIELDS.map((field): Decimal => wholeAmount(tokens[field])),
      cacheShare,
      ...(details ? [details.of.get(key)] : []),
    ]),
  };
}

/** A price without digits that only a division makes. */
export function roundedPrice(price: Decimal | undefined): Decimal | undefined {
  return price === undefined ? undefined : roundAmount(price, 6);
}

/** An estimate in cents, or hundredths of a credit. */
export function roundedEstimate(amount: Decimal | undefined): Decimal | undefined {
  return amount === undefined ? undefined : roundAmount(amount, 2);
}

/** What the service says of subjects besides their names, by key: the kind of an account, a model or machine, or a key; an id. */
function detailsIn(points: readonly CostRow[], dimension: Dimension): SubjectDetails | undefined {
  const found = DETAILS[dimension];
  if (!found) return undefined;
  const of = new Map<string, string>();
  for (const point of points) {
    const value = found.of(point.group_by_values);
    if (value !== undefined) of.set(nameIn(point, dimension).key, value);
  }
  return { column: detail(text(found.name, found.title)), of };
}

interface SubjectDetails {
  readonly column: Column;
  readonly of: ReadonlyMap<string, string>;
}

const DETAILS: Readonly<
  Partial<
    Record<
      Dimension,
      {
        readonly name: string;
        readonly title: string;
        readonly of: (values: CostRow['group_by_values']) => string | undefined;
      }
    >
  >
> = {
  user: { name: 'user_type', title: 'Kind', of: ({ user_info: info }) => info?.user_type },
  resource: { name: 'resource_type', title: 'Kind', of: ({ resource_type: type }) => type },
  byok: { name: 'byok_status', title: 'Kind', of: ({ byok_status: status }) => status },
  expert: { name: 'expert_id', title: 'Id', of: ({ expert_info: info }) => info?.expert_id },
};

/** Credits of each account, day and model, in this order. */
export function creditTable(rows: readonly CreditRow[]): Table {
  const sorted = rows
    .map((row) => ({ row, order: [identityOf(row).name, row.date, row.model_name].join('\0') }))
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  return {
    columns: [
      text('identity', 'Account'),
      text('date', 'Day'),
      text('model_name', 'Model'),
      { name: 'credits_consumed', title: 'Credits', kind: 'credits' },
    ],
    rows: sorted.map(({ row }) => [identityOf(row).name, row.date, row.model_name, wholeAmount(row.credits_consumed)]),
  };
}

/** Each limit and its budget status; `columns` and `cellsOf` name the groups of an account. */
export function budgetTable(
  { statuses, unit }: Pick<BudgetReport, 'statuses' | 'unit'>,
  columns: readonly Column[] = [],
  cellsOf: (status: BudgetStatus) => readonly Cell[] = () => [],
): Table {
  const kind = text('kind', 'Kind');
  // Shown only where it differs, since a terminal of 80 columns has no room for it beside an address.
  const isShown = statuses.some(({ identity }) => identity.kind !== 'user_email');
  return {
    columns: [text('identity', 'Account'), isShown ? kind : detail(kind), ...limitColumns(unit), ...columns],
    rows: statuses.map((status) => [
      status.identity.name,
      status.identity.kind === 'user_email' ? 'person' : 'service account',
      ...limitCells(status),
      ...cellsOf(status),
    ]),
  };
}

/** Columns of a limit, for {@link limitCells}. */
export function limitColumns(unit: Unit): Column[] {
  const amount = (name: string, title: string): Column => ({ name, title, kind: unit });
  return [
    share('used', 'Used'),
    amount('consumed', 'Consumed'),
    amount('limit', 'Limit'),
    amount('projected', 'Projected'),
    text('crosses_on', 'Over on'),
  ];
}

export function limitCells({ used, spent, limit, projected, crossesOn }: LimitStatus): Cell[] {
  const on = crossesOn === undefined ? undefined : formatDay(crossesOn);
  return [used, spent, wholeAmount(limit), roundedEstimate(projected), on];
}
