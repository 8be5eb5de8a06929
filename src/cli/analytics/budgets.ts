import { Option, type Command } from 'commander';
import { budgetReport } from '../../analytics/reports/budgetReport.ts';
import { budgetTable } from '../../analytics/reports/tables.ts';
import { formatCount } from '../../base/format.ts';
import {
  CONNECTION_HELP,
  EXIT_CODES,
  describeAge,
  loading,
  openData,
  percent,
  printTable,
  warnOfQuality,
  withAnalyticsOptions,
  withConnectionOptions,
  type AnalyticsOptions,
} from './analytics.ts';
import type { AccountOptions, FileOptions, RemindOptions, ResumeOptions, RetryOptions } from './budgetChanges.ts';
import { LIMITS_FILE } from '../../analytics/groups/groupLimits.ts';
import { groupCells, groupColumnsOf, limitsByGroupTable } from '../../analytics/groups/limitsByGroup.ts';
import { findGroups, GROUP_OPTION, GROUPS_OPTION, readGrouping } from './grouping.ts';
import type { GroupFileOptions, SpreadOptions } from './groupBudgets.ts';
import { ExitCode, type Terminal } from '../terminal.ts';
import { FORCE, withOutputOptions, type OutputOptions } from '../writeWhole.ts';

interface ListOptions extends AnalyticsOptions {
  /** Percent of the limit. */
  readonly over?: number;
  readonly groups?: string;
  /** Column of the group file. */
  readonly by?: string;
  /** `column=value` */
  readonly group?: string;
}

const LIST_HELP = `${CONNECTION_HELP}

Examples:
  sextant budgets list
  sextant budgets list --over 90
  sextant budgets list --csv > budgets.csv
  sextant budgets list --by team --groups teams.csv
  sextant budgets list --group team=Search --groups teams.csv

${EXIT_CODES}`;

const CHANGE_CODES = `Exit codes: 0 all limits are set as requested, 1 some are not, as reported, 2 failed, wrong usage or not confirmed,
130 interrupted: continue with sextant budgets resume.`;

const CONFIRM_HELP = `
The changes are shown and need a confirmation, or --yes, which is required without a terminal. Limits that another client has
changed since are kept and reported. A limit is a whole number of up to 18 digits a month, in credits or dollars as the plan.`;

const FAILURES = ['--failures <file>', 'write the rows that are not applied, with reasons, as CSV'] as const;
const SERVICE_ACCOUNT = ['--service-account', 'the name is that of a service account, even with an @'] as const;

/** `sextant budgets …`; the changing commands load their module when they run. */
export function addBudgetsCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const budgets = program.command('budgets').description('list and change overrides');
  withAnalyticsOptions(
    budgets.command('list').description('list overrides and their use this month, the most used first'),
  )
    .addOption(new Option('--over <percent>', 'only overrides with at least this share used').argParser(percent))
    .option('--by <column>', 'sums by a column of the group file')
    .option(...GROUP_OPTION)
    .option(...GROUPS_OPTION)
    .addHelpText('after', LIST_HELP)
    .action(async (options: ListOptions) => exit(await runList(options, terminal)));

  changing(budgets, 'set <account> <limit>', 'set the limit of a person or, without an @, of a service account')
    .option(...SERVICE_ACCOUNT)
    .addHelpText(
      'after',
      help('sextant budgets set ada@example.com 5000', 'sextant budgets set nightly-build 800 --yes'),
    )
    .action(async (account: string, limit: string, options: AccountOptions) => {
      exit(await (await import('./budgetChanges.ts')).setLimit(account, limit, options, terminal));
    });
  changing(budgets, 'clear <accounts...>', 'clear overrides: the default of the organization applies again')
    .option(...SERVICE_ACCOUNT)
    .addHelpText('after', help('sextant budgets clear ada@example.com'))
    .action(async (accounts: readonly string[], options: AccountOptions) => {
      exit(await (await import('./budgetChanges.ts')).clearLimits(accounts, options, terminal));
    });
  changing(budgets, 'import <file>', 'set and clear limits from a CSV file; - is the standard input')
    .option(...FAILURES)
    .option(...FORCE)
    .addHelpText(
      'after',
      `
The first row names the columns, in any order: user_email, service_account_name or account, and limit; an empty limit clears.
Separators are commas, semicolons, tabs or bars. Invalid rows are reported with their line and skipped.
${help('sextant budgets import limits.csv --dry-run', 'sextant budgets import limits.csv --failures failed.csv', 'sextant budgets export | sextant budgets import - --dry-run')}`,
    )
    .action(async (file: string, options: FileOptions) => {
      exit(await (await import('./budgetChanges.ts')).importLimits(file, options, terminal));
    });
  withOutputOptions(connected(budgets, 'export', 'print all limits as the CSV that import reads'))
    .addHelpText('after', examples(EXIT_CODES, 'sextant budgets export --output limits.csv'))
    .action(async (options: AnalyticsOptions & OutputOptions) => {
      exit(await (await import('./budgetChanges.ts')).exportLimits(options, terminal));
    });
  changing(budgets, 'undo', 'restore the limits from before the last batch')
    .option('--overwrite', 'also limits that another client has changed since')
    .addHelpText('after', help('sextant budgets undo --dry-run', 'sextant budgets undo'))
    .action(async (options: RetryOptions) => {
      exit(await (await import('./budgetChanges.ts')).undo(options, terminal));
    });
  changing(budgets, 'retry', 'retry the rows of the last batch that were not applied')
    .option('--overwrite', 'also limits that another client has changed since')
    .option(...FAILURES)
    .option(...FORCE)
    .addHelpText('after', help('sextant budgets retry --failures failed.csv'))
    .action(async (options: RetryOptions) => {
      exit(await (await import('./budgetChanges.ts')).retry(options, terminal));
    });
  connected(budgets, 'resume', 'complete an interrupted batch')
    .option('--verify', 'only check what was applied, and send nothing more')
    .option('--json', 'print the report as JSON')
    .option(...FAILURES)
    .option(...FORCE)
    .addHelpText('after', examples(CHANGE_CODES, 'sextant budgets resume', 'sextant budgets resume --verify'))
    .action(async (options: ResumeOptions) => {
      exit(await (await import('./budgetChanges.ts')).resume(options, terminal));
    });
  connected(budgets, 'status', 'show the result of the last batch, without a request')
    .option('--json', 'print the report as JSON')
    .option(...FAILURES)
    .option(...FORCE)
    .addHelpText(
      'after',
      examples(CHANGE_CODES, 'sextant budgets status', 'sextant budgets status --failures failed.csv'),
    )
    .action(async (options: ResumeOptions) => {
      exit(await (await import('./budgetChanges.ts')).status(options, terminal));
    });
  addGroupCommands(budgets, terminal, exit);
  connected(budgets, 'remind [account]', 'set a reminder on this machine to end a limit, or list the reminders')
    .option('--on <date>', 'day, YYYY-MM-DD')
    .option('--note <text>', 'text of the reminder', '')
    .addOption(new Option('--never', 'remove the reminder').conflicts(['on']))
    .option('--json', 'print the reminders as JSON')
    .addHelpText(
      'after',
      examples(EXIT_CODES, 'sextant budgets remind ada@example.com --on 2026-12-31 --note "back to 5000"'),
    )
    .action(async (account: string | undefined, options: RemindOptions) => {
      exit(await (await import('./budgetChanges.ts')).remind(account, options, terminal));
    });
}

const GROUP_HELP = `
A group is column=value of the group file, such as team=Search, or organization. Its limit is of a month, in credits or dollars as
the plan. The service does not know it, and nothing enforces it: it is in ${LIMITS_FILE}, beside the group file or in this folder.`;

/** `sextant budgets group …` */
function addGroupCommands(budgets: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const group = budgets.command('group').description('limits of teams, other groups and the organization');
  withAnalyticsOptions(group.command('list').description('list limits of groups and their use this month'))
    .option(...GROUPS_OPTION)
    .addHelpText('after', `${GROUP_HELP}${examples(EXIT_CODES, 'sextant budgets group list --groups teams.csv')}`)
    .action(async (options: AnalyticsOptions & GroupFileOptions) => {
      exit(await (await import('./groupBudgets.ts')).listGroupLimits(options, terminal));
    });
  group
    .command('set <group> <limit>')
    .description('set the limit of a group')
    .option(...GROUPS_OPTION)
    .addHelpText(
      'after',
      groupHelp('sextant budgets group set team=Search 50000', 'sextant budgets group set organization 400000'),
    )
    .action(async (name: string, limit: string, options: GroupFileOptions) => {
      exit(await (await import('./groupBudgets.ts')).setLimitOfGroup(name, limit, options, terminal));
    });
  group
    .command('clear <group>')
    .description('clear the limit of a group')
    .option(...GROUPS_OPTION)
    .addHelpText('after', groupHelp('sextant budgets group clear team=Search'))
    .action(async (name: string, options: GroupFileOptions) => {
      exit(await (await import('./groupBudgets.ts')).clearLimitOfGroup(name, options, terminal));
    });
  changing(group, 'spread <group>', 'divide the limit of a group among its members, as their limits')
    .option(...GROUPS_OPTION)
    .addOption(
      new Option('--by <way>', 'equal parts, or as the members spent in the last six weeks')
        .choices(['equal', 'use'])
        .default('equal'),
    )
    .option('--limit <number>', 'divide this limit instead of that of the group')
    .addHelpText(
      'after',
      `${GROUP_HELP}
The members are those of today. Their limits are whole, and together the limit of the group.
${help('sextant budgets group spread team=Search --by use --dry-run')}`,
    )
    .action(async (name: string, options: SpreadOptions) => {
      exit(await (await import('./groupBudgets.ts')).spreadLimitOfGroup(name, options, terminal));
    });
}

function groupHelp(...lines: readonly string[]): string {
  return `${GROUP_HELP}\n\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}\n${EXIT_CODES}`;
}

function connected(parent: Command, name: string, description: string): Command {
  return withConnectionOptions(parent.command(name).description(description))
    .option('--state <dir>', "folder of batches and reminders, instead of the user's data folder")
    .addOption(new Option('--server-state <dir>', 'state folder of the local server').hideHelp());
}

function changing(parent: Command, name: string, description: string): Command {
  return connected(parent, name, description)
    .option('--dry-run', 'preview the changes only')
    .option('-y, --yes', 'apply without confirmation')
    .addOption(new Option('--unit <unit>', 'unit of the plan, if it cannot be determined').choices(['credits', 'usd']))
    .option('--json', 'print the report as JSON, or with --dry-run the preview');
}

function help(...lines: readonly string[]): string {
  return `${CONFIRM_HELP}${examples(CHANGE_CODES, ...lines)}`;
}

function examples(codes: string, ...lines: readonly string[]): string {
  return `${CONNECTION_HELP}\n\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}\n${codes}`;
}

/** `sextant budgets list` */
async function runList(options: ListOptions, terminal: Terminal): Promise<ExitCode> {
  const grouping = await readGrouping(options, []);
  const groups = grouping?.groups ?? (await findGroups(options.groups));
  const whole = await openData(options, terminal);
  const data = grouping?.within(whole) ?? whole;
  const { load, done } = loading(options, terminal);
  const report = await budgetReport(data, load);
  done();
  warnOfQuality(report, terminal);
  const { today } = data;
  const statuses = report.statuses.filter(({ used }) => used * 100 >= (options.over ?? 0));
  const of = statuses.length === report.statuses.length ? '' : ` of ${formatCount(report.statuses.length)}`;
  const things = statuses.length === 1 && of === '' ? 'limit' : 'limits';
  const about = `${formatCount(statuses.length)}${of} ${things}, this month, ${describeAge(report.asOf)}`;
  const shown = { ...report, statuses };
  const table =
    grouping?.column === undefined
      ? budgetTable(shown, groupColumnsOf(groups), (status) => groupCells(groups, status, today))
      : limitsByGroupTable(shown, grouping.groups, grouping.column, today);
  await printTable(table, about, options, terminal);
  return statuses.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}
