import assert from 'node:assert/strict';
import papa from 'papaparse';
import { formatCsv, formatMarkdown } from './formats.ts';
import { formatHtml } from './html.ts';
import type { ReportDocument } from './document.ts';
import { chartOf } from './svg.ts';

const HOSTILE = `<img src=x onerror=alert(1)> | [x](y) & "q" '\u001b[31m`;
const DOCUMENT: ReportDocument = {
  title: 'Usage and cost',
  subtitle: '2026-11-14 to 2026-11-15, compared with 2026-11-12 to 2026-11-13',
  asOf: '2026-11-21T09:30:00Z',
  offline: undefined,
  missing: [],
  mostUsed: 1.25,
  unusual: 0,
  totals: { people: 2, metrics: undefined, unit: 'usd', amount: 15n * 10n ** 37n, before: undefined },
  groups: [],
  sections: [
    { name: 'summary', title: 'Summary', figures: [['Different people', '2']] },
    { name: 'attention', title: 'Needs attention', sentences: [HOSTILE, 'Looked at: nothing.'] },
    {
      name: 'groups-by-team',
      title: `By ${HOSTILE}`,
      table: {
        columns: [
          { name: 'team', title: HOSTILE, kind: 'text' },
          { name: 'cost', title: 'Cost', kind: 'usd' },
          { name: 'detail', title: 'Detail', kind: 'count', isDetail: true },
        ],
        rows: [
          [HOSTILE, 15n * 10n ** 37n, 3],
          ['=SUM(A1)', undefined, 4],
        ],
      },
      chart: { kind: 'subjects', column: 'cost' },
    },
    {
      name: 'empty',
      title: 'Empty',
      table: { columns: [{ name: 'date', title: 'Day', kind: 'text' }], rows: [] },
      chart: { kind: 'days', column: 'active' },
    },
  ],
};

describe('a report document', () => {
  it('shows nothing of the data as markup', () => {
    const html = formatHtml(DOCUMENT);
    assert.equal(/<img|\p{Cc}(?<!\n)|onerror=alert\(1\)>/u.test(html), false);
    assert.match(html, /&lt;img src=x onerror=alert\(1\)&gt; \| \[x\]\(y\) &amp; &quot;q&quot; &#39; \[31m/);
    assert.equal(/<script|https?:|url\(/.test(html), false, 'it needs no script and no network');
    const markdown = formatMarkdown(DOCUMENT);
    assert.match(markdown, /\\<img src=x onerror=alert\(1\)\\> \\\| \\\[x\\\]\(y\) \\& "q" ' \\\[31m/);
    assert.equal(/\p{Cc}(?<!\n)|(?<!\\)</u.test(markdown), false);
  });

  it('draws a picture beside its table, and none without rows', () => {
    const [, , groups, empty] = DOCUMENT.sections;
    assert.match(chartOf(groups!)!, /<rect x="190" y="3" width="440" height="16"><title>.*\$1\.50<\/title>/);
    assert.equal(chartOf(empty!), undefined);
    assert.match(formatHtml(DOCUMENT), /<details><summary>Table<\/summary><div class="wide"/);
  });

  it('has every figure in its CSV, exact and without formulas', async () => {
    const { data } = papa.parse<string[]>((await formatCsv(DOCUMENT)).trimEnd());
    assert.deepEqual(data.slice(1), [
      ['summary', '', 'Different people', '2'],
      ['groups-by-team', HOSTILE, 'cost', '1.5'],
      ['groups-by-team', HOSTILE, 'detail', '3'],
      ['groups-by-team', "'=SUM(A1)", 'cost', ''],
      ['groups-by-team', "'=SUM(A1)", 'detail', '4'],
    ]);
  });
});
