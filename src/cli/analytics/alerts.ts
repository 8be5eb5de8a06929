import { randomUUID } from 'node:crypto';
import { alertEvents, type AlertEvent } from '../../analytics/alerts/alertEvents.ts';
import { isOpen, readJournal, type JournalMessage } from '../../analytics/alerts/alertJournal.ts';
import { alertReports } from '../../analytics/alerts/alertReports.ts';
import {
  invalid,
  readDestination,
  redactedUrl,
  type Destination,
  type DestinationInput,
} from '../../analytics/alerts/destination.ts';
import { DestinationFile, journalFolder } from '../../analytics/alerts/destinationFile.ts';
import { eventJson, messageBody, sampleMessage, type AlertMessage } from '../../analytics/alerts/messages.ts';
import { describeOutcome, newEvents, postMessage, sendAlerts } from '../../analytics/alerts/sendAlerts.ts';
import type { AnalyticsData, LoadOptions } from '../../analytics/client/analyticsData.ts';
import { isOffline } from '../../analytics/client/errors.ts';
import type { GroupLimit } from '../../analytics/groups/groupLimits.ts';
import type { Groups } from '../../analytics/groups/groups.ts';
import { formatTime } from '../../base/clock.ts';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import { formatThings } from '../../base/format.ts';
import { describeOwner } from '../../base/lease.ts';
import { sleep } from '../../base/sleep.ts';
import { confirm, readSecret } from '../prompts.ts';
import { ExitCode, formatColumns, jsonText, printable, printJson, type Terminal } from '../terminal.ts';
import { loading, openAccount, warnOfQuality, type AnalyticsOptions } from './analytics.ts';
import { readGroupFiles } from './grouping.ts';

export interface AlertsOptions {
  readonly state?: string;
  readonly json?: true;
}

export interface AddOptions extends AlertsOptions, Omit<DestinationInput, 'name' | 'url'> {}

export interface TestOptions extends AlertsOptions {
  readonly yes?: true;
}

export interface LogOptions extends Omit<AnalyticsOptions, 'csv'> {
  readonly limit: number;
}

export interface RunOptions extends Omit<AnalyticsOptions, 'csv'> {
  readonly groups?: string;
  /** Milliseconds. */
  readonly every?: number;
}

/** Name of the destination in the environment. */
const ENVIRONMENT = 'SEXTANT_ALERTS_URL';

/** `sextant alerts add` */
export async function runAdd(name: string, options: AddOptions, terminal: Terminal): Promise<ExitCode> {
  const url = await readSecret(`URL of ${name}`, terminal);
  if (url === '') throw invalid('No URL was given. Type it, or pipe it to the standard input.');
  const destination = readDestination({ ...options, name, url });
  await new DestinationFile(options.state).add(destination, terminal.signal);
  if (options.json) printJson(destinationJson(destination), terminal);
  else {
    terminal.stdout.write(`Added ${describeDestination(destination)}. A message looks like this:\n`);
    terminal.stdout.write(`${pretty(destination, sampleMessage(randomUUID(), Date.now()))}\n`);
    terminal.stdout.write(`Nothing was sent. sextant alerts test ${name} sends this one.\n`);
  }
  return ExitCode.ok;
}

/** `sextant alerts list` */
export function runList(options: AlertsOptions, terminal: Terminal): ExitCode {
  const destinations = new DestinationFile(options.state).read();
  if (options.json) printJson(destinations.map(destinationJson), terminal);
  else if (destinations.length === 0) terminal.stderr.write('sextant: There is no destination. Add one.\n');
  else terminal.stdout.write(formatColumns(destinations.map(destinationRow)));
  return destinations.length === 0 ? ExitCode.nothingFound : ExitCode.ok;
}

/** `sextant alerts remove` */
export async function runRemove(name: string, options: AlertsOptions, terminal: Terminal): Promise<ExitCode> {
  const isRemoved = await new DestinationFile(options.state).remove(name, terminal.signal);
  if (options.json) printJson({ removed: isRemoved ? [name] : [] }, terminal);
  else if (!isRemoved) terminal.stderr.write(`sextant: There is no destination ${printable(name)}.\n`);
  return isRemoved ? ExitCode.ok : ExitCode.nothingFound;
}

/** `sextant alerts test` */
export async function runTest(name: string, options: TestOptions, terminal: Terminal): Promise<ExitCode> {
  const { stdin, stdout, stderr, signal } = terminal;
  const destination = new DestinationFile(options.state).read().find((one) => one.name === name);
  if (!destination) throw new SextantError('NoDestination', `There is no destination ${name}. Add it first.`);
  const message = sampleMessage(randomUUID(), Date.now());
  if (!options.yes) {
    if (!stdin.isTTY || !stderr.isTTY)
      throw new SextantError('NotConfirmed', 'Nothing was sent. Add --yes to send without a terminal.');
    stderr.write(`${pretty(destination, message)}\n`);
    if (!(await confirm(`Send this to ${redactedUrl(destination.url)}?`, terminal)))
      throw new SextantError('NotConfirmed', 'Nothing was sent.');
  }
  const outcome = await postMessage(destination, message, { signal });
  const result = describeOutcome(outcome, destination.url);
  if (options.json) printJson(testJson(name, outcome.isDone, result), terminal);
  else stdout.write(`${outcome.isDone ? 'Accepted' : 'Not accepted'}: ${printable(result)}\n`);
  return outcome.isDone ? ExitCode.ok : ExitCode.nothingFound;
}

/** The account and its destinations. */
interface Opened {
  readonly data: AnalyticsData;
  readonly groups: Groups | undefined;
  /** Limits of groups and of the organization. */
  readonly limits: readonly GroupLimit[];
  readonly destinations: readonly Destination[];
  readonly folder: string;
  readonly source: string;
}

async function open(options: RunOptions, terminal: Terminal): Promise<Opened> {
  const files = await readFiles(options);
  if (files.destinations.length === 0)
    throw new SextantError(
      'NoDestination',
      'There is no destination, so nothing is sent. Add one: sextant alerts add.',
    );
  for (const { name, group } of files.destinations) {
    if (!group || files.groups?.has({ ...group, group: group.name }) === true) continue;
    const reason = files.groups ? 'no row of the group file has' : 'there is no group file (--groups FILE) with';
    terminal.stderr.write(`sextant: ${name} gets no alerts: ${reason} ${group.column}=${group.name}.\n`);
  }
  const { data, account, source } = await openAccount(options, terminal);
  return { ...files, data, folder: journalFolder(options.state, account), source };
}

/** Reads the files that may change while the command runs. */
async function readFiles(options: RunOptions): Promise<Pick<Opened, 'destinations' | 'groups' | 'limits'>> {
  return {
    destinations: [...new DestinationFile(options.state).read(), ...destinationOfEnvironment()],
    ...(await readGroupFiles(options.groups)),
  };
}

function destinationOfEnvironment(): Destination[] {
  const url = process.env[ENVIRONMENT];
  return url === undefined || url === '' ? [] : [readDestination({ name: 'environment', url })];
}

/** Finds the events of now. */
async function findEvents(
  { data, groups, limits }: Opened,
  load: LoadOptions,
  terminal: Terminal,
): Promise<readonly AlertEvent[]> {
  const reports = await alertReports(data, groups, limits, load);
  warnOfQuality(reports, terminal);
  if (reports.isTooLarge) terminal.stderr.write('sextant: Too many people are active to look for those who stopped.\n');
  return alertEvents(reports, data.today);
}

/** The result of a test for programs. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function testJson(destination: string, accepted: boolean, result: string) {
  return { destination, accepted, result };
}

interface Found {
  readonly destination: Destination;
  readonly events: readonly AlertEvent[];
}

/** New events for programs. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function previewJson(found: readonly Found[]) {
  return found.map(({ destination, events }) => ({ destination: destination.name, alerts: events.map(eventJson) }));
}

/** `sextant alerts preview` */
export async function runPreview(options: RunOptions, terminal: Terminal): Promise<ExitCode> {
  const opened = await open(options, terminal);
  const { load, done } = loading(options, terminal);
  const events = await findEvents(opened, load, terminal).finally(done);
  const { messages } = readJournal(opened.folder);
  const found: Found[] = opened.destinations.map((destination) => ({
    destination,
    events: newEvents(destination, events, messages),
  }));
  if (options.json) {
    printJson(previewJson(found), terminal);
  } else {
    for (const { destination, events: own } of found) {
      const message: AlertMessage = { id: randomUUID(), at: Date.now(), source: opened.source, events: own };
      terminal.stdout.write(
        own.length === 0
          ? `Nothing is new for ${destination.name}.\n`
          : `To ${describeDestination(destination)}:\n${pretty(destination, message)}\n`,
      );
    }
  }
  return found.some((one) => one.events.length > 0) ? ExitCode.ok : ExitCode.nothingFound;
}

/** `sextant alerts run` */
export async function runAlerts(options: RunOptions, terminal: Terminal): Promise<ExitCode> {
  const opened = await open(options, terminal);
  if (options.every === undefined) {
    const { load, done } = loading(options, terminal);
    try {
      return await sendOnce(opened, options, await findEvents(opened, load, terminal).finally(done), terminal);
    } catch (error) {
      // Messages of before need no figures.
      if (isOffline(error)) await sendOnce(opened, options, [], terminal);
      throw error;
    }
  }
  try {
    await keepSending(opened, options, options.every, terminal);
  } catch (error) {
    if (!isCancelled(error) && !terminal.signal.aborted) throw error;
  }
  return ExitCode.ok;
}

/** Shortest pause before a message is tried again. */
const LEAST_PAUSE_MS = 1_000;

/** Sends until the command is stopped; figures are loaded each interval, and messages are tried again when they are due. */
async function keepSending(first: Opened, options: RunOptions, everyMs: number, terminal: Terminal): Promise<never> {
  const { signal, stderr } = terminal;
  let opened = first;
  const refresh = async (): Promise<void> => {
    try {
      opened = { ...opened, ...(await readFiles(options)) };
    } catch (error) {
      stderr.write(`sextant: ${printable(describeError(error))} What was read before is used.\n`);
    }
  };
  const load: LoadOptions = { signal, refresh: options.refresh, isBackground: () => true };
  for (;;) {
    const until = Date.now() + everyMs;
    let events: readonly AlertEvent[] = [];
    try {
      events = await findEvents(opened, load, terminal);
    } catch (error) {
      if (!isOffline(error)) throw error;
      stderr.write(`sextant: ${printable(describeError(error))}\n`);
    }
    await sendOnce(opened, options, events, terminal);
    for (let now = Date.now(); now < until; now = Date.now()) {
      const waiting = readJournal(opened.folder).messages.filter(({ state }) => state === 'waiting');
      const next = Math.min(until, ...waiting.map((one) => one.next).filter((at) => at > now));
      await sleep(Math.max(LEAST_PAUSE_MS, next - now), signal);
      await refresh();
      if (next < until) await sendOnce(opened, options, [], terminal);
    }
  }
}

async function sendOnce(
  { destinations, folder, source }: Opened,
  options: RunOptions,
  events: readonly AlertEvent[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = terminal;
  if (readJournal(folder).isLost) stderr.write('sextant: The journal is damaged, so alerts may be sent again.\n');
  const { messages, owner } = await sendAlerts(destinations, events, { folder, source, signal });
  if (owner) {
    stderr.write(`sextant: ${describeOwner(owner)} is sending alerts. The next run sends what it does not.\n`);
    return ExitCode.nothingFound;
  }
  if (options.json) stdout.write(`${jsonText(messages.map(messageJson))}\n`);
  else if (messages.length > 0) stdout.write(formatColumns(messages.map(messageRow)));
  else if (options.every === undefined) stdout.write('Nothing is new.\n');
  const isLate = messages.some(({ state, attempts }) => state === 'failed' || (isOpen(state) && attempts > 0));
  return isLate ? ExitCode.nothingFound : ExitCode.ok;
}

/** `sextant alerts log` */
export async function runLog(options: LogOptions, terminal: Terminal): Promise<ExitCode> {
  const { account } = await openAccount(options, terminal);
  const messages = readJournal(journalFolder(options.state, account)).messages.slice(-options.limit).reverse();
  if (options.json) printJson(messages.map(messageJson), terminal);
  else if (messages.length === 0) terminal.stderr.write('sextant: Nothing was sent yet.\n');
  else terminal.stdout.write(formatColumns(messages.map(messageRow)));
  return messages.length === 0 ? ExitCode.nothingFound : ExitCode.ok;
}

function pretty({ kind }: Destination, message: AlertMessage): string {
  const lines = JSON.stringify(JSON.parse(messageBody(kind, message)), null, 2).split('\n');
  return lines.map(printable).join('\n');
}

function describeDestination({ name, kind, url }: Destination): string {
  return `${name} (${kind}, ${redactedUrl(url)})`;
}

function destinationRow(destination: Destination): string[] {
  const { name, kind, url, on, group, quiet } = destination;
  return [
    name,
    kind,
    redactedUrl(url),
    on.join(','),
    destination.for.join(','),
    group ? `${group.column}=${group.name}` : '',
    quiet ? `quiet ${quiet.from}-${quiet.to} ${quiet.timeZone}` : '',
  ];
}

/** A destination for programs, without its secret. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function destinationJson({ url, ...destination }: Destination) {
  const { name, kind, on, group, quiet } = destination;
  return { name, kind, url: redactedUrl(url), on, for: destination.for, group: group ?? null, quiet: quiet ?? null };
}

const STATES: Readonly<Record<JournalMessage['state'], string>> = {
  waiting: 'waits until',
  sending: 'is being sent since',
  sent: 'sent',
  failed: 'given up',
};

function messageRow({ name, state, events, next, attempts, result, at }: JournalMessage): string[] {
  const count = formatThings(events.length, 'alert');
  const tries = attempts === 0 ? 'held' : formatThings(attempts, 'attempt');
  const when = formatTime(state === 'sending' ? at : next);
  return [name, count, `${STATES[state]} ${when}`, tries, printable(result ?? '')];
}

/** A message of the journal for programs. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function messageJson(message: JournalMessage) {
  const { id, name, state, at, attempts, next, result, events } = message;
  return {
    id,
    destination: name,
    state,
    attempts,
    found_at: formatTime(at),
    ended_at: isOpen(state) ? null : formatTime(next),
    next_attempt_at: isOpen(state) ? formatTime(next) : null,
    result: result ?? null,
    alerts: events.map(eventJson),
  };
}
