import { Option, type Command } from 'commander';
import type { AnalyticsData, CostFilter, CreditRow } from '../../analytics/client/analyticsData.ts';
import { LIMITS, TOKEN_FIELDS, type GroupByKey } from '../../analytics/contract.ts';
import type { DayRange } from '../../analytics/dateRules.ts';
import { identityKey, identityOf, type Identity } from '../../analytics/identity.ts';
import { formatAmount, formatUsd, wholeAmount, type Dimension } from '../../analytics/insights/amounts.ts';
import type { UnitCost } from '../../analytics/insights/unitCost.ts';
import { top, type Share } from '../../analytics/insights/compare.ts';
import { FEWEST_DAYS } from '../../analytics/insights/forecast.ts';
import { costReport, type CostReport, type Unit } from '../../analytics/reports/costReport.ts';
import { describeDays, qualityOf } from '../../analytics/reports/report.ts';
import { tableCsv } from '../../analytics/reports/csv.ts';
import { formatCell, formatChange, formatGrowth, formatPrice, formatShare } from '../../analytics/reports/table.ts';
import { costTable, creditTable, roundedEstimate, roundedPrice } from '../../analytics/reports/tables.ts';
import { groupedCost, groupedCostTable } from '../../analytics/groups/groupReport.ts';
import { formatDecimal, type Decimal } from '../../base/decimal.ts';
import { SextantError } from '../../base/errors.ts';
import {
  CONNECTION_HELP,
  EXIT_CODES,
  describeAge,
  loading,
  openData,
  printTable,
  readCompared,
  readRange,
  warnOfQuality,
  withAnalyticsOptions,
  withRangeOptions,
  type AnalyticsOptions,
  type RangeOptions,
} from './analytics.ts';
import { readGrouping, withGroupOptions, type GroupOptions } from './grouping.ts';
import { ExitCode, formatRows, printable, printJson, type Output, type Terminal } from '../terminal.ts';

const KEY_OF: Readonly<Record<Dimension, GroupByKey | undefined>> = {
  product: 'COST_ANALYTICS_GROUP_BY_PRODUCT',
  resource: 'COST_ANALYTICS_GROUP_BY_RESOURCE',
  user: 'COST_ANALYTICS_GROUP_BY_USER',
  byok: 'COST_ANALYTICS_GROUP_BY_BYOK_STATUS',
  expert: 'COST_ANALYTICS_GROUP_BY_EXPERT',
  day: undefined,
};
const UNITS = ['usd', 'credits'] as const;

/** Credits of each account by day and model, from the endpoint that has those of today. */
const CREDITS = 'credits';
const DIMENSIONS = [...Object.keys(KEY_OF), CREDITS];

interface CostOptions extends AnalyticsOptions, RangeOptions, GroupOptions {
  /** A dimension, credits, or a column of the group file. */
  readonly by?: string;
  readonly unit?: (typeof UNITS)[number];
  readonly user?: readonly string[];
  readonly serviceAccount?: readonly string[];
  readonly product?: readonly string[];
  readonly resource?: readonly string[];
  readonly expert?: readonly string[];
}

const HELP = `${CONNECTION_HELP}

Examples:
  sextant cost
  sextant cost --days 30 --by resource
  sextant cost --by user --csv > cost.csv
  sextant cost --by day --user ada@example.com
  sextant cost --by user --product Chat --resource opus
  sextant cost --by credits --days 1
  sextant cost --days 30 --by cost_center --groups teams.csv
  sextant cost --days 30 --group team=Search --groups teams.csv

${EXIT_CODES}`;

export function addCostCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const command = program.command('cost').description('show the cost, and its parts');
  withGroupOptions(withAnalyticsOptions(withRangeOptions(command)), DIMENSIONS)
    .option('--user <email...>', 'only these people, with --by')
    .option('--service-account <name...>', 'only these service accounts, with --by')
    .option('--product <name...>', 'only these products, with --by')
    .option('--resource <name...>', 'only these models and machines, with --by')
    .option('--expert <id...>', 'only these experts, with --by')
    .addOption(new Option('--unit <unit>', 'unit of the summary; default: that of the plan').choices(UNITS))
    .addHelpText('after', HELP)
    .action(async (options: CostOptions) => exit(await runCost(options, terminal)));
}

/** `sextant cost` */
async function runCost(options: CostOptions, terminal: Terminal): Promise<ExitCode> {
  const grouping = await readGrouping(options, DIMENSIONS);
  const whole = await openData(options, terminal);
  const data = grouping?.within(whole) ?? whole;
  const range = readRange(options, data);
  const { load, done } = loading(options, terminal);
  const { by } = options;
  if (by === CREDITS) {
    if (options.product || options.expert)
      throw new SextantError(
        'InvalidOption',
        'Credits are not counted by product or expert. Choose another --by, or leave out --product and --expert.',
      );
    const loaded = await data.credits(withToday(range, options, data), { date: true, model: true }, load);
    done();
    warnOfQuality(qualityOf(loaded), terminal);
    const table = creditTable(loaded.rows.filter(isOf(options)));
    await printTable(table, `Credits by account, day and model, ${describeAge(loaded.asOf)}`, options, terminal);
    return table.rows.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  }
  const filter = filterOf(options);
  if (grouping?.column !== undefined) {
    const { rows, ...quality } = await groupedCost(data, range, grouping.groups, grouping.column, {
      ...load,
      ...filter,
    });
    done();
    warnOfQuality(quality, terminal);
    const table = groupedCostTable(rows, grouping.column);
    const about = `Cost by ${grouping.column}, ${describeDays(range)}, ${describeAge(quality.asOf)}`;
    await printTable(table, about, options, terminal);
    return table.rows.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  }
  if (by !== undefined || filter !== undefined) {
    const dimension = (by ?? 'day') as Dimension;
    const key = KEY_OF[dimension];
    const isDaily = key === undefined;
    const loaded = await data.cost(range, key === undefined ? [] : [key], { ...load, ...filter, daily: isDaily });
    done();
    warnOfQuality(qualityOf(loaded), terminal);
    const table = costTable(loaded.rows, dimension);
    const about = `Cost by ${dimension}, ${describeDays(range)}, ${describeAge(loaded.asOf)}`;
    await printTable(table, about, options, terminal);
    return table.rows.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  }
  const report = await costReport(data, range, { ...load, unit: options.unit, before: readCompared(options, range) });
  done();
  warnOfQuality(report, terminal);
  if (options.json) printJson(summaryJson(report), terminal);
  else if (options.csv) terminal.stdout.write(await tableCsv(costTable(report.points, 'day')));
  else
    terminal.stdout.write(
      `${titleOf(report)}, ${describeDays(range)}, ${describeAge(report.asOf)}\n${summary(report, terminal.stdout)}`,
    );
  return report.points.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

/** The chosen part of the cost; undefined for all of it. */
function filterOf({ user, serviceAccount, product, resource, expert }: CostOptions): CostFilter | undefined {
  if (!(user ?? serviceAccount ?? product ?? resource ?? expert)) return undefined;
  const people = user || serviceAccount ? { people: accountsOf(user, serviceAccount) } : {};
  return { ...people, products: product, resources: resource, experts: expert };
}

function accountsOf(user: readonly string[] = [], serviceAccount: readonly string[] = []): Identity[] {
  return [
    ...user.map((name) => ({ kind: 'user_email', name }) as const),
    ...serviceAccount.map((name) => ({ kind: 'service_account_name', name }) as const),
  ];
}

/** Whether a row of credits, which the service does not filter, is of a chosen account and model. */
function isOf({ user, serviceAccount, resource }: CostOptions): (row: CreditRow) => boolean {
  const keys = user || serviceAccount ? new Set(accountsOf(user, serviceAccount).map(identityKey)) : undefined;
  return (row) =>
    (keys?.has(identityKey(identityOf(row))) ?? true) &&
    (resource === undefined || (row.model_name !== undefined && resource.includes(row.model_name)));
}

/** Credits have figures of today, too, unless the last day is chosen. */
function withToday({ first, last }: DayRange, { to }: RangeOptions, { today }: AnalyticsData): DayRange {
  if (to !== undefined) return { first, last };
  return { first: Math.max(first, today - LIMITS.maxRangeDays + 1), last: today };
}

function titleOf({ unit }: CostReport): string {
  return unit === 'usd' ? 'Cost' : 'Credits';
}

/** Largest number of products and resources in a summary. */
const NAMED = 5;

function summary(report: CostReport, stdout: Output): string {
  const { unit, total, growth, month, whole, change } = report;
  const amount = (value: Decimal | undefined): string => formatCell(value, { kind: unit });
  const list = (shares: readonly Share[]): string => {
    const { top: first, others } = top(shares, NAMED);
    const named = first.map((share) => `${printable(share.name)} ${amount(share.amount)}`);
    return [...named, ...(others > 0n ? [`others ${amount(others)}`] : [])].join(' · ') || '–';
  };
  const since = growth === undefined ? '' : ` (${formatGrowth(growth)} since the previous period)`;
  const projected =
    month?.projected === undefined
      ? `, a projection needs ${FEWEST_DAYS} days of data`
      : `, projected ${amount(month.projected)}`;
  const band = month?.band ? ` (${amount(month.band.low)} to ${amount(month.band.high)})` : '';
  const week = month?.asLastWeek === undefined ? '' : `, as last week ${amount(month.asLastWeek)}`;
  const before = month?.lastMonth === undefined ? '' : `, last month ${amount(month.lastMonth)}`;
  return formatRows(
    [
      ['Total', `${amount(total)}${since}`],
      ['Products', list(report.byProduct)],
      ['Resources', list(report.byResource)],
      ['Keys', list(report.byKey)],
      ['Parts', `base cost ${formatUsd(whole.base)}, surcharge ${formatUsd(whole.surcharge)}`],
      [
        'Tokens',
        `${formatAmount(wholeAmount(whole.allTokens), 0)}, ${formatPrice(whole.perMillion, unit)} per million, ${formatShare(whole.cacheShare)} of input from the cache`,
      ],
      ...(change ? [['Change', describeChange(change, unit)] as const] : []),
      [
        'Month',
        month
          ? `${month.month}: ${amount(month.spent)} in ${month.daysElapsed} of ${month.daysInMonth} days${projected}${band}${week}${before}`
          : '–',
      ],
    ],
    stdout,
  );
}

function describeChange({ volume, mix, price, other }: NonNullable<CostReport['change']>, unit: Unit): string {
  const parts = [
    `${formatChange(volume, unit)} by volume`,
    `${formatChange(mix, unit)} by mix of models`,
    `${formatChange(price, unit)} by price`,
    ...(other === 0n ? [] : [`${formatChange(other, unit)} without tokens`]),
  ];
  return parts.join(', ');
}

function unitJson({ tokens, base, surcharge, perMillion, cacheShare }: Omit<UnitCost, 'key' | 'name'>) {
  return {
    base_cost_usd: formatDecimal(base),
    surcharge_usd: formatDecimal(surcharge),
    ...(Object.fromEntries(TOKEN_FIELDS.map((field) => [field, String(tokens[field])])) as Record<
      (typeof TOKEN_FIELDS)[number],
      string
    >),
    per_million_tokens: perMillion === undefined ? null : formatDecimal(roundedPrice(perMillion)!),
    cache_share: cacheShare ?? null,
  };
}

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function summaryJson(report: CostReport) {
  const { range, asOf, unit, total, growth, month } = report;
  const shares = (items: readonly Share[]): { name: string; amount: string }[] =>
    items.map(({ name, amount }) => ({ name, amount: formatDecimal(amount) }));
  const exact = (amount: Decimal | undefined): string | null => (amount === undefined ? null : formatDecimal(amount));
  return {
    range: describeDays(range),
    as_of: asOf ?? null,
    unit,
    total: total === undefined ? null : formatDecimal(total),
    growth: growth ?? null,
    month: month
      ? {
          name: month.month,
          spent: formatDecimal(month.spent),
          days_elapsed: month.daysElapsed,
          days_in_month: month.daysInMonth,
          projected: exact(roundedEstimate(month.projected)),
          projected_low: exact(roundedEstimate(month.band?.low)),
          projected_high: exact(roundedEstimate(month.band?.high)),
          as_last_week: exact(roundedEstimate(month.asLastWeek)),
          last_month: exact(month.lastMonth),
        }
      : null,
    products: shares(report.byProduct),
    resources: shares(report.byResource),
    keys: shares(report.byKey),
    days: shares(report.byDay),
    ...unitJson(report.whole),
    models: report.byModel.map((one) => ({ name: one.name, amount: formatDecimal(one.amount), ...unitJson(one) })),
    change: report.change
      ? Object.fromEntries(Object.entries(report.change).map(([name, amount]) => [name, exact(amount as Decimal)]))
      : null,
  };
}
