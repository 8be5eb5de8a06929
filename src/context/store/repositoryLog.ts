import type { Fence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { describeRecordDamage, RecordLog } from '../../base/recordLog.ts';
import { withVersion, type RepositoryRegistry, type RepositoryVersion, type StoredRepository } from './contextStore.ts';

/** A repository as it is after a change, or the name of a removed one. */
type RepositoryRecord = StoredRepository | { readonly removed: string };

/** The log is written again once it holds more changes than this and twice the repositories. */
const MANY_CHANGES = 1_000;

/** The repositories of an embedded store: `repositories.<n>.log` and a copy of it. */
export class RepositoryLog implements RepositoryRegistry {
  readonly #log: RecordLog;
  readonly #byName = new Map<string, StoredRepository>();
  #changes: number;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(log: RecordLog, records: readonly RepositoryRecord[]) {
    this.#log = log;
    for (const record of records) this.#apply(record);
    this.#changes = records.length;
  }

  /** Opens the log of a folder. Throws `LeaseLost`. */
  static async open(fence: Fence, folder: string, logger: Logger): Promise<RepositoryLog> {
    const { log, records } = await RecordLog.open(fence, { folder, stem: 'repositories' }, (damage) => {
      const advice = damage.isLost ? ' Push the repositories again that "sextant repos list" lacks.' : '';
      logger.error(`${describeRecordDamage(damage)}${advice}`);
    });
    return new RepositoryLog(log, records as readonly RepositoryRecord[]);
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async list(): Promise<readonly StoredRepository[]> {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async get(name: string): Promise<StoredRepository | undefined> {
    return this.#byName.get(name);
  }

  put(name: string, url: string | undefined, version: RepositoryVersion, keep: number): Promise<StoredRepository> {
    return this.#inTurn(async () => {
      const repository = withVersion(this.#byName.get(name), name, url, version, keep);
      await this.#write(repository);
      return repository;
    });
  }

  remove(name: string): Promise<boolean> {
    return this.#inTurn(async () => {
      if (!this.#byName.has(name)) return false;
      await this.#write({ removed: name });
      return true;
    });
  }

  /** The checkpoints that repositories need. */
  get checkpoints(): Set<string> {
    const repositories = [...this.#byName.values()];
    return new Set(repositories.flatMap(({ versions }) => versions.map(({ checkpoint }) => checkpoint)));
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#log.close();
  }

  async #write(record: RepositoryRecord): Promise<void> {
    await this.#log.append(record);
    this.#apply(record);
    if (++this.#changes <= MANY_CHANGES + 2 * this.#byName.size) return;
    await this.#log.replace([...this.#byName.values()]);
    this.#changes = this.#byName.size;
  }

  #apply(record: RepositoryRecord): void {
    if ('removed' in record) this.#byName.delete(record.removed);
    else this.#byName.set(record.name, record);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}
