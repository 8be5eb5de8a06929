import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { explainWriteError, systemCode } from '../../base/errors.ts';
import { Lease } from '../../base/lease.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { RecordLog } from '../../base/recordLog.ts';
import { advance, beginBatch, beginning, doubt, JOURNAL_VERSION, step, type Batch, type Beginning, type Step } from './batch.ts'; // prettier-ignore
import { budgetErrors } from './errors.ts';

/** So many batches are kept. */
const KEPT = 20;

/**
 * The batches of an account: a log of records for each, `batch-<n>.log`, readable by its owner only, as it has names and limits.
 * The newest is the one that counts. One process at a time writes, by the same lease as that of an index; anybody may read.
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
      const batch = this.#read(id, RecordLog.read(this.#file(id), this.#onDamage(id)));
      if (batch) return batch;
    }
    return undefined;
  }

  /** Whether somebody, this process included, is changing budgets at this moment. */
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

  /** A new batch; it is on the disk when this resolves. */
  async begin(lease: Lease, first: Omit<Beginning, 'type' | 'version'>): Promise<BatchLog> {
    const ids = this.#ids();
    const id = (ids.at(-1) ?? 0) + 1;
    try {
      const { log } = await RecordLog.open(this.#file(id), this.#onDamage(id));
      const begun: Beginning = { type: 'begun', version: JOURNAL_VERSION, ...first };
      lease.check();
      await log.append(begun);
      for (const old of ids.slice(0, -KEPT + 1)) rmSync(this.#file(old), { force: true });
      return new BatchLog(log, lease, beginBatch(id, begun));
    } catch (error) {
      throw explainWriteError(error, this.#folder);
    }
  }

  /** Goes on with a batch. */
  async open(lease: Lease, id: number): Promise<BatchLog> {
    const { log, records } = await RecordLog.open(this.#file(id), this.#onDamage(id));
    const batch = this.#read(id, records);
    if (!batch) throw budgetErrors.damagedJournal(this.#file(id));
    return new BatchLog(log, lease, batch);
  }

  readonly #damaged = new Set<number>();

  #onDamage(id: number): (line: number) => void {
    this.#damaged.delete(id);
    return (line) => {
      this.#damaged.add(id);
      this.#logger.warn(`${this.#file(id)}, line ${line} is damaged: what it said is asked of the service.`);
    };
  }

  /** Nothing where it was killed before it began. */
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

  #file(id: number): string {
    return join(this.#folder, `batch-${String(id).padStart(6, '0')}.log`);
  }

  /** Ascending. */
  #ids(): number[] {
    try {
      const names = readdirSync(this.#folder);
      return names
        .flatMap((name) => /^batch-(\d+)\.log$/.exec(name)?.[1] ?? [])
        .map(Number)
        .sort((a, b) => a - b);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

/** A batch that is being written: each step is on the disk before it counts. */
export class BatchLog {
  readonly #log: RecordLog;
  readonly #lease: Lease;
  #batch: Batch;

  constructor(log: RecordLog, lease: Lease, batch: Batch) {
    this.#log = log;
    this.#lease = lease;
    this.#batch = batch;
  }

  get batch(): Batch {
    return this.#batch;
  }

  /** Throws `LeaseLost`, `DiskFull` and `ReadOnly`; the batch is then as before. */
  async append(step: Step): Promise<void> {
    this.#lease.check();
    await this.#log.append(step);
    this.#batch = advance(this.#batch, step);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}
