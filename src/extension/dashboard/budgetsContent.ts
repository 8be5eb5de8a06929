import * as l10n from '@vscode/l10n';
import { wholeAmount } from '../../analytics/insights/amounts.ts';
import { sumOfLimits, type LimitSum } from '../../analytics/budgets/limit.ts';
import { countLevels, levelOf, type Level } from '../../analytics/insights/budgets.ts';
import type { GroupBudgetReport } from '../../analytics/groups/groupBudgets.ts';
import { describeAmount, describeUse } from '../../analytics/reports/attentionTexts.ts';
import type { BudgetReport } from '../../analytics/reports/budgetReport.ts';
import type { Unit } from '../../analytics/reports/costReport.ts';
import type { PeopleSpending } from '../../analytics/reports/spendingReport.ts';
import { formatShare } from '../../analytics/reports/table.ts';
import { roundedEstimate } from '../../analytics/reports/tables.ts';
import { formatDay } from '../../base/day.ts';
import { formatCount } from '../../base/format.ts';
import type { BudgetScope } from '../../protocol/budgetChoices.ts';
import { none, type Content, type ViewOptions } from './content.ts';
import { barFigure, matchesFilter, tile, toneOfStatus } from './figures.ts';
import type { AccountNames } from '../analytics/accountNames.ts';
import type { ListColumn, SourceRow } from './rowList.ts';
import { groupLimitFigure } from './groupLimitFigure.ts';
import { burnFigure } from './spendingFigures.ts';

export interface BudgetReports {
  readonly budgets: BudgetReport;
  /** Joint spending of all accounts with an override. */
  readonly spending: PeopleSpending | undefined;
  /** Limits of groups and of the organization. */
  readonly groups: GroupBudgetReport | undefined;
}

const BARS = 15;

export function budgetColumns(unit: Unit): ListColumn[] {
  const about = l10n.t('Consumption this month as a share of the limit, rounded down.');
  return [
    { name: 'identity', title: l10n.t('Account'), kind: 'text', about: '' },
    { name: 'standing', title: l10n.t('Status'), kind: 'text', about: '' },
    { name: 'used', title: l10n.t('Used'), kind: 'share', about },
    { name: 'consumed', title: l10n.t('Consumed'), kind: unit, about: '' },
    { name: 'limit', title: l10n.t('Limit'), kind: unit, about: l10n.t('The limit of a calendar month (UTC).') },
    {
      name: 'projected',
      title: l10n.t('At month’s end'),
      kind: unit,
      about: l10n.t('Projection from the same weekdays of the last weeks.'),
    },
    {
      name: 'crosses_on',
      title: l10n.t('Over on'),
      kind: 'text',
      about: l10n.t('Day on which the limit was reached, or is projected to be.'),
    },
  ];
}

/** Accounts with an override, only those over it, or also those under the plan's default. */
export function budgetListRows(
  { statuses, others }: BudgetReport,
  names: AccountNames,
  scope: BudgetScope,
): SourceRow[] {
  const own = scope === 'over' ? statuses.filter((status) => levelOf(status) === 'over') : statuses;
  const rows = own.map((status): SourceRow => {
    const { identity, used, spent, limit, projected, crossesOn } = status;
    return {
      id: names.id(identity),
      identity,
      tone: toneOfStatus(status),
      used: Math.min(1, used),
      cells: [
        names.of(identity),
        levelName(levelOf(status)),
        used,
        spent,
        wholeAmount(limit),
        roundedEstimate(projected),
        crossesOn === undefined ? undefined : formatDay(crossesOn),
      ],
    };
  });
  if (scope !== 'all') return rows;
  const byDefault = others.map(({ identity, spent }): SourceRow => ({
    id: names.id(identity),
    identity,
    tone: 'plain',
    used: null,
    cells: [names.of(identity), l10n.t('The plan’s default'), undefined, spent, undefined, undefined, undefined],
  }));
  return [...rows, ...byDefault];
}

function levelName(level: Level): string {
  return {
    over: l10n.t('Over the limit'),
    near: l10n.t('Near the limit'),
    crossing: l10n.t('Projected over'),
    within: l10n.t('On track'),
  }[level];
}

export function budgetsContent({ budgets, spending, groups }: BudgetReports, options: ViewOptions): Content {
  const { statuses, unit } = budgets;
  const ofGroups = groups ? groupLimitFigure(groups, options) : [];
  if (statuses.length === 0)
    return {
      tiles: [],
      figures: ofGroups,
      table: none,
      empty: {
        title: l10n.t('No overrides'),
        message: l10n.t('The plan’s default applies to all. Add a limit above, or import a list.'),
      },
    };
  const { names, choices } = options;
  const { over, near, crossing } = countLevels(statuses);
  const shown = statuses.filter(({ identity }) => matchesFilter(names.of(identity), choices.filter));
  const [first] = shown;
  const limits = sumOfLimits(statuses.map(({ limit }) => String(limit)));
  return {
    tiles: [
      tile(
        'limits',
        l10n.t('Overrides'),
        formatCount(statuses.length),
        l10n.t('People and service accounts with an override.'),
        { note: limitsNote(limits, statuses.length, unit) },
      ),
      tile(
        'over',
        levelName('over'),
        formatCount(over),
        l10n.t('Accounts that used all of their limit this month. Sextant does not enforce limits.'),
        { tone: over > 0 ? 'bad' : 'good' },
      ),
      tile('near', levelName('near'), formatCount(near), l10n.t('Accounts that used 90 % of their limit or more.'), {
        tone: near > 0 ? 'warning' : 'good',
      }),
      tile(
        'crossing',
        levelName('crossing'),
        formatCount(crossing),
        l10n.t('Accounts that used less than 90 % of their limit, and are projected to reach it this month.'),
        { tone: crossing > 0 ? 'warning' : 'good' },
      ),
    ],
    figures: [
      barFigure(
        {
          id: 'used',
          title: l10n.t('Used of the limit'),
          about: l10n.t('Accounts with the largest share of their limit used this month.'),
          summary: first
            ? l10n.t('Most: {0}, {1}.', names.of(first.identity), formatShare(first.used))
            : l10n.t('None.'),
        },
        'share',
        [l10n.t('Used')],
        shown.slice(0, BARS).map((status) => ({
          name: names.of(status.identity),
          cells: [status.used],
          text: describeUse(status, unit),
          tone: toneOfStatus(status),
          person: names.id(status.identity),
        })),
        {
          columns: [
            { name: 'identity', title: l10n.t('Account'), kind: 'text' },
            { name: 'used', title: l10n.t('Used'), kind: 'share' },
            { name: 'consumed', title: l10n.t('Consumed'), kind: unit },
            { name: 'limit', title: l10n.t('Limit'), kind: unit },
          ],
          rows: shown
            .slice(0, BARS)
            .map(({ identity, used, spent, limit }) => [names.of(identity), used, spent, wholeAmount(limit)]),
        },
        { value: 1, name: l10n.t('Limit') },
      ),
      ...ofGroups,
      ...(spending ? [burnFigure(spending.burnDown, unit, limits.sum === 0n ? undefined : limits.sum)] : []),
    ],
    table: none,
    empty: null,
  };
}

/** The sum of `count` limits, if any is counted in it, and the number of unlimited ones. */
export function limitsNote({ sum, unlimited }: LimitSum, count: number, unit: Unit): string {
  if (unlimited === count) return l10n.t('{0} unlimited', formatCount(unlimited));
  const all = l10n.t('{0} together', describeAmount(wholeAmount(sum), unit));
  return unlimited === 0 ? all : l10n.t('{0}, and {1} unlimited', all, formatCount(unlimited));
}
