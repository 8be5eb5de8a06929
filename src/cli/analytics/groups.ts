import type { Command } from 'commander';
import { checkGroups, type GroupCheck } from '../../analytics/groups/checkGroups.ts';
import { UNMAPPED, type GroupRow, type Groups } from '../../analytics/groups/groups.ts';
import { oldestDay, type DayRange } from '../../analytics/dateRules.ts';
import { identityKey, identityOf, type Identity } from '../../analytics/identity.ts';
import type { Table } from '../../analytics/reports/table.ts';
import { count, text } from '../../analytics/reports/tables.ts';
import type { AnalyticsData, LoadOptions } from '../../analytics/client/analyticsData.ts';
import { formatDay, type Day } from '../../base/day.ts';
import { formatCount, formatThings } from '../../base/format.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';
import {
  CONNECTION_HELP,
  loading,
  openData,
  printTable,
  withAnalyticsOptions,
  type AnalyticsOptions,
} from './analytics.ts';
import { openGroups } from './grouping.ts';

const FILE_HELP = `
A group file is CSV, or JSON as a list of objects: account, from, to, and any further columns, such as team and cost_center.
  account,team,cost_center,from,to
  ada@example.com,Search,CC-100,,2026-10-31
  ada@example.com,Billing,CC-200,2026-11-01,
  *@partner.example.com,Partners,CC-900,,
  *,Other,,,
An account is a name or a pattern with *; names come before patterns, and else the first row counts. A row is valid from and
to its days, both included. Accounts without a row are ${UNMAPPED}. Without a file, it is sextant-groups.csv or .json in this folder.
${CONNECTION_HELP}`;

/** Days in which an account must have been active or limited to be known. */
const KNOWN_DAYS = 30;
/** Largest number of accounts that are named for one reason. */
const MOST_NAMED = 20;

/** `sextant groups …` */
export function addGroupsCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const groups = program.command('groups').description('check and list the teams of a group file');
  withAnalyticsOptions(groups.command('check [file]').description('find unknown, double and unmapped accounts'))
    .addHelpText(
      'after',
      `${FILE_HELP}\n\nExamples:\n  sextant groups check teams.csv\n\nExit codes: 0 all accounts are mapped, 1 something is doubtful, 2 failed or wrong usage, 130 interrupted.`,
    )
    .action(async (file: string | undefined, options: AnalyticsOptions) =>
      exit(await runCheck(file, options, terminal)),
    );
  withAnalyticsOptions(groups.command('list [file]').description('list the groups of today, with their accounts'))
    .addHelpText(
      'after',
      `${FILE_HELP}\n\nExamples:\n  sextant groups list\n  sextant groups list teams.csv --csv\n\nExit codes: 0 done, 1 nothing to show, 2 failed or wrong usage, 130 interrupted.`,
    )
    .action(async (file: string | undefined, options: AnalyticsOptions) =>
      exit(await runList(file, options, terminal)),
    );
}

/** The accounts that the service knows: with activity in the last 30 days, or with a limit. */
async function knownAccounts(data: AnalyticsData, load: LoadOptions): Promise<Identity[]> {
  const first = Math.max(data.newestDay - KNOWN_DAYS + 1, oldestDay(data.today));
  const range: DayRange = { first, last: data.newestDay };
  const [activity, budgets] = await Promise.all([data.activity(range, load), data.budgets(load)]);
  for (const { offline, missing } of [activity, budgets]) if (offline && missing.length > 0) throw offline;
  const accounts = new Map<string, Identity>();
  for (const row of [...activity.rows, ...budgets.rows]) {
    const identity = identityOf(row);
    accounts.set(identityKey(identity), identity);
  }
  return [...accounts.values()].sort((a, b) => (identityKey(a) < identityKey(b) ? -1 : 1));
}

/** Reads the group file, and loads the accounts of the service. */
async function openKnown(
  file: string | undefined,
  options: AnalyticsOptions,
  terminal: Terminal,
): Promise<{ readonly groups: Groups; readonly accounts: readonly Identity[]; readonly today: Day }> {
  const groups = await openGroups(file);
  const data = await openData(options, terminal);
  const { load, done } = loading(options, terminal);
  const accounts = await knownAccounts(data, load);
  done();
  return { groups, accounts, today: data.today };
}

/** `sextant groups check` */
async function runCheck(file: string | undefined, options: AnalyticsOptions, terminal: Terminal): Promise<ExitCode> {
  const { groups, accounts, today } = await openKnown(file, options, terminal);
  const check = checkGroups(groups, accounts, today);
  if (options.json) printJson(groupsCheckJson(check), terminal);
  else if (options.csv) await printTable(checkTable(check), '', options, terminal);
  else terminal.stdout.write(describeCheck(check, groups, accounts.length));
  const isClean = check.unknown.length + check.double.length + check.unmapped.length === 0;
  return isClean ? ExitCode.ok : ExitCode.nothingFound;
}

/** What is doubtful in a group file, for programs. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function groupsCheckJson({ unknown, double, unmapped }: GroupCheck) {
  const row = ({ line, account }: GroupRow) => ({ line, account });
  return {
    unknown: unknown.map(row),
    double: double.map(({ row: one, earlier }) => ({ ...row(one), earlier_line: earlier.line })),
    unmapped: unmapped.map(({ identity, column }) => ({ account: identity.name, column })),
  };
}

function checkTable({ unknown, double, unmapped }: GroupCheck): Table {
  return {
    columns: [text('problem', 'Problem'), count('line', 'Line'), text('account', 'Account'), text('column', 'Column')],
    rows: [
      ...unknown.map(({ line, account }) => ['unknown', line, account, undefined]),
      ...double.map(({ row }) => ['double', row.line, row.account, undefined]),
      ...unmapped.map(({ identity, column }) => ['unmapped', undefined, identity.name, column]),
    ],
  };
}

function describeCheck(check: GroupCheck, { rows, columns }: Groups, accounts: number): string {
  const list = (title: string, lines: readonly string[]): string => {
    if (lines.length === 0) return '';
    const rest = lines.length > MOST_NAMED ? [`and ${formatCount(lines.length - MOST_NAMED)} more, with --csv`] : [];
    const shown = [...lines.slice(0, MOST_NAMED), ...rest].map((line) => `  ${printable(line)}\n`);
    return `${title}\n${shown.join('')}`;
  };
  const problems = [
    list(
      `Unknown accounts: not active in the last ${KNOWN_DAYS} days, and without a limit`,
      check.unknown.map(({ line, account }) => `${account} (line ${line})`),
    ),
    list(
      'Double: the same account on the same days; the earlier row counts',
      check.double.map(({ row, earlier }) => `${row.account} (line ${row.line}, as in line ${earlier.line})`),
    ),
    ...columns.map((column) =>
      list(
        `Without ${column} today`,
        check.unmapped.flatMap((one) => (one.column === column ? [one.identity.name] : [])),
      ),
    ),
  ].join('');
  const about = `${formatThings(rows.length, 'row')}, ${formatThings(accounts, 'known account')}, grouped by ${columns.join(', ')}`;
  return problems === '' ? `${about}: all are mapped, and none twice.\n` : `${about}\n${problems}`;
}

/** `sextant groups list` */
async function runList(file: string | undefined, options: AnalyticsOptions, terminal: Terminal): Promise<ExitCode> {
  const { groups, accounts, today } = await openKnown(file, options, terminal);
  const rows = groups.columns.flatMap((column) => {
    const names = accounts.map((identity) => groups.groupOf(identity, column, today) ?? UNMAPPED);
    return [...new Set(names)].sort().map((name) => [column, name, names.filter((one) => one === name).length]);
  });
  const table = { columns: [text('column', 'Column'), text('group', 'Group'), count('accounts', 'Accounts')], rows };
  await printTable(table, `Groups on ${formatDay(today)}`, options, terminal);
  return rows.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}
