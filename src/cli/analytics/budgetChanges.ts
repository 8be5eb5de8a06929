import { Readable } from 'node:stream';
import { isComplete, numbersOf, type Batch } from '../../analytics/budgets/batch.ts';
import type { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { budgetCsv, decodeCsv } from '../../analytics/budgets/csv.ts';
import { NO_LIMIT, problemOfLimit } from '../../analytics/budgets/limit.ts';
import {
  changesOf,
  leftOutOf,
  obstaclesIn,
  type Preview,
  type LimitPreviewOptions,
  type RequestedLimit,
} from '../../analytics/budgets/preview.ts';
import type { BatchProgress } from '../../analytics/budgets/runBatch.ts';
import { Reminders, type Reminder } from '../../analytics/budgets/reminders.ts';
import { effectOf, type PreviewEffect } from '../../analytics/budgets/effect.ts';
import type { AnalyticsData } from '../../analytics/client/analyticsData.ts';
import { budgetReport, limitUse } from '../../analytics/reports/budgetReport.ts';
import {
  batchText,
  describeReminder,
  failureRows,
  previewText,
  summarizePreview,
} from '../../analytics/budgets/texts.ts';
import { RESOURCE_OF_PLAN, type Plan } from '../../analytics/contract.ts';
import { identityNamed, type Identity } from '../../analytics/identity.ts';
import { formatDay, parseDay } from '../../base/day.ts';
import { isCancelled, SextantError } from '../../base/errors.ts';
import { formatCount, formatThings } from '../../base/format.ts';
import { openAccount, type AnalyticsOptions } from './analytics.ts';
import { confirm } from '../prompts.ts';
import { ExitCode, noFile, printError, printJson, ProgressLine, readInput, type Terminal } from '../terminal.ts';
import { requireNewOutput, writeWhole, type OutputOptions } from '../writeWhole.ts';

/** Options of all commands that use budgets of the service. */
export type ConnectedOptions = Pick<AnalyticsOptions, 'url' | 'org' | 'state' | 'serverState' | 'json'>;

export interface ChangeOptions extends ConnectedOptions {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly unit?: Plan;
}

export interface AccountOptions extends ChangeOptions {
  readonly serviceAccount?: true;
}

export interface FileOptions extends ChangeOptions {
  /** A file for the rows that are not applied. */
  readonly failures?: string;
  /** Whether that file may exist. */
  readonly force?: true;
}

export interface RetryOptions extends FileOptions {
  readonly overwrite?: true;
}

export interface ResumeOptions extends ConnectedOptions, Pick<FileOptions, 'failures' | 'force'> {
  readonly verify?: true;
}

export interface RemindOptions extends ConnectedOptions {
  readonly on?: string;
  readonly note: string;
  readonly never?: true;
}

/** Largest number of rows of each kind on a terminal; the file has all. */
const LISTED = 40;

/** `sextant budgets set` */
export function setLimit(
  account: string,
  limit: string,
  options: AccountOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const problem = limit === NO_LIMIT ? 'To remove a limit, use sextant budgets clear.' : problemOfLimit(limit);
  if (problem !== undefined) throw new SextantError('BadLimit', `"${limit}" is not a limit. ${problem}`);
  const wanted = [{ identity: accountOf(account, options), limit }];
  return change((changes, how) => changes.preview({ kind: 'set' }, wanted, how), options, terminal);
}

/** `sextant budgets clear` */
export function clearLimits(
  accounts: readonly string[],
  options: AccountOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const wanted = accounts.map((account): RequestedLimit => ({
    identity: accountOf(account, options),
    limit: NO_LIMIT,
  }));
  return change((changes, how) => changes.preview({ kind: 'clear' }, wanted, how), options, terminal);
}

/** `sextant budgets import` */
export async function importLimits(file: string, options: FileOptions, terminal: Terminal): Promise<ExitCode> {
  const text = decodeCsv(await readCsv(file, terminal));
  return change((changes, how) => changes.previewCsv(text, file === '-' ? 'input' : file, how), options, terminal);
}

/** `sextant budgets undo` */
export function undo(options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  return change((changes, how) => changes.previewUndo(how), options, terminal);
}

/** `sextant budgets retry` */
export function retry(options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  return change((changes, how) => changes.previewRetry(how), options, terminal);
}

/** `sextant budgets resume` */
export async function resume(options: ResumeOptions, terminal: Terminal): Promise<ExitCode> {
  requireNewFailures(options);
  const { changes } = await openAccount(options, terminal);
  const progress = progressOn(terminal);
  const { signal } = terminal;
  const batch = await changes
    .resume({ signal, onlyVerify: options.verify, onProgress: progress.show })
    .finally(progress.done);
  return report(batch, options, terminal);
}

/** `sextant budgets status` */
export async function status(options: ResumeOptions, terminal: Terminal): Promise<ExitCode> {
  const { changes } = await openAccount(options, terminal);
  const { last } = changes;
  if (!last)
    throw new SextantError(
      'NoBatch',
      'There is no batch: no limits of this account have been changed from this machine.',
    );
  return report(last, options, terminal);
}

/** `sextant budgets export` */
export async function exportLimits(options: ConnectedOptions & OutputOptions, terminal: Terminal): Promise<ExitCode> {
  requireNewOutput(options);
  const { changes } = await openAccount(options, terminal);
  const { unit, overrides } = await changes.overrides(terminal.signal);
  await writeWhole(Readable.from([await budgetCsv(overrides, RESOURCE_OF_PLAN[unit])]), options, terminal);
  return overrides.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

/** Reminders for programs. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function remindersJson(reminders: readonly Reminder[]) {
  return reminders.map(({ identity, on, note }) => ({
    account: identity.name,
    kind: identity.kind,
    on: formatDay(on),
    note,
  }));
}

/** `sextant budgets remind` */
export async function remind(
  account: string | undefined,
  { on, note, never, ...options }: RemindOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { budgetsFolder } = await openAccount(options, terminal);
  const reminders = new Reminders(budgetsFolder);
  if (account === undefined) {
    const all = reminders.all();
    if (options.json) printJson(remindersJson(all), terminal);
    else for (const one of all) terminal.stdout.write(`${describeReminder(one)}\n`);
    return all.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  }
  const identity = identityNamed(account);
  if (never) return reminders.remove(identity) ? ExitCode.ok : ExitCode.nothingFound;
  const day = on === undefined ? undefined : parseDay(on);
  if (day === undefined)
    throw new SextantError(
      'BadDay',
      'Set the day with --on, like --on 2026-12-31, or remove the reminder with --never.',
    );
  reminders.set({ identity, on: day, note });
  return ExitCode.ok;
}

function accountOf(name: string, { serviceAccount }: AccountOptions): Identity {
  return serviceAccount ? { kind: 'service_account_name', name } : identityNamed(name);
}

/** Previews a change, asks for confirmation, applies it and reports the result. */
export async function change(
  preview: (changes: BudgetChanges, options: LimitPreviewOptions, data: AnalyticsData) => Promise<Preview>,
  options: RetryOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  requireNewFailures(options);
  const { changes, data } = await openAccount(options, terminal);
  try {
    return await changeBy({ changes, data }, preview, options, terminal);
  } catch (error) {
    if (!isCancelled(error)) throw error;
    if (options.json) printError('Cancelled', 'Interrupted. Nothing was changed.', terminal);
    terminal.stderr.write('sextant: Interrupted. Nothing was changed.\n');
    return ExitCode.interrupted;
  }
}

async function changeBy(
  { changes, data }: { readonly changes: BudgetChanges; readonly data: AnalyticsData },
  preview: (changes: BudgetChanges, options: LimitPreviewOptions, data: AnalyticsData) => Promise<Preview>,
  options: RetryOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { stdin, stdout, stderr, signal } = terminal;
  const made = await preview(changes, { unit: options.unit, overwrite: options.overwrite, signal }, data);
  const hasChanges = changesOf(made).length > 0;
  const isShown = hasChanges && (options.dryRun === true || options.yes !== true);
  const use = isShown ? limitUse(await budgetReport(data, { signal })) : undefined;
  if (options.dryRun || !hasChanges) {
    if (options.json) printJson({ ...made, ...(use && { effect: effectJson(effectOf(made, use)) }) }, terminal);
    else stdout.write(previewText(made, { most: stdout.isTTY ? LISTED : Infinity, use }));
    await writeFailures({ ...made, rows: [], leftOut: leftOutOf(made) }, options, terminal);
    return isWhole(made) ? ExitCode.ok : ExitCode.nothingFound;
  }
  if (!options.yes) {
    if (!stdin.isTTY || !stderr.isTTY)
      throw new SextantError(
        'NotConfirmed',
        `${summarizePreview(made)}. Nothing was changed. Add --yes to apply without a terminal, or --dry-run to preview.`,
      );
    stderr.write(`${previewText(made, { most: LISTED, use })}\n`);
    if (!(await confirm(`Apply ${formatThings(changesOf(made).length, 'change')}?`, terminal)))
      throw new SextantError('NotConfirmed', 'Nothing was changed.');
  }
  const progress = progressOn(terminal);
  const batch = await changes.apply(made, { signal, onProgress: progress.show }).finally(progress.done);
  return report(batch, options, terminal);
}

async function report(
  batch: Batch,
  options: ConnectedOptions & Pick<FileOptions, 'failures' | 'force'>,
  terminal: Terminal,
): Promise<ExitCode> {
  if (options.json) printJson(batch, terminal);
  else terminal.stdout.write(batchText(batch, { most: terminal.stdout.isTTY ? LISTED : Infinity }));
  await writeFailures(batch, options, terminal);
  if (batch.endedAt === undefined)
    terminal.stderr.write(
      `sextant: The batch is not complete.${numbersOf(batch, 'unknown').length > 0 ? ' The result of some rows is unknown.' : ''} Run sextant budgets resume.\n`,
    );
  if (batch.error?.code === 'Cancelled') return ExitCode.interrupted;
  if (batch.error) return ExitCode.failed;
  const isFine = isComplete(batch) && obstaclesIn(batch.leftOut).length === 0;
  return isFine ? ExitCode.ok : ExitCode.nothingFound;
}

/** The effect for programs, sums in full. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function effectJson({ newlyOver, over, sum, unlimited }: PreviewEffect) {
  return {
    newly_over: newlyOver,
    over,
    sum_of_limits: { before: String(sum.before), after: String(sum.after) },
    unlimited,
  };
}

/** Whether all requested changes are possible. */
function isWhole(made: Preview): boolean {
  return obstaclesIn(leftOutOf(made)).length === 0;
}

/** Throws `FileExists` before anything is sent. */
function requireNewFailures({ failures, force }: Pick<FileOptions, 'failures' | 'force'>): void {
  requireNewOutput({ output: failures, force }, '--failures');
}

/** Writes the rows that failed, also after Ctrl-C: those that were not sent are among them. */
async function writeFailures(
  batch: Parameters<typeof failureRows>[0],
  { failures, force }: Pick<FileOptions, 'failures' | 'force'>,
  { stdout }: Terminal,
): Promise<void> {
  if (failures === undefined) return;
  const csv = await budgetCsv(failureRows(batch), RESOURCE_OF_PLAN[batch.unit], { withErrors: true });
  await writeWhole(Readable.from([csv]), { output: failures, force }, { stdout });
}

async function readCsv(file: string, terminal: Terminal): Promise<Uint8Array> {
  try {
    return await readInput(file, terminal);
  } catch (error) {
    if (isCancelled(error)) throw error;
    throw noFile(file, error);
  }
}

function progressOn({ stderr }: Terminal): {
  readonly show: (progress: BatchProgress) => void;
  readonly done: () => void;
} {
  const line = new ProgressLine(stderr);
  return {
    show: ({ phase, settled, total }) =>
      line.show([
        phase === 'reading' ? 'Reading' : 'Sending',
        `${formatCount(settled)} of ${formatCount(total)} limits`,
      ]),
    done: () => line.clear(),
  };
}
