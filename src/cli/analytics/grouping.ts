import { Option, type Command } from 'commander';
import type { AnalyticsData } from '../../analytics/client/analyticsData.ts';
import { GroupData, type ChosenGroup } from '../../analytics/groups/groupData.ts';
import { findGroupFile, GROUP_FILES, readGroups } from '../../analytics/groups/groupFile.ts';
import { limitsFile, parseGroupName, readGroupLimits, type GroupLimit } from '../../analytics/groups/groupLimits.ts';
import { UNMAPPED, type Groups } from '../../analytics/groups/groups.ts';
import { SextantError } from '../../base/errors.ts';

export interface GroupOptions {
  readonly groups?: string;
  /** `column=value` */
  readonly group?: string;
  readonly by?: string;
}

export const GROUPS_OPTION = [
  '--groups <file>',
  `group file; default: ${GROUP_FILES.join(' or ')} in this folder`,
] as const;

export const GROUP_OPTION = [
  '--group <column=value>',
  'only this group, such as team=Search; each day counts in the group of that day',
] as const;

/** Adds `--by`, with the columns of a group file beside `dimensions`, and the options of that file. */
export function withGroupOptions(command: Command, dimensions: readonly string[]): Command {
  const by = new Option('--by <dimension>', 'table instead of a summary; also by a column of the group file');
  // Completions offer these, and columns are accepted, too.
  by.argChoices = [...dimensions];
  return command
    .addOption(by)
    .option(...GROUPS_OPTION)
    .option(...GROUP_OPTION);
}

/** How figures are grouped. */
export interface Grouping {
  readonly groups: Groups;
  /** The column to group by, if any. */
  readonly column: string | undefined;
  readonly chosen: ChosenGroup | undefined;
  /** The figures of the chosen group; all without one. */
  readonly within: (data: AnalyticsData) => AnalyticsData;
}

/** Reads the group file if the options need it. Throws `GroupsUnreadable`, and `InvalidOption` for an unknown column. */
export async function readGrouping(
  options: GroupOptions,
  dimensions: readonly string[],
): Promise<Grouping | undefined> {
  const column = options.by === undefined || dimensions.includes(options.by) ? undefined : options.by;
  const chosen = readChosen(options.group);
  const needed = column ?? chosen?.column;
  if (needed === undefined) return undefined;
  const groups = await openGroups(options.groups, needed, column === undefined ? [] : dimensions);
  if (column !== undefined) requireColumn(groups, column, dimensions);
  if (chosen === undefined) return { groups, column, chosen, within: (data) => data };
  requireGroup(groups, chosen);
  return { groups, column, chosen, within: (data) => new GroupData(data, groups, chosen) };
}

/** Throws `InvalidOption`. */
function readChosen(name: string | undefined): ChosenGroup | undefined {
  if (name === undefined) return undefined;
  const of = parseGroupName(name);
  if (typeof of === 'object') return of;
  throw new SextantError('InvalidOption', `${name} is no group. Write it like team=Search.`);
}

/** The group file of an option, or that of this folder; undefined without one. */
export async function groupsFile(file: string | undefined): Promise<string | undefined> {
  return file ?? findGroupFile(process.cwd());
}

/** Reads that file. */
export async function findGroups(file: string | undefined): Promise<Groups | undefined> {
  const found = await groupsFile(file);
  return found === undefined ? undefined : readGroups(found);
}

/** Reads that file and the limits beside it. */
export async function readGroupFiles(
  file: string | undefined,
): Promise<{ readonly groups: Groups | undefined; readonly limits: readonly GroupLimit[] }> {
  const limits = await readGroupLimits(limitsFile(await groupsFile(file), process.cwd()));
  return { groups: await findGroups(file), limits };
}

/** The same, where one is needed for `column`, unless that was to be one of `dimensions`. Throws `GroupsUnreadable` without one. */
export async function openGroups(
  file: string | undefined,
  column?: string,
  dimensions: readonly string[] = [],
): Promise<Groups> {
  const groups = await findGroups(file);
  if (groups) return groups;
  throw noGroupFile(column, dimensions);
}

export function noGroupFile(column?: string, dimensions: readonly string[] = []): SextantError {
  const reason = column === undefined ? 'There is no group file.' : `There is no group file for ${column}.`;
  const others = dimensions.length > 0 ? `Choose one of ${dimensions.join(', ')}; for a column of teams, add` : 'Add';
  return new SextantError(
    'GroupsUnreadable',
    `${reason} ${others} --groups FILE, or ${GROUP_FILES[0]} in this folder.`,
  );
}

/** Throws `InvalidOption` for a group that no row of the file has. */
export function requireGroup(groups: Groups, chosen: ChosenGroup): void {
  requireColumn(groups, chosen.column, []);
  if (chosen.group === UNMAPPED || groups.has(chosen)) return;
  const advice = 'Run sextant groups list to see all groups of today.';
  throw new SextantError('InvalidOption', `No row of the group file has ${chosen.column}=${chosen.group}. ${advice}`);
}

function requireColumn({ columns }: Groups, column: string, dimensions: readonly string[]): void {
  if (columns.includes(column)) return;
  const known = [...dimensions, ...columns].join(', ');
  throw new SextantError('InvalidOption', `${column} is not a column of the group file. Choose one of ${known}.`);
}
