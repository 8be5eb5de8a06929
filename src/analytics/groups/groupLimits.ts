import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { changeAlone } from '../../base/changeAlone.ts';
import { explainWriteError, SextantError, systemCode } from '../../base/errors.ts';
import { decodeCsv } from '../budgets/csv.ts';
import { problemOfLimit, type Limit } from '../budgets/limit.ts';
import { columnName } from '../identity.ts';
import { ORGANIZATION, type LimitedGroup } from '../insights/budgets.ts';
import { tableCsv, unguarded } from '../reports/csv.ts';
import { readCsvRows } from '../reports/csvRows.ts';
import { text } from '../reports/tables.ts';

/** Name of the file with the limits of groups, beside the group file. */
export const LIMITS_FILE = 'sextant-budgets.csv';

const COLUMNS = ['column', 'group', 'limit'] as const;
const MAX_BYTES = 1_000_000;

/** The monthly limit of a group, in credits or dollars as the plan: only Sextant knows it, and nothing enforces it. */
export interface GroupLimit {
  readonly of: LimitedGroup;
  readonly limit: Limit;
}

/** The file with the limits: in the folder of the group file, or else in `folder`. */
export function limitsFile(groupFile: string | undefined, folder: string): string {
  return join(groupFile === undefined ? folder : dirname(groupFile), LIMITS_FILE);
}

/** `team=Search` or `organization`; equal for equal groups. */
export function describeGroup(of: LimitedGroup): string {
  return of === ORGANIZATION ? of : `${of.column}=${of.group}`;
}

/** The column and group of a limit, as its file has them. */
export function groupFields(of: LimitedGroup): { readonly column: string; readonly group: string } {
  return of === ORGANIZATION ? { column: of, group: '' } : of;
}

/** Those of one group; all without one. */
export function limitsOf<T extends { readonly of: LimitedGroup }>(
  limits: readonly T[],
  group: LimitedGroup | undefined,
): readonly T[] {
  return group === undefined ? limits : limits.filter(({ of }) => describeGroup(of) === describeGroup(group));
}

/** Reads `team=Search` or `organization`; undefined for other text. */
export function parseGroupName(name: string): LimitedGroup | undefined {
  if (name === ORGANIZATION) return ORGANIZATION;
  const [column = '', ...rest] = name.split('=');
  const group = rest.join('=');
  return column === '' || group === '' ? undefined : { column: columnName(column), group };
}

/** Reads the limits of groups; none without a file. Throws `GroupLimitsUnreadable`, with the line. */
export async function readGroupLimits(file: string): Promise<GroupLimit[]> {
  let content: string;
  try {
    if ((await stat(file)).size > MAX_BYTES) throw unreadable(file, 'is larger than 1 MB.');
    content = decodeCsv(await readFile(file));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    if (error instanceof SextantError && error.code !== 'NotText') throw error;
    throw unreadable(file, 'cannot be read. Check its path, and save it as CSV in UTF-8.', error);
  }
  const { rows, problem } = await readCsvRows(content);
  if (problem) throw unreadable(file, `has an error in line ${problem.line}: a quote is not closed or misplaced.`);
  const [head, ...rest] = rows;
  const names = (head?.cells ?? []).map(columnName);
  const [column, group, limit] = COLUMNS.map((name) => names.indexOf(name)) as [number, number, number];
  if (column < 0 || group < 0 || limit < 0) throw unreadable(file, `needs the columns ${COLUMNS.join(', ')}.`);
  const known = new Map<string, GroupLimit>();
  for (const { line, cells } of rest) {
    const wrong = (what: string): SextantError => unreadable(file, `has an error in line ${line}: ${what}`);
    const of = groupIn(columnName(cells[column] ?? ''), unguarded(cells[group] ?? ''));
    if (of === undefined) throw wrong(`a column and a group are needed, or ${ORGANIZATION} without a group.`);
    const wanted = cells[limit] ?? '';
    if (wanted === '') throw wrong('the limit is empty. Remove the row to clear it.');
    const reason = problemOfLimit(wanted);
    if (reason !== undefined) throw wrong(reason);
    const key = describeGroup(of);
    if (known.has(key)) throw wrong(`${key} has a limit in an earlier line. Leave one of them.`);
    known.set(key, { of, limit: wanted });
  }
  return [...known.values()];
}

function groupIn(column: string, group: string): LimitedGroup | undefined {
  if (column === ORGANIZATION && group === '') return ORGANIZATION;
  return column === '' || group === '' ? undefined : { column, group };
}

/** Sets the limit of a group in the file, or clears it; returns the limit that it had. Other processes wait until it is written. */
export async function setGroupLimit(
  file: string,
  of: LimitedGroup,
  limit: Limit | undefined,
  signal?: AbortSignal,
): Promise<Limit | undefined> {
  const wrong = limit === undefined ? undefined : problemOfLimit(limit);
  if (wrong !== undefined) throw new SextantError('BadLimit', `"${limit}" is not a limit. ${wrong}`);
  return changeAlone(() => changeLimit(file, of, limit), signal);
}

async function changeLimit(file: string, of: LimitedGroup, limit: Limit | undefined): Promise<Limit | undefined> {
  const limits = new Map((await readGroupLimits(file)).map((one) => [describeGroup(one.of), one]));
  const key = describeGroup(of);
  const before = limits.get(key)?.limit;
  if (limit === before) return before;
  if (limit === undefined) limits.delete(key);
  else limits.set(key, { of, limit });
  const content = await tableCsv({
    columns: COLUMNS.map((name) => text(name, name)),
    rows: [...limits.values()].map(({ of: one, limit: value }) => [
      groupFields(one).column,
      groupFields(one).group,
      value,
    ]),
  });
  try {
    writeFileAtomicSync(file, content);
  } catch (error) {
    throw explainWriteError(error, dirname(file));
  }
  return before;
}

function unreadable(file: string, problem: string, cause?: unknown): SextantError {
  return new SextantError('GroupLimitsUnreadable', `The file of limits ${basename(file)} ${problem}`, { cause });
}
