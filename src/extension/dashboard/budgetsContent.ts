import * as l10n from '@vscode/l10n';
import { wholeAmount } from '../../analytics/insights/amounts.ts';
import { countLevels, levelOf, sumOfLimits, type Level, type BudgetStatus } from '../../analytics/insights/budgets.ts';
import type { BudgetReport } from '../../analytics/reports/budgetReport.ts';
import type { Unit } from '../../analytics/reports/costReport.ts';
import type { PeopleSpending } from '../../analytics/reports/spendingReport.ts';
import { formatShare } from '../../analytics/reports/table.ts';
import { formatDay } from '../../base/day.ts';
import { formatCount } from '../../base/format.ts';
import type { BudgetScope } from '../../protocol/budgetChoices.ts';
import type { Tone } from '../../protocol/dashboardView.ts';
import { none, type Content, type ViewOptions } from './content.ts';
import { amountText, barFigure, matches, tile } from './figures.ts';
import type { Names } from './names.ts';
import type { ListColumn, SourceRow } from './rowList.ts';
import { burnFigure } from './spendingContent.ts';

export interface BudgetReports {
  readonly budgets: BudgetReport;
  /** Of all with a limit of their own, together. */
  readonly spending: PeopleSpending | undefined;
}

const BARS = 15;

export function budgetColumns(unit: Unit): ListColumn[] {
  const about = l10n.t('What was used this month, of the limit, rounded down.');
  return [
    { name: 'identity', title: l10n.t('Account'), kind: 'text', about: '' },
    { name: 'standing', title: l10n.t('Standing'), kind: 'text', about: '' },
    { name: 'used', title: l10n.t('Used'), kind: 'share', about },
    { name: 'consumed', title: l10n.t('Consumed'), kind: unit, about: '' },
    { name: 'limit', title: l10n.t('Limit'), kind: unit, about: l10n.t('A limit of one calendar month of UTC.') },
    { name: 'projected', title: l10n.t('At month’s end'), kind: unit, about: l10n.t('If every day is like those so far; from three days on.') },
    { name: 'crosses_on', title: l10n.t('Over on'), kind: 'text', about: l10n.t('The day on which the limit is reached if it goes on so.') },
  ];
} // prettier-ignore

/** Everybody with a limit of their own, those alone who are over it, or also those for whom the plan's default holds. */
export function budgetListRows({ standings, others }: BudgetReport, names: Names, scope: BudgetScope): SourceRow[] {
  const own = scope === 'over' ? standings.filter((standing) => levelOf(standing) === 'over') : standings;
  const rows = own.map((standing): SourceRow => {
    const { identity, used, spent, limit, projected, crossesOn } = standing;
    return {
      id: names.id(identity),
      tone: toneOf(standing),
      used: Math.min(1, used),
      cells: [
        names.of(identity),
        levelName(levelOf(standing)),
        used,
        spent,
        wholeAmount(limit),
        projected,
        crossesOn === undefined || used >= 1 ? undefined : formatDay(crossesOn),
      ],
    };
  });
  if (scope !== 'all') return rows;
  const byDefault = others.map(({ identity, spent }): SourceRow => ({
    id: names.id(identity),
    tone: 'plain',
    used: null,
    cells: [names.of(identity), l10n.t('The plan’s default'), undefined, spent, undefined, undefined, undefined],
  }));
  return [...rows, ...byDefault];
}

export function toneOf(standing: Pick<BudgetStatus, 'used' | 'crossesOn'>): Tone {
  return ({ over: 'bad', near: 'warning', crossing: 'warning', within: 'good' } as const)[levelOf(standing)];
}

function levelName(level: Level): string {
  return {
    over: l10n.t('Over the limit'),
    near: l10n.t('Near the limit'),
    crossing: l10n.t('Will cross it'),
    within: l10n.t('Within it'),
  }[level];
}

export function budgetsContent({ budgets, spending }: BudgetReports, options: ViewOptions): Content {
  const { standings, unit } = budgets;
  if (standings.length === 0)
    return {
      tiles: [],
      figures: [],
      table: none,
      empty: {
        title: l10n.t('Nobody has a limit of their own'),
        message: l10n.t('The plan’s default holds for all. Add a limit above, or import a list of them.'),
      },
    };
  const { names, choices } = options;
  const { over, near, crossing } = countLevels(standings);
  const shown = standings.filter(({ identity }) => matches(names.of(identity), choices.filter));
  const [first] = shown;
  const limits = sumOfLimits(standings);
  return {
    tiles: [
      tile('limits', l10n.t('Limits of their own'), formatCount(standings.length), l10n.t('People and service accounts with a limit of their own.')),
      tile('over', levelName('over'), formatCount(over), l10n.t('Who used all of their limit this month. Nothing here enforces it.'), { tone: over > 0 ? 'bad' : 'good' }),
      tile('near', levelName('near'), formatCount(near), l10n.t('Who used 90 % of their limit or more.'), { tone: near > 0 ? 'warning' : 'good' }),
      tile('crossing', levelName('crossing'), formatCount(crossing), l10n.t('Who reaches the limit before the end of the month if it goes on so.'), { tone: crossing > 0 ? 'warning' : 'good' }),
    ],
    figures: [
      barFigure(
        {
          id: 'used',
          title: l10n.t('Used of the limit'),
          about: l10n.t('Who used the largest part of their limit this month; 100 % is all of it.'),
          summary: first ? l10n.t('Most: {0}, {1}.', names.of(first.identity), formatShare(first.used)) : l10n.t('Nobody.'),
        },
        'share',
        [l10n.t('Used')],
        shown.slice(0, BARS).map((standing) => ({
          name: names.of(standing.identity),
          cells: [standing.used],
          text: l10n.t('{0} of {1}', formatShare(standing.used), amountText(wholeAmount(standing.limit), unit)),
          tone: toneOf(standing),
          person: names.id(standing.identity),
        })),
        {
          columns: [
            { name: 'identity', title: l10n.t('Account'), kind: 'text' },
            { name: 'used', title: l10n.t('Used'), kind: 'share' },
            { name: 'consumed', title: l10n.t('Consumed'), kind: unit },
            { name: 'limit', title: l10n.t('Limit'), kind: unit },
          ],
          rows: shown.slice(0, BARS).map(({ identity, used, spent, limit }) => [names.of(identity), used, spent, wholeAmount(limit)]),
        },
        { value: 1, name: l10n.t('Limit') },
      ),
      ...(spending ? [burnFigure(spending.burnDown, unit, limits)] : []),
    ],
    table: none,
    empty: null,
  };
} // prettier-ignore
