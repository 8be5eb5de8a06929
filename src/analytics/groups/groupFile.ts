import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseDay, type Day } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { decodeCsv } from '../budgets/csv.ts';
import { columnName, foldCase } from '../identity.ts';
import { unguarded } from '../reports/csv.ts';
import { readCsvRows } from '../reports/csvRows.ts';
import { Groups, type GroupRow } from './groups.ts';

/** Names under which a group file is found in a folder. */
export const GROUP_FILES = ['sextant-groups.csv', 'sextant-groups.json'];

/** Columns that name an account, in order of preference. */
const ACCOUNT_COLUMNS = ['account', 'user_email', 'email', 'service_account_name', 'login', 'user'];
const FIRST_COLUMNS = ['from', 'valid_from'];
const LAST_COLUMNS = ['to', 'valid_to'];
/** Wildcards of a pattern: each more makes matching slower. */
const MAX_WILDCARDS = 3;
const MAX_BYTES = 20_000_000;

type Cells = Readonly<Record<string, string>>;

/**
 * Reads a group file: CSV whose first row names the columns, or JSON, a list of objects. A column names the account (a
 * name, or a pattern such as `*@example.com`; `*` is for all others), `from` and `to` the days on which the row is
 * valid, `2026-11-20`, both included; each other column is a way to group. Throws `GroupsUnreadable`, with the line.
 */
export async function readGroups(file: string): Promise<Groups> {
  let text: string;
  try {
    if ((await stat(file)).size > MAX_BYTES) throw new RangeError('larger than 20 MB');
    text = decodeCsv(await readFile(file));
  } catch (error) {
    const what = 'cannot be read. Check its path, that it is text in UTF-8 or UTF-16, and not larger than 20 MB.';
    throw unreadable(file, what, error);
  }
  return parseGroups(text, file);
}

/** Parses the text of a group file; a name that ends in `.json` is JSON. */
export async function parseGroups(text: string, file: string): Promise<Groups> {
  const lines = foldCase(file).endsWith('.json') ? jsonRows(text, file) : await csvRows(text, file);
  const allNames = [...new Set(lines.flatMap(({ cells }) => Object.keys(cells)))];
  const find = (wanted: readonly string[]): string | undefined => wanted.find((name) => allNames.includes(name));
  const [account, first, last] = [find(ACCOUNT_COLUMNS), find(FIRST_COLUMNS), find(LAST_COLUMNS)];
  if (account === undefined)
    throw unreadable(file, 'names no accounts. It needs a column account, user_email or email.');
  const columns = allNames.filter((name) => ![account, first, last].includes(name) && name !== '');
  if (columns.length === 0) throw unreadable(file, `has no groups. Add a column beside ${account}, such as team.`);
  const rows = lines.map(({ line, cells }): GroupRow => {
    const name = cells[account] ?? '';
    const problem = (text: string): SextantError => unreadable(file, `has an error in line ${line}: ${text}`);
    if (name === '') throw problem(`${account} is empty. Use * for all accounts that no other row names.`);
    if (name.split('*').length > MAX_WILDCARDS + 1) throw problem(`${name} has more than ${MAX_WILDCARDS} wildcards.`);
    const dayIn = (column: string | undefined): Day | undefined => {
      const text = column === undefined ? '' : (cells[column] ?? '');
      const day = parseDay(text);
      if (text !== '' && day === undefined) throw problem(`${text} is no date like 2026-11-20.`);
      return day;
    };
    const row = { line, account: name, values: valuesOf(cells, columns), first: dayIn(first), last: dayIn(last) };
    if (row.first !== undefined && row.last !== undefined && row.first > row.last)
      throw problem('the first day is after the last.');
    return row;
  });
  return new Groups(columns, rows);
}

function valuesOf(cells: Cells, columns: readonly string[]): Cells {
  return cellsOf(columns.flatMap((name) => (cells[name] ? [[name, cells[name]] as const] : [])));
}

/** An object without inherited members: a column may be named as one, such as `constructor`. */
function cellsOf(cells: Iterable<readonly [string, string]>): Cells {
  return Object.assign(Object.create(null), Object.fromEntries(cells)) as Cells;
}

/** The group file of a folder; undefined without one. */
export async function findGroupFile(folder: string): Promise<string | undefined> {
  for (const name of GROUP_FILES) {
    const file = join(folder, name);
    if (
      await stat(file).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

interface Line {
  readonly line: number;
  readonly cells: Cells;
}

async function csvRows(text: string, file: string): Promise<Line[]> {
  const { rows, problem } = await readCsvRows(text);
  if (problem) {
    const what =
      problem.quote === 'open' ? 'a quote is not closed.' : 'a quote stands where none can. Double it, within quotes.';
    throw unreadable(file, `has an error in line ${problem.line}: ${what}`);
  }
  const [head, ...rest] = rows;
  const names = (head?.cells ?? []).map(columnName);
  const double = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (double !== undefined) throw unreadable(file, `has two columns ${double}. Remove one.`);
  return rest.map(({ line, cells }) => ({
    line,
    cells: cellsOf(names.map((name, at) => [name, unguarded(cells[at] ?? '')])),
  }));
}

function jsonRows(text: string, file: string): Line[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw unreadable(file, 'is not JSON.', error);
  }
  if (!Array.isArray(value) || !value.every(isObject))
    throw unreadable(file, 'must be a list of objects, each with account and its groups.');
  return value.map((one, i) => ({
    line: i + 1,
    cells: cellsOf(
      Object.entries(one).map(([name, cell]) => {
        if (cell === null) return [columnName(name), ''];
        if (typeof cell !== 'string' && typeof cell !== 'number')
          throw unreadable(file, `has an error in entry ${i + 1}: ${name} must be text.`);
        return [columnName(name), String(cell).trim()];
      }),
    ),
  }));
}

function unreadable(file: string, problem: string, cause?: unknown): SextantError {
  return new SextantError('GroupsUnreadable', `The group file ${basename(file)} ${problem}`, { cause });
}
