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
    pairFigure(report, options),
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

/** Largest number of editors in a bar: more look alike. */
const PARTS = 5;

/** Messages of each language, divided by editor. Messages add up, other than people. */
function pairFigure({ pairs, editors }: LanguageReport, { choices }: ViewOptions): Figure {
  const parts = editors.slice(0, PARTS).map(({ name }) => name);
  const series = editors.length > PARTS ? [...parts, l10n.t('All others')] : parts;
  const all = new Map<string, number[]>();
  for (const { language, editor, metrics } of pairs) {
    const cells = all.get(language) ?? series.map(() => 0);
    all.set(language, cells);
    const at = parts.indexOf(editor);
    cells[at < 0 ? parts.length : at]! += metrics.total_messages;
  }
  const sumOf = (cells: readonly number[]): number => cells.reduce((sum, count) => sum + count, 0);
  const bars = [...all]
    .filter(([name]) => matchesFilter(name, choices.filter))
    .sort(([, a], [, b]) => sumOf(b) - sumOf(a))
    .map(([name, cells]) => ({ name, cells, text: formatCount(sumOf(cells)) }));
  const [first] = pairs;
  return barFigure(
    {
      id: 'pairs',
      title: l10n.t('Messages by language and editor'),
      about: l10n.t('Messages of each language, divided by the editors with most people. The table has all pairs.'),
      summary: first
        ? l10n.t('Most: {0} in {1}, {2}.', first.language, first.editor, formatCount(first.metrics.total_messages))
        : l10n.t('None.'),
    },
    'count',
    series,
    bars.slice(0, BARS),
    {
      columns: [
        { name: 'language', title: l10n.t('Language'), kind: 'text' },
        { name: 'editor', title: l10n.t('Editor'), kind: 'text' },
        { name: 'people', title: l10n.t('People'), kind: 'count' },
        { name: 'total_messages', title: l10n.t('Messages'), kind: 'count' },
        { name: 'total_modified_lines_of_code', title: l10n.t('Lines'), kind: 'count' },
      ],
      rows: pairs
        .filter(({ language }) => matchesFilter(language, choices.filter))
        .map(({ language, editor, people, metrics }) => [
          language,
          editor,
          people,
          metrics.total_messages,
          metrics.total_modified_lines_of_code,
        ]),
    },
  );
}
