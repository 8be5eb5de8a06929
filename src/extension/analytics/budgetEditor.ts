import type { Batch } from '../../analytics/budgets/batch.ts';
import type { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { budgetCsv } from '../../analytics/budgets/csv.ts';
import { NO_LIMIT, type Limit } from '../../analytics/budgets/limit.ts';
import {
  changesOf,
  leftOutOf,
  type Preview,
  type LimitPreviewOptions,
  type RequestedLimit,
} from '../../analytics/budgets/preview.ts';
import type { BatchProgress, RunOptions } from '../../analytics/budgets/runBatch.ts';
import { failureRows } from '../../analytics/budgets/texts.ts';
import { RESOURCE_OF_PLAN } from '../../analytics/contract.ts';
import type { Identity } from '../../analytics/identity.ts';
import type { Disposable } from '../../base/disposable.ts';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** Interval of the checks of a batch that another process runs. */
const CHECK_MS = 5_000;

/** A requested change of limits. */
export type ChangeRequest =
  | {
      readonly kind: 'set' | 'raise';
      readonly identity: Identity;
      readonly limit: Limit;
      /** The limit that the user saw; another current limit is a conflict. */
      readonly expected?: Limit;
    }
  | { readonly kind: 'clear'; readonly identity: Identity; readonly expected?: Limit }
  | { readonly kind: 'import'; readonly csv: string; readonly name: string }
  /** A limit of a group, divided over its members. */
  | {
      readonly kind: 'spread';
      readonly name: string;
      readonly wanted: (signal: AbortSignal | undefined) => Promise<readonly RequestedLimit[]>;
    }
  | { readonly kind: 'undo' | 'retry' };

/** The current step of a change. */
export type EditorStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'looking'; readonly request: ChangeRequest }
  | { readonly kind: 'preview'; readonly request: ChangeRequest; readonly preview: Preview }
  | { readonly kind: 'running'; readonly progress: BatchProgress | undefined; readonly isStopping: boolean }
  | { readonly kind: 'report'; readonly batch: Batch }
  /** Nothing was changed. `request` is undefined if the run was refused. */
  | { readonly kind: 'refused'; readonly request: ChangeRequest | undefined; readonly error: SextantError };

export interface EditorDependencies {
  readonly logger: Logger;
  /** The limits differ from the loaded ones, or may. */
  readonly onOutdated: () => void;
  /** The user has seen the result of a batch in this window. */
  readonly onAcknowledged: (batch: number) => void;
}

/**
 * Changes the limits of the connected account, one change at a time: request, preview, confirmation, report. The
 * dashboard shows each step on its page; the commands show the same steps in dialogs. A batch outlives the window:
 * {@link reread} finds an interrupted one.
 */
export class BudgetEditor {
  readonly #dependencies: EditorDependencies;
  readonly #listeners = new Set<() => void>();
  #changes: BudgetChanges | undefined;
  #step: EditorStep = { kind: 'none' };
  #serial = 0;
  #running: AbortController | undefined;
  #last: Batch | undefined;
  #isInterrupted = false;
  #unreadable = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: EditorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Calls the listener after each change of a step or of the journal. */
  onDidChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  get step(): EditorStep {
    return this.#step;
  }

  /** Differs for each step; progress is no step. */
  get serial(): number {
    return this.#serial;
  }

  get isBusy(): boolean {
    return this.#step.kind === 'looking' || this.#step.kind === 'running';
  }

  /** The last batch of the account, by any process. */
  get last(): Batch | undefined {
    return this.#last;
  }

  /** Whether the last batch has not ended, and no process works on it. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Reason why the last batch is unknown; empty if it is not. */
  get unreadable(): string {
    return this.#unreadable;
  }

  /** Replaces the account. A running batch of the earlier account stops; its journal has the state. */
  connect(changes: BudgetChanges | undefined): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#changes = changes;
    this.#setStep({ kind: 'none' });
    this.reread();
  }

  /** Reads the journal: another window may have written it, or been killed while it did. */
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
    clearTimeout(this.#timer);
    const isElsewhere = this.#last !== undefined && this.#last.endedAt === undefined && !this.#isInterrupted;
    if (isElsewhere && !this.isBusy) this.#timer = setTimeout(() => this.reread(), CHECK_MS);
    this.#emit();
  }

  /** Computes the effect of a request. With `overwrite`, also of limits that other clients have changed since. */
  async preview(request: ChangeRequest, overwrite = false): Promise<EditorStep> {
    return this.#work({ kind: 'looking', request }, async (changes, signal) => {
      const preview = await previewOf(changes, request, { signal, overwrite });
      if (preview.rows.some(({ kind }) => kind === 'conflict')) this.#dependencies.onOutdated();
      return { kind: 'preview', request, preview };
    });
  }

  /** Previews the same request again, with the limits that other clients have changed. */
  async overwrite(): Promise<EditorStep> {
    return this.#step.kind === 'preview' ? this.preview(this.#step.request, true) : this.#step;
  }

  /** Applies a preview; the current one by default. */
  async apply(preview = this.#step.kind === 'preview' ? this.#step.preview : undefined): Promise<EditorStep> {
    if (!preview || changesOf(preview).length === 0) return this.#step;
    return this.#run((changes, options) => changes.apply(preview, options));
  }

  /** Completes an interrupted batch; with `onlyVerify`, sends nothing more. */
  async resume(onlyVerify = false): Promise<EditorStep> {
    return this.#run((changes, options) => changes.resume({ ...options, onlyVerify }));
  }

  /** Stops after the current request. */
  cancel(): void {
    this.#running?.abort();
    if (this.#step.kind === 'running') this.#setStep({ ...this.#step, isStopping: true });
  }

  close(): void {
    if (!this.isBusy) this.#setStep({ kind: 'none' });
  }

  showReport(): void {
    if (!this.isBusy && this.#last) this.#setStep({ kind: 'report', batch: this.#last });
  }

  /**
   * Failed or rejected rows as CSV, to fix and import again: of the preview or report, else of the last batch. It has
   * real names, as the service needs them. Undefined without such rows.
   */
  async failuresCsv(): Promise<string | undefined> {
    const step = this.#step;
    const batch = step.kind === 'report' ? step.batch : this.#last;
    const source = step.kind === 'preview' ? { ...step.preview, rows: [], leftOut: leftOutOf(step.preview) } : batch;
    const rows = source ? failureRows(source) : [];
    return source && rows.length > 0 ? budgetCsv(rows, RESOURCE_OF_PLAN[source.unit], { withErrors: true }) : undefined;
  }

  /** All current overrides. Throws the errors of the client. */
  async overrides(signal?: AbortSignal): ReturnType<BudgetChanges['overrides']> {
    return this.#changes ? this.#changes.overrides(signal) : { unit: 'credits', overrides: [] };
  }

  /** All current overrides as CSV; undefined without an account. Throws the errors of the client. */
  async limitsCsv(signal?: AbortSignal): Promise<string | undefined> {
    if (!this.#changes) return undefined;
    const { unit, overrides } = await this.overrides(signal);
    return budgetCsv(overrides, RESOURCE_OF_PLAN[unit]);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#listeners.clear();
  }

  async #run(work: (changes: BudgetChanges, options: RunOptions) => Promise<Batch>): Promise<EditorStep> {
    const step = await this.#work(
      { kind: 'running', progress: undefined, isStopping: false },
      async (changes, signal) => {
        const onProgress = (progress: BatchProgress): void => {
          if (!signal.aborted) this.#setStep({ kind: 'running', progress, isStopping: false }, this.#running);
        };
        const batch = await work(changes, { signal, onProgress });
        if (this.#changes === changes) {
          this.#dependencies.onAcknowledged(batch.id);
          this.#dependencies.onOutdated();
        }
        return { kind: 'report', batch };
      },
    );
    this.reread();
    return step;
  }

  /** Runs one task at a time; while one runs, returns its step. */
  async #work(
    step: Extract<EditorStep, { kind: 'looking' | 'running' }>,
    work: (changes: BudgetChanges, signal: AbortSignal) => Promise<EditorStep>,
  ): Promise<EditorStep> {
    const changes = this.#changes;
    if (!changes || this.isBusy) return this.#step;
    const running = new AbortController();
    this.#running = running;
    this.#setStep(step, running);
    const end = await this.#outcome(step, () => work(changes, running.signal));
    this.#setStep(end, running);
    return end;
  }

  async #outcome(
    step: Extract<EditorStep, { kind: 'looking' | 'running' }>,
    work: () => Promise<EditorStep>,
  ): Promise<EditorStep> {
    try {
      return await work();
    } catch (error) {
      if (isCancelled(error)) return { kind: 'none' };
      this.#dependencies.logger.warn(`Budgets: ${describeError(error)}`);
      const known = error instanceof SextantError ? error : new SextantError('Internal', describeError(error));
      return { kind: 'refused', request: step.kind === 'looking' ? step.request : undefined, error: known };
    }
  }

  /** Ignores steps of `running` once another task runs, or another account is connected. */
  #setStep(step: EditorStep, running = this.#running): void {
    if (running !== this.#running) return;
    if (step.kind !== 'running' || this.#step.kind !== 'running') this.#serial++;
    this.#step = step;
    this.#emit();
  }

  #emit(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function previewOf(
  changes: BudgetChanges,
  request: ChangeRequest,
  options: LimitPreviewOptions,
): Promise<Preview> {
  switch (request.kind) {
    case 'import':
      return changes.previewCsv(request.csv, request.name, options);
    case 'undo':
      return changes.previewUndo(options);
    case 'retry':
      return changes.previewRetry(options);
    case 'spread':
      return changes.preview({ kind: 'set', name: request.name }, await request.wanted(options.signal), options);
    default: {
      const { kind, identity, expected } = request;
      const limit = kind === 'clear' ? NO_LIMIT : request.limit;
      return changes.preview({ kind }, [{ identity, limit, ...(expected !== undefined && { expected }) }], options);
    }
  }
}
