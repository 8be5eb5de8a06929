import { describeMoment } from '../reports/report.ts';
import { formatCell, tableJson, withoutDetails, type Table } from '../reports/table.ts';
import { tableCsv } from '../reports/csv.ts';
import type { ReportDocument, Section } from './document.ts';

/** Markdown as forges and chats show it. What could be markup in the data is escaped. */
export function formatMarkdown({ title, subtitle, asOf, sections }: ReportDocument): string {
  const parts = sections.map(({ organization, title, sentences = [], figures = [], table }, i) =>
    [
      ...(organization !== undefined && organization !== sections[i - 1]?.organization
        ? [`## ${escapeMarkdown(organization)}`]
        : []),
      `${organization === undefined ? '##' : '###'} ${escapeMarkdown(title)}`,
      ...(figures.length > 0
        ? [figures.map(([label, value]) => `- ${label}: ${escapeMarkdown(value)}`).join('\n')]
        : []),
      ...(sentences.length > 0 ? [sentences.map((one) => `- ${escapeMarkdown(one)}`).join('\n')] : []),
      ...(table ? [markdownTable(withoutDetails(table))] : []),
    ].join('\n\n'),
  );
  return `# ${title}\n\n${subtitle}. As of ${describeMoment(asOf)}; days are in UTC.\n\n${parts.join('\n\n')}\n`;
}

function markdownTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => escapeMarkdown(title))),
    line(columns.map(({ kind }) => (kind === 'text' ? '---' : '---:'))),
    ...rows.map((row) => line(row.map((cell, i) => escapeMarkdown(formatCell(cell, columns[i]!))))),
  ].join('\n');
}

export function escapeMarkdown(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/[\\`*_[\]<>&|~#]/g, String.raw`\$&`);
}

/** All figures of the tables in rows of one kind: section, subject, measure, value; with several organizations, theirs first. */
export async function formatCsv({ sections }: ReportDocument): Promise<string> {
  const isJoint = sections.some(({ organization }) => organization !== undefined);
  const names = [...(isJoint ? ['organization'] : []), 'section', 'subject', 'measure', 'value'];
  const rows = sections.flatMap(({ organization = '', ...section }) =>
    csvRows(section).map((row) => (isJoint ? [organization, ...row] : row)),
  );
  return tableCsv({ columns: names.map((name) => ({ name, title: name, kind: 'text' })), rows });
}

function csvRows({ name, figures = [], table }: Section): (string | undefined)[][] {
  return [
    ...figures.map(([label, value]) => [name, '', label, value]),
    ...(table ? tableJson(table) : []).flatMap((row) => {
      const [[, subject] = ['', ''], ...values] = Object.entries(row);
      return values.map(([measure, value]) => [
        name,
        String(subject),
        measure,
        value === null ? undefined : String(value),
      ]);
    }),
  ];
}

/** The document for programs, with amounts in full. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function documentJson({ title, subtitle, asOf, mostUsed, unusual, sections }: ReportDocument) {
  return {
    title,
    days: subtitle,
    as_of: asOf ?? null,
    most_used: mostUsed,
    unusual,
    sections: sections.map(({ name, organization, title, sentences = [], figures = [], table }) => ({
      name,
      organization: organization ?? null,
      title,
      sentences: [...sentences],
      figures: figures.map(([label, value]) => ({ label, value })),
      rows: table ? tableJson(table) : [],
    })),
  };
}
