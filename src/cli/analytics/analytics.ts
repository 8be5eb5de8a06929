import { InvalidArgumentError, Option, type Command } from 'commander';
import { join } from 'node:path';
import { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { accountKey, analyticsFolder, readConnection, type Connection } from '../../analytics/client/account.ts';
import { AnalyticsClient } from '../../analytics/client/analyticsClient.ts';
import { AnalyticsData, type LoadOptions } from '../../analytics/client/analyticsData.ts';
import { AnswerCache } from '../../analytics/client/answerCache.ts';
import { RequestBudget } from '../../analytics/client/requestBudget.ts';
import { LIMITS } from '../../analytics/contract.ts';
import { oldestDay, type DayRange } from '../../analytics/dateRules.ts';
import type { Quality } from '../../analytics/reports/report.ts';
import { tableCsv } from '../../analytics/reports/csv.ts';
import { tableJson, tableText, type Table } from '../../analytics/reports/table.ts';
import { formatDay, parseDay } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import { findAnswering } from '../../server/launch.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import { logTo, printJson, ProgressLine, type Terminal } from '../terminal.ts';

/** What all commands that ask the analytics API take. */
export interface AnalyticsOptions {
  readonly url?: string;
  readonly state?: string;
  readonly serverState?: string;
  readonly refresh?: true;
  readonly json?: true;
  readonly csv?: true;
}

export interface RangeOptions {
  readonly days?: number;
  readonly from?: string;
  readonly to?: string;
}

export const CONNECTION_HELP = `
The service is that of --url or SEXTANT_ANALYTICS_URL, with the token in SEXTANT_ANALYTICS_TOKEN; without either, the local
server, if one runs (sextant serve). Days are of UTC. What was fetched once is kept, and shown with its age where the service
cannot be reached.`;

export const EXIT_CODES = 'Exit codes: 0 done, 1 there is nothing to show, 2 failed or wrong usage, 130 interrupted.';

/** Adds the options of {@link AnalyticsOptions}. */
export function withAnalyticsOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the address of the service')
    .option('--refresh', 'ask again for what may have changed')
    .option('--state <dir>', "keep what was fetched there instead of in the user's data folder")
    .addOption(new Option('--server-state <dir>', 'the state of the local server').hideHelp())
    .addOption(new Option('--json', 'print it as JSON, amounts as exact text').conflicts('csv'))
    .option('--csv', 'print it as CSV');
}

/** Adds the options of {@link RangeOptions}. */
export function withRangeOptions(command: Command): Command {
  return command
    .addOption(new Option('--days <number>', 'the last so many days').argParser(days).conflicts(['from', 'to']))
    .option('--from <date>', 'the first day, YYYY-MM-DD')
    .option('--to <date>', 'the last day, YYYY-MM-DD');
}

function days(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > LIMITS.maxRangeDays)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMITS.maxRangeDays}.`);
  return count;
}

/** Throws `NotConnected` where nothing says what to ask. */
async function connect(
  options: Pick<AnalyticsOptions, 'url' | 'serverState'>,
  env: NodeJS.ProcessEnv,
): Promise<Connection> {
  const url = options.url ?? env.SEXTANT_ANALYTICS_URL;
  if (url !== undefined) {
    const token = env.SEXTANT_ANALYTICS_TOKEN;
    if (token === undefined)
      throw new SextantError('NotConnected', 'There is no token. Put it into the variable SEXTANT_ANALYTICS_TOKEN.');
    return readConnection(url, token);
  }
  const running = await findAnswering(serverStateFolder(options.serverState));
  if (running) return running;
  throw new SextantError(
    'NotConnected',
    'There is nothing to ask. Set SEXTANT_ANALYTICS_URL and SEXTANT_ANALYTICS_TOKEN, or start sextant serve for sample data.',
  );
}

/** The figures of the account that the options and the environment name. */
export async function openData(options: AnalyticsOptions, terminal: Terminal): Promise<AnalyticsData> {
  return (await openAccount(options, terminal)).data;
}

/** Of that account also what changes its budgets, and the folder of what is noted of them. */
export async function openAccount(
  options: Pick<AnalyticsOptions, 'url' | 'state' | 'serverState'>,
  terminal: Terminal,
): Promise<{ readonly data: AnalyticsData; readonly changes: BudgetChanges; readonly budgetsFolder: string }> {
  const connection = await connect(options, process.env);
  const account = accountKey(connection);
  const folder = analyticsFolder(options.state);
  const logger = logTo(terminal.stderr);
  const budget = new RequestBudget(join(folder, 'requests', account), { logger });
  const cache = new AnswerCache(join(folder, 'answers'), account, { logger });
  const client = new AnalyticsClient(connection, budget, { logger });
  const budgetsFolder = join(folder, 'budgets', account);
  return {
    data: new AnalyticsData(client, cache),
    changes: new BudgetChanges(client, budgetsFolder),
    budgetsFolder,
  };
}

/** How the figures are loaded, with progress on a terminal while there are pages to fetch. */
export function loading(
  options: AnalyticsOptions,
  terminal: Terminal,
): { readonly load: LoadOptions; readonly done: () => void } {
  const progress = new ProgressLine(terminal.stderr);
  const onProgress = (rows: number): void => progress.show(['Fetching', `${formatCount(rows)} rows`]);
  return { load: { signal: terminal.signal, refresh: options.refresh, onProgress }, done: () => progress.clear() };
}

/** The days that were asked for: a week that ends with the newest finished day, unless something else is said. Throws `BadRange`. */
export function readRange({ days, from, to }: RangeOptions, data: AnalyticsData): DayRange {
  const newest = data.newestDay;
  const last = to === undefined ? newest : readDay('--to', to);
  const first = from === undefined ? last - (days ?? LIMITS.defaultRangeDays) + 1 : readDay('--from', from);
  const range = { first, last };
  if (last > newest) throw badRange(`${formatDay(newest)} is the newest day with figures.`);
  if (first > last) throw badRange('The first day is after the last one.');
  if (last - first >= LIMITS.maxRangeDays) throw badRange(`${LIMITS.maxRangeDays} days are the most.`);
  if (first < oldestDay(data.today)) throw badRange(`Figures go back to ${formatDay(oldestDay(data.today))}.`);
  return range;
}

function readDay(option: string, text: string): number {
  const day = parseDay(text);
  if (day === undefined) throw badRange(`${option} must be a date like 2026-11-20.`);
  return day;
}

function badRange(problem: string): SextantError {
  return new SextantError('BadRange', `There are no such figures: ${problem}`);
}

/** `2026-11-14 to 2026-11-20` */
export function describeDays({ first, last }: DayRange): string {
  return first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`;
}

/** `as of 2026-11-21 09:30 UTC` */
export function describeAge(asOf: string | undefined): string {
  return asOf === undefined ? 'nothing is known' : `as of ${asOf.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Says on standard error why figures are old or missing. Throws that reason where nothing is known. */
export function tellQuality({ offline, missing, asOf }: Quality, terminal: Terminal): void {
  if (!offline) return;
  if (asOf === undefined) throw offline;
  const gaps = missing.length > 0 ? `; nothing is known of ${missing.map(describeDays).join(', ')}` : '';
  terminal.stderr.write(`sextant: ${offline.message} This is what was known before, ${describeAge(asOf)}${gaps}.\n`);
}

/** Prints a table in the form that was asked for, `about` above it where it is for people. */
export async function printTable(
  table: Table,
  about: string,
  options: AnalyticsOptions,
  terminal: Terminal,
): Promise<void> {
  if (options.json) printJson(tableJson(table), terminal);
  else if (options.csv) terminal.stdout.write(await tableCsv(table));
  else terminal.stdout.write(`${about}\n${tableText(table)}`);
}
