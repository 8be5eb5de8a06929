import { Option, type Command } from 'commander';
import type { AnalyticsData, LoadOptions } from '../../analytics/client/analyticsData.ts';
import type { DayRange } from '../../analytics/dateRules.ts';
import { findGroupFile, GROUP_FILES, readGroups } from '../../analytics/groups/groupFile.ts';
import { groupedActivity } from '../../analytics/groups/groupReport.ts';
import type { Groups } from '../../analytics/groups/groups.ts';
import { distinctPeople } from '../../analytics/insights/people.ts';
import type { PeopleReport } from '../../analytics/reports/usageReport.ts';
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

/** Adds `--by`, with the columns of a group file beside `dimensions`, and the options of that file. */
export function withGroupOptions(command: Command, dimensions: readonly string[]): Command {
  const by = new Option('--by <dimension>', 'table instead of a summary; also by a column of the group file');
  // Completions offer these, and columns are accepted, too.
  by.argChoices = [...dimensions];
  command.addOption(by).option(...GROUPS_OPTION);
  if (dimensions.includes('person'))
    command.option('--group <column=value>', 'only the people of this group, with --by person');
  return command;
}

/** How figures are grouped. */
export interface Grouping {
  readonly groups: Groups;
  /** The column to group by, if any. */
  readonly column: string | undefined;
  /** Loads the people of the chosen group, while they were in it; undefined if none is chosen. */
  readonly member: ((data: AnalyticsData, range: DayRange, load: LoadOptions) => Promise<PeopleReport>) | undefined;
}

/** Reads the group file if the options need it. Throws `GroupsUnreadable`, and `InvalidOption` for an unknown column. */
export async function readGrouping(
  options: GroupOptions,
  dimensions: readonly string[],
): Promise<Grouping | undefined> {
  const column = options.by === undefined || dimensions.includes(options.by) ? undefined : options.by;
  if (column === undefined && options.group === undefined) return undefined;
  const groups = await openGroups(options.groups, column ?? options.group!.split('=')[0]!);
  if (column !== undefined) requireColumn(groups, column, dimensions);
  if (options.group === undefined) return { groups, column, member: undefined };
  const [name = '', ...rest] = options.group.split('=');
  requireColumn(groups, name, []);
  const wanted = rest.join('=');
  return {
    groups,
    column,
    member: async (data, range, load) => {
      const { rows, ...quality } = await groupedActivity(data, range, groups, name, load);
      const people = rows.flatMap(({ row, group }) => (group === wanted ? [row] : []));
      const distinct = quality.missing.length === 0 ? distinctPeople(people) : undefined;
      return { ...quality, range, people, distinct };
    },
  };
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

/** The same, where one is needed for `column`. Throws `GroupsUnreadable` without one. */
export async function openGroups(file: string | undefined, column?: string): Promise<Groups> {
  const groups = await findGroups(file);
  if (groups) return groups;
  const reason = column === undefined ? 'There is no group file.' : `There is no group file for ${column}.`;
  throw new SextantError('GroupsUnreadable', `${reason} Add --groups FILE, or ${GROUP_FILES[0]} in this folder.`);
}

function requireColumn({ columns }: Groups, column: string, dimensions: readonly string[]): void {
  if (columns.includes(column)) return;
  const known = [...dimensions, ...columns].join(', ');
  throw new SextantError('InvalidOption', `${column} is not a column of the group file. Choose one of ${known}.`);
}
