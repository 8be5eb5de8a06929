import type { Fence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { describeRecordDamage, RecordLog, type LogPlace } from '../../base/recordLog.ts';
import { withVersion, type RepositoryRegistry, type RepositoryVersion, type StoredRepository } from './contextStore.ts';

/** A repository as it is after a change, or the name of a removed one. */
type RepositoryRecord = StoredRepository | { readonly removed: string };

/** The log is written again once it holds more changes than this and twice the repositories. */
const MANY_CHANGES = 1_000;

/** The repositories of an embedded store: `repositories.<n>.log` and a copy of it. */
export class RepositoryLog implements RepositoryRegistry {
  readonly #place: LogPlace;
  readonly #fence: Fence;
  readonly #logger: Logger;
  /** Created by the first push: most stores are those of contexts alone. */
  #log: RecordLog | undefined;
  readonly #byName = new Map<string, StoredRepository>();
  #changes = 0;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(fence: Fence, folder: string, logger: Logger) {
    this.#fence = fence;
    this.#place = { folder, stem: 'repositories' };
    this.#logger = logger;
  }

  /** Opens the log of a folder. Throws `LeaseLost`. */
  static async open(fence: Fence, folder: string, logger: Logger): Promise<RepositoryLog> {
    const repositories = new RepositoryLog(fence, folder, logger);
    // Damage is reported when it is opened.
    if (RecordLog.read(repositories.#place, () => undefined)) await repositories.#opened();
    return repositories;
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
    await this.#log?.close();
  }

  async #write(record: RepositoryRecord): Promise<void> {
    const log = await this.#opened();
    await log.append(record);
    this.#apply(record);
    if (++this.#changes <= MANY_CHANGES + 2 * this.#byName.size) return;
    await log.replace([...this.#byName.values()]);
    this.#changes = this.#byName.size;
  }

  async #opened(): Promise<RecordLog> {
    if (this.#log) return this.#log;
    const { log, records } = await RecordLog.open(this.#fence, this.#place, (damage) => {
      const advice = damage.isLost ? ' Push the repositories again that "sextant repos list" lacks.' : '';
      this.#logger.error(`${describeRecordDamage(damage)}${advice}`);
    });
    for (const record of records as readonly RepositoryRecord[]) this.#apply(record);
    this.#changes = records.length;
    return (this.#log = log);
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
