import { BUDGET_RESOURCES, type BudgetResource } from '../contract.ts';
import { identityNamed, type Identity } from '../identity.ts';
import { tableCsv, unguarded } from '../reports/csv.ts';
import { readCsvRows } from '../reports/csvRows.ts';
import type { Column, Table } from '../reports/table.ts';
import { budgetErrors } from './errors.ts';
import { problemOfLimit } from './limit.ts';
import type { LimitProblem, ProblemCode, RequestedLimit } from './preview.ts';

/** Content of a file of limits. */
export interface ReadBudgets {
  readonly wanted: readonly RequestedLimit[];
  readonly problems: readonly LimitProblem[];
  /** Columns without a role in limits. */
  readonly ignored: readonly string[];
}

type ColumnName = 'user_email' | 'service_account_name' | 'identity' | 'kind' | 'limit' | 'resource' | 'period';

/** Known headers, in lower case and with `_` between words, including those of `sextant budgets list --csv`. */
const COLUMNS: Readonly<Record<ColumnName, readonly string[]>> = {
  user_email: ['user_email', 'email', 'e_mail', 'mail'],
  service_account_name: ['service_account_name', 'service_account'],
  identity: ['identity', 'account', 'user', 'person', 'name'],
  kind: ['kind'],
  limit: ['limit', 'config_limit', 'monthly_limit', 'new_limit', 'budget'],
  resource: ['resource', 'unit'],
  period: ['period'],
};
/** Headers of an account that stand beside it in other files, such as the name of a person. */
const ASIDE = ['user', 'person', 'name'];
const RESOURCES: Readonly<Record<string, BudgetResource>> = {
  credits: 'BUDGET_RESOURCE_CREDITS_CONSUMED',
  usd: 'BUDGET_RESOURCE_USD_COST',
  ...Object.fromEntries(BUDGET_RESOURCES.map((resource) => [resource.toLowerCase(), resource])),
};
const PERIODS = ['', 'monthly', 'budget_period_monthly'];

/** The text of a file: UTF-8, or UTF-16 as spreadsheets write it. Throws `NotText`. */
export function decodeCsv(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw budgetErrors.notText();
  }
}

/**
 * Reads limits: a header with an account and a limit in any order. Separators are commas, semicolons, tabs or bars;
 * quotes, a byte order mark and any line ends are allowed. A row that cannot be read is a problem and not a limit; so
 * is a file without such a header.
 */
export async function readBudgetCsv(text: string): Promise<ReadBudgets> {
  const { rows, problem } = await readCsvRows(text);
  const problems: LimitProblem[] = problem
    ? [{ code: 'BadCsv', message: MESSAGES[problem.quote], line: problem.line }]
    : [];
  const [head, ...rest] = rows;
  if (!head) {
    if (!problem) problems.push(noHeader(1));
    return { wanted: [], problems, ignored: [] };
  }
  const { columns, ignored, repeated } = readHead(head.cells);
  if (repeated !== undefined) {
    const message = `There are several columns for ${repeated}. Leave one of them.`;
    return { wanted: [], problems: [...problems, { code: 'RepeatedColumn', message, line: head.line }], ignored };
  }
  const hasIdentity = columns.has('user_email') || columns.has('service_account_name') || columns.has('identity');
  if (!hasIdentity || !columns.has('limit'))
    return { wanted: [], problems: [...problems, noHeader(head.line)], ignored };
  const wanted: RequestedLimit[] = [];
  for (const { line, cells } of rest) {
    const read = readRow(line, cells, columns);
    if ('code' in read) problems.push(read);
    else wanted.push(read);
  }
  return { wanted, problems, ignored };
}

const MESSAGES = {
  open: 'A quote that begins here is never closed, so what follows cannot be read.',
  misplaced: 'A quote stands where none can, so what follows cannot be read. Double it, within quotes.',
} as const;

function noHeader(line: number): LimitProblem {
  const message = 'The first row has to name the columns: user_email, service_account_name or account, and limit.';
  return { code: 'NoHeader', message, line };
}

function readHead(cells: readonly string[]): {
  readonly columns: ReadonlyMap<ColumnName, number>;
  readonly ignored: readonly string[];
  readonly repeated?: ColumnName;
} {
  const columns = new Map<ColumnName, number>();
  const ignored: string[] = [];
  const heads = cells.map((cell) => cell.toLowerCase().replaceAll(/[\s._-]+/g, '_'));
  const { user_email, service_account_name, identity } = COLUMNS;
  const accounts = [...user_email, ...service_account_name, ...identity].filter((one) => !ASIDE.includes(one));
  const hasAccount = heads.some((one) => accounts.includes(one));
  for (const [i, cell] of cells.entries()) {
    const head = heads[i]!;
    const isAside = hasAccount && ASIDE.includes(head);
    const name = (Object.keys(COLUMNS) as ColumnName[]).find((one) => !isAside && COLUMNS[one].includes(head));
    if (name === undefined) {
      if (cell !== '') ignored.push(cell);
    } else if (columns.has(name)) return { columns, ignored, repeated: name };
    else columns.set(name, i);
  }
  return { columns, ignored };
}

function readRow(
  line: number,
  cells: readonly string[],
  columns: ReadonlyMap<ColumnName, number>,
): RequestedLimit | LimitProblem {
  const cell = (name: ColumnName): string | undefined => {
    const column = columns.get(name);
    return column === undefined ? undefined : cells[column];
  };
  const named = identitiesIn(cell);
  const [identity] = named;
  const limit = cell('limit');
  const problem = (code: ProblemCode, message: string): LimitProblem => ({ code, message, line, identity, limit });
  if (!identity) return problem('NoIdentity', 'The row names no account.');
  if (named.length > 1) return problem('TwoIdentities', 'The row names both a person and a service account.');
  if (limit === undefined)
    return problem('NoLimit', 'The row ends before its limit. Write an empty limit to clear the override.');
  const wrong = problemOfLimit(limit);
  if (wrong !== undefined) return problem('BadLimit', wrong);
  const resourceText = cell('resource') ?? '';
  const resource = RESOURCES[resourceText.toLowerCase()];
  if (resource === undefined && resourceText !== '')
    return problem('BadResource', `A budget is one of ${BUDGET_RESOURCES.join(' or ')}.`);
  if (!PERIODS.includes((cell('period') ?? '').toLowerCase()))
    return problem('BadPeriod', 'Budgets are of a month: BUDGET_PERIOD_MONTHLY.');
  return { identity, limit, line, ...(resource && { resource }) };
}

function identitiesIn(cell: (name: ColumnName) => string | undefined): Identity[] {
  const found: Identity[] = [];
  const add = (kind: Identity['kind'], text: string | undefined): void => {
    if (text !== undefined && text !== '') found.push({ kind, name: unguarded(text) });
  };
  add('user_email', cell('user_email'));
  add('service_account_name', cell('service_account_name'));
  const either = cell('identity') ?? '';
  const kind = cell('kind');
  const isNamed = kind === undefined || kind === '';
  const isAccount = /^service[ _]account/i.test(kind ?? '');
  add(isNamed ? identityNamed(either).kind : isAccount ? 'service_account_name' : 'user_email', either);
  return found;
}

/** One row of a file of limits, with an error of the service or of the preview. */
export interface CsvRow {
  readonly identity: Identity;
  readonly limit: string;
  readonly error?: string;
}

const text = (name: string): Column => ({ name, title: name, kind: 'text' });

/** A file of limits in the format of {@link readBudgetCsv}; `withErrors` adds the column `error`. */
export function budgetCsv(
  rows: Iterable<CsvRow>,
  resource: BudgetResource,
  { withErrors = false }: { readonly withErrors?: boolean } = {},
): Promise<string> {
  const table: Table = {
    columns: [
      ...['user_email', 'service_account_name', 'limit', 'resource', 'period', ...(withErrors ? ['error'] : [])],
    ].map(text),
    rows: Array.from(rows, ({ identity: { kind, name }, limit, error = '' }) => [
      kind === 'user_email' ? name : '',
      kind === 'user_email' ? '' : name,
      limit,
      resource,
      'BUDGET_PERIOD_MONTHLY',
      ...(withErrors ? [error] : []),
    ]),
  };
  return tableCsv(table);
}
