import * as l10n from '@vscode/l10n';
import { costBy, sumOf, wholeAmount, type Dimension, type Measure } from '../../analytics/insights/amounts.ts';
import type { BurnDown } from '../../analytics/insights/budgets.ts';
import { growthOfAmount, shareOfAmount } from '../../analytics/insights/compare.ts';
import { onDays, onOwnKeys, seriesBy, splitByKeys, withRest, type DaySeries } from '../../analytics/insights/series.ts';
import { MEASURE_OF, type CostReport, type Unit } from '../../analytics/reports/costReport.ts';
import type { ExpertReport, SpendingReport } from '../../analytics/reports/spendingReport.ts';
import { formatGrowth, formatShare, type Table } from '../../analytics/reports/table.ts';
import { costTable } from '../../analytics/reports/tables.ts';
import { daysOf } from '../../analytics/dateRules.ts';
import { formatDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import { GROUPS, type Group } from '../../protocol/dashboardChoices.ts';
import { none, type Content, type ViewOptions } from './content.ts';
import {
  amountText,
  barFigure,
  knownNote,
  lengthOf,
  matches,
  stackFigure,
  tile,
  timeFigure,
  type Figure,
} from './figures.ts';

export interface SpendingReports {
  readonly cost: CostReport;
  readonly spending: SpendingReport | undefined;
  readonly experts: ExpertReport | undefined;
}

/** How many parts of a stack can be told apart. */
const SERIES = 6;
/** How many bars one reads. */
const BARS = 12;

export function groupName(group: Group): string {
  const names: Readonly<Record<Group, string>> = {
    resource: l10n.t('Models and machines'),
    product: l10n.t('Products'),
    byok: l10n.t('Keys'),
    user: l10n.t('People'),
    expert: l10n.t('Experts'),
  };
  return names[group];
}

export const groups = (): { readonly id: Group; readonly name: string }[] =>
  GROUPS.map((id) => ({ id, name: groupName(id) }));

/** What was consumed of credits, by day, by model, and where the month leads. */
export function creditsContent(reports: SpendingReports, options: ViewOptions): Content {
  const { cost } = reports;
  if (cost.total !== undefined && (cost.unit !== 'credits' || sumOf(cost.points, 'credits_consumed') === 0n))
    return {
      tiles: [],
      figures: [],
      table: none,
      empty: {
        title: l10n.t('No credits were consumed on these days'),
        message: l10n.t('Either nobody used any, or the plan of this organization is billed in dollars: see Cost.'),
      },
    };
  return {
    tiles: spentTiles(cost, options),
    figures: [
      ...(cost.total === undefined
        ? []
        : [
            ...dayFigure(reports, options, 'credits'),
            barsOf(cost, 'resource', 'credits', l10n.t('Credits by model'), options),
          ]),
      ...(cost.burnDown ? [burnFigure(cost.burnDown, 'credits', undefined)] : []),
      ...(options.choices.compare && cost.movers.length > 0 ? [moverFigure(cost)] : []),
    ],
    table: () => groupTable(reports, options.choices.group, options),
    empty: null,
  };
}

/** What it cost in dollars: by day, product and resource, on whose keys, and where the month leads. */
export function costContent(reports: SpendingReports, options: ViewOptions): Content {
  const { cost } = reports;
  if (cost.total !== undefined && cost.points.length === 0)
    return {
      tiles: [],
      figures: [],
      table: none,
      empty: { title: l10n.t('Nothing was spent on these days'), message: l10n.t('Choose other days above.') },
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
      tile('billed', l10n.t('Billed'), amountText(billed, 'usd'), l10n.t('Dollars that the service bills for these days.'), {
        note: cost.unit === 'usd' ? growthNote(cost, options) : note,
      }),
      tile('estimated', l10n.t('Estimated cost'), amountText(estimated, 'usd'), l10n.t('What it costs the organization in all: what is billed, and what the providers of its own keys charge it.'), { note }),
      tile('own', l10n.t('On own keys (BYOK)'), amountText(own, 'usd'), l10n.t('The part of the estimated cost that was used with keys of your own.'), { note: own !== undefined && estimated !== undefined && estimated > 0n ? formatShare(shareOfAmount(own, estimated)) : note }),
      tile('dearest', l10n.t('Costs most'), dearest?.name ?? '–', l10n.t('The model or machine with the largest estimated cost.'), { note: dearest ? amountText(dearest.amount, 'usd') : note }),
      ...(cost.unit === 'usd' ? spentTiles(cost, options).slice(1) : []),
    ],
    figures: [
      ...(isKnown
        ? [
            ...dayFigure(reports, options, 'usd'),
            splitFigure(cost, 'product', l10n.t('Cost by product'), options),
            splitFigure(cost, 'resource', l10n.t('Cost by model and machine'), options),
          ]
        : []),
      ...(cost.unit === 'usd' && cost.burnDown ? [burnFigure(cost.burnDown, 'usd', undefined)] : []),
      ...(cost.unit === 'usd' && options.choices.compare && cost.movers.length > 0 ? [moverFigure(cost)] : []),
    ],
    table: () => groupTable(reports, options.choices.group, options),
    empty: null,
  };
} // prettier-ignore

function spentTiles(cost: CostReport, options: ViewOptions): Content['tiles'] {
  const { unit, total, month } = cost;
  const isUsd = unit === 'usd';
  const unknown = l10n.t('not known');
  return [
    tile('total', isUsd ? l10n.t('Billed') : l10n.t('Credits'), amountText(total, unit), l10n.t('On all of these days.'), { note: growthNote(cost, options) }),
    tile('month', month ? l10n.t('Month {0}', month.month) : l10n.t('This month'), amountText(month?.spent, unit), l10n.t('Of the month of the last day, up to the end of that day.'), {
      note: month ? l10n.t('{0} of {1} days', month.daysElapsed, month.daysInMonth) : unknown,
    }),
    tile('projected', l10n.t('At month’s end'), amountText(month?.projected, unit), l10n.t('What the month comes to if every day is like those so far, rounded down; from three days on.'), {
      note: !month ? unknown : month.projected === undefined ? l10n.t('too early for a projection') : l10n.t('at this pace'),
    }),
  ];
} // prettier-ignore

/** Below a sum: by how much it grew, or of how many days it is. */
export function growthNote(cost: CostReport, { choices }: ViewOptions): string {
  if (cost.daysKnown < daysOf(cost.range).length) return partNote(cost);
  return choices.compare && cost.growth !== undefined
    ? l10n.t('{0} from the days before', formatGrowth(cost.growth))
    : '';
}

/** Nothing where all days are known. */
function partNote({ daysKnown, range }: CostReport): string {
  const days = daysOf(range).length;
  return daysKnown < days ? knownNote(daysKnown, days) : '';
}

/** The same, before what a chart says of itself. */
function ofPart(cost: CostReport, summary: string): string {
  const note = partNote(cost);
  return note === '' ? summary : l10n.t('{0}: {1}', note, summary);
}

/** Each day, divided by what the page is grouped by; nothing until that is there. */
function dayFigure(
  { cost, spending, experts }: SpendingReports,
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
  if (group === 'user') {
    // Those who spent most are known in the unit of the plan alone.
    if (spending?.unit !== unit) return [];
    const people = spending.topPeople;
    const identities = new Map(people.map(({ key, identity }) => [key, identity]));
    nameOf = ({ key, name }) => {
      const identity = identities.get(key);
      return identity ? names.of(identity) : name;
    };
    series = withRest(people.slice(0, SERIES), whole);
  } else {
    const points = group === 'expert' ? experts?.points : cost.points;
    if (!points) return [];
    series = seriesBy(points, group, measure, days, SERIES);
  }
  const shown = series.filter((one) => one.name === '' || matches(nameOf(one), filter));
  const total = amountText(sumOf(cost.points, measure), unit);
  return [
    stackFigure(
      {
        id: 'days',
        title: l10n.t('{0}, {1}', title, groupName(group).toLowerCase()),
        about: l10n.t('Each day of UTC, divided by what the page is grouped by: the largest, and all others together.'),
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

function barsOf(cost: CostReport, dimension: Dimension, unit: Unit, title: string, { choices }: ViewOptions): Figure {
  const { points } = cost;
  const all = costBy(points, dimension, MEASURE_OF[unit]).filter(
    ({ name, amount }) => amount !== 0n && matches(name, choices.filter),
  );
  const [first] = all;
  return barFigure(
    {
      id: `by-${dimension}`,
      title,
      about: l10n.t('What each came to on all of these days, the largest first.'),
      summary: ofPart(
        cost,
        first ? l10n.t('Most: {0}, {1}.', first.name, amountText(first.amount, unit)) : l10n.t('Nothing.'),
      ),
    },
    unit,
    [title],
    all.slice(0, BARS).map(({ name, amount }) => ({ name, cells: [amount], text: amountText(amount, unit) })),
    costTable(points, dimension),
  );
}

function splitFigure(
  cost: CostReport,
  dimension: 'product' | 'resource',
  title: string,
  { choices }: ViewOptions,
): Figure {
  const split = splitByKeys(cost.points, dimension, 'estimated_customer_cost_usd').filter(
    ({ name, amount }) => amount !== 0n && matches(name, choices.filter),
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
        'The estimated cost to the organization, and which part of it was used with its own keys: those are charged elsewhere.',
      ),
      summary: ofPart(
        cost,
        first ? l10n.t('Most: {0}, {1}.', first.name, amountText(first.amount, 'usd')) : l10n.t('Nothing.'),
      ),
    },
    'usd',
    [service, own],
    split.slice(0, BARS).map(({ name, parts, amount }) => ({ name, cells: parts, text: amountText(amount, 'usd') })),
    table,
  );
}

/** A month from its first day to its last: what was spent, where that leads, and a limit, where there is one. */
export function burnFigure(burn: BurnDown, unit: Unit, limit: bigint | undefined): Figure {
  const { days, spent, projected, pace } = burn;
  const leads =
    pace.projected === undefined
      ? l10n.t('It is too early for a projection.')
      : l10n.t('At this pace about {0} at month’s end.', amountText(pace.projected, unit));
  const most = limit === undefined ? '' : ` ${l10n.t('The limit is {0}.', amountText(wholeAmount(limit), unit))}`;
  return timeFigure(
    {
      id: 'burn-down',
      title: l10n.t('Month {0} so far', pace.month),
      about: l10n.t(
        'What was spent from the first of the month on; dashed, where it leads if every day is like those so far.',
      ),
      summary: l10n.t(
        '{0} in {1} of {2} days. {3}',
        amountText(pace.spent, unit),
        pace.daysElapsed,
        pace.daysInMonth,
        `${leads}${most}`,
      ),
    },
    'lines',
    unit,
    days,
    [
      { id: 'spent', name: l10n.t('So far'), role: 'value', cells: spent },
      { id: 'projected', name: l10n.t('At this pace'), role: 'projection', cells: projected },
      ...(limit === undefined
        ? []
        : [{ id: 'limit', name: l10n.t('Limit'), role: 'limit', cells: days.map(() => wholeAmount(limit)) } as const]),
    ],
  );
}

/** What changed most from as many days before. */
export function moverFigure({ movers, unit }: CostReport): Figure {
  const [first] = movers;
  return {
    shape: {
      id: 'movers',
      kind: 'movers',
      unit,
      title: l10n.t('Changed most'),
      about: l10n.t('Models and machines whose amount changed most, up or down, from as many days before.'),
      summary: first
        ? l10n.t('{0}: from {1} to {2}.', first.name, amountText(first.before, unit), amountText(first.now, unit))
        : l10n.t('Nothing.'),
      rows: movers.map(({ name, now, before }) => ({
        name,
        before: lengthOf(before) ?? 0,
        now: lengthOf(now) ?? 0,
        beforeText: amountText(before, unit),
        nowText: amountText(now, unit),
        change: before === 0n ? l10n.t('new') : formatGrowth(growthOfAmount(now, before)),
      })),
    },
    table: {
      columns: [
        { name: 'resource', title: l10n.t('Resource'), kind: 'text' },
        { name: 'before', title: l10n.t('Before'), kind: unit },
        { name: 'now', title: l10n.t('Now'), kind: unit },
      ],
      rows: movers.map(({ name, now, before }) => [name, before, now]),
    },
  };
}

/** The rows of the page: what each of a group comes to. */
function groupTable(
  { cost, spending, experts }: SpendingReports,
  group: Group,
  options: ViewOptions,
): Table | undefined {
  if (group === 'user') return spending && personCostTable(spending, options);
  const points = group === 'expert' ? experts?.points : cost.points;
  return points && costTable(points, group);
}

/** What each account comes to, under the names that are shown. */
export function personCostTable({ points }: SpendingReport, { names }: ViewOptions): Table {
  const shown = points.map((point) => {
    const { user_info: info } = point.group_by_values;
    return { ...point, group_by_values: { ...point.group_by_values, ...(info && { user_info: names.ofInfo(info) }) } };
  });
  return costTable(shown, 'user');
}
