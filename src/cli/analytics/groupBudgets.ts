import { groupBudgetReport, groupBudgetTable } from '../../analytics/groups/groupBudgets.ts';
import { readGroups } from '../../analytics/groups/groupFile.ts';
import { limitsFile, limitsOf, parseGroupName, setGroupLimit } from '../../analytics/groups/groupLimits.ts';
import type { Groups } from '../../analytics/groups/groups.ts';
import { ORGANIZATION, type LimitedGroup } from '../../analytics/insights/budgets.ts';
import { spreadLimit, type Spread } from '../../analytics/groups/spread.ts';
import { problemOfLimit } from '../../analytics/budgets/limit.ts';
import { describeUnknown } from '../../analytics/reports/attentionTexts.ts';
import { SextantError } from '../../base/errors.ts';
import { formatThings } from '../../base/format.ts';
import { ExitCode, printable, type Terminal } from '../terminal.ts';
import { describeAge, loading, openData, printTable, warnOfQuality, type AnalyticsOptions } from './analytics.ts';
import { change, type ChangeOptions } from './budgetChanges.ts';
import { groupsFile, noGroupFile, readGroupFiles, requireGroup } from './grouping.ts';

export interface GroupFileOptions {
  readonly groups?: string;
}

export interface SpreadOptions extends ChangeOptions, GroupFileOptions {
  readonly by: Spread;
  readonly limit?: string;
}

/** `sextant budgets group list` */
export async function listGroupLimits(
  options: AnalyticsOptions & GroupFileOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { groups, limits } = await readGroupFiles(options.groups);
  const data = await openData(options, terminal);
  const { load, done } = loading(options, terminal);
  const report = await groupBudgetReport(data, limits, groups, load);
  done();
  warnOfQuality(report, terminal);
  for (const { of } of report.unknown)
    terminal.stderr.write(`sextant: ${printable(describeUnknown(of, (_, name) => name))}\n`);
  const about = `${formatThings(report.statuses.length, 'limit of a group', 'limits of groups')}, this month, ${describeAge(report.asOf)}`;
  await printTable(groupBudgetTable(report), about, options, terminal);
  return report.statuses.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

/** `sextant budgets group set` */
export async function setLimitOfGroup(
  name: string,
  limit: string,
  options: GroupFileOptions,
  { stdout, signal }: Terminal,
): Promise<ExitCode> {
  const { groups, file } = await open(options);
  const of = groupNamed(name, groups);
  const before = await setGroupLimit(file, of, limit, signal);
  stdout.write(`${name}: ${before ?? 'none'} → ${limit}\n`);
  return ExitCode.ok;
}

/** `sextant budgets group clear` */
export async function clearLimitOfGroup(
  name: string,
  options: GroupFileOptions,
  { stdout, signal }: Terminal,
): Promise<ExitCode> {
  const { file } = await open(options);
  const before = await setGroupLimit(file, parse(name), undefined, signal);
  stdout.write(before === undefined ? `${name} has no limit.\n` : `${name}: ${before} → none\n`);
  return before === undefined ? ExitCode.nothingFound : ExitCode.ok;
}

/** `sextant budgets group spread` */
export async function spreadLimitOfGroup(name: string, options: SpreadOptions, terminal: Terminal): Promise<ExitCode> {
  const { groups, limits } = await readGroupFiles(options.groups);
  const of = groupNamed(name, groups);
  const limit = options.limit ?? limitsOf(limits, of)[0]?.limit;
  if (limit === undefined) throw new SextantError('BadLimit', `${name} has no limit. Set it, or add --limit NUMBER.`);
  const problem = problemOfLimit(limit);
  if (problem !== undefined) throw new SextantError('BadLimit', `"${limit}" is not a limit. ${problem}`);
  return change(
    async (changes, how, data) => {
      const wanted = await spreadLimit(data, groups, { of, limit: BigInt(limit), by: options.by }, { signal: terminal.signal }); // oxfmt-ignore
      return changes.preview({ kind: 'set', name }, wanted, how);
    },
    options,
    terminal,
  );
}

async function open({
  groups,
}: GroupFileOptions): Promise<{ readonly groups: Groups | undefined; readonly file: string }> {
  const found = await groupsFile(groups);
  return {
    groups: found === undefined ? undefined : await readGroups(found),
    file: limitsFile(found, process.cwd()),
  };
}

function parse(name: string): LimitedGroup {
  const of = parseGroupName(name);
  if (of) return of;
  throw new SextantError('InvalidOption', `${name} is no group. Write it like team=Search, or ${ORGANIZATION}.`);
}

/** The named group; a misspelled one is refused. Throws `InvalidOption`. */
function groupNamed(name: string, groups: Groups | undefined): LimitedGroup {
  const of = parse(name);
  if (of === ORGANIZATION) return of;
  if (!groups) throw noGroupFile(of.column);
  requireGroup(groups, of);
  return of;
}
