import * as vscode from 'vscode';
import { isComplete, type Batch } from '../../analytics/budgets/batch.ts';
import { decodeCsv } from '../../analytics/budgets/csv.ts';
import { budgetErrors } from '../../analytics/budgets/errors.ts';
import { formatLimit } from '../../analytics/budgets/limit.ts';
import { changesOf, obstaclesIn, type Preview } from '../../analytics/budgets/preview.ts';
import { proposeLimit } from '../../analytics/budgets/proposal.ts';
import { describeEffect, effectOf } from '../../analytics/budgets/effect.ts';
import { limitUse } from '../../analytics/reports/budgetReport.ts';
import { Reminders, type Reminder } from '../../analytics/budgets/reminders.ts';
import {
  batchText,
  describeReminder,
  previewText,
  summarizeBatch,
  summarizePreview,
} from '../../analytics/budgets/texts.ts';
import type { Plan } from '../../analytics/contract.ts';
import { identityKey, identityNamed, identityOf, type Identity } from '../../analytics/identity.ts';
import type { BudgetStatus } from '../../analytics/insights/budgets.ts';
import { systemClock } from '../../base/clock.ts';
import { printable } from '../../base/columns.ts';
import { dayOf, parseDay } from '../../base/day.ts';
import { describeError, isCancelled } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import type { CommandId } from '../commandIds.ts';
import { inUnit } from '../dashboard/editorSteps.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import type { WindowNames } from './windowNames.ts';
import type { AnalyticsConnection } from './analyticsConnection.ts';
import { acknowledgedBatchKey, withoutLinks } from './budgetAlerts.ts';
import { save, withProgress, withTask } from './budgetDialogs.ts';
import type { BudgetEditor, ChangeRequest, EditorStep } from './budgetEditor.ts';
import { ImportDrafts } from './importDrafts.ts';
import { askDay, askLimit, askNote, pickAccount, pickImport } from './budgetPicks.ts';

/** One command, called with its argument. */
export type BudgetWork = (actions: BudgetActions, given: BudgetArgument) => Promise<void>;

/** Known answers, from the row of a view or from a program. The command asks for the rest. */
export interface BudgetArgument {
  readonly status?: BudgetStatus;
  /** A name; with an @, that of a person. */
  readonly account?: string;
  readonly limit?: string;
  /** The text of a file to import. */
  readonly csv?: string;
  /** Opens a new editor for pasted rows. */
  readonly paste?: boolean;
  /** The file to import, or to write. */
  readonly file?: vscode.Uri;
  /** Day of a reminder, `YYYY-MM-DD`, and its text. */
  readonly on?: string;
  readonly note?: string;
  /** Overwrites later changes of other clients. */
  readonly overwrite?: boolean;
  /** Skips the confirmation: the caller has it. */
  readonly confirmed?: boolean;
}

/** Largest number of reminders named in a message. */
const NAMED = 3;

/** The commands that change budgets: the steps of {@link BudgetEditor} in dialogs. */
export class BudgetActions implements vscode.Disposable {
  readonly #connection: AnalyticsConnection;
  readonly #names: WindowNames;
  readonly #editor: BudgetEditor;
  readonly #documents: ReadOnlyDocuments;
  readonly #state: vscode.Memento;
  readonly #logger: Logger;
  readonly #drafts = new ImportDrafts();
  #opened = 0;
  #lastState: string | undefined;
  readonly #disposables: vscode.Disposable;

  constructor(
    connection: AnalyticsConnection,
    names: WindowNames,
    documents: ReadOnlyDocuments,
    state: vscode.Memento,
    logger: Logger,
  ) {
    this.#connection = connection;
    this.#names = names;
    this.#editor = connection.editor;
    this.#documents = documents;
    this.#state = state;
    this.#logger = logger;
    this.#disposables = vscode.Disposable.from(
      connection.onDidChange((name) => {
        if (name === 'budgets') this.notify();
      }),
      this.#editor.onDidChange(() => this.#onEditor()),
      this.#drafts,
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Runs one of the commands below, and shows its failure. */
  async run(work: BudgetWork, argument: unknown): Promise<void> {
    if (!this.#connection.account) {
      const connect = vscode.l10n.t('Connect');
      const message = vscode.l10n.t('Budgets need an organization. Connect to it first.');
      // Not awaited: the command ends before the user reads the message.
      void vscode.window.showInformationMessage(message, connect).then((chosen) => {
        if (chosen === connect) void vscode.commands.executeCommand('sextant.connectAnalytics');
      });
      return;
    }
    try {
      await work(this, argument ?? {});
    } catch (error) {
      if (isCancelled(error)) return;
      this.#logger.warn(`Budgets: ${describeError(error)}`);
      void vscode.window.showErrorMessage(withoutLinks(describeError(error)));
    }
  }

  /** Notifies, once, of an interrupted batch and of due reminders. */
  notify(): void {
    this.#editor.reread();
    try {
      this.#notifyReminders();
    } catch (error) {
      this.#logger.warn(`Budgets: ${describeError(error)}`);
    }
  }

  async set(given: BudgetArgument): Promise<void> {
    const title = vscode.l10n.t('Set Limit');
    const identity = await this.#identity(given, title, 'all');
    if (!identity) return;
    const limit = given.limit ?? (await askLimit(title, identity, given.status?.limit.toString(), this.#unit));
    if (limit !== undefined) await this.#change({ kind: 'set', identity, limit }, given);
  }

  async clear(given: BudgetArgument): Promise<void> {
    const identity = await this.#identity(given, vscode.l10n.t('Clear Override'), 'limited');
    if (identity) await this.#change({ kind: 'clear', identity }, given);
  }

  async raise(given: BudgetArgument): Promise<void> {
    const identity = await this.#identity(given, vscode.l10n.t('Raise to Projected Need'), 'limited');
    if (!identity) return;
    const key = identityKey(identity);
    const status = this.#connection.state('budgets').report?.statuses.find((one) => one.key === key);
    const limit = status && proposeLimit(status);
    if (limit !== undefined) return this.#change({ kind: 'raise', identity, limit }, given);
    void vscode.window.showInformationMessage(
      status?.projected === undefined
        ? vscode.l10n.t('Not enough data yet to project {0}.', this.#shown(identity))
        : vscode.l10n.t('The limit of {0} covers the projected month.', this.#shown(identity)),
    );
  }

  async remind(given: BudgetArgument): Promise<void> {
    const title = vscode.l10n.t('Remind Me');
    const identity = await this.#identity(given, title, 'limited');
    if (!identity) return;
    const today = dayOf(systemClock.now());
    const on = parseDay(given.on ?? (await askDay(title, identity, today)) ?? '');
    if (on === undefined) return;
    const note = given.note ?? (await askNote(title, identity));
    if (note === undefined) return;
    const reminder = { identity, on, note };
    this.#reminders?.set(reminder);
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('Reminder set: {0}', describeReminder(this.#hidden(reminder))),
      5_000,
    );
  }

  async import(given: BudgetArgument): Promise<void> {
    if (given.csv !== undefined) return this.#importText(given.csv, given.file, given);
    const { file, paste = false } = given;
    const from = file ? { kind: 'file' as const, file } : paste ? { kind: 'paste' as const } : await pickImport();
    switch (from?.kind) {
      case undefined:
        return;
      case 'file':
        return this.#importText(decodeCsv(await vscode.workspace.fs.readFile(from.file)), from.file, given);
      case 'document':
        return this.#importText(from.document.getText(), from.document.uri, given);
      case 'paste':
        return this.#drafts.open();
    }
  }

  /** The button in the title of an editor for pasted rows. */
  async importDraft(given: BudgetArgument): Promise<void> {
    const document = this.#drafts.active;
    if (document) await this.#importText(document.getText(), document.uri, given);
  }

  async #importText(csv: string, file: vscode.Uri | undefined, given: BudgetArgument): Promise<void> {
    await this.#change({ kind: 'import', csv, name: file?.path.split('/').at(-1) ?? 'CSV' }, given);
  }

  undo(given: BudgetArgument): Promise<void> {
    return this.#change({ kind: 'undo' }, given);
  }

  retry(given: BudgetArgument): Promise<void> {
    return this.#change({ kind: 'retry' }, given);
  }

  resume(given: BudgetArgument): Promise<void> {
    return this.#apply(() => this.#editor.resume(), given);
  }

  /** Previews a change, asks for confirmation, applies it and reports the result. */
  async #change(request: ChangeRequest, given: BudgetArgument): Promise<void> {
    const editor = this.#editor;
    if (editor.isBusy) throw budgetErrors.busy(0);
    const preview = (): Promise<EditorStep> => editor.preview(request, given.overwrite);
    const title =
      request.kind === 'import'
        ? vscode.l10n.t('Computing the changes of {0}', request.name)
        : vscode.l10n.t('Computing the changes…');
    const step = await withTask(editor, title, preview);
    try {
      if (step.kind === 'refused') throw step.error;
      if (step.kind !== 'preview' || !(await this.#confirm(step.preview, given))) return;
    } finally {
      if (editor.step === step) editor.close();
    }
    await this.#apply(() => editor.apply(step.preview), given);
  }

  /** Shows the changes and asks: one change in the question itself, more in a document. */
  async #confirm(preview: Preview, { confirmed = false }: BudgetArgument): Promise<boolean> {
    const changes = changesOf(preview);
    const only = onlyRow(preview);
    const { report } = this.#connection.state('budgets');
    const use = report && limitUse(report);
    if (!only) await this.#open('preview', previewText(preview, { use }));
    if (changes.length === 0) {
      const message = vscode.l10n.t('There is nothing to change: {0}.', summarizePreview(preview));
      void vscode.window.showInformationMessage(message);
      return false;
    }
    if (confirmed) return true;
    const message = only
      ? vscode.l10n.t(
          '{0}: {1} → {2}, in {3}',
          this.#shown(only.identity),
          formatLimit(only.before, preview.unit),
          formatLimit(only.after, preview.unit),
          inUnit(preview.unit),
        )
      : summarizePreview(preview);
    const apply =
      changes.length === 1 ? vscode.l10n.t('Apply') : vscode.l10n.t('Apply {0} Changes', formatCount(changes.length));
    const about = only
      ? vscode.l10n.t('The limit is per calendar month.')
      : vscode.l10n.t('The editor behind this message lists all changes.');
    const detail = use ? `${describeEffect(effectOf(preview, use), preview.unit)}.\n${about}` : about;
    return (await vscode.window.showWarningMessage(message, { modal: true, detail }, apply)) === apply;
  }

  /** Applies or resumes a batch with progress, and reports its result. */
  async #apply(work: () => Promise<EditorStep>, { confirmed = false }: BudgetArgument): Promise<void> {
    const editor = this.#editor;
    if (editor.isBusy) throw budgetErrors.busy(0);
    const step = await withTask(editor, vscode.l10n.t('Changing budgets'), work);
    if (editor.step === step) editor.close();
    if (step.kind === 'refused') throw step.error;
    if (step.kind !== 'report') return;
    const { batch } = step;
    const isWhole = isFine(batch);
    if (batch.rows.length > 1 || !isWhole) await this.#open('report', batchText(batch));
    if (!isWhole || !confirmed) void this.#offer(batch, isWhole);
  }

  /** Shows the result of a batch with the next actions. */
  async #offer(batch: Batch, isWhole: boolean): Promise<void> {
    const actions = new Map<string, CommandId>(
      batch.endedAt === undefined
        ? [
            [vscode.l10n.t('Resume'), 'sextant.resumeBudgets'],
            [vscode.l10n.t('Show Report'), 'sextant.showBudgetReport'],
          ]
        : isWhole
          ? [[vscode.l10n.t('Undo…'), 'sextant.undoBudgets']]
          : [
              [vscode.l10n.t('Retry Failed'), 'sextant.retryBudgets'],
              [vscode.l10n.t('Save Failures as CSV'), 'sextant.saveBudgetFailures'],
            ],
    );
    const reason = batch.error ? ` ${batch.error.message}` : '';
    const message = withoutLinks(`${summarizeBatch(batch)}.${reason}`);
    const show = isWhole ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
    const chosen = await show(message, ...actions.keys());
    const command = chosen === undefined ? undefined : actions.get(chosen);
    if (command) await vscode.commands.executeCommand(command);
  }

  async showReport(): Promise<void> {
    const { last } = this.#editor;
    if (last) return this.#open('report', batchText(last));
    void vscode.window.showInformationMessage(vscode.l10n.t('No budgets have been changed from this machine yet.'));
  }

  async saveFailures({ file }: BudgetArgument): Promise<void> {
    const csv = await this.#editor.failuresCsv();
    if (csv !== undefined) return save(csv, 'failures.csv', file);
    void vscode.window.showInformationMessage(vscode.l10n.t('The last batch has no failed rows.'));
  }

  async export({ file }: BudgetArgument): Promise<void> {
    const csv = await withProgress(vscode.l10n.t('Reading budgets'), (signal) => this.#editor.limitsCsv(signal));
    if (csv !== undefined) await save(csv, 'budgets.csv', file);
  }

  /** Opens a document of its own, so that earlier ones stay. */
  #open(kind: 'preview' | 'report', text: string): Promise<void> {
    return this.#documents.open(`Budgets ${kind} ${++this.#opened}.txt`, text);
  }

  #onEditor(): void {
    const { last, isInterrupted } = this.#editor;
    const running = isInterrupted ? 'interrupted' : 'running';
    const ended = last && (isFine(last) ? 'complete' : 'failed');
    // Commands that need such a batch are listed only then.
    const state = last?.endedAt === undefined ? last && running : ended;
    if (state !== this.#lastState) void vscode.commands.executeCommand('setContext', 'sextant.budgets.last', state);
    this.#lastState = state;
    this.#notifyInterrupted();
  }

  #notifyInterrupted(): void {
    const { last, isInterrupted, isBusy } = this.#editor;
    const account = this.#connection.account?.key;
    if (!last || !isInterrupted || isBusy || account === undefined) return;
    const key = acknowledgedBatchKey(account);
    if (this.#state.get<number>(key, 0) >= last.id) return;
    void this.#state.update(key, last.id);
    void this.#offer(last, false);
  }

  #notifyReminders(): void {
    const due = this.#reminders?.takeDue(dayOf(systemClock.now())) ?? [];
    if (due.length === 0) return;
    const named = due
      .slice(0, NAMED)
      .map((one) => describeReminder(this.#hidden(one)))
      .join('; ');
    const more = due.length > NAMED ? ` ${vscode.l10n.t('and {0} more', formatCount(due.length - NAMED))}` : '';
    const show = vscode.l10n.t('Show Budgets');
    const message = vscode.l10n.t('Reminder to end a limit: {0}', withoutLinks(named) + more);
    void vscode.window.showInformationMessage(message, show).then((chosen) => {
      if (chosen === show) void vscode.commands.executeCommand('sextant.budgets.focus');
    });
  }

  /** The name of an account, or its pseudonym. */
  #shown(identity: Identity): string {
    return withoutLinks(printable(this.#names.names.of(identity)));
  }

  #hidden(reminder: Reminder): Reminder {
    const { identity } = reminder;
    return { ...reminder, identity: { ...identity, name: this.#names.names.of(identity) } };
  }

  get #reminders(): Reminders | undefined {
    const { account } = this.#connection;
    return account && new Reminders(account.budgetsFolder);
  }

  get #unit(): Plan | undefined {
    return this.#connection.state('budgets').report?.unit;
  }

  /** The account of the row, of the argument, or the one that the user picks or types. */
  async #identity(
    { status, account }: BudgetArgument,
    title: string,
    among: 'all' | 'limited',
  ): Promise<Identity | undefined> {
    if (status) return status.identity;
    if (account !== undefined) return identityNamed(account);
    const reading = vscode.l10n.t('Reading budgets');
    const { overrides, unit } = await withProgress(reading, (signal) => this.#editor.overrides(signal));
    const known = new Map(
      overrides.map(({ identity, limit }) => [
        identityKey(identity),
        { identity, detail: vscode.l10n.t('limit {0}', formatLimit(limit, unit)) },
      ]),
    );
    const people = among === 'all' ? (this.#connection.state('people').report?.people ?? []) : [];
    for (const identity of people.map(identityOf)) {
      const key = identityKey(identity);
      if (!known.has(key)) known.set(key, { identity, detail: vscode.l10n.t('no override') });
    }
    return pickAccount(title, [...known.values()], among === 'all');
  }
}

/** Whether a batch has ended, with all changes in effect that were requested. */
function isFine(batch: Batch): boolean {
  return isComplete(batch) && batch.endedAt !== undefined && obstaclesIn(batch.leftOut).length === 0;
}

/** The row of a preview that has one change and nothing else. */
function onlyRow(preview: Preview): Preview['rows'][number] | undefined {
  const { rows, problems } = preview;
  return rows.length === 1 && problems.length === 0 && changesOf(preview).length === 1 ? rows[0] : undefined;
}
