import { InvalidArgumentError, Option, type Command } from 'commander';
import { budgetReport } from '../analytics/reports/budgetReport.ts';
import { budgetTable } from '../analytics/reports/tables.ts';
import { formatCount } from '../base/format.ts';
import {
  CONNECTION_HELP,
  EXIT_CODES,
  describeAge,
  loading,
  openData,
  printTable,
  tellQuality,
  withAnalyticsOptions,
  type AnalyticsOptions,
} from './analytics.ts';
import { ExitCode, type Terminal } from './terminal.ts';

interface ListOptions extends AnalyticsOptions {
  /** Percent of the limit. */
  readonly over?: number;
}

const HELP = `${CONNECTION_HELP}

Examples:
  sextant budgets list
  sextant budgets list --over 90
  sextant budgets list --csv > budgets.csv

${EXIT_CODES}`;

export function addBudgetsCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const budgets = program.command('budgets').description('tell of the limits that people have of their own');
  withAnalyticsOptions(
    budgets.command('list').description('list them with what was used this month, the most used first'),
  )
    .addOption(new Option('--over <percent>', 'only where so much of the limit is used').argParser(percent))
    .addHelpText('after', HELP)
    .action(async (options: ListOptions) => exit(await runList(options, terminal)));
}

/** `sextant budgets list` */
async function runList(options: ListOptions, terminal: Terminal): Promise<ExitCode> {
  const data = await openData(options, terminal);
  const { load, done } = loading(options, terminal);
  const report = await budgetReport(data, load);
  done();
  tellQuality(report, terminal);
  const standings = report.standings.filter(({ used }) => used * 100 >= (options.over ?? 0));
  const of = standings.length === report.standings.length ? '' : ` of ${formatCount(report.standings.length)}`;
  const about = `${formatCount(standings.length)}${of} limits, this month, ${describeAge(report.asOf)}`;
  await printTable(budgetTable({ ...report, standings }), about, options, terminal);
  return standings.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

function percent(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, in percent.');
  return Number(text);
}
