import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { explainWriteError, systemCode } from '../../base/errors.ts';
import { Lease } from '../../base/lease.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { RecordLog, type LogPlace, type RecordDamage } from '../../base/recordLog.ts';
import {
  advance,
  beginBatch,
  beginning,
  doubt,
  JOURNAL_VERSION,
  step,
  type Batch,
  type Beginning,
  type BatchStep,
} from './batch.ts';
import { budgetErrors } from './errors.ts';

/** Number of batches to keep. */
const KEPT = 20;

/**
 * The batches of an account: a log of records for each, `batch-<n>.<lease>.log` and its copy. Only their owner can read
 * them, as they contain names and limits. The newest is the current one. One process at a time writes, under a lease;
 * any may read.
 */
export class BatchStore {
  readonly #folder: string;
  readonly #logger: Logger;

  constructor(folder: string, logger: Logger = silentLogger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** The last batch, if there is any. Throws `JournalNewer` and `JournalDamaged`. */
  newest(): Batch | undefined {
    for (const id of this.#ids().reverse()) {
      const batch = this.#read(id, RecordLog.read(this.#place(id), this.#onDamage(id)) ?? []);
      if (batch) return batch;
    }
    return undefined;
  }

  /** Whether any process, including this one, is changing budgets now. */
  get isBusy(): boolean {
    return Lease.ownerOf(this.#folder) !== undefined;
  }

  /** Throws `BatchBusy`, `DiskFull` and `ReadOnly`. */
  lock(): Lease {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const lease = Lease.acquire(this.#folder);
      if (lease instanceof Lease) return lease;
      throw budgetErrors.busy(lease.pid);
    } catch (error) {
      throw explainWriteError(error, this.#folder);
    }
  }

  /** Starts a new batch; it is on disk when the promise resolves. */
  async begin(lease: Lease, first: Omit<Beginning, 'type' | 'version'>): Promise<BatchLog> {
    const ids = this.#ids();
    const id = (ids.at(-1) ?? 0) + 1;
    let log: RecordLog | undefined;
    try {
      ({ log } = await RecordLog.open(lease, this.#place(id), this.#onDamage(id)));
      const begun: Beginning = { type: 'begun', version: JOURNAL_VERSION, ...first };
      await log.append(begun);
      for (const old of ids.slice(0, -KEPT + 1)) RecordLog.remove(this.#place(old));
      return new BatchLog(log, beginBatch(id, begun));
    } catch (error) {
      await log?.close();
      throw explainWriteError(error, this.#folder);
    }
  }

  /** Continues a batch. */
  async open(lease: Lease, id: number): Promise<BatchLog> {
    const { log, records } = await RecordLog.open(lease, this.#place(id), this.#onDamage(id));
    const batch = this.#read(id, records);
    if (batch) return new BatchLog(log, batch);
    await log.close();
    throw budgetErrors.damagedJournal(this.#file(id));
  }

  readonly #damaged = new Set<number>();

  #onDamage(id: number): (damage: RecordDamage) => void {
    this.#damaged.delete(id);
    return ({ file, isLost }) => {
      if (isLost) this.#damaged.add(id);
      const outcome = isLost ? 'the limits of its lost records are read from the service' : 'its copy is intact';
      this.#logger.warn(`${file} is damaged: ${outcome}.`);
    };
  }

  /** Undefined if the process was killed before the first record. */
  #read(id: number, records: readonly unknown[]): Batch | undefined {
    const [first, ...steps] = records;
    if (first === undefined) return undefined;
    const { version } = first as { readonly version?: unknown };
    if (typeof version === 'number' && version > JOURNAL_VERSION) throw budgetErrors.newerJournal(this.#file(id));
    const begun = beginning.safeParse(first);
    const parsed = steps.map((one) => step.safeParse(one));
    if (!begun.success || parsed.some(({ success }) => !success)) throw budgetErrors.damagedJournal(this.#file(id));
    const batch = parsed.reduce((batch, { data }) => advance(batch, data!), beginBatch(id, begun.data));
    return this.#damaged.has(id) ? doubt(batch) : batch;
  }

  #place(id: number): LogPlace {
    return { folder: this.#folder, stem: `batch-${String(id).padStart(6, '0')}` };
  }

  /** The file for messages. */
  #file(id: number): string {
    return join(this.#folder, `${this.#place(id).stem}.log`);
  }

  /** Batch numbers in ascending order. */
  #ids(): number[] {
    try {
      const names = readdirSync(this.#folder);
      const ids = names.flatMap((name) => /^batch-(\d+)\.(?:\d+\.)?(?:copy\.)?log$/.exec(name)?.[1] ?? []);
      return [...new Set(ids.map(Number))].sort((a, b) => a - b);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

/** A batch while it is written: each step is on disk before it counts. */
export class BatchLog {
  readonly #log: RecordLog;
  #batch: Batch;

  constructor(log: RecordLog, batch: Batch) {
    this.#log = log;
    this.#batch = batch;
  }

  get batch(): Batch {
    return this.#batch;
  }

  /** Throws `LeaseLost`, `DiskFull` and `ReadOnly`; the batch is then unchanged. */
  async append(step: BatchStep): Promise<void> {
    await this.#log.append(step);
    this.#batch = advance(this.#batch, step);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}
