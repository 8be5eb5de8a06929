import type { Decimal } from '../../base/decimal.ts';
import { formatCount } from '../../base/format.ts';
import { compareGroups, spendingColumn, type GroupReport, type GroupUse } from '../groups/groupReport.ts';
import { growthOfAmount } from '../insights/compare.ts';
import { sumMetrics } from '../insights/people.ts';
import { qualityOf } from '../reports/report.ts';
import { formatCell, formatGrowth, type Table } from '../reports/table.ts';
import { count, text, use, USE } from '../reports/tables.ts';
import type { Unit } from '../reports/unit.ts';
import { groupSection, type ReportDocument, type Section } from './document.ts';

/** The document of a named organization. */
export interface OrganizationDocument {
  readonly name: string;
  readonly document: ReportDocument;
}

const NOUN = { usd: 'Cost', credits: 'Credits' } as const;

/**
 * Joins the documents of several organizations, of the same days: their sums, their groups together, and then the parts
 * of each. Credits and dollars are never added.
 */
export function joinDocuments(parts: readonly OrganizationDocument[]): ReportDocument {
  const documents = parts.map(({ document }) => document);
  const units = (['usd', 'credits'] as const).filter((unit) => documents.some(({ totals }) => totals.unit === unit));
  const [first] = documents;
  return {
    title: `${units.length === 1 && units[0] === 'credits' ? 'Usage and credits' : 'Usage and cost'} of ${formatCount(parts.length)} organizations`,
    subtitle: first?.subtitle ?? '',
    ...qualityOf(...documents),
    mostUsed: Math.max(0, ...documents.map(({ mostUsed }) => mostUsed)),
    unusual: documents.reduce((sum, { unusual }) => sum + unusual, 0),
    totals: { ...sumsOf(documents), unit: units[0] ?? 'usd', ...amountsOf(documents, units[0] ?? 'usd') },
    groups: [],
    sections: [
      { name: 'all-organizations', title: 'All organizations', figures: figuresOf(documents, units) },
      ...units.map((unit) => organizationSection(parts, unit, units.length)),
      ...jointGroups(documents).map(groupSection),
      ...parts.flatMap(({ name, document }) =>
        document.sections.map((section): Section => ({ ...section, organization: name })),
      ),
    ],
  };
}

/** Undefined if one of them is unknown: a sum of the others would look complete. */
function sumKnown<T extends number | bigint>(values: readonly (T | undefined)[], zero: T): T | undefined {
  let sum: T = zero;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum = ((sum as number) + (value as number)) as T;
  }
  return sum;
}

function sumsOf(documents: readonly ReportDocument[]): Pick<ReportDocument['totals'], 'people' | 'metrics'> {
  const metrics = documents.map(({ totals }) => totals.metrics);
  const known = metrics.filter((one) => one !== undefined);
  return {
    people: sumKnown(
      documents.map(({ totals }) => totals.people),
      0,
    ),
    metrics: known.length === metrics.length ? sumMetrics(known) : undefined,
  };
}

function amountsOf(
  documents: readonly ReportDocument[],
  unit: Unit,
): { readonly amount: Decimal | undefined; readonly before: Decimal | undefined } {
  const of = documents.filter(({ totals }) => totals.unit === unit).map(({ totals }) => totals);
  return {
    amount: sumKnown(
      of.map(({ amount }) => amount),
      0n,
    ),
    before: sumKnown(
      of.map(({ before }) => before),
      0n,
    ),
  };
}

function figuresOf(documents: readonly ReportDocument[], units: readonly Unit[]): NonNullable<Section['figures']> {
  const { people, metrics } = sumsOf(documents);
  const number = (value: number | undefined): string => formatCell(value, { kind: 'count' });
  return [
    ['Organizations', formatCount(documents.length)],
    ['People, each organization’s added', number(people)],
    ['Messages', number(metrics?.total_messages)],
    ['Modified lines', number(metrics?.total_modified_lines_of_code)],
    ...units.map((unit) => {
      const { amount, before } = amountsOf(documents, unit);
      const growth = amount !== undefined && before !== undefined ? growthOfAmount(amount, before) : undefined;
      const since = growth === undefined ? '' : ` (${formatGrowth(growth)})`;
      return [NOUN[unit], `${formatCell(amount, { kind: unit })}${since}`] as const;
    }),
  ];
}

/** The organizations that pay in `unit`, the highest amount first. */
function organizationSection(parts: readonly OrganizationDocument[], unit: Unit, units: number): Section {
  const spending = spendingColumn(unit);
  const of = parts
    .filter(({ document }) => document.totals.unit === unit)
    .sort((a, b) => compareGroups(amountIn(a), amountIn(b)));
  const table: Table = {
    columns: [
      text('organization', 'Organization'),
      count('people', 'People'),
      ...USE,
      spending,
      { name: `${spending.name}_before`, title: 'Before', kind: unit },
      { name: 'most_used', title: 'Most used limit', kind: 'share' },
    ],
    rows: of.map(({ name, document: { totals, mostUsed } }) => [
      name,
      totals.people,
      ...(totals.metrics ? use(totals.metrics) : USE.map(() => undefined)),
      totals.amount,
      totals.before,
      mostUsed,
    ]),
  };
  return {
    name: units === 1 ? 'organizations' : `organizations-in-${unit}`,
    title: units === 1 ? 'By organization' : `${NOUN[unit]} by organization`,
    table,
    chart: { kind: 'subjects', column: spending.name },
  };
}

const amountIn = ({ name, document }: OrganizationDocument): { name: string; amount: Decimal } => ({
  name,
  amount: document.totals.amount ?? 0n,
});

/** The groups of all organizations by name, for each column of the group file. Empty where units differ. */
function jointGroups(documents: readonly ReportDocument[]): GroupReport[] {
  const reports = documents.flatMap(({ groups }) => groups);
  const columns = [...new Set(reports.map(({ column }) => column))];
  return columns.flatMap((column) => {
    const of = reports.filter((report) => report.column === column);
    const [first] = of;
    if (!first || of.some(({ unit }) => unit !== first.unit)) return [];
    const byName = new Map<string, GroupUse[]>();
    for (const group of of.flatMap(({ groups }) => groups))
      byName.set(group.name, [...(byName.get(group.name) ?? []), group]);
    const groups = [...byName].map(([name, all]) => joinGroup(name, all)).sort(compareGroups);
    return [{ ...first, ...qualityOf(...of), groups }];
  });
}

function joinGroup(name: string, all: readonly GroupUse[]): GroupUse {
  const people = all.reduce((sum, one) => sum + one.people, 0);
  const amount = all.reduce((sum, one) => sum + one.amount, 0n);
  const before = sumKnown(
    all.map((one) => one.before),
    0n,
  );
  const perPerson = people === 0 ? undefined : amount / BigInt(people);
  return { name, people, amount, before, perPerson, metrics: sumMetrics(all.map(({ metrics }) => metrics)) };
}
