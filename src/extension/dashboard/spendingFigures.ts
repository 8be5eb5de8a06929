import * as l10n from '@vscode/l10n';
import { wholeAmount } from '../../analytics/insights/amounts.ts';
import type { BurnDown } from '../../analytics/insights/budgets.ts';
import { growthOfAmount } from '../../analytics/insights/compare.ts';
import { FEWEST_DAYS } from '../../analytics/insights/forecast.ts';
import { describeAmount } from '../../analytics/reports/attentionTexts.ts';
import type { CostReport, Unit } from '../../analytics/reports/costReport.ts';
import { formatGrowth } from '../../analytics/reports/table.ts';
import { roundedEstimate } from '../../analytics/reports/tables.ts';
import { amountText, forecastNote, markLength, timeFigure, type Figure } from './figures.ts';

/* Charts of spending on more than one page. */

/** Multiple of a month's spending above which its limit is only in the text. */
const FAR = 20n;

/** A month from its first to its last day: spending, projection, and the limit, if there is one. */
export function burnFigure(burn: BurnDown, unit: Unit, limit: bigint | undefined): Figure {
  const { days, spent, projected, pace } = burn;
  const leads =
    pace.projected === undefined
      ? l10n.t('A projection needs {0} days of data.', FEWEST_DAYS)
      : l10n.t('About {0} at month’s end ({1}).', amountText(pace.projected, unit), forecastNote(pace, unit));
  const most = limit === undefined ? '' : ` ${l10n.t('The limit is {0}.', amountText(wholeAmount(limit), unit))}`;
  return timeFigure(
    {
      id: 'burn-down',
      title: l10n.t('Month {0} so far', pace.month),
      about: l10n.t(
        'Spending since the first of the month; dashed, its projection from the same weekdays of the last weeks.',
      ),
      summary: l10n.t(
        '{0} in {1} of {2} days. {3}',
        describeAmount(pace.spent, unit),
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
      { id: 'projected', name: l10n.t('Projected'), role: 'projection', cells: projected.map(roundedEstimate) },
      ...(limit === undefined || isFar(limit, pace)
        ? []
        : [{ id: 'limit', name: l10n.t('Limit'), role: 'limit', cells: days.map(() => wholeAmount(limit)) } as const]),
    ],
  );
}

/** Whether a limit is so far above the month that a chart up to it shows nothing else. */
function isFar(limit: bigint, { spent, projected = spent }: BurnDown['pace']): boolean {
  const most = projected > spent ? projected : spent;
  return limit === 0n || (most > 0n && wholeAmount(limit) > most * FAR);
}

/** The largest changes since the previous period: of models and machines, or of what `column` and `about` say. */
export function moverFigure(
  { movers, unit }: Pick<CostReport, 'movers' | 'unit'>,
  column = { name: 'resource', title: l10n.t('Resource') },
  about = l10n.t('Models and machines with the largest change, up or down, since the previous period.'),
): Figure {
  const [first] = movers;
  return {
    shape: {
      id: 'movers',
      kind: 'movers',
      unit,
      title: l10n.t('Largest changes'),
      legend: l10n.t('Ring: the previous period. Dot: these days.'),
      about,
      summary: first
        ? l10n.t('{0}: from {1} to {2}.', first.name, amountText(first.before, unit), amountText(first.now, unit))
        : l10n.t('None.'),
      rows: movers.map(({ name, now, before }) => ({
        name,
        before: markLength(before) ?? 0,
        now: markLength(now) ?? 0,
        beforeText: amountText(before, unit),
        nowText: amountText(now, unit),
        change: before === 0n ? l10n.t('new') : formatGrowth(growthOfAmount(now, before)),
      })),
    },
    table: {
      columns: [
        { ...column, kind: 'text' },
        { name: 'before', title: l10n.t('Before'), kind: unit },
        { name: 'now', title: l10n.t('Now'), kind: unit },
      ],
      rows: movers.map(({ name, now, before }) => [name, before, now]),
    },
  };
}
