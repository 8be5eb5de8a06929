import * as vscode from 'vscode';
import { isComplete, type Batch } from '../../analytics/budgets/batch.ts';
import { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { budgetCsv, decodeCsv } from '../../analytics/budgets/csv.ts';
import { formatLimit, NO_LIMIT } from '../../analytics/budgets/limit.ts';
import { changesOf, obstaclesIn, type Preview, type Source } from '../../analytics/budgets/preview.ts';
import { proposeLimit } from '../../analytics/budgets/proposal.ts';
import { Reminders } from '../../analytics/budgets/reminders.ts';
import type { RunOptions } from '../../analytics/budgets/runBatch.ts';
import { batchText, describeReminder, failureRows, previewText, summarizeBatch, summarizePreview } from '../../analytics/budgets/texts.ts'; // prettier-ignore
import { RESOURCE_OF_PLAN, type Plan } from '../../analytics/contract.ts';
import { identityKey, identityNamed, type Identity } from '../../analytics/identity.ts';
import { identityOf } from '../../analytics/insights/people.ts';
import type { BudgetStatus } from '../../analytics/insights/budgets.ts';
import { printable } from '../../base/columns.ts';
import { systemClock } from '../../base/clock.ts';
import { dayOf, parseDay } from '../../base/day.ts';
import { describeError, isCancelled } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import type { AnalyticsModel } from './analyticsModel.ts';
import { acknowledgedBatchKey, withoutLinks } from './budgetAlerts.ts';
import { askDay, askLimit, askNote, pickAccount, pickImport, type ImportFrom } from './budgetPicks.ts';
import { signalOf } from '../cancellation.ts';
import type { CommandId } from '../commandIds.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';

/** One command, called with the connected account and the command's argument. */
export type BudgetWork = (actions: BudgetActions, account: Account, given: BudgetArgument) => Promise<void>;

/** What a command is told already: by its row in the view, or by a program. The rest is asked for. */
export interface BudgetArgument {
  readonly standing?: BudgetStatus;
  /** A name; one with an @ is a person's. */
  readonly account?: string;
  readonly limit?: string;
  /** The text of a file to import. */
  readonly csv?: string;
  /** Whether what is imported is to be pasted. */
  readonly paste?: boolean;
  /** What to import, or where to write to. */
  readonly file?: vscode.Uri;
  /** `YYYY-MM-DD`, and what to say on that day. */
  readonly on?: string;
  readonly note?: string;
  /** Also what somebody else has changed meanwhile. */
  readonly overwrite?: boolean;
  /** Whoever asks has confirmed it. */
  readonly confirmed?: boolean;
}

/** Whoever is at a batch may be ending: it is looked again. */
const LOOK_AGAIN_MS = 5_000;
/** So many reminders are named in one message. */
const NAMED = 3;

/** The commands that change budgets of the connected account: what they would do is shown first, and what they did after. */
export class BudgetActions implements vscode.Disposable {
  readonly #model: AnalyticsModel;
  readonly #texts: ReadOnlyDocuments;
  readonly #state: vscode.Memento;
  readonly #logger: Logger;
  readonly #drafts = new Set<string>();
  #opened = 0;
  #again: NodeJS.Timeout | undefined;
  readonly #disposables: vscode.Disposable;

  constructor(model: AnalyticsModel, texts: ReadOnlyDocuments, state: vscode.Memento, logger: Logger) {
    this.#model = model;
    this.#texts = texts;
    this.#state = state;
    this.#logger = logger;
    this.#disposables = vscode.Disposable.from(
      model.onDidChange((name) => {
        if (name === 'budgets') this.look();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (this.#drafts.delete(uri.toString())) this.#tellDrafts();
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#again);
    this.#disposables.dispose();
  }

  /** Runs one of the commands below, and shows its failure. */
  async run(work: BudgetWork, argument: unknown): Promise<void> {
    const account = this.#account;
    if (!account) {
      const connect = vscode.l10n.t('Connect');
      const message = vscode.l10n.t('Budgets are those of an organization: connect to it first.');
      // Not waited for: the command is done, whether the message is read or not.
      void vscode.window.showInformationMessage(message, connect).then((chosen) => {
        if (chosen === connect) void vscode.commands.executeCommand('sextant.connectAnalytics');
      });
      return;
    }
    try {
      await work(this, account, argument ?? {});
    } catch (error) {
      if (isCancelled(error)) return;
      this.#logger.warn(`Budgets: ${describeError(error)}`);
      void vscode.window.showErrorMessage(withoutLinks(describeError(error)));
    }
  }

  /** Tells, once, of a batch that was interrupted and of reminders whose day has come. */
  look(): void {
    const account = this.#account;
    if (!account) return;
    try {
      this.#tellInterrupted(account);
      this.#tellReminders(account);
    } catch (error) {
      this.#logger.warn(`Budgets: ${describeError(error)}`);
    }
  }

  get #account(): Account | undefined {
    const { account, data, budgetsFolder: folder } = this.#model;
    if (account === undefined || !data || folder === undefined) return undefined;
    return {
      key: account,
      changes: new BudgetChanges(data.service, folder, { logger: this.#logger }),
      reminders: new Reminders(folder),
    };
  }

  async set(account: Account, given: BudgetArgument): Promise<void> {
    const title = vscode.l10n.t('Set Limit');
    const identity = await this.#identity(account, given, title, 'everybody');
    if (!identity) return;
    const limit = given.limit ?? (await askLimit(title, identity, given.standing?.limit.toString(), this.#unit));
    if (limit !== undefined) await this.#change(account, { kind: 'set' }, identity, limit, given);
  }

  async clear(account: Account, given: BudgetArgument): Promise<void> {
    const identity = await this.#identity(account, given, vscode.l10n.t('Clear Override'), 'limited');
    if (identity) await this.#change(account, { kind: 'clear' }, identity, NO_LIMIT, given);
  }

  async raise(account: Account, given: BudgetArgument): Promise<void> {
    const identity = await this.#identity(account, given, vscode.l10n.t('Raise to Projected Need'), 'limited');
    if (!identity) return;
    const key = identityKey(identity);
    const standing = this.#model.part('budgets').report?.standings.find((one) => one.key === key);
    const limit = standing && proposeLimit(standing);
    if (limit !== undefined) return this.#change(account, { kind: 'raise' }, identity, limit, given);
    const isEarly = standing?.projected === undefined;
    void vscode.window.showInformationMessage(
      isEarly
        ? vscode.l10n.t('Nobody can say yet what {0} needs this month.', shown(identity))
        : vscode.l10n.t('The limit of {0} is enough for this month, if it goes on so.', shown(identity)),
    );
  }

  async remind(account: Account, given: BudgetArgument): Promise<void> {
    const { reminders } = account;
    const title = vscode.l10n.t('Remind Me');
    const identity = await this.#identity(account, given, title, 'limited');
    if (!identity) return;
    const today = dayOf(systemClock.now());
    const on = parseDay(given.on ?? (await askDay(title, identity, today)) ?? '');
    if (on === undefined) return;
    const note = given.note ?? (await askNote(title, identity));
    if (note === undefined) return;
    const reminder = { identity, on, note };
    reminders.set(reminder);
    vscode.window.setStatusBarMessage(vscode.l10n.t('Noted: {0}', describeReminder(reminder)), 5_000);
  }

  async import(account: Account, given: BudgetArgument): Promise<void> {
    if (given.csv !== undefined) return this.#importText(account, given.csv, given.file, given);
    const from = await this.#importFrom(given);
    if (!from) return;
    switch (from.kind) {
      case 'file':
        return this.#importText(account, decodeCsv(await vscode.workspace.fs.readFile(from.file)), from.file, given);
      case 'document':
        return this.#importText(account, from.document.getText(), from.document.uri, given);
      case 'paste': {
        const content = 'account,limit\n';
        const document = await vscode.workspace.openTextDocument({ content });
        this.#drafts.add(document.uri.toString());
        this.#tellDrafts();
        const editor = await vscode.window.showTextDocument(document, { preview: false });
        const end = document.lineAt(document.lineCount - 1).range.end;
        editor.selection = new vscode.Selection(end, end);
      }
    }
  }

  #importFrom({ file, paste = false }: BudgetArgument): Promise<ImportFrom | undefined> {
    if (file) return Promise.resolve({ kind: 'file', file });
    return paste ? Promise.resolve({ kind: 'paste' }) : pickImport();
  }

  /** The button in the title of an editor that one pastes into. */
  async importDraft(account: Account, given: BudgetArgument): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document && this.#drafts.has(document.uri.toString()))
      await this.#importText(account, document.getText(), document.uri, given);
  }

  #tellDrafts(): void {
    void vscode.commands.executeCommand('setContext', 'sextant.budgetDrafts', [...this.#drafts]);
  }

  async #importText(account: Account, csv: string, file: vscode.Uri | undefined, given: BudgetArgument): Promise<void> {
    const name = file?.path.split('/').at(-1) ?? 'CSV';
    const title = vscode.l10n.t('Looking at what {0} would change', name);
    const preview = await withProgress(title, ({ signal }) => account.changes.previewCsv(csv, name, { signal }));
    await this.#applyAfterAsking(account, preview, given);
  }

  async #change(
    account: Account,
    source: Source,
    identity: Identity,
    limit: string,
    given: BudgetArgument,
  ): Promise<void> {
    await this.#applyAfterAsking(account, await account.changes.preview(source, [{ identity, limit }]), given);
  }

  /** Shows what would change – of one person in the question itself, else as a document – and asks. */
  async #applyAfterAsking(account: Account, preview: Preview, given: BudgetArgument): Promise<void> {
    const changes = changesOf(preview);
    const [only, ...others] = preview.rows;
    const isOne = only !== undefined && others.length === 0 && changes.length === 1 && preview.problems.length === 0;
    if (!isOne) await this.#open('preview', previewText(preview));
    if (changes.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('There is nothing to change: {0}.', summarizePreview(preview)),
      );
      return;
    }
    if (!given.confirmed) {
      const message = isOne
        ? `${shown(only.identity)}: ${formatLimit(only.before, preview.unit)} → ${formatLimit(only.after, preview.unit)}`
        : summarizePreview(preview);
      const apply =
        changes.length === 1 ? vscode.l10n.t('Apply') : vscode.l10n.t('Apply {0} Changes', formatCount(changes.length));
      const detail = isOne
        ? vscode.l10n.t('A limit of one month.')
        : vscode.l10n.t('The editor behind this shows each of them.');
      if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, apply)) !== apply) return;
    }
    await this.#go(account, given, (options) => account.changes.apply(preview, options), isOne);
  }

  /** Does it, with progress, and tells what became of it. */
  async #go(
    account: Account,
    { confirmed = false }: BudgetArgument,
    work: (options: RunOptions) => Promise<Batch>,
    isOne = false,
  ): Promise<void> {
    const batch = await withProgress(vscode.l10n.t('Changing budgets'), work);
    void this.#model.loadBudgets();
    const isFine = isComplete(batch) && batch.endedAt !== undefined && obstaclesIn(batch.leftOut).length === 0;
    if (!isOne || !isFine) await this.#open('report', batchText(batch));
    if (isFine && confirmed) return;
    void this.#offer(account, batch, isFine);
  }

  async #offer({ key }: Account, batch: Batch, isFine: boolean): Promise<void> {
    // Whoever reads this is not told again when the editor starts.
    await this.#state.update(acknowledgedBatchKey(key), batch.id);
    const actions = new Map<string, CommandId>(
      batch.endedAt === undefined
        ? [[vscode.l10n.t('Resume'), 'sextant.resumeBudgets'], [vscode.l10n.t('Show Report'), 'sextant.showBudgetReport']]
        : isFine
          ? [[vscode.l10n.t('Undo…'), 'sextant.undoBudgets']]
          : [[vscode.l10n.t('Retry Failed'), 'sextant.retryBudgets'], [vscode.l10n.t('Save Failures as CSV'), 'sextant.saveBudgetFailures']],
    ); // prettier-ignore
    const reason = batch.error ? ` ${batch.error.message}` : '';
    const message = withoutLinks(`${summarizeBatch(batch)}.${reason}`);
    const tell = isFine ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
    const chosen = await tell(message, ...actions.keys());
    const command = chosen === undefined ? undefined : actions.get(chosen);
    if (command) await vscode.commands.executeCommand(command);
  }

  async undo(account: Account, given: BudgetArgument): Promise<void> {
    await this.#applyAfterAsking(account, await account.changes.previewUndo({ overwrite: given.overwrite }), given);
  }

  async retry(account: Account, given: BudgetArgument): Promise<void> {
    await this.#applyAfterAsking(account, await account.changes.previewRetry({ overwrite: given.overwrite }), given);
  }

  async resume(account: Account, given: BudgetArgument): Promise<void> {
    await this.#go(account, given, (options) => account.changes.resume(options));
  }

  async showReport({ changes: { last: batch } }: Account): Promise<void> {
    if (batch) return this.#open('report', batchText(batch));
    void vscode.window.showInformationMessage(vscode.l10n.t('No budgets were changed from here yet.'));
  }

  async saveFailures({ changes: { last: batch } }: Account, given: BudgetArgument): Promise<void> {
    const rows = batch ? failureRows(batch) : [];
    if (!batch || rows.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Nothing of the last batch is left to do.'));
      return;
    }
    await save(await budgetCsv(rows, RESOURCE_OF_PLAN[batch.unit], { withErrors: true }), 'failures.csv', given.file);
  }

  async export({ changes }: Account, given: BudgetArgument): Promise<void> {
    const title = vscode.l10n.t('Reading budgets');
    const { unit, overrides } = await withProgress(title, ({ signal }) => changes.overrides(signal));
    await save(await budgetCsv(overrides, RESOURCE_OF_PLAN[unit]), 'budgets.csv', given.file);
  }

  /** Each in an editor of its own: what was shown before stays as it was. */
  #open(what: 'preview' | 'report', text: string): Promise<void> {
    return this.#texts.open(`Budgets ${what} ${++this.#opened}.txt`, text);
  }

  #tellInterrupted(account: Account): void {
    const key = acknowledgedBatchKey(account.key);
    const { last } = account.changes;
    if (!last || last.endedAt !== undefined || this.#state.get<number>(key, 0) >= last.id) return;
    const batch = account.changes.interrupted;
    if (batch) void this.#offer(account, batch, false);
    else {
      clearTimeout(this.#again);
      this.#again = setTimeout(() => this.look(), LOOK_AGAIN_MS);
    }
  }

  #tellReminders({ reminders }: Account): void {
    const due = reminders.takeDue(dayOf(systemClock.now()));
    if (due.length === 0) return;
    const named = due.slice(0, NAMED).map(describeReminder).join('; ');
    const more = due.length > NAMED ? ` ${vscode.l10n.t('and {0} more', formatCount(due.length - NAMED))}` : '';
    const show = vscode.l10n.t('Show Budgets');
    const message = vscode.l10n.t('A limit was meant to end: {0}', withoutLinks(named) + more);
    void vscode.window.showInformationMessage(message, show).then((chosen) => {
      if (chosen === show) void vscode.commands.executeCommand('sextant.budgets.focus');
    });
  }

  get #unit(): Plan | undefined {
    return this.#model.part('budgets').report?.unit;
  }

  /** Whom it is about: the row's, the named one, or whoever is chosen of those that are known, or typed. */
  async #identity(
    { changes }: Account,
    { standing, account }: BudgetArgument,
    title: string,
    among: 'everybody' | 'limited',
  ): Promise<Identity | undefined> {
    if (standing) return standing.identity;
    if (account !== undefined) return identityNamed(account);
    const { overrides, unit } = await changes.overrides();
    const known = new Map(
      overrides.map(({ identity, limit }) => [
        identityKey(identity),
        { identity, detail: vscode.l10n.t('limit {0}', formatLimit(limit, unit)) },
      ]),
    );
    const people = among === 'everybody' ? (this.#model.part('people').report?.people ?? []) : [];
    for (const identity of people.map(identityOf)) {
      const key = identityKey(identity);
      if (!known.has(key)) known.set(key, { identity, detail: vscode.l10n.t('no limit of their own') });
    }
    return pickAccount(title, [...known.values()], among === 'everybody');
  }
}

/** What changes the budgets of the account that is connected. */
interface Account {
  readonly key: string;
  readonly changes: BudgetChanges;
  readonly reminders: Reminders;
}

function shown({ name }: Identity): string {
  return withoutLinks(printable(name));
}

/** With a notification from which it can be cancelled. */
function withProgress<T>(
  title: string,
  work: (options: RunOptions & { readonly signal: AbortSignal }) => Promise<T>,
): Thenable<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const linked = signalOf(token);
    let before = 0;
    const onProgress: RunOptions['onProgress'] = ({ settled, total }) => {
      const share = (100 * settled) / total;
      const message = vscode.l10n.t('{0} of {1}', formatCount(settled), formatCount(total));
      progress.report({ message, increment: share - before });
      before = share;
    };
    try {
      return await work({ signal: linked.signal, onProgress });
    } finally {
      linked.dispose();
    }
  });
}

async function save(text: string, name: string, file: vscode.Uri | undefined): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const to =
    file ??
    (await vscode.window.showSaveDialog({
      filters: { CSV: ['csv'] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
    }));
  if (!to) return;
  await vscode.workspace.fs.writeFile(to, Buffer.from(text));
  vscode.window.setStatusBarMessage(vscode.l10n.t('{0} was written.', to.path.split('/').at(-1) ?? name), 5_000);
}
