import * as l10n from '@vscode/l10n';
import type { GroupBudgetReport } from '../../analytics/groups/groupBudgets.ts';
import { titleOfColumn } from '../../analytics/groups/groupReport.ts';
import { ORGANIZATION, type GroupStatus } from '../../analytics/insights/budgets.ts';
import { describeUse } from '../../analytics/reports/attentionTexts.ts';
import { formatShare } from '../../analytics/reports/table.ts';
import { limitCells, limitColumns } from '../../analytics/reports/tables.ts';
import type { ViewOptions } from './content.ts';
import { barFigure, matchesFilter, toneOfStatus, type Figure } from './figures.ts';

/** Largest number of bars. */
const BARS = 15;

/**
 * The limits of groups and of the organization, this month: the most used first. With `column`, those of its groups. None
 * without a limit.
 */
export function groupLimitFigure(
  { statuses, unit }: GroupBudgetReport,
  { names, choices }: ViewOptions,
  column?: string,
): Figure[] {
  const nameOf = ({ of }: GroupStatus): string =>
    of === ORGANIZATION ? l10n.t('Organization') : names.ofGroup(of.group);
  const shown = statuses.filter(
    (status) =>
      (column === undefined || (status.of !== ORGANIZATION && status.of.column === column)) &&
      matchesFilter(nameOf(status), choices.filter),
  );
  const [first] = shown;
  if (!first) return [];
  return [
    barFigure(
      {
        id: 'group-limits',
        title: l10n.t('Limits of groups, used this month'),
        about: l10n.t(
          'They are in sextant-budgets.csv; the service does not know them. Each day counts in the group of that day.',
        ),
        summary: l10n.t('Most: {0}, {1}.', nameOf(first), formatShare(first.used)),
      },
      'share',
      [l10n.t('Used')],
      shown.slice(0, BARS).map((status) => ({
        name: nameOf(status),
        cells: [status.used],
        text: describeUse(status, unit),
        tone: toneOfStatus(status),
      })),
      {
        columns: [
          { name: 'column', title: l10n.t('Column'), kind: 'text' },
          { name: 'group', title: l10n.t('Group'), kind: 'text' },
          ...limitColumns(unit),
        ],
        rows: shown.map((status) => [
          status.of === ORGANIZATION ? '' : titleOfColumn(status.of.column),
          nameOf(status),
          ...limitCells(status),
        ]),
      },
      { value: 1, name: l10n.t('Limit') },
    ),
  ];
}
