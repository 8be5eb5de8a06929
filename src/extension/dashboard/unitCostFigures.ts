import * as l10n from '@vscode/l10n';
import { daysOf } from '../../analytics/dateRules.ts';
import { TOKEN_FIELDS } from '../../analytics/contract.ts';
import { nameIn, wholeAmount, formatAmount } from '../../analytics/insights/amounts.ts';
import { pricesByDay, type CostChange } from '../../analytics/insights/unitCost.ts';
import { MEASURE_OF, type CostReport, type Unit } from '../../analytics/reports/costReport.ts';
import { formatChange, formatPrice, formatShare } from '../../analytics/reports/table.ts';
import { costTable, roundedPrice } from '../../analytics/reports/tables.ts';
import { formatDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { Content, ViewOptions } from './content.ts';
import { amountText, barFigure, markLength, matchesFilter, tile, timeFigure, type Figure } from './figures.ts';

/* The cost of a unit: of a token by model, and the causes of a change. */

/** Largest number of lines of prices: more look alike. */
const LINES = 5;
const BARS = 12;

/** The price of a million tokens, the share of the cache, and the parts of the cost. */
export function unitTiles({ whole, unit, daysKnown }: CostReport): Content['tiles'] {
  if (daysKnown === 0) return [];
  return [
    tile(
      'perMillion',
      l10n.t('Per million tokens'),
      formatPrice(whole.perMillion, unit),
      l10n.t('Spending of these days, divided by tokens of all four kinds.'),
      { note: l10n.t('{0} M tokens', millions(whole.allTokens)) },
    ),
    tile(
      'cacheShare',
      l10n.t('Input from the cache'),
      formatShare(whole.cacheShare),
      l10n.t('Tokens read from the cache, as a share of all input. They cost less than others.'),
    ),
    tile(
      'surcharge',
      l10n.t('Surcharge'),
      amountText(whole.surcharge, 'usd'),
      l10n.t('Billed above the cost of the service; on own keys, all that is billed.'),
      { note: l10n.t('base cost {0}', amountText(whole.base, 'usd')) },
    ),
  ];
}

/** Prices over time, tokens by model, and the causes of the change. */
export function unitFigures(cost: CostReport, options: ViewOptions): Figure[] {
  const models = cost.byModel.filter(
    ({ allTokens, name }) => allTokens > 0n && matchesFilter(name, options.choices.filter),
  );
  if (models.length === 0) return [];
  return [
    ...(options.choices.compare && cost.change ? [changeFigure(cost.change, cost.unit)] : []),
    priceFigure(cost, models),
    tokenFigure(cost, models),
  ];
}

function priceFigure(cost: CostReport, models: CostReport['byModel']): Figure {
  const { unit } = cost;
  const days = daysOf(cost.range).map(formatDay);
  const shown = models.slice(0, LINES);
  const [first] = shown;
  return timeFigure(
    {
      id: 'prices',
      title: l10n.t('Price per million tokens'),
      about: l10n.t('Spending of each model on a day, divided by its tokens of all four kinds. More cache means less.'),
      summary: first ? l10n.t('{0}: {1}.', first.name, formatPrice(first.perMillion, unit)) : l10n.t('None.'),
    },
    'lines',
    unit,
    days,
    shown.map(({ key, name }) => ({
      id: name,
      name,
      role: 'value',
      cells: pricesByDay(
        cost.points.filter((point) => nameIn(point, 'resource').key === key),
        days,
        MEASURE_OF[unit],
      ).map(({ perMillion }) => roundedPrice(perMillion)),
    })),
  );
}

function tokenFigure({ points, unit }: CostReport, models: CostReport['byModel']): Figure {
  const byTokens = [...models].sort((a, b) => (a.allTokens > b.allTokens ? -1 : 1));
  const [first] = byTokens;
  return barFigure(
    {
      id: 'tokens',
      title: l10n.t('Tokens by model'),
      about: l10n.t('Tokens of each kind, and the spending per million. The table has all parts of the cost.'),
      summary: first ? l10n.t('Most: {0}, {1} M tokens.', first.name, millions(first.allTokens)) : l10n.t('None.'),
    },
    'count',
    [
      l10n.t('Input tokens'),
      l10n.t('Output tokens'),
      l10n.t('Tokens read from the cache'),
      l10n.t('Tokens written to the cache'),
    ],
    byTokens.slice(0, BARS).map(({ name, tokens, allTokens, perMillion }) => ({
      name,
      cells: TOKEN_FIELDS.map((field) => wholeAmount(tokens[field])),
      text: l10n.t('{0} M, {1} per M', millions(allTokens), formatPrice(perMillion, unit)),
    })),
    costTable(points, 'resource'),
  );
}

/** Each cause from the sum before it to the sum with it, from the previous period to this one. */
function changeFigure(change: CostChange, unit: Unit): Figure {
  const causes = causesOf(change);
  let sum = change.before;
  const rows = causes.map(({ name, amount }) => {
    const before = sum;
    sum += amount;
    return {
      name,
      before: markLength(before) ?? 0,
      now: markLength(sum) ?? 0,
      beforeText: amountText(before, unit),
      nowText: amountText(sum, unit),
      change: formatChange(amount, unit),
    };
  });
  return {
    shape: {
      id: 'change',
      kind: 'movers',
      unit,
      title: l10n.t('Why the spending changed'),
      legend: l10n.t('Ring: before this cause. Dot: with it.'),
      about: l10n.t(
        'The change since the previous period: more or fewer tokens at the earlier prices, other models at their earlier prices, and other prices of the same models.',
      ),
      summary: `${l10n.t('From {0} to {1}:', amountText(change.before, unit), amountText(change.now, unit))} ${causes
        .map(({ name, amount }) => `${name} ${formatChange(amount, unit)}`)
        .join(', ')}.`,
      rows,
    },
    table: {
      columns: [
        { name: 'cause', title: l10n.t('Cause'), kind: 'text' },
        { name: 'amount', title: l10n.t('Change'), kind: unit },
      ],
      rows: [
        [l10n.t('Previous period'), change.before],
        ...causes.map(({ name, amount }) => [name, amount]),
        [l10n.t('These days'), change.now],
      ],
    },
  };
}

function causesOf({ volume, mix, price, other }: CostChange): { readonly name: string; readonly amount: Decimal }[] {
  return [
    { name: l10n.t('Volume'), amount: volume },
    { name: l10n.t('Mix of models'), amount: mix },
    { name: l10n.t('Price'), amount: price },
    ...(other === 0n ? [] : [{ name: l10n.t('Without tokens'), amount: other }]),
  ];
}

function millions(tokens: bigint): string {
  return formatAmount(wholeAmount(tokens) / 1_000_000n, 1);
}
