import * as l10n from '@vscode/l10n';
import { costBy, sumOf, type Dimension, type Measure } from '../../analytics/insights/amounts.ts';
import { shareOfAmount, type Share } from '../../analytics/insights/compare.ts';
import { FEWEST_DAYS } from '../../analytics/insights/forecast.ts';
import {
  OTHERS,
  onDays,
  onOwnKeys,
  seriesBy,
  splitByKeys,
  withRest,
  type DaySeries,
} from '../../analytics/insights/series.ts';
import { MEASURE_OF, type CostReport, type Unit } from '../../analytics/reports/costReport.ts';
import type { ExpertReport, SpendingReport } from '../../analytics/reports/spendingReport.ts';
import { formatGrowth, formatShare, type Table } from '../../analytics/reports/table.ts';
import { costTable } from '../../analytics/reports/tables.ts';
import { daysOf } from '../../analytics/dateRules.ts';
import { formatDay } from '../../base/day.ts';
import { groupedCostTable, titleOfColumn } from '../../analytics/groups/groupReport.ts';
import type { GroupDays } from '../../analytics/groups/groupDays.ts';
import type { Decimal } from '../../base/decimal.ts';
import { COLUMN, GROUPS, type CostGroup } from '../../protocol/dashboardChoices.ts';
import { none, type Content, type ViewOptions } from './content.ts';
import {
  amountText,
  forecastNote,
  barFigure,
  knownNote,
  matchesFilter,
  stackFigure,
  tile,
  type Figure,
} from './figures.ts';
import { chosenPart } from './parts.ts';
import { burnFigure, moverFigure } from './spendingFigures.ts';
import { unitFigures, unitTiles } from './unitCostFigures.ts';

export interface SpendingReports {
  readonly cost: CostReport;
  readonly spending: SpendingReport | undefined;
  readonly experts: ExpertReport | undefined;
  readonly groupDays: GroupDays | undefined;
  /** The limit of the shown group, or of the organization; of a part of the spending, none. */
  readonly limit: bigint | undefined;
}

/** Largest number of parts in a stack: more look alike. */
const SERIES = 6;
/** Largest number of bars. */
const BARS = 12;

export function groupName(group: CostGroup): string {
  const names: Readonly<Record<CostGroup, string>> = {
    resource: l10n.t('Models and machines'),
    product: l10n.t('Products'),
    byok: l10n.t('Keys'),
    user: l10n.t('People'),
    expert: l10n.t('Experts'),
    group: l10n.t('Groups'),
  };
  return names[group];
}

/** The groupings, with the columns of the group file; a part of the spending has no accounts and experts. */
export function groupings(
  isPart: boolean,
  columns: readonly string[],
): { readonly id: string; readonly name: string }[] {
  const known = GROUPS.filter((id) => id !== 'group' && (!isPart || (id !== 'user' && id !== 'expert')));
  return [
    ...known.map((id) => ({ id, name: groupName(id) })),
    ...(isPart ? [] : columns.map((column) => ({ id: `${COLUMN}${column}`, name: titleOfColumn(column) }))),
  ];
}

/** Credits by day and by model, and the projection of the month. */
export function creditsContent(reports: SpendingReports, options: ViewOptions): Content {
  const { cost } = reports;
  if (cost.total !== undefined && (cost.unit !== 'credits' || sumOf(cost.points, 'credits_consumed') === 0n))
    return {
      tiles: [],
      figures: [],
      table: none,
      empty: {
        title: l10n.t('No credits were consumed on these days'),
        message: l10n.t('There was no use, or the plan is billed in dollars: see Cost.'),
      },
    };
  return {
    tiles: [...spentTiles(cost, options), ...unitTiles(cost)],
    figures: [
      ...(cost.total === undefined
        ? []
        : [
            ...dayFigure(reports, options, 'credits'),
            ...accountFigure(reports, options, 'credits'),
            barsOf(cost, 'resource', 'credits', l10n.t('Credits by model'), options),
          ]),
      ...(cost.burnDown ? [burnFigure(cost.burnDown, 'credits', reports.limit)] : []),
      ...(options.choices.compare && cost.movers.length > 0 ? [moverFigure(cost)] : []),
      ...unitFigures(cost, options),
    ],
    table: () => groupTable(reports, options.choices.group, options),
    empty: null,
  };
}

/** Dollars by day, product, resource and key, and the projection of the month. */
export function costContent(reports: SpendingReports, options: ViewOptions): Content {
  const { cost } = reports;
  if (cost.total !== undefined && cost.points.length === 0)
    return {
      tiles: [],
      figures: [],
      table: none,
      empty: { title: l10n.t('No cost on these days'), message: l10n.t('Choose other days above.') },
    };
  const isKnown = cost.total !== undefined;
  const sum = (points: CostReport['points'], measure: Measure): Decimal | undefined =>
    isKnown ? sumOf(points, measure) : undefined;
  const billed = sum(cost.points, 'billed_amount_usd');
  const estimated = sum(cost.points, 'estimated_customer_cost_usd');
  const own = sum(onOwnKeys(cost.points), 'estimated_customer_cost_usd');
  const note = partNote(cost);
  const [dearest] = costBy(cost.points, 'resource', 'estimated_customer_cost_usd');
  return {
    tiles: [
      tile(
        'billed',
        l10n.t('Billed'),
        amountText(billed, 'usd'),
        l10n.t('Dollars that the service bills for these days.'),
        {
          note: cost.unit === 'usd' ? growthNote(cost, options) : note,
        },
      ),
      tile(
        'estimated',
        l10n.t('Estimated cost'),
        amountText(estimated, 'usd'),
        l10n.t('Total cost to the organization: the bill, and the charges of the providers of its own keys.'),
        { note },
      ),
      tile(
        'own',
        l10n.t('On own keys (BYOK)'),
        amountText(own, 'usd'),
        l10n.t('The part of the estimated cost on the organization’s own keys.'),
        {
          note:
            own !== undefined && estimated !== undefined && estimated > 0n
              ? formatShare(shareOfAmount(own, estimated))
              : note,
        },
      ),
      tile(
        'dearest',
        l10n.t('Highest cost'),
        dearest?.name ?? '–',
        l10n.t('The model or machine with the largest estimated cost.'),
        { note: dearest ? amountText(dearest.amount, 'usd') : note },
      ),
      ...(cost.unit === 'usd' ? [...spentTiles(cost, options).slice(1), ...unitTiles(cost)] : []),
    ],
    figures: [
      ...(isKnown
        ? [
            ...dayFigure(reports, options, 'usd'),
            ...accountFigure(reports, options, 'usd'),
            splitFigure(cost, 'product', l10n.t('Cost by product'), options),
            splitFigure(cost, 'resource', l10n.t('Cost by model and machine'), options),
          ]
        : []),
      ...(cost.unit === 'usd' && cost.burnDown ? [burnFigure(cost.burnDown, 'usd', reports.limit)] : []),
      ...(cost.unit === 'usd' && options.choices.compare && cost.movers.length > 0 ? [moverFigure(cost)] : []),
      ...(cost.unit === 'usd' ? unitFigures(cost, options) : []),
    ],
    table: () => groupTable(reports, options.choices.group, options),
    empty: null,
  };
}

function spentTiles(cost: CostReport, options: ViewOptions): Content['tiles'] {
  const { unit, total } = cost;
  const isUsd = unit === 'usd';
  return [
    tile('total', isUsd ? l10n.t('Billed') : l10n.t('Credits'), amountText(total, unit), l10n.t('Sum of these days.'), {
      note: growthNote(cost, options),
    }),
    ...(chosenPart(options.choices) === '' ? monthTiles(cost) : []),
  ];
}

function monthTiles({ month, unit }: CostReport): Content['tiles'] {
  const unknown = l10n.t('unknown');
  return [
    tile(
      'month',
      month ? l10n.t('Month {0}', month.month) : l10n.t('This month'),
      amountText(month?.spent, unit),
      l10n.t('From the first of the month; with credits, up to the last refresh of today.'),
      {
        note: month ? l10n.t('{0} of {1} days', month.daysElapsed, month.daysInMonth) : unknown,
      },
    ),
    tile(
      'projected',
      l10n.t('At month’s end'),
      amountText(month?.projected, unit),
      l10n.t('Projection from the same weekdays of the last weeks. Four months of five end in the range.'),
      {
        note: !month
          ? unknown
          : month.projected === undefined
            ? l10n.t('a projection needs {0} days of data', FEWEST_DAYS)
            : forecastNote(month, unit),
      },
    ),
  ];
}

/** Note below a sum: its growth, or the number of its days. */
export function growthNote(cost: CostReport, { choices }: ViewOptions): string {
  if (cost.daysKnown < daysOf(cost.range).length) return partNote(cost);
  return choices.compare && cost.growth !== undefined
    ? l10n.t('{0} since the previous period', formatGrowth(cost.growth))
    : '';
}

/** Empty if all days are known. */
function partNote({ daysKnown, range }: CostReport): string {
  const days = daysOf(range).length;
  return daysKnown < days ? knownNote(daysKnown, days) : '';
}

/** Puts that note before the summary of a chart. */
function ofPart(cost: CostReport, summary: string): string {
  const note = partNote(cost);
  return note === '' ? summary : l10n.t('{0}: {1}', note, summary);
}

/** Each day, divided by the group of the page; empty until the group is loaded. */
function dayFigure(
  { cost, spending, experts, groupDays }: SpendingReports,
  { choices, names }: ViewOptions,
  unit: Unit,
): Figure[] {
  const { group, filter } = choices;
  const measure: Measure = MEASURE_OF[unit];
  const days = daysOf(cost.range).map(formatDay);
  const whole = onDays(costBy(cost.points, 'day', measure), days);
  const title = unit === 'usd' ? l10n.t('Billed by day') : l10n.t('Credits by day');
  let series: readonly DaySeries[];
  let nameOf = ({ name }: DaySeries): string => name;
  let grouping = groupName(group);
  if (group === 'user') {
    if (!spending) return [];
    nameOf = ({ key, name }) => names.ofKey(key, name);
    const people = seriesBy(spending.daily, 'user', measure, days, SERIES);
    series = withRest(
      people.filter(({ key }) => key !== OTHERS),
      whole,
    );
  } else if (group === 'group') {
    if (groupDays?.column === undefined) return [];
    grouping = titleOfColumn(groupDays.column);
    nameOf = ({ name }) => (name === '' ? '' : names.ofGroup(name));
    const own = groupDays.days.map(({ group: name, rows }) => ({
      ...{ key: name, name },
      amounts: onDays(costBy(rows, 'day', measure), days),
    }));
    series = withRest(own, whole);
  } else {
    const points = group === 'expert' ? experts?.points : cost.points;
    if (!points) return [];
    series = seriesBy(points, group, measure, days, SERIES);
  }
  const shown = series.filter((one) => one.name === '' || matchesFilter(nameOf(one), filter));
  const total = amountText(sumOf(cost.points, measure), unit);
  return [
    stackFigure(
      {
        id: 'days',
        title: l10n.t('{0}, {1}', title, grouping.toLowerCase()),
        about: l10n.t('Each day (UTC), divided by the group of the page: the largest ones, and all others together.'),
        summary: ofPart(
          cost,
          l10n.t('{0} in all; the largest part: {1}.', total, shown[0] ? nameOf(shown[0]) || '–' : '–'),
        ),
      },
      unit,
      cost.range,
      shown,
      cost.missing,
      nameOf,
    ),
  ];
}

function barsOf(cost: CostReport, dimension: Dimension, unit: Unit, title: string, options: ViewOptions): Figure {
  const { points } = cost;
  const all = costBy(points, dimension, MEASURE_OF[unit]);
  return sumFigure(cost, { id: `by-${dimension}`, title, all, table: costTable(points, dimension) }, unit, options);
}

/** Accounts with the highest sums, bots and deleted accounts too; empty unless the page is grouped by them. */
function accountFigure({ cost, spending }: SpendingReports, options: ViewOptions, unit: Unit): Figure[] {
  if (options.choices.group !== 'user' || !spending) return [];
  const title = unit === 'usd' ? l10n.t('Billed by account') : l10n.t('Credits by account');
  const all = costBy(spending.points, 'user', MEASURE_OF[unit]).map((one) => ({
    ...one,
    name: options.names.ofKey(one.key, one.name),
  }));
  return [sumFigure(cost, { id: 'by-user', title, all, table: personCostTable(spending, options) }, unit, options)];
}

/** Bars of sums, the largest first. */
function sumFigure(
  cost: CostReport,
  sums: { readonly id: string; readonly title: string; readonly all: readonly Share[]; readonly table: Table },
  unit: Unit,
  { choices }: ViewOptions,
): Figure {
  const { id, title, table } = sums;
  const all = sums.all.filter(({ name, amount }) => amount !== 0n && matchesFilter(name, choices.filter));
  const [first] = all;
  return barFigure(
    {
      id,
      title,
      about: l10n.t('Sums of these days, the largest first.'),
      summary: ofPart(
        cost,
        first ? l10n.t('Most: {0}, {1}.', first.name, amountText(first.amount, unit)) : l10n.t('None.'),
      ),
    },
    unit,
    [title],
    all.slice(0, BARS).map(({ name, amount }) => ({ name, cells: [amount], text: amountText(amount, unit) })),
    table,
  );
}

function splitFigure(
  cost: CostReport,
  dimension: 'product' | 'resource',
  title: string,
  { choices }: ViewOptions,
): Figure {
  const split = splitByKeys(cost.points, dimension, 'estimated_customer_cost_usd').filter(
    ({ name, amount }) => amount !== 0n && matchesFilter(name, choices.filter),
  );
  const [first] = split;
  const service = l10n.t("The service's models");
  const own = l10n.t('Own keys (BYOK)');
  const table: Table = {
    columns: [
      { name: dimension, title: dimension === 'product' ? l10n.t('Product') : l10n.t('Resource'), kind: 'text' },
      { name: 'service_keys_usd', title: service, kind: 'usd' },
      { name: 'own_keys_usd', title: own, kind: 'usd' },
      { name: 'estimated_customer_cost_usd', title: l10n.t('Estimated'), kind: 'usd' },
    ],
    rows: split.map(({ name, parts, amount }) => [name, ...parts, amount]),
  };
  return barFigure(
    {
      id: `split-${dimension}`,
      title,
      about: l10n.t(
        'The estimated cost to the organization, and the part on its own keys, which their providers charge.',
      ),
      summary: ofPart(
        cost,
        first ? l10n.t('Most: {0}, {1}.', first.name, amountText(first.amount, 'usd')) : l10n.t('None.'),
      ),
    },
    'usd',
    [service, own],
    split.slice(0, BARS).map(({ name, parts, amount }) => ({ name, cells: parts, text: amountText(amount, 'usd') })),
    table,
  );
}

/** The rows of the page: the sum of each group. */
function groupTable(
  { cost, spending, experts, groupDays }: SpendingReports,
  group: CostGroup,
  options: ViewOptions,
): Table | undefined {
  if (group === 'user') return spending && personCostTable(spending, options);
  if (group === 'group') {
    if (groupDays?.column === undefined) return undefined;
    const named = groupDays.points.map(({ row, group: name }) => ({ row, group: options.names.ofGroup(name) }));
    return groupedCostTable(named, groupDays.column);
  }
  const points = group === 'expert' ? experts?.points : cost.points;
  return points && costTable(points, group);
}

/** The sum of each account, with names or pseudonyms. */
export function personCostTable({ points }: SpendingReport, { names }: ViewOptions): Table {
  const shown = points.map((point) => {
    const { user_info: info } = point.group_by_values;
    return { ...point, group_by_values: { ...point.group_by_values, ...(info && { user_info: names.ofInfo(info) }) } };
  });
  return costTable(shown, 'user');
}
