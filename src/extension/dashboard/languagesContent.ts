import * as l10n from '@vscode/l10n';
import type { Usage } from '../../analytics/insights/people.ts';
import type { LanguageReport } from '../../analytics/reports/languageReport.ts';
import type { Table } from '../../analytics/reports/table.ts';
import { usageTable } from '../../analytics/reports/tables.ts';
import { formatCount } from '../../base/format.ts';
import type { Content, ViewOptions } from './content.ts';
import { barFigure, matchesFilter, type Figure } from './figures.ts';

const BARS = 15;

/** Use by language and editor, of the loaded days. */
export function languagesContent(report: LanguageReport, options: ViewOptions): Content {
  const isEmpty = report.daysDone === report.days && report.languages.length === 0;
  const figures = [
    figure('language', l10n.t('Languages'), report.languages, options),
    figure('editor', l10n.t('Editors'), report.editors, options),
  ];
  return {
    tiles: [],
    figures: report.languages.length === 0 ? [] : figures,
    table: () => figures[0]?.table,
    empty: isEmpty ? { title: l10n.t('No use on these days'), message: l10n.t('Choose other days above.') } : null,
  };
}

function figure(
  dimension: 'language' | 'editor',
  title: string,
  all: readonly Usage[],
  { choices }: ViewOptions,
): Figure {
  const shown = all.filter(({ name }) => matchesFilter(name, choices.filter));
  const [first] = shown;
  const table: Table = usageTable(shown, dimension);
  return barFigure(
    {
      id: dimension,
      title,
      about: l10n.t('Number of different people. A person who uses two counts in both, so the numbers do not add up.'),
      summary: first
        ? l10n.t(
            'Most: {0}, {1} people and {2} messages.',
            first.name,
            formatCount(first.people),
            formatCount(first.metrics.total_messages),
          )
        : l10n.t('None.'),
    },
    'count',
    [l10n.t('People')],
    shown.slice(0, BARS).map(({ name, people, metrics }) => ({
      name,
      cells: [people],
      text: l10n.t('{0} people, {1} messages', formatCount(people), formatCount(metrics.total_messages)),
    })),
    table,
  );
}
