import { formatTime, systemClock, type Clock } from '../../base/clock.ts';
import { describeError, SextantError } from '../../base/errors.ts';
import type { Lease } from '../../base/lease.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { LIMITS, type Plan } from '../contract.ts';
import { numbersOf, type Batch, type BatchRow, type RowState } from './batch.ts';
import { BatchStore, type BatchLog } from './batchStore.ts';
import { readLimits, unitOfPlan, type BudgetService, type Override } from './budgetService.ts';
import { readBudgetCsv } from './csv.ts';
import { budgetErrors } from './errors.ts';
import {
  changesOf,
  leftOutOf,
  previewLimits,
  type Preview,
  type LimitPreviewOptions,
  type Source,
  type RequestedLimit,
} from './preview.ts';
import { isPermanent, runBatch, type RunOptions } from './runBatch.ts';

export interface ChangeDependencies {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Largest number of rows of a request; the service's limit by default. */
  readonly batchSize?: number;
}

/** Row states that an undo and a retry start from. */
const CHANGED: readonly RowState[] = ['applied', 'confirmed', 'differs'];
const NOT_DONE: readonly RowState[] = ['waiting', 'unknown', 'failed', 'conflict', 'differs'];

/**
 * Changes of the budgets of one account. The caller creates a preview, lets the user confirm it, and passes it to
 * {@link apply}. That reports progress and returns the result of each row. Previews and batches are plain data. A batch
 * outlives the process: {@link interrupted} finds it, {@link resume} completes it.
 *
 * ```ts
 * const changes = new BudgetChanges(client, join(analyticsFolder(), 'budgets', account));
 * const preview = await changes.previewCsv('email,limit\nada@example.com,5000\n', 'limits.csv');
 * const batch = await changes.apply(preview, { onProgress: ({ settled, total }) => console.log(settled, total) });
 * ```
 */
export class BudgetChanges {
  readonly #service: BudgetService;
  readonly #store: BatchStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #batchSize: number;

  /** `folder` belongs to one account. */
  constructor(
    service: BudgetService,
    folder: string,
    { clock = systemClock, logger = silentLogger, batchSize = LIMITS.maxOverrides }: ChangeDependencies = {},
  ) {
    this.#service = service;
    this.#store = new BatchStore(folder, logger);
    this.#clock = clock;
    this.#logger = logger;
    this.#batchSize = batchSize;
  }

  /** The last batch, whatever its result. Throws `JournalNewer` and `JournalDamaged`. */
  get last(): Batch | undefined {
    return this.#store.newest();
  }

  /** The last batch, if it has not ended and no process works on it. */
  get interrupted(): Batch | undefined {
    if (this.#store.isBusy) return undefined;
    const { last } = this;
    return last?.endedAt === undefined ? last : undefined;
  }

  /** All current overrides. */
  async overrides(signal?: AbortSignal): Promise<{ readonly unit: Plan; readonly overrides: readonly Override[] }> {
    const limits = await readLimits(this.#service, signal);
    const unit = limits.unit ?? (await unitOfPlan(this.#service, signal));
    return { unit, overrides: [...limits.overrides.values()] };
  }

  /** Throws the errors of the client; for a missing permission, with its name. */
  preview(source: Source, wanted: readonly RequestedLimit[], options?: LimitPreviewOptions): Promise<Preview> {
    return previewLimits(this.#service, source, wanted, options, this.#clock);
  }

  /** Changes by a file of limits; `name` is the file's. */
  async previewCsv(text: string, name: string, options: Omit<LimitPreviewOptions, 'problems'> = {}): Promise<Preview> {
    const { wanted, problems, ignored } = await readBudgetCsv(text);
    const preview = await this.preview({ kind: 'import', name }, wanted, { ...options, problems });
    return { ...preview, ...(ignored.length > 0 && { ignored }) };
  }

  /**
   * Changes that would restore the limits from before the last batch. Limits changed since by another client are
   * conflicts, unless they may be overwritten. Throws `NoBatch` and `BatchInterrupted`.
   */
  async previewUndo(options?: LimitPreviewOptions): Promise<Preview> {
    const { unit, source, rows } = this.#settled();
    const wanted = rowsIn(rows, CHANGED).map(({ identity, before, after }): RequestedLimit => ({
      identity,
      limit: before,
      expected: after,
    }));
    return this.preview({ kind: 'undo', name: source.name }, wanted, { unit, ...options });
  }

  /**
   * Changes of the last batch that are still to do; its rejected rows stay problems. Throws like {@link previewUndo}.
   */
  async previewRetry(options?: LimitPreviewOptions): Promise<Preview> {
    const { unit, source, rows, leftOut } = this.#settled();
    const problems = leftOut.filter(({ code }) => code !== 'Conflict');
    const wanted = rowsIn(rows, NOT_DONE).map(({ identity, before, after, line }): RequestedLimit => ({
      identity,
      line,
      limit: after,
      expected: before,
    }));
    return this.preview({ kind: 'retry', name: source.name }, wanted, { unit, problems, ...options });
  }

  /**
   * Applies a preview, and returns the result of each row; `error` holds the cause of an interruption. Throws
   * `NothingToChange`, `BatchBusy`, `BatchInterrupted` if an earlier batch must be settled first, `DiskFull` and
   * `ReadOnly`: nothing was changed then.
   */
  async apply(confirmed: Preview, options: RunOptions = {}): Promise<Batch> {
    const changes = changesOf(confirmed);
    if (changes.length === 0) throw budgetErrors.nothingToChange();
    return this.#locked(async (lease) => {
      this.#refuseInterrupted();
      const rows = changes.map(({ identity: { kind, name }, before, after, line }) => ({
        ...{ kind, name, before, after },
        ...(line !== undefined && { line }),
      }));
      const { source, unit } = confirmed;
      const at = formatTime(this.#clock.now());
      const leftOut = [...leftOutOf(confirmed)];
      return this.#run(await this.#store.begin(lease, { at, source, unit, rows, leftOut }), options);
    });
  }

  /**
   * Completes an interrupted batch: reads back unknown rows and sends the rest, unless `options` ask only to verify.
   * Throws `NoBatch`, `NotInterrupted` and `BatchBusy`.
   */
  async resume(options: RunOptions = {}): Promise<Batch> {
    return this.#locked(async (lease) => {
      const { last } = this;
      if (!last) throw budgetErrors.noBatch();
      if (last.endedAt !== undefined) throw budgetErrors.notInterrupted();
      return this.#run(await this.#store.open(lease, last.id), options);
    });
  }

  async #run(log: BatchLog, options: RunOptions): Promise<Batch> {
    try {
      await runBatch(log, this.#service, this.#clock, { ...options, batchSize: this.#batchSize });
      return log.batch;
    } catch (error) {
      return await this.#stop(log, error);
    } finally {
      await log.close();
    }
  }

  /**
   * Records the error that stopped a batch. If all states are known and the service refuses for good, the batch ends.
   */
  async #stop(log: BatchLog, cause: unknown): Promise<Batch> {
    const code = cause instanceof SextantError ? cause.code : 'Internal';
    const error = { code, message: cause instanceof SextantError ? cause.message : describeError(cause) };
    const isEnd = isPermanent(cause) && numbersOf(log.batch, 'unknown', 'applied').length === 0;
    if (code !== 'Cancelled') this.#logger.warn(`Budgets: ${describeError(cause)}`);
    try {
      await log.append({ type: isEnd ? 'ended' : 'interrupted', at: formatTime(this.#clock.now()), error });
      return log.batch;
    } catch (second) {
      // The journal cannot be written: it keeps the earlier state, and the next start continues from there.
      this.#logger.error(`Budgets: ${describeError(second)}`);
      return { ...log.batch, error };
    }
  }

  async #locked<T>(work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = this.#store.lock();
    try {
      return await work(lease);
    } finally {
      lease.release();
    }
  }

  #settled(): Batch {
    const { last } = this;
    if (!last) throw budgetErrors.noBatch();
    this.#refuseInterrupted();
    return last;
  }

  #refuseInterrupted(): void {
    const { last } = this;
    if (last && last.endedAt === undefined) throw budgetErrors.interrupted();
  }
}

function rowsIn(rows: readonly BatchRow[], states: readonly RowState[]): BatchRow[] {
  return rows.filter(({ state }) => states.includes(state));
}
