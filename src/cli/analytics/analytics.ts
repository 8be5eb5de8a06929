import { InvalidArgumentError, Option, type Command } from 'commander';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { accountKey, analyticsFolder, readConnection, type Connection } from '../../analytics/client/account.ts';
import { AnalyticsClient } from '../../analytics/client/analyticsClient.ts';
import { ServiceData, type AnalyticsData, type LoadOptions } from '../../analytics/client/analyticsData.ts';
import { AnswerCache } from '../../analytics/client/answerCache.ts';
import { OrganizationFile } from '../../analytics/client/organizationFile.ts';
import { RequestBudget } from '../../analytics/client/requestBudget.ts';
import { LIMITS } from '../../analytics/contract.ts';
import { oldestDay, type DayRange } from '../../analytics/dateRules.ts';
import { describeDays, type Quality } from '../../analytics/reports/report.ts';
import { tableCsv } from '../../analytics/reports/csv.ts';
import { tableJson, tableText, type Table } from '../../analytics/reports/table.ts';
import { formatDay, parseDay } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import { findAnswering } from '../../server/runningServer.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import { logTo, printable, printJson, ProgressLine, type Terminal } from '../terminal.ts';

/** Options of all commands that use the analytics API. */
export interface AnalyticsOptions {
  readonly url?: string;
  /** Name of an organization. */
  readonly org?: string;
  readonly state?: string;
  readonly serverState?: string;
  readonly refresh?: true;
  readonly json?: true;
  readonly csv?: true;
}

export interface RangeOptions {
  readonly days?: number;
  readonly from?: string;
  /** Another name of {@link from}. */
  readonly since?: string;
  readonly to?: string;
  /** First day of the period to compare with. */
  readonly against?: string;
}

export const CONNECTION_HELP = `
The service is at --url or SEXTANT_ANALYTICS_URL, with the token in SEXTANT_ANALYTICS_TOKEN, or that of --org (sextant orgs);
without any, it is the local server, if one runs (sextant serve). Days are in UTC. Fetched figures are cached, and shown with their age while the service
is unreachable.`;

export const EXIT_CODES = 'Exit codes: 0 done, 1 nothing to show, 2 failed or wrong usage, 130 interrupted.';

/** Adds the options that choose a service. */
export function withConnectionOptions(command: Command): Command {
  return command
    .option('--url <url>', 'URL of the service')
    .addOption(new Option('--org <name>', 'organization of sextant orgs, instead of a URL').conflicts('url'));
}

/** Adds the options of the service and of what is cached. */
export function withServiceOptions(command: Command): Command {
  return withConnectionOptions(command)
    .option('--refresh', 'fetch again what may have changed')
    .option('--state <dir>', "folder of cached figures, instead of the user's data folder")
    .addOption(new Option('--server-state <dir>', 'state folder of the local server').hideHelp());
}

/** Adds the options of {@link AnalyticsOptions}. */
export function withAnalyticsOptions(command: Command): Command {
  return withServiceOptions(command)
    .addOption(new Option('--json', 'print JSON, with amounts as exact text').conflicts('csv'))
    .option('--csv', 'print CSV');
}

/** Adds the options of {@link RangeOptions}. */
export function withRangeOptions(command: Command): Command {
  return command
    .addOption(new Option('--days <number>', 'number of last days').argParser(days).conflicts(['from', 'to']))
    .option('--from <date>', 'first day, YYYY-MM-DD')
    .option('--to <date>', 'last day, YYYY-MM-DD')
    .option('--against <date>', 'first day of the period to compare with; default: the previous period');
}

function days(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > LIMITS.maxRangeDays)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMITS.maxRangeDays}.`);
  return count;
}

/** Parses an option in percent. */
export function percent(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, in percent.');
  return Number(text);
}

/** Throws `NotConnected` without a service in the options, the environment or on this machine. */
async function connect(
  options: Pick<AnalyticsOptions, 'url' | 'org' | 'state' | 'serverState'>,
  env: NodeJS.ProcessEnv,
  { signal }: Terminal,
): Promise<Connection> {
  if (options.org !== undefined) return new OrganizationFile(options.state).connection(options.org, env);
  const url = options.url ?? env.SEXTANT_ANALYTICS_URL;
  if (url !== undefined) {
    const token = env.SEXTANT_ANALYTICS_TOKEN;
    if (token === undefined)
      throw new SextantError('NotConnected', 'The token is missing. Set SEXTANT_ANALYTICS_TOKEN.');
    return readConnection(url, token);
  }
  const running = await findAnswering(serverStateFolder(options.serverState), signal);
  if (running) return running;
  throw new SextantError(
    'NotConnected',
    'No service is configured. Set SEXTANT_ANALYTICS_URL and SEXTANT_ANALYTICS_TOKEN, or run sextant serve for sample data.',
  );
}

/** Opens the figures of the account in the options and the environment. */
export async function openData(options: AnalyticsOptions, terminal: Terminal): Promise<AnalyticsData> {
  return (await openAccount(options, terminal)).data;
}

/** The figures and budgets of an account, and where its state is. */
export interface OpenedAccount {
  readonly data: AnalyticsData;
  readonly changes: BudgetChanges;
  /** Folder of the journal and the reminders of budgets. */
  readonly budgetsFolder: string;
  /** Names the account in files. */
  readonly account: string;
  /** Name of the organization, or else the host of the service. */
  readonly source: string;
}

/** Opens the account of the options and the environment with its budgets. */
export async function openAccount(
  options: Pick<AnalyticsOptions, 'url' | 'org' | 'state' | 'serverState'>,
  terminal: Terminal,
): Promise<OpenedAccount> {
  const connection = await connect(options, process.env, terminal);
  const account = accountKey(connection);
  const folder = analyticsFolder(options.state);
  const logger = logTo(terminal.stderr);
  const budget = new RequestBudget(join(folder, 'requests', account), { logger });
  const cache = new AnswerCache(join(folder, 'answers'), account, { logger });
  const client = new AnalyticsClient(connection, budget, { logger });
  const budgetsFolder = join(folder, 'budgets', account);
  return {
    data: new ServiceData(client, cache),
    changes: new BudgetChanges(client, budgetsFolder),
    budgetsFolder,
    account,
    source: options.org ?? new URL(connection.url).host,
  };
}

/** Answers that a command waits for at once, at most. */
const MOST_WAITING = 100;

/** Load options with progress on the terminal. */
export function loading(
  options: AnalyticsOptions,
  terminal: Terminal,
): { readonly load: LoadOptions; readonly done: () => void } {
  // A report waits for many answers at once; without this, Node warns of a leak.
  setMaxListeners(MOST_WAITING, terminal.signal);
  const progress = new ProgressLine(terminal.stderr);
  const pauses = new Pauses(terminal, progress);
  const onProgress = (rows: number): void => progress.show(['Fetching', `${formatCount(rows)} rows`]);
  const onPause = (until: number, reason: SextantError): void => pauses.report(until, reason);
  const done = (): void => {
    pauses.end();
    progress.clear();
  };
  return { load: { signal: terminal.signal, refresh: options.refresh, onProgress, onPause }, done };
}

const SECOND_MS = 1_000;

/** Reports a pause once, with its end, and then the seconds left. */
class Pauses {
  readonly #terminal: Terminal;
  readonly #progress: ProgressLine;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(terminal: Terminal, progress: ProgressLine) {
    this.#terminal = terminal;
    this.#progress = progress;
  }

  report(until: number, reason: SextantError): void {
    // Requests at once pause for the same reason.
    if (until <= this.#until + SECOND_MS) return;
    this.#until = until;
    this.#progress.clear();
    const seconds = Math.max(1, Math.ceil((until - Date.now()) / SECOND_MS));
    const again = reason.code === 'RateLimited' ? '' : ` Trying again in ${seconds} s.`;
    this.#terminal.stderr.write(`sextant: ${printable(reason.message)}${again} Ctrl+C stops.\n`);
    this.#timer ??= setInterval(() => this.#tick(), SECOND_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const seconds = Math.ceil((this.#until - Date.now()) / SECOND_MS);
    if (seconds > 0) this.#progress.show(['Waiting', `${seconds} s`]);
    else this.end();
  }
}

/** Reads the range of days; by default, the last seven with figures. Throws `BadRange`. */
export function readRange({ days, from, since, to }: RangeOptions, data: AnalyticsData): DayRange {
  const newest = data.newestDay;
  const last = to === undefined ? newest : readDay('--to', to);
  const [option, begin] = since === undefined ? ['--from', from] : ['--since', since];
  const first = begin === undefined ? last - (days ?? LIMITS.defaultRangeDays) + 1 : readDay(option, begin);
  const range = { first, last };
  if (last > newest) throw badRange(`${formatDay(newest)} is the newest day with figures.`);
  if (first > last) throw badRange('The first day is after the last one.');
  if (last - first >= LIMITS.maxRangeDays) throw badRange(`${LIMITS.maxRangeDays} days are the most.`);
  if (first < oldestDay(data.today)) throw badRange(`Figures go back to ${formatDay(oldestDay(data.today))}.`);
  return range;
}

/** Reads the period to compare with: as many days from `--against`. Throws `BadRange`. */
export function readCompared({ against }: RangeOptions, { first, last }: DayRange): DayRange | undefined {
  if (against === undefined) return undefined;
  const from = readDay('--against', against);
  return { first: from, last: from + last - first };
}

function readDay(option: string, text: string): number {
  const day = parseDay(text);
  if (day === undefined) throw badRange(`${option} must be a date like 2026-11-20.`);
  return day;
}

function badRange(problem: string): SextantError {
  return new SextantError('BadRange', `These days have no figures: ${problem}`);
}

/** `as of 2026-11-21 09:30 UTC` */
export function describeAge(asOf: string | undefined): string {
  return asOf === undefined ? 'no figures' : `as of ${asOf.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Explains on standard error why figures are old or missing. Throws the reason if there are no figures. */
export function warnOfQuality({ offline, missing, asOf }: Quality, terminal: Terminal): void {
  if (!offline) return;
  if (asOf === undefined) throw offline;
  const gaps = missing.length > 0 ? `, without ${missing.map(describeDays).join(', ')}` : '';
  const reason = printable(offline.message);
  terminal.stderr.write(`sextant: ${reason} Showing cached figures ${describeAge(asOf)}${gaps}.\n`);
}

/** Prints a table in the chosen format; as text, below the line `about`. */
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
