import * as l10n from '@vscode/l10n';
import { isComplete, type Batch } from '../../analytics/budgets/batch.ts';
import type { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { budgetCsv } from '../../analytics/budgets/csv.ts';
import { formatLimit, NO_LIMIT, problemOfLimit, type Limit } from '../../analytics/budgets/limit.ts';
import { changesOf, leftOutOf, obstaclesIn, type Preview, type PreviewOptions, type Source } from '../../analytics/budgets/preview.ts'; // prettier-ignore
import { proposeLimit } from '../../analytics/budgets/proposal.ts';
import type { Progress, RunOptions } from '../../analytics/budgets/runBatch.ts';
import { describeSource, failureRows, summarizeBatch, summarizePreview } from '../../analytics/budgets/texts.ts';
import { RESOURCE_OF_PLAN, type Plan } from '../../analytics/contract.ts';
import { identityKey, identityNamed, type Identity } from '../../analytics/identity.ts';
import type { BudgetStatus } from '../../analytics/insights/budgets.ts';
import type { BudgetReport } from '../../analytics/reports/budgetReport.ts';
import { describeMoment } from '../../analytics/reports/report.ts';
import { printable } from '../../base/columns.ts';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import { BUDGET_SCOPES, MAX_PROPOSED, type BudgetScope, type DeskAction } from '../../protocol/budgetChoices.ts';
import type { Desk, DeskPerson, DeskStep, NamedAction, ProposedAccount, TypedProblem } from '../../protocol/budgetsView.ts'; // prettier-ignore
import { ALL, batchList, partsOf, previewList, type ChangeRows } from './changeList.ts';
import { matches } from './figures.ts';
import type { Names } from './names.ts';
import { SortedList } from './rowList.ts';

/** Whoever else is at a batch comes to its end, or is killed: it is looked again. */
const LOOK_AGAIN_MS = 5_000;

/** What a desk knows of the accounts whose limits are changed. */
export interface DeskKnowledge {
  readonly names: Names;
  readonly report: BudgetReport | undefined;
  /** All that have been heard of, each once or oftener. */
  readonly identities: () => readonly Identity[];
}

export interface DeskParts {
  readonly logger: Logger;
  readonly known: () => DeskKnowledge;
  readonly onChange: () => void;
  /** Limits are others than those that are shown, or may be. */
  readonly onOutdated: () => void;
  /** What became of a batch is shown: nobody else needs to tell it. */
  readonly onAcknowledged: (batch: number) => void;
}

/** Finds out what would change. */
type Look = (changes: BudgetChanges, options: PreviewOptions) => Promise<Preview>;

type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'looking'; readonly title: string }
  | { readonly kind: 'preview'; readonly preview: Preview; readonly look: Look }
  | { readonly kind: 'running'; readonly title: string; readonly progress: Progress | undefined }
  | { readonly kind: 'report'; readonly batch: Batch }
  | { readonly kind: 'refused'; readonly title: string; readonly error: SextantError };

/** What `state` needs besides: the person whose page is shown. */
export interface DeskView {
  readonly person: Identity | undefined;
}

const NOTHING: DeskStep = {
  serial: 0,
  kind: 'none',
  title: '',
  summary: '',
  note: '',
  tone: 'plain',
  progress: null,
  parts: [],
  list: null,
  actions: [],
};

/**
 * Where the dashboard changes limits, one thing at a time: what is wanted, a preview, a yes, the report. Knows no editor. It
 * outlives its page, and what it began outlives it: an interrupted batch is found again by {@link reread}.
 */
export class BudgetEditor {
  readonly #parts: DeskParts;
  #changes: BudgetChanges | undefined;
  #step: Step = { kind: 'none' };
  #running: AbortController | undefined;
  #last: Batch | undefined;
  #isInterrupted = false;
  /** Why nobody knows what the last batch was. */
  #unreadable = '';
  #scope: BudgetScope = 'own';
  #part = ALL;
  #serial = 0;
  #again: NodeJS.Timeout | undefined;
  #list: { readonly of: readonly unknown[]; readonly rows: ChangeRows; readonly list: SortedList } | undefined;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get scope(): BudgetScope {
    return this.#scope;
  }

  /** The rows of the preview or report that is shown. */
  get list(): SortedList | undefined {
    return this.#list?.list;
  }

  /** Changes limits of this account from now on. What runs for the one before is stopped; its journal has how far it is. */
  connect(changes: BudgetChanges | undefined): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#changes = changes;
    this.#setStep({ kind: 'none' });
    this.reread();
  }

  /** Looks at the journal: another window may have written it, or been killed while it did. */
  reread(): void {
    try {
      this.#last = this.#changes?.last;
      this.#isInterrupted = this.#changes?.interrupted !== undefined;
      this.#unreadable = '';
    } catch (error) {
      this.#last = undefined;
      this.#isInterrupted = false;
      this.#unreadable = describeError(error);
    }
    clearTimeout(this.#again);
    const isElsewhere = this.#last !== undefined && this.#last.endedAt === undefined && !this.#isInterrupted;
    if (isElsewhere && !this.#isBusy) this.#again = setTimeout(() => this.reread(), LOOK_AGAIN_MS);
    this.#parts.onChange();
  }

  showScope(scope: BudgetScope): void {
    this.#scope = scope;
    this.#parts.onChange();
  }

  showPart(part: string): void {
    this.#part = part;
    this.#parts.onChange();
  }

  /** In digits; empty where there is none. */
  limitOf(id: string): Limit {
    const identity = this.#identityOf(id);
    return identity ? this.#limitOf(identity) : NO_LIMIT;
  }

  /** What is wrong with it; empty where nothing is. */
  checkLimit(limit: string): string {
    if (limit === NO_LIMIT) return l10n.t('Write a limit like 5000. “Clear” takes one away.');
    return problemOfLimit(limit) ?? '';
  }

  /** `was`: the limit that was seen. With another one now, somebody else has changed it, which is told. */
  setLimit(id: string, limit: string, was: string): TypedProblem | null {
    const problem = this.checkLimit(limit);
    if (problem !== '') return { field: 'limit', problem };
    const identity = this.#identityOf(id);
    if (!identity) return { field: 'limit', problem: l10n.t('The account is not listed any more.') };
    this.#change({ kind: 'set' }, identity, limit, was);
    return null;
  }

  /** Of an account that is typed, as it is called where names are hidden, too; or with `id` of one that was proposed. */
  addLimit(account: string, id: string | null, limit: string): TypedProblem | null {
    if (account === '') return { field: 'account', problem: l10n.t('Name a person or a service account.') };
    const problem = this.checkLimit(limit);
    if (problem !== '') return { field: 'limit', problem };
    const { names, identities } = this.#parts.known();
    const proposed = id === null ? undefined : this.#identityOf(id);
    const shown = proposed ?? (names.areHidden ? identities().find((one) => names.of(one) === account) : undefined);
    this.#change({ kind: 'set' }, shown ?? identityNamed(account), limit);
    return null;
  }

  clearLimit(id: string): void {
    const identity = this.#identityOf(id);
    if (identity) this.#change({ kind: 'clear' }, identity, NO_LIMIT, this.#limitOf(identity));
  }

  /** To what the month comes. */
  raiseLimit(id: string): void {
    const identity = this.#identityOf(id);
    const standing = identity && this.#standingOf(identity);
    const limit = standing && proposeLimit(standing);
    if (limit !== undefined) this.#change({ kind: 'raise' }, standing!.identity, limit, standing!.limit.toString());
  }

  /** Accounts that have this in the name by which they are shown. */
  accounts(text: string): ProposedAccount[] {
    const { names, identities, report } = this.#parts.known();
    const limits = new Map(report?.standings.map(({ key, limit }) => [key, limit.toString()]));
    const found = new Map<string, Identity>();
    for (const identity of identities()) if (matches(names.of(identity), text)) found.set(identityKey(identity), identity);
    return [...found]
      .map(([key, identity]) => ({ key, identity, name: names.of(identity) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, MAX_PROPOSED)
      .map(({ key, identity, name }) => {
        const limit = limits.get(key);
        const note = limit === undefined ? l10n.t('no limit of their own') : l10n.t('limit {0}', formatLimit(limit, report!.unit));
        return { id: names.id(identity), name, note };
      });
  } // prettier-ignore

  /** What the rows of a file would change. */
  importLimits(csv: string, name: string): void {
    void this.#look(l10n.t('Import of {0}', printable(name)), (changes, how) => changes.previewCsv(csv, name, how));
  }

  /** Does what one can do without a dialog. */
  act(act: Exclude<DeskAction, 'saveFailures' | 'saveLimits' | 'chooseFile'>): void {
    const step = this.#step;
    switch (act) {
      case 'apply':
        if (step.kind === 'preview' && changesOf(step.preview).length > 0)
          void this.#run((changes, how) => changes.apply(step.preview, how));
        break;
      case 'overwrite':
        if (step.kind === 'preview') {
          const { look } = step;
          void this.#look(this.#titleOf(step.preview), look, true);
        }
        break;
      case 'cancel':
        this.#running?.abort();
        if (step.kind === 'running')
          this.#setStep({ ...step, title: l10n.t('Stopping after the request that is under way…') });
        break;
      case 'close':
        if (!this.#isBusy) this.#setStep({ kind: 'none' });
        break;
      case 'undo':
        void this.#look(l10n.t('Undo'), (changes, how) => changes.previewUndo(how));
        break;
      case 'retry':
        void this.#look(l10n.t('Retry'), (changes, how) => changes.previewRetry(how));
        break;
      case 'resume':
      case 'verify':
        void this.#run((changes, how) => changes.resume({ ...how, onlyVerify: act === 'verify' }));
        break;
      case 'report':
        if (!this.#isBusy && this.#last) this.#setStep({ kind: 'report', batch: this.#last });
    }
  }

  /** What is not as it was to be, or will not be, as a file to mend and import. Names are in it: it is for the service. */
  async failuresCsv(): Promise<string | undefined> {
    const step = this.#step;
    const of =
      step.kind === 'preview' ? { ...step.preview, rows: [], leftOut: leftOutOf(step.preview) }
      : step.kind === 'report' ? step.batch
      : this.#last; // prettier-ignore
    const rows = of ? failureRows(of) : [];
    return of && rows.length > 0 ? budgetCsv(rows, RESOURCE_OF_PLAN[of.unit], { withErrors: true }) : undefined;
  }

  /** All overrides as they are now. Throws what the client throws. */
  async limitsCsv(signal?: AbortSignal): Promise<string | undefined> {
    if (!this.#changes) return undefined;
    const { unit, overrides } = await this.#changes.overrides(signal);
    return budgetCsv(overrides, RESOURCE_OF_PLAN[unit]);
  }

  dispose(): void {
    clearTimeout(this.#again);
    this.#running?.abort();
  }

  state({ person }: DeskView): Desk {
    const { names, report } = this.#parts.known();
    const isIdle = this.#step.kind === 'none';
    return {
      unit: inUnit(report?.unit ?? 'credits'),
      scope: this.#scope,
      scopes: BUDGET_SCOPES.map((id) => ({ id, name: scopeName(id) })),
      notice: names.areHidden
        ? l10n.t('Names are hidden in lists, previews and reports. What you type, import and save as CSV has them, as the service needs them.')
        : '',
      step: { ...this.#stepState(names), serial: this.#serial },
      interrupted: isIdle ? this.#interruptedState() : null,
      last: isIdle ? this.#lastState() : null,
      person: person ? this.#personState(person, names) : null,
    };
  } // prettier-ignore

  get #isBusy(): boolean {
    return this.#step.kind === 'looking' || this.#step.kind === 'running';
  }

  #change(source: Source, identity: Identity, limit: Limit, expected?: Limit): void {
    const title = l10n.t('The limit of {0}', this.#parts.known().names.of(identity));
    const wanted = [{ identity, limit, ...(expected !== undefined && { expected }) }];
    void this.#look(title, (changes, how) => changes.preview(source, wanted, how));
  }

  async #look(title: string, look: Look, overwrite = false): Promise<void> {
    const changes = this.#changes;
    if (!changes || this.#isBusy) return;
    await this.#work({ kind: 'looking', title }, async (signal) => {
      const preview = await look(changes, { signal, overwrite });
      // Others have been at it: what is listed is old.
      if (preview.rows.some(({ kind }) => kind === 'conflict')) this.#parts.onOutdated();
      return { kind: 'preview', preview, look };
    });
  }

  async #run(work: (changes: BudgetChanges, options: RunOptions) => Promise<Batch>): Promise<void> {
    const changes = this.#changes;
    if (!changes || this.#isBusy) return;
    const title = l10n.t('Changing limits');
    await this.#work({ kind: 'running', title, progress: undefined }, async (signal) => {
      const onProgress = (progress: Progress): void => {
        if (!signal.aborted) this.#setStep({ kind: 'running', title, progress }, this.#running);
      };
      const batch = await work(changes, { signal, onProgress });
      if (this.#changes === changes) {
        this.#parts.onAcknowledged(batch.id);
        this.#parts.onOutdated();
      }
      return { kind: 'report', batch };
    });
    this.reread();
  }

  /** Whatever takes its time: until it is over nothing else begins. */
  async #work(
    step: Extract<Step, { title: string }>,
    work: (signal: AbortSignal) => Promise<Step>,
  ): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#setStep(step, running);
    try {
      this.#setStep(await work(running.signal), running);
    } catch (error) {
      if (isCancelled(error)) {
        this.#setStep({ kind: 'none' }, running);
        return;
      }
      this.#parts.logger.warn(`Budgets: ${describeError(error)}`);
      const known = error instanceof SextantError ? error : new SextantError('Internal', describeError(error));
      this.#setStep({ kind: 'refused', title: step.title, error: known }, running);
    }
  } // prettier-ignore

  /** `running`: what it belongs to; once something else runs, or another account is connected, it is too late. */
  #setStep(step: Step, running = this.#running): void {
    if (running !== this.#running) return;
    if (step.kind !== 'running' || this.#step.kind !== 'running') this.#serial++;
    this.#step = step;
    this.#part = ALL;
    this.#list = undefined;
    this.#parts.onChange();
  }

  #identityOf(id: string): Identity | undefined {
    const { names, identities } = this.#parts.known();
    return identities().find((one) => names.id(one) === id);
  }

  #standingOf(identity: Identity): BudgetStatus | undefined {
    const key = identityKey(identity);
    return this.#parts.known().report?.standings.find((one) => one.key === key);
  }

  #limitOf(identity: Identity): Limit {
    return this.#standingOf(identity)?.limit.toString() ?? NO_LIMIT;
  }

  #stepState(names: Names): DeskStep {
    const step = this.#step;
    switch (step.kind) {
      case 'none':
        return NOTHING;
      case 'looking':
        return { ...NOTHING, kind: step.kind, title: step.title, summary: l10n.t('Finding out what would change…'), progress: { done: 0, of: 0 }, actions: [cancel()] };
      case 'running': {
        const { settled = 0, total = 0 } = step.progress ?? {};
        const summary = l10n.t('{0} of {1}', formatCount(settled), formatCount(total));
        return { ...NOTHING, kind: step.kind, title: step.title, summary, progress: { done: settled, of: total }, actions: [cancel()] };
      }
      case 'preview':
        return this.#previewState(step.preview, names);
      case 'report':
        return this.#reportState(step.batch, names);
      case 'refused': {
        const isInterrupted = step.error.code === 'BatchInterrupted';
        const actions = [...(isInterrupted ? continueActions() : []), action('close', l10n.t('Close'))];
        return { ...NOTHING, kind: step.kind, title: step.title, summary: step.error.message, tone: 'bad', actions };
      }
    }
  } // prettier-ignore

  #previewState(preview: Preview, names: Names): DeskStep {
    const { unit, readAt, rows, problems } = preview;
    const changes = changesOf(preview).length;
    const conflicts = rows.filter(({ kind }) => kind === 'conflict').length;
    const left = obstaclesIn(leftOutOf(preview)).length;
    const [only] = rows.length + problems.length === 1 ? [...rows, ...problems] : [];
    const base = { ...NOTHING, kind: 'preview' as const, title: this.#titleOf(preview) };
    const note = l10n.t('As read {0}. Nothing is changed yet.', describeMoment(readAt));
    const apply = action('apply', changes === 1 ? l10n.t('Apply') : l10n.t('Apply {0} Changes', formatCount(changes)));
    const overwrite = action('overwrite', rows.length === 1 ? l10n.t('Change It All the Same') : l10n.t('Overwrite What Others Changed'));
    const actions = [
      ...(changes > 0 ? [apply] : []),
      ...(conflicts > 0 ? [overwrite] : []),
      ...(left > 0 && !only ? [action('saveFailures', l10n.t('Save What Is Left Out'))] : []),
      action('close', changes + conflicts > 0 ? l10n.t('Cancel') : l10n.t('Close')),
    ];
    if (only && 'message' in only) return { ...base, tone: 'bad', summary: names.hide(only.message, only.identity ?? NOBODY), note, actions };
    if (only) {
      const [before, after] = [formatLimit(only.before, unit), formatLimit(only.after, unit)];
      if (only.kind === 'conflict') {
        const summary = l10n.t('Somebody else has changed it: it is {0} now, and was {1} when you looked. You want {2}.', before, formatLimit(only.expected ?? NO_LIMIT, unit), after);
        return { ...base, tone: 'warning', summary, note, actions };
      }
      const summary = only.kind === 'unchanged' ? l10n.t('It is so already: {0}.', after) : l10n.t('{0} → {1}, in {2}.', before, after, inUnit(unit));
      return { ...base, summary, note, actions };
    }
    return { ...base, tone: left > 0 ? 'warning' : 'plain', summary: `${summarizePreview(preview)}.`, note, actions, ...this.#listState(preview, previewList, names) };
  } // prettier-ignore

  #reportState(batch: Batch, names: Names): DeskStep {
    const { endedAt, startedAt, error, rows, leftOut } = batch;
    const isFine = isComplete(batch) && obstaclesIn(leftOut).length === 0;
    const begun = l10n.t('Begun {0}.', describeMoment(startedAt));
    const isOne = rows.length === 1 && leftOut.length === 0;
    const close = action('close', l10n.t('Close'));
    const [first] = rows;
    return {
      ...NOTHING,
      kind: 'report',
      title: first && isOne ? l10n.t('The limit of {0}', names.of(first.identity)) : describeSource(batch.source),
      summary: first && isOne && isFine ? l10n.t('{0} → {1}, applied and read back.', formatLimit(first.before, batch.unit), formatLimit(first.after, batch.unit)) : `${summarizeBatch(batch)}.`,
      note: [begun, error?.message].filter((part) => part !== undefined).join(' '),
      tone: isFine ? 'good' : 'warning',
      actions: endedAt === undefined ? [...continueActions(), close] : [...(isFine ? [close] : []), ...this.#nextActions(batch), ...(isFine ? [] : [close])],
      ...(isOne && isFine ? {} : this.#listState(batch, batchList, names)),
    };
  } // prettier-ignore

  #listState<T>(
    of: T,
    make: (of: T, names: Names) => ChangeRows,
    names: Names,
  ): Pick<DeskStep, 'parts' | 'list'> {
    let known = this.#list;
    if (known?.of[0] !== of || known.of[1] !== names) {
      const rows = make(of, names);
      known = { of: [of, names], rows, list: new SortedList('changes', rows.columns, l10n.t('Changes'), rows.sort, false) };
      this.#list = known;
    }
    const { rows } = known.rows;
    if (known.of[2] !== this.#part) {
      known.list.fill(this.#part === ALL ? rows : rows.filter(({ part }) => part === this.#part), '');
      this.#list = { ...known, of: [of, names, this.#part] };
    }
    return { parts: partsOf(rows, this.#part), list: known.list.state };
  } // prettier-ignore

  /** What can be done after a batch that came to its end. */
  #nextActions({ rows, leftOut }: Batch): NamedAction[] {
    const isUndone = rows.some(({ state }) => ['applied', 'confirmed', 'differs'].includes(state));
    const isLeft = !isComplete({ rows });
    return [
      ...(isLeft ? [action('retry', l10n.t('Retry Failed…'))] : []),
      ...(isLeft || obstaclesIn(leftOut).length > 0 ? [action('saveFailures', l10n.t('Save Failures as CSV'))] : []),
      ...(isUndone ? [action('undo', l10n.t('Undo…'))] : []),
    ];
  }

  #interruptedState(): Desk['interrupted'] {
    if (this.#unreadable !== '') return { text: this.#unreadable, actions: [] };
    const last = this.#last;
    if (!last || last.endedAt !== undefined) return null;
    if (!this.#isInterrupted) return { text: l10n.t('Another window or command is changing limits.'), actions: [] };
    const text = l10n.t(
      'The last change was interrupted. {0}: {1}.',
      describeSource(last.source),
      summarizeBatch(last),
    );
    return { text, actions: [...continueActions(), action('report', l10n.t('Show Report'))] };
  }

  #lastState(): Desk['last'] {
    const last = this.#last;
    if (last?.endedAt === undefined) return null;
    const text = l10n.t('Last change, {0}: {1}. {2}.', describeMoment(last.endedAt), describeSource(last.source), summarizeBatch(last));
    return { text, actions: [...this.#nextActions(last), action('report', l10n.t('Show Report'))] };
  } // prettier-ignore

  #personState(identity: Identity, names: Names): DeskPerson {
    const standing = this.#standingOf(identity);
    const unit = this.#parts.known().report?.unit ?? 'credits';
    const raise = standing && proposeLimit(standing);
    return {
      id: names.id(identity),
      name: names.of(identity),
      text: standing
        ? l10n.t('A limit of their own: {0}, in {1}.', formatLimit(standing.limit.toString(), unit), inUnit(unit))
        : l10n.t('No limit of their own: the plan’s default holds.'),
      hasLimit: standing !== undefined,
      raise: raise === undefined ? '' : l10n.t('Raise to {0}, as the Month Goes…', formatLimit(raise, unit)),
    };
  }

  #titleOf({ rows, problems, source }: Preview): string {
    const [identity, ...others] = [...rows, ...problems].map((one) => one.identity);
    if (identity === undefined || others.length > 0) return describeSource(source);
    return l10n.t('The limit of {0}', this.#parts.known().names.of(identity));
  }
}

const NOBODY: Identity = { kind: 'user_email', name: '' };

function action(id: DeskAction, name: string): NamedAction {
  return { id, name };
}

function cancel(): NamedAction {
  return action('cancel', l10n.t('Cancel'));
}

function continueActions(): NamedAction[] {
  return [action('resume', l10n.t('Continue')), action('verify', l10n.t('Only Verify What Was Sent'))];
}

function inUnit(unit: Plan): string {
  return unit === 'usd' ? l10n.t('dollars a month') : l10n.t('credits a month');
}

function scopeName(scope: BudgetScope): string {
  return {
    own: l10n.t('Limits of their own'),
    over: l10n.t('Over their limit'),
    all: l10n.t('Everybody'),
  }[scope];
}
