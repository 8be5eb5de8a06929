import * as l10n from '@vscode/l10n';
import { formatCell, tableJson, type Table } from '../../analytics/reports/table.ts';
import type { ShownContent } from './dashboardModel.ts';
import { describeTable } from './figures.ts';

/** Largest number of rows of a table in Markdown, which is read in messages. */
const ROWS = 10;

/** The shown content for programs: amounts in full, as text. */
export function asJson({ title, range, asOf, tiles, figures, table }: ShownContent): string {
  const data = {
    title,
    range,
    as_of: asOf,
    figures: Object.fromEntries(tiles.map(({ id, label, value, note }) => [id, { label, value, note }])),
    charts: Object.fromEntries(
      figures.map(({ shape, table }) => [shape.id, { title: shape.title, rows: tableJson(table) }]),
    ),
    rows: table ? tableJson(table) : [],
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}

/** The shown content for people. All names are escaped. */
export function asMarkdown({ title, range, asOf, tiles, figures, table }: ShownContent): string {
  const parts = [
    `# ${escapeMarkdown(title)}`,
    `${escapeMarkdown(range)}. ${l10n.t('As of {0}.', asOf)}`,
    tiles
      .map(
        ({ label, value, note }) =>
          `- **${escapeMarkdown(label)}**: ${escapeMarkdown(value)}${note === '' ? '' : ` (${escapeMarkdown(note)})`}`,
      )
      .join('\n'),
    ...figures.flatMap(({ shape, table }) => [
      `## ${escapeMarkdown(shape.title)}`,
      escapeMarkdown(shape.summary),
      shape.kind === 'bars' || shape.kind === 'movers' ? markdownTable(table) : '',
    ]),
    ...(table ? [`## ${escapeMarkdown(describeTable(table))}`, markdownTable(table)] : []),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Characters that would be markup in a line, and marks that would be at its start: others stay plain for chats. */
const MARKUP = /[\\`*[\]<|]|~~|(?<!\w)_|_(?!\w)|^(?=(?:[#+-]|\d+[.)])\s|>)/g;

/** Escapes only what Markdown would not show as it is: a figure stays plain. */
function escapeMarkdown(line: string): string {
  return line.replace(MARKUP, String.raw`\$&`);
}

function markdownTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cellText).join(' | ')} |`;
  const left = rows.length - ROWS;
  // Of days, the newest matter.
  const areDays = columns[0]?.name === 'date' || columns[0]?.name === 'day';
  const shown = areDays ? rows.slice(-ROWS) : rows.slice(0, ROWS);
  return [
    line(columns.map(({ title }) => title)),
    `| ${columns.map(({ kind }) => (kind === 'text' ? '---' : '--:')).join(' | ')} |`,
    ...shown.map((row) => line(row.map((cell, i) => formatCell(cell, columns[i]!)))),
    ...(left > 0 ? ['', areDays ? l10n.t('{0} earlier days.', left) : l10n.t('{0} more.', left)] : []),
  ].join('\n');
}

function cellText(text: string): string {
  return escapeMarkdown(text.replaceAll(/\s+/g, ' '));
}
