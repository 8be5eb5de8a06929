import { describeMoment } from '../reports/report.ts';
import { formatCell, withoutDetails, type Table } from '../reports/table.ts';
import type { ReportDocument, Section } from './document.ts';
import { chartOf, escapeText, titleInFull } from './svg.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --faint: #59636e; --line: #d1d9e0; --mark: #0969da; --page: #fff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --mark: #4493f8; --page: #0d1117; } }
@media print { :root { --text: #000; --faint: #444; --line: #bbb; --mark: #0550ae; --page: #fff; } details { display: none; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2, h3 { margin-top: 2.2rem; font-size: 1.2rem; } .organization { font-size: 1.6rem; border-top: 2px solid var(--line); padding-top: 1.5rem; margin-top: 3.5rem; overflow-wrap: anywhere; } .faint { color: var(--faint); margin-top: 0; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem; } dt { color: var(--faint); } dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
svg { width: 100%; min-width: 32rem; height: auto; } svg rect { fill: var(--mark); } svg text { fill: var(--text); font-size: 12px; } svg line { stroke: var(--line); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; } td { white-space: nowrap; }
.number { text-align: right; } th { color: var(--faint); font-weight: 600; } summary { cursor: pointer; color: var(--faint); }
section { break-inside: avoid-page; } tr { break-inside: avoid; } h2, h3 { break-after: avoid; }`;

/** One page that needs no script, no file and no network; for screens and paper. Everything from data is escaped. */
export function formatHtml(document: ReportDocument): string {
  const { title, subtitle, asOf, sections } = document;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeText(`${title}, ${subtitle}`)}</title>
<style>${STYLE}
</style>
</head>
<body>
<main>
<h1>${escapeText(title)}</h1>
<p class="faint">${escapeText(`${subtitle}. As of ${describeMoment(asOf)}; days are in UTC.`)}</p>
${sectionsHtml(sections)}
</main>
</body>
</html>
`;
}

/** The sections; those of an organization are below its heading. */
function sectionsHtml(sections: readonly Section[]): string {
  return sections
    .map((section, i) => {
      const { organization } = section;
      const isFirst = organization !== undefined && organization !== sections[i - 1]?.organization;
      const heading = isFirst ? `<h2 class="organization">${escapeText(organization)}</h2>\n` : '';
      return `${heading}${sectionHtml(section, i)}`;
    })
    .join('\n');
}

function sectionHtml(section: Section, index: number): string {
  const { name, title, organization, sentences = [], figures, table } = section;
  // An id has no blanks, and a column of a group file may have some.
  const id = `${escapeText(name.replaceAll(/\s+/g, '-'))}${organization === undefined ? '' : `-${index}`}`;
  const whole = titleInFull(section);
  const level = organization === undefined ? 'h2' : 'h3';
  const chart = chartOf(section);
  const picture = chart === undefined ? '' : scrolling(`Picture: ${whole}`, chart);
  const twin = table ? tableHtml(table, whole) : '';
  return [
    // Two organizations have sections of one title.
    organization === undefined ? `<section aria-labelledby="${id}">` : `<section aria-label="${escapeText(whole)}">`,
    `<${level} id="${id}">${escapeText(title)}</${level}>`,
    ...(figures
      ? [
          `<dl>${figures.map(([label, value]) => `<div><dt>${escapeText(label)}</dt><dd>${escapeText(value)}</dd></div>`).join('')}</dl>`,
        ]
      : []),
    ...(sentences.length > 1
      ? [`<ul>${sentences.map((one) => `<li>${escapeText(one)}</li>`).join('')}</ul>`]
      : sentences.map((one) => `<p>${escapeText(one)}</p>`)),
    picture,
    picture === '' || twin === '' ? twin : `<details><summary>Table</summary>${twin}</details>`,
    '</section>',
  ].join('\n');
}

function tableHtml(whole: Table, title: string): string {
  const { columns, rows } = withoutDetails(whole);
  const cell = (tag: 'th' | 'td', kind: string, text: string): string => {
    const scope = tag === 'th' ? ' scope="col"' : '';
    return `<${tag}${scope}${kind === 'text' ? '' : ' class="number"'}>${escapeText(text)}</${tag}>`;
  };
  const head = columns.map(({ kind, title }) => cell('th', kind, title));
  const body = rows.map(
    (row) => `<tr>${row.map((value, i) => cell('td', columns[i]!.kind, formatCell(value, columns[i]!))).join('')}</tr>`,
  );
  const table = `<table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
  return scrolling(`Table: ${title}`, table);
}

/** Content that scrolls where it is wider than the page, also by keys. */
function scrolling(name: string, content: string): string {
  return `<div class="wide" tabindex="0" role="region" aria-label="${escapeText(name)}">${content}</div>`;
}
