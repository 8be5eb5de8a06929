import * as l10n from '@vscode/l10n';
import { formatLimit, NO_LIMIT, problemOfLimit, type Limit } from '../../analytics/budgets/limit.ts';
import { proposeLimit } from '../../analytics/budgets/proposal.ts';
import { describeSource, summarizeBatch } from '../../analytics/budgets/texts.ts';
import { identityKey, identityNamed, type Identity } from '../../analytics/identity.ts';
import type { BudgetStatus } from '../../analytics/insights/budgets.ts';
import { limitUse, type BudgetReport } from '../../analytics/reports/budgetReport.ts';
import { describeMoment } from '../../analytics/reports/report.ts';
import type { Disposable } from '../../base/disposable.ts';
import {
  BUDGET_SCOPES,
  MAX_PROPOSED,
  type BudgetScope,
  type BudgetEditorAction,
} from '../../protocol/budgetChoices.ts';
import type {
  BudgetEditorState,
  BudgetEditorPerson,
  BudgetEditorStep,
  ProposedAccount,
  TypedProblem,
} from '../../protocol/budgetsView.ts';
import type { BudgetEditor } from '../analytics/budgetEditor.ts';
import { ALL, batchList, changeParts, previewList, type ChangeRows } from './changeList.ts';
import { actionsAfter, continueActions, describeStep, inUnit, showReport } from './editorSteps.ts';
import { matchesFilter } from './figures.ts';
import type { AccountNames } from '../analytics/accountNames.ts';
import { SortedList } from './rowList.ts';

/** What the page knows of the accounts whose limits change. */
export interface KnownAccounts {
  readonly names: AccountNames;
  readonly report: BudgetReport | undefined;
  /** All known accounts; an account may be repeated. */
  readonly identities: () => readonly Identity[];
}

/** The rows of a preview or report, kept while they and the names stay the same. */
interface KeptList {
  readonly of: unknown;
  /** Whether the rows have the consumption, which may arrive later. */
  readonly hasUse: boolean;
  readonly names: AccountNames;
  readonly rows: ChangeRows;
  readonly list: SortedList;
  /** The part that the list is filled with. */
  readonly part: string | undefined;
}

/** The editor of budgets as the page shows it: accounts have ids and may be pseudonyms, steps are texts and lists. */
export class BudgetEditorView {
  readonly #editor: BudgetEditor;
  readonly #known: () => KnownAccounts;
  readonly #onChange: () => void;
  readonly #listening: Disposable;
  #scope: BudgetScope = 'own';
  /** The step that {@link #part} and {@link #list} belong to. */
  #serial = 0;
  #part = ALL;
  #list: KeptList | undefined;

  constructor(editor: BudgetEditor, known: () => KnownAccounts, onChange: () => void) {
    this.#editor = editor;
    this.#known = known;
    this.#onChange = onChange;
    this.#listening = editor.onDidChange(() => {
      if (editor.serial !== this.#serial) {
        this.#serial = editor.serial;
        this.#part = ALL;
        this.#list = undefined;
      }
      onChange();
    });
  }

  get scope(): BudgetScope {
    return this.#scope;
  }

  /** The rows of the shown preview or report. */
  get list(): SortedList | undefined {
    return this.#list?.list;
  }

  showScope(scope: BudgetScope): void {
    this.#scope = scope;
    this.#onChange();
  }

  showPart(part: string): void {
    this.#part = part;
    this.#onChange();
  }

  /** Returns an override in digits; empty if there is none. */
  limitOf(id: string): Limit {
    const identity = this.#identityOf(id);
    return identity ? this.#limitOf(identity) : NO_LIMIT;
  }

  /** Returns the problem of a typed limit; empty if it is valid. */
  checkLimit(limit: string): string {
    if (limit === NO_LIMIT) return l10n.t('Type a limit like 5000. “Clear” removes one.');
    return problemOfLimit(limit) ?? '';
  }

  /** Previews a new limit. `was` is the limit that the user saw; another current limit is a conflict. */
  setLimit(id: string, limit: string, was: string): TypedProblem | null {
    const problem = this.checkLimit(limit);
    if (problem !== '') return { field: 'limit', problem };
    const identity = this.#identityOf(id);
    if (!identity) return { field: 'limit', problem: l10n.t('The account is no longer in the list.') };
    void this.#editor.preview({ kind: 'set', identity, limit, expected: was });
    return null;
  }

  /** Previews a limit for a typed account, by its pseudonym if names are hidden, or with `id` for a suggested one. */
  addLimit(account: string, id: string | null, limit: string): TypedProblem | null {
    if (account === '') return { field: 'account', problem: l10n.t('Enter a person or a service account.') };
    const problem = this.checkLimit(limit);
    if (problem !== '') return { field: 'limit', problem };
    const { names, identities } = this.#known();
    const proposed = id === null ? undefined : this.#identityOf(id);
    const shown = proposed ?? (names.areHidden ? identities().find((one) => names.of(one) === account) : undefined);
    void this.#editor.preview({ kind: 'set', identity: shown ?? identityNamed(account), limit });
    return null;
  }

  clearLimit(id: string): void {
    const identity = this.#identityOf(id);
    if (identity) void this.#editor.preview({ kind: 'clear', identity, expected: this.#limitOf(identity) });
  }

  /** Previews the projected need of the month. */
  raiseLimit(id: string): void {
    const identity = this.#identityOf(id);
    const status = identity && this.#statusOf(identity);
    const limit = status && proposeLimit(status);
    if (limit === undefined) return;
    const expected = status!.limit.toString();
    void this.#editor.preview({ kind: 'raise', identity: status!.identity, limit, expected });
  }

  /** Returns the accounts with a text in their shown name. */
  accounts(text: string): ProposedAccount[] {
    const { names, identities, report } = this.#known();
    const limits = new Map(report?.statuses.map(({ key, limit }) => [key, limit.toString()]));
    const found = new Map<string, Identity>();
    for (const identity of identities())
      if (matchesFilter(names.of(identity), text)) found.set(identityKey(identity), identity);
    return [...found]
      .map(([key, identity]) => ({ key, identity, name: names.of(identity) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, MAX_PROPOSED)
      .map(({ key, identity, name }) => {
        const limit = limits.get(key);
        const note =
          limit === undefined ? l10n.t('no override') : l10n.t('limit {0}', formatLimit(limit, report!.unit));
        return { id: names.id(identity), name, note };
      });
  }

  /** Previews the rows of a file. */
  importLimits(csv: string, name: string): void {
    void this.#editor.preview({ kind: 'import', csv, name });
  }

  /** Runs an action that needs no dialog. */
  act(
    act: Exclude<BudgetEditorAction, 'saveFailures' | 'saveLimits' | 'chooseFile' | 'groupLimit' | 'spreadLimit'>,
  ): void {
    const editor = this.#editor;
    switch (act) {
      case 'apply':
        void editor.apply();
        break;
      case 'overwrite':
        void editor.overwrite();
        break;
      case 'cancel':
        editor.cancel();
        break;
      case 'close':
        editor.close();
        break;
      case 'undo':
      case 'retry':
        void editor.preview({ kind: act });
        break;
      case 'resume':
      case 'verify':
        void editor.resume(act === 'verify');
        break;
      case 'report':
        editor.showReport();
    }
  }

  dispose(): void {
    this.#listening.dispose();
  }

  /** `person` is the person whose page is open. */
  state(person: Identity | undefined): BudgetEditorState {
    const { names, report } = this.#known();
    const isIdle = this.#editor.step.kind === 'none';
    return {
      unit: inUnit(report?.unit ?? 'credits'),
      scope: this.#scope,
      scopes: BUDGET_SCOPES.map((id) => ({ id, name: scopeName(id) })),
      notice: names.areHidden
        ? l10n.t(
            'Names are hidden in lists, previews and reports. Typed names, imports and saved CSV files have the real ones, as the service needs them.',
          )
        : '',
      step: { ...this.#stepState(names), serial: this.#editor.serial },
      interrupted: isIdle ? this.#interruptedState() : null,
      last: isIdle ? this.#lastState() : null,
      person: person ? this.#personState(person, names) : null,
    };
  }

  #identityOf(id: string): Identity | undefined {
    const { names, identities } = this.#known();
    return identities().find((one) => names.id(one) === id);
  }

  #statusOf(identity: Identity): BudgetStatus | undefined {
    const key = identityKey(identity);
    return this.#known().report?.statuses.find((one) => one.key === key);
  }

  #limitOf(identity: Identity): Limit {
    return this.#statusOf(identity)?.limit.toString() ?? NO_LIMIT;
  }

  #stepState(names: AccountNames): BudgetEditorStep {
    const { step } = this.#editor;
    const { report } = this.#known();
    const use = report && step.kind === 'preview' ? limitUse(report) : undefined;
    const state = describeStep(step, names, use);
    if (!state.hasList) return state.text;
    const list =
      step.kind === 'preview'
        ? this.#listState(step.preview, (preview, names) => previewList(preview, names, use), names, use !== undefined)
        : step.kind === 'report'
          ? this.#listState(step.batch, batchList, names)
          : {};
    return { ...state.text, ...list };
  }

  #listState<T>(
    of: T,
    listRows: (of: T, names: AccountNames) => ChangeRows,
    names: AccountNames,
    hasUse = false,
  ): Pick<BudgetEditorStep, 'parts' | 'list'> {
    let kept = this.#list;
    if (kept?.of !== of || kept.names !== names || kept.hasUse !== hasUse) {
      const rows = listRows(of, names);
      const list = new SortedList('changes', rows.columns, l10n.t('Changes'), rows.sort, false);
      kept = { of, names, hasUse, rows, list, part: undefined };
    }
    const { rows } = kept.rows;
    if (kept.part !== this.#part)
      kept.list.fill(this.#part === ALL ? rows : rows.filter(({ part }) => part === this.#part), '');
    this.#list = { ...kept, part: this.#part };
    return { parts: changeParts(rows, this.#part), list: kept.list.state };
  }

  #interruptedState(): BudgetEditorState['interrupted'] {
    const { unreadable, last, isInterrupted } = this.#editor;
    if (unreadable !== '') return { text: unreadable, actions: [] };
    if (!last || last.endedAt !== undefined) return null;
    if (!isInterrupted) return { text: l10n.t('Another window or command is changing limits.'), actions: [] };
    const [source, summary] = [describeSource(last.source), summarizeBatch(last)];
    const text = l10n.t('The last change was interrupted. {0}: {1}.', source, summary);
    return { text, actions: [...continueActions(), showReport()] };
  }

  #lastState(): BudgetEditorState['last'] {
    const { last } = this.#editor;
    if (last?.endedAt === undefined) return null;
    const [at, source, summary] = [describeMoment(last.endedAt), describeSource(last.source), summarizeBatch(last)];
    const text = l10n.t('Last change, {0}: {1}. {2}.', at, source, summary);
    return { text, actions: [...actionsAfter(last), showReport()] };
  }

  #personState(identity: Identity, names: AccountNames): BudgetEditorPerson {
    const status = this.#statusOf(identity);
    const unit = this.#known().report?.unit ?? 'credits';
    const raise = status && proposeLimit(status);
    return {
      id: names.id(identity),
      name: names.of(identity),
      text: status
        ? l10n.t('Override: {0}, in {1}.', formatLimit(status.limit.toString(), unit), inUnit(unit))
        : l10n.t('No override: the plan’s default applies.'),
      hasLimit: status !== undefined,
      raise: raise === undefined ? '' : l10n.t('Raise to Projected Need, {0}…', formatLimit(raise, unit)),
    };
  }
}

function scopeName(scope: BudgetScope): string {
  return {
    own: l10n.t('With an override'),
    over: l10n.t('Over the limit'),
    all: l10n.t('All accounts'),
  }[scope];
}
