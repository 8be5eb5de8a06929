import assert from 'node:assert/strict';
import fc from 'fast-check';
import papa from 'papaparse';
import { sumMetrics } from '../insights/people.ts';
import type { GroupReport, GroupUse } from '../groups/groupReport.ts';
import type { ReportDocument } from './document.ts';
import { formatCsv, formatMarkdown } from './formats.ts';
import { formatHtml } from './html.ts';
import { joinDocuments, type OrganizationDocument } from './organizations.ts';

const range = { first: 20_000, last: 20_006 };
const quality = { asOf: '2026-11-21T09:30:00Z', offline: undefined, missing: [] };

const group = fc.record({
  name: fc.constantFrom('Search', 'Billing', 'unmapped'),
  people: fc.nat(50),
  amount: fc.bigInt({ min: 0n, max: 10n ** 40n }),
});

/** A document whose groups have the amount of the organization, as those of a real one. */
const documents = fc
  .array(
    fc.record({
      unit: fc.constantFrom('usd' as const, 'credits' as const),
      groups: fc.uniqueArray(group, { selector: ({ name }) => name }),
    }),
    { minLength: 1, maxLength: 5 },
  ) // oxfmt-ignore
  .map((all) => all.map(({ unit, groups }, i) => part(`org ${i}`, unit, groups)));

function part(
  name: string,
  unit: 'usd' | 'credits',
  of: readonly Pick<GroupUse, 'name' | 'people' | 'amount'>[],
): OrganizationDocument {
  const groups = of.map((one): GroupUse => ({ ...one, metrics: sumMetrics([]), perPerson: undefined, before: 0n }));
  const report: GroupReport = { ...quality, range, column: 'team', unit, groups };
  const document: ReportDocument = {
    ...quality,
    ...{ title: 'Usage and cost', subtitle: '2026-11-14 to 2026-11-15', mostUsed: 0.5, unusual: 1 },
    totals: {
      people: groups.reduce((sum, { people }) => sum + people, 0),
      metrics: sumMetrics([]),
      unit,
      amount: groups.reduce((sum, { amount }) => sum + amount, 0n),
      before: 0n,
    },
    groups: [report],
    sections: [{ name: 'summary', title: 'Summary', figures: [['Different people', '2']] }],
  };
  return { name, document };
}

/** The sum of a column of all tables whose section begins with `name`. */
function sumIn({ sections }: ReportDocument, name: string, column: string): bigint {
  return sections
    .filter((section) => section.organization === undefined && section.name.startsWith(name))
    .flatMap(({ table }) =>
      table!.rows.map((row) => row[table!.columns.findIndex((one) => one.name === column)] as bigint),
    ) // oxfmt-ignore
    .reduce((sum, amount) => sum + amount, 0n);
}

describe('a report over several organizations', () => {
  it('has exact sums, by organization and by group, and adds no dollars to credits', () => {
    fc.assert(
      fc.property(documents, (parts) => {
        const joint = joinDocuments(parts);
        for (const [unit, column] of [
          ['usd', 'billed_amount_usd'],
          ['credits', 'credits_consumed'],
        ] as const) {
          // oxfmt-ignore
          const of = parts.filter(({ document }) => document.totals.unit === unit);
          const sum = of.reduce((before, { document }) => before + document.totals.amount!, 0n);
          const name = of.length === parts.length ? 'organizations' : `organizations-in-${unit}`;
          if (of.length > 0) assert.equal(sumIn(joint, name, column), sum);
          if (of.length === parts.length) assert.equal(sumIn(joint, 'groups-by-team', column), sum);
        }
        assert.equal(joint.unusual, parts.length);
        const names = joint.sections.flatMap(({ organization }) => organization ?? []);
        assert.deepEqual(names, parts.map(({ name }) => name)); // oxfmt-ignore
      }),
    );
  });

  it('knows no sum where one organization is unknown', () => {
    const known = part('known', 'usd', [{ name: 'Search', people: 1, amount: 5n * 10n ** 38n }]);
    const { document } = part('unknown', 'usd', []);
    const unknown = { name: 'unknown', document: { ...document, totals: { ...document.totals, amount: undefined } } };
    const [summary] = joinDocuments([known, unknown]).sections;
    assert.deepEqual(summary!.figures!.at(-1), ['Cost', '–']);
  });

  it('has the names of organizations as headings, escaped, and in the CSV', async () => {
    const joint = joinDocuments([part('<b>|a', 'usd', []), part('b c', 'usd', [])]);
    const html = formatHtml(joint);
    assert.match(
      html,
      /<h2 class="organization">&lt;b&gt;\|a<\/h2>\n<section aria-label="[^"]*&lt;b&gt;[^"]*">\n<h3 id="summary-3">/,
    );
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, ids.join(' '));
    assert.match(formatMarkdown(joint), /\n## \\<b\\>\\\|a\n\n### Summary\n/);
    const { data } = papa.parse<string[]>((await formatCsv(joint)).trimEnd());
    assert.deepEqual(data[0], ['organization', 'section', 'subject', 'measure', 'value']);
    assert.deepEqual(data.at(-1), ['b c', 'summary', '', 'Different people', '2']);
  });
});
