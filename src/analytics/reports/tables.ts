import { formatDay } from '../../base/day.ts';
import type { LanguageRow, CostRow } from '../client/analyticsData.ts';
import { identityOf } from '../identity.ts';
import { costBy, wholeAmount, type Dimension } from '../insights/amounts.ts';
import { MESSAGE_KINDS, KIND_FIELDS, acceptance, usageBy, type Usage } from '../insights/people.ts';
import type { BudgetReport } from './budgetReport.ts';
import type { Cell, Column, Table } from './table.ts';
import type { PeopleReport, UsageReport } from './usageReport.ts';

/* The tables of the reports: their columns are exported, so change their names with care. */

const text = (name: string, title: string): Column => ({ name, title, kind: 'text' });
const count = (name: string, title: string): Column => ({ name, title, kind: 'count' });
const share = (name: string, title: string): Column => ({ name, title, kind: 'share' });

const USE: readonly Column[] = [
  count('total_messages', 'Messages'),
  count('total_modified_lines_of_code', 'Lines'),
  share('acceptance_by_suggestions', 'Accepted suggestions'),
  share('acceptance_by_lines', 'Accepted lines'),
];

type PersonMetrics = PeopleReport['people'][number]['metrics'];

function use(metrics: PersonMetrics): Cell[] {
  const { bySuggestions, byLines } = acceptance(metrics);
  return [metrics.total_messages, metrics.total_modified_lines_of_code, bySuggestions, byLines];
}

/** Each day: active people, and their activity by kind. */
export function dayTable({ days }: UsageReport): Table {
  return {
    columns: [
      text('date', 'Day'),
      count('active', 'Active'),
      ...USE,
      ...KIND_FIELDS.map((field) => count(field, MESSAGE_KINDS[field])),
    ],
    rows: days.map(({ date, active, metrics }) => [
      date,
      active,
      ...(metrics ? use(metrics) : USE.map(() => undefined)),
      ...KIND_FIELDS.map((field) => metrics?.[field]),
    ]),
  };
}

/** Each person, the highest number of messages first. */
export function personTable({ people }: PeopleReport): Table {
  const sorted = [...people].sort((a, b) => b.metrics.total_messages - a.metrics.total_messages);
  return {
    columns: [text('identity', 'Person'), count('active_days', 'Active days'), ...USE],
    rows: sorted.map((row) => [identityOf(row).name, row.active_days, ...use(row.metrics)]),
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
    columns: [text(dimension, title), count('people', 'People (overlapping)'), ...USE],
    rows: usage.map(({ name, people, metrics }) => [name, people, ...use(metrics)]),
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

/** Cost of each subject in dollars and credits; days in order, else the highest first. */
export function costTable(points: readonly CostRow[], dimension: Dimension): Table {
  const billed = costBy(points, dimension, 'billed_amount_usd');
  const of = (measure: 'estimated_customer_cost_usd' | 'credits_consumed'): Map<string, bigint> =>
    new Map(costBy(points, dimension, measure).map(({ key, amount }) => [key, amount]));
  const [estimated, credits] = [of('estimated_customer_cost_usd'), of('credits_consumed')];
  if (dimension === 'day') billed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    columns: [
      text(dimension, COST_TITLES[dimension]),
      { name: 'billed_amount_usd', title: 'Billed', kind: 'usd' },
      { name: 'estimated_customer_cost_usd', title: 'Estimated', kind: 'usd' },
      { name: 'credits_consumed', title: 'Credits', kind: 'credits' },
    ],
    rows: billed.map(({ key, name, amount }) => [name, amount, estimated.get(key), credits.get(key)]),
  };
}

/** Each limit and its budget status. */
export function budgetTable({ statuses, unit }: BudgetReport): Table {
  const amount = (name: string, title: string): Column => ({ name, title, kind: unit });
  return {
    columns: [
      text('identity', 'Account'),
      text('kind', 'Kind'),
      share('used', 'Used'),
      amount('consumed', 'Consumed'),
      amount('limit', 'Limit'),
      amount('projected', 'Projected'),
      text('crosses_on', 'Over on'),
    ],
    rows: statuses.map(({ identity, used, spent, limit, projected, crossesOn }) => [
      identity.name,
      identity.kind === 'user_email' ? 'person' : 'service account',
      used,
      spent,
      wholeAmount(limit),
      projected,
      crossesOn === undefined ? undefined : formatDay(crossesOn),
    ]),
  };
}
