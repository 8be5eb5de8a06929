import { formatDecimal, type Decimal } from '../../base/decimal.ts';
import type { Gauge, Sample } from '../../base/openMetrics.ts';
import { isUnlimited } from '../budgets/limit.ts';
import { identityOfKey, type Identity } from '../identity.ts';
import { costBy, sumOf, wholeAmount } from '../insights/amounts.ts';
import type { AttentionItem } from '../insights/attention.ts';
import { groupFields } from '../groups/groupLimits.ts';
import { levelOf, type BudgetStatus, type LimitStatus } from '../insights/budgets.ts';
import { MEASURE_OF, type Unit } from './unit.ts';
import type { MetricsReport } from './metricsReport.ts';

/** Most products and most resources that are named; the rest is summed. */
export const MOST_PARTS = 50;
/** Most limits of groups, the most used first: groups of different columns have no sum. */
export const MOST_GROUPS = 500;
/** Name of the sum of all that are not named. */
const OTHER = 'other';

type Labels = Readonly<Record<string, string>>;

/**
 * The figures as gauges, of which at most `accounts` name an account. A figure that is not known has no sample, as 0 would be
 * wrong. docs/data-out.md has the names.
 */
export function metricsOf(report: MetricsReport, accounts: number): Gauge[] {
  return [
    ...stateOf(report),
    ...activeOf(report),
    ...spendingOf(report),
    ...accountsOf(report, accounts),
    ...budgetsOf(report, accounts),
    ...groupBudgetsOf(report, accounts),
    attentionGauge(report),
  ];
}

function stateOf({ asOf, offline }: MetricsReport): Gauge[] {
  return [
    gauge('sextant_service_reachable', 'Whether the last load reached the service: 1, or 0 for cached figures.', [
      { value: offline ? 0 : 1 },
    ]),
    {
      ...gauge('sextant_figures_timestamp_seconds', 'Time of the oldest of the figures.', [
        ...(asOf === undefined ? [] : [{ value: Date.parse(asOf) / 1000 }]),
      ]),
      unit: 'seconds',
    },
  ];
}

function activeOf({ active, presence: { presence } }: MetricsReport): Gauge[] {
  const known = { day: active, week: presence?.weekly, month: presence?.monthly };
  const samples = Object.entries(known).flatMap(([period, value]) =>
    value === undefined ? [] : [{ labels: { period }, value }],
  );
  const help = 'Different active accounts of the newest finished day, of its last 7 and of its last 28 days.';
  return [gauge('sextant_active_accounts', help, samples)];
}

/** Spending of the organization this month: in all, by product and by resource. */
function spendingOf({ cost, isBegun }: MetricsReport): Gauge[] {
  const { unit, month } = cost;
  const isWhole = cost.missing.length === 0;
  const points = isBegun ? cost.points : [];
  const one = (value: Decimal | undefined): Sample[] => (value === undefined ? [] : [{ value: formatDecimal(value) }]);
  const gauges = [
    inUnit('sextant_month_spending', 'Spending of this month so far.', unit, one(month?.spent)),
    inUnit('sextant_month_projected_spending', 'Projected spending of all of this month.', unit, one(month?.projected)),
    ...(['product', 'resource'] as const).map((part) => {
      // A part with the name of the rest joins it.
      const shares = costBy(points, part, MEASURE_OF[unit]);
      const named = shares.filter(({ name }) => name !== OTHER).slice(0, MOST_PARTS);
      const samples = summed(shares, new Set(named), ({ name }) => ({ [part]: name }), { [part]: OTHER });
      const help = `Spending of the finished days of this month by ${part}.`;
      return inUnit(`sextant_month_${part}_spending`, help, unit, isWhole ? samples : []);
    }),
  ];
  if (unit === 'usd') return gauges;
  const billed = isWhole ? sumOf(points, MEASURE_OF.usd) : undefined;
  const help = 'Dollars billed for the finished days of this month.';
  return [...gauges, inUnit('sextant_month_billed', help, 'usd', one(billed))];
}

/** Spending of accounts this month: of the highest, and of the others together. */
function accountsOf({ accounts, cost: { unit } }: MetricsReport, most: number): Gauge[] {
  const samples = summed(
    accounts,
    new Set(accounts.slice(0, most)),
    ({ key, name }) => ({ account: name, kind: identityOfKey(key, name)?.kind ?? kindOfKey(key) }),
    REST,
  );
  return [inUnit('sextant_month_account_spending', 'Spending of accounts this month so far.', unit, samples)];
}

const REST = { account: OTHER, kind: OTHER };

function kindOfKey(key: string): string {
  return key.startsWith('bot\0') ? 'bot' : 'deleted';
}

/** Limits and their consumption: of the most used, and of the others together. */
function budgetsOf({ budgets: { statuses, unit } }: MetricsReport, most: number): Gauge[] {
  const limited = statuses.filter(({ limit }) => !isUnlimited(String(limit)));
  const named = new Set(limited.slice(0, most));
  const labels = ({ identity }: BudgetStatus): Labels => labelsOf(identity);
  const of = (amount: (status: BudgetStatus) => Decimal): Sample[] => {
    const items = limited.map((status) => ({ status, amount: amount(status) }));
    const isNamed = new Set(items.filter(({ status }) => named.has(status)));
    return summed(items, isNamed, ({ status }) => labels(status), REST);
  };
  const counts = { over: 0, near: 0, crossing: 0, within: 0, unlimited: statuses.length - limited.length };
  for (const status of limited) counts[levelOf(status)]++;
  const levels = Object.entries(counts).map(([level, value]) => ({ labels: { level }, value }));
  const help = 'Accounts with an override: over, near (from 90 %), projected over (crossing), within, or unlimited.';
  return [
    gauge('sextant_budgets', help, levels),
    inUnit(
      'sextant_budget_limit',
      'Limits of this month.',
      unit,
      of(({ limit }) => wholeAmount(limit)),
    ),
    inUnit(
      'sextant_budget_consumed',
      'Consumption of these limits this month.',
      unit,
      of(({ spent }) => spent),
    ),
  ];
}

/** Limits of groups and of the organization, and their consumption; without names, none of a group that is a person. */
function groupBudgetsOf({ groupBudgets: { statuses, unit } }: MetricsReport, most: number): Gauge[] {
  const named = statuses
    .map(({ of, ...status }) => ({ ...status, ...groupFields(of) }))
    .filter(({ group }) => most > 0 || !group.includes('@'))
    .slice(0, MOST_GROUPS);
  const of = (amount: (status: LimitStatus) => Decimal): Sample[] =>
    named.map((status) => ({
      labels: { column: status.column, group: status.group },
      value: formatDecimal(amount(status)),
    }));
  return [
    inUnit(
      'sextant_group_budget_limit',
      'Limits of groups and of the organization this month.',
      unit,
      of(({ limit }) => wholeAmount(limit)),
    ),
    inUnit(
      'sextant_group_budget_consumed',
      'Consumption of these limits this month.',
      unit,
      of(({ spent }) => spent),
    ),
  ];
}

function labelsOf({ kind, name }: Identity): Labels {
  return { account: name, kind };
}

/** Counts of what `sextant usage --attention` lists. What could not be looked at has no sample. */
function attentionGauge({ attention, presence }: MetricsReport): Gauge {
  const count = (...kinds: readonly AttentionItem['kind'][]): number =>
    attention.filter(({ kind }) => kinds.includes(kind)).reduce((sum, item) => sum + subjectsOf(item), 0);
  const counts = {
    over: count('over', 'moreOver'),
    near: count('near', 'projected', 'moreNear'),
    unusual: count('unusual'),
    ...(presence.presence && { stopped: count('stopped') }),
  };
  const samples = Object.entries(counts).map(([kind, value]) => ({ labels: { kind }, value }));
  return gauge(
    'sextant_attention',
    'Accounts and groups over and near their limit, unusual spending, accounts that stopped.',
    samples,
  );
}

function subjectsOf(item: AttentionItem): number {
  if ('count' in item) return item.count;
  return 'people' in item ? item.people.length : 1;
}

/** A sample for each named item, and one for the sum of the others if there are any. */
function summed<T extends { readonly amount: Decimal }>(
  items: readonly T[],
  named: ReadonlySet<T>,
  labels: (item: T) => Labels,
  rest: Labels,
): Sample[] {
  const others = items.filter((item) => !named.has(item));
  const sum = others.reduce((amount, item) => amount + item.amount, 0n);
  return [
    ...items
      .filter((item) => named.has(item))
      .map((item) => ({ labels: labels(item), value: formatDecimal(item.amount) })),
    ...(others.length === 0 ? [] : [{ labels: rest, value: formatDecimal(sum) }]),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Gauge {
  return { name, help, samples };
}

function inUnit(name: string, help: string, unit: Unit, samples: readonly Sample[]): Gauge {
  return { name: `${name}_${unit}`, help, unit, samples };
}
