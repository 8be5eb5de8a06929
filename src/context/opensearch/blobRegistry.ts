import type { Clock } from '../../base/clock.ts';
import { SextantError } from '../../base/errors.ts';
import { openSearchErrors, unlessFull } from './errors.ts';
import type { BulkItem, Cluster, Revision, Stored } from './cluster.ts';
import type { IndexNames } from './schema.ts';

/**
 * A blob's number, and whether its document is there. `expected`: a set has its name, and it was not uploaded; `pending`: an
 * upload is under way, or ended in the middle; `ready`: acknowledged; `removing`: unused, and to be uploaded again if needed.
 */
export interface BlobEntry {
  readonly number: number;
  readonly path?: string;
  readonly state: 'expected' | 'pending' | 'ready' | 'removing';
  readonly usedAt: number;
}

/** Numbers that a server takes from the counter at once: few requests, and few gaps. */
const BLOCK = 1_024;
/** The numbers of the field in the cluster's index end here. */
const MAX_NUMBER = 0x7fff_ffff;
const TOUCH_MS = 3_600_000;
/** Known numbers and states in memory, of the blobs used last; some 200 bytes each. */
const REMEMBERED = 200_000;
const ATTEMPTS = 20;

/**
 * The names of all blobs, with the small numbers by which sets have them. It decides what is uploaded: a blob is `ready` after
 * its document can be searched. Small documents beside the large ones: to note a use must not write a text again.
 */
export class BlobRegistry {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #clock: Clock;
  readonly #touchedAt = new Map<string, number>();
  #free: { next: number; end: number } = { next: 0, end: 0 };

  constructor(cluster: Cluster, names: IndexNames, clock: Clock) {
    this.#cluster = cluster;
    this.#names = names;
    this.#clock = clock;
  }

  /** The entries of names, in their order. */
  get(names: readonly string[]): Promise<(Stored<BlobEntry> | undefined)[]> {
    return this.#cluster.get<BlobEntry>(this.#names.blobs, names);
  }

  /**
   * Gives each name an entry, and returns all. A name that two servers reserve at a time gets the number of the first. Entries that
   * are not `ready` become `state`.
   */
  async reserve(
    wanted: readonly { readonly name: string; readonly path?: string }[],
    state: 'expected' | 'pending',
  ): Promise<Map<string, BlobEntry>> {
    const entries = new Map<string, BlobEntry>();
    const names = wanted.map(({ name }) => name);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const items: BulkItem[] = [];
      const created = new Map<string, BlobEntry>();
      const found = await this.get(names);
      for (const [i, { name, path }] of wanted.entries()) {
        const old = found[i];
        if (old && (old.source.state === 'ready' || (state === 'expected' && old.source.state !== 'removing'))) {
          entries.set(name, old.source);
          continue;
        }
        const number = old?.source.number ?? (await this.#number());
        const entry: BlobEntry = { number, state, usedAt: this.#clock.now(), ...(path !== undefined && { path }) };
        created.set(name, entry);
        items.push({
          action: old ? 'index' : 'create',
          index: this.#names.blobs,
          id: name,
          at: old && revisionOf(old),
          body: { ...entry },
        });
      }
      const written = await this.#cluster.bulk(items);
      for (const [i, { id }] of items.entries()) if (written[i]) entries.set(id, created.get(id)!);
      if (names.every((name) => entries.has(name))) return entries;
    }
    throw openSearchErrors.busy();
  }

  /** Acknowledges uploaded blobs. */
  async setReady(entries: ReadonlyMap<string, BlobEntry>): Promise<void> {
    const usedAt = this.#clock.now();
    const items = Array.from(entries, ([id, entry]): BulkItem => {
      return { action: 'index', index: this.#names.blobs, id, body: { ...entry, state: 'ready', usedAt } };
    });
    await this.#cluster.bulk(items);
    for (const name of entries.keys()) this.#remember(name, usedAt);
  }

  /** Notes that clients rely on blobs; at most once an hour for each. */
  async touch(names: Iterable<string>): Promise<void> {
    const usedAt = this.#clock.now();
    const due = [...names].filter((name) => usedAt - (this.#touchedAt.get(name) ?? -Infinity) >= TOUCH_MS);
    if (due.length === 0) return;
    const update = (id: string): BulkItem => ({
      action: 'update',
      index: this.#names.blobs,
      id,
      body: { usedAt },
    });
    await unlessFull(this.#cluster.bulk(due.map(update)));
    for (const name of due) this.#remember(name, usedAt);
  }

  #remember(name: string, usedAt: number): void {
    this.#touchedAt.delete(name);
    this.#touchedAt.set(name, usedAt);
    for (const [oldest] of this.#touchedAt) {
      if (this.#touchedAt.size <= REMEMBERED) break;
      this.#touchedAt.delete(oldest);
    }
  }

  /** A number that no other blob of the cluster has. */
  async #number(): Promise<number> {
    if (this.#free.next === this.#free.end) this.#free = await this.#nextBlock();
    return this.#free.next++;
  }

  async #nextBlock(): Promise<{ next: number; end: number }> {
    const index = this.#names.counters;
    const id = 'numbers';
    for (;;) {
      const [counter] = await this.#cluster.get<{ next: number }>(index, [id]);
      const next = counter?.source.next ?? 0;
      const end = next + BLOCK;
      if (end > MAX_NUMBER)
        throw new SextantError('StoreFull', 'All numbers for files are used. Push to a store with another prefix.');
      const [isOurs] = await this.#cluster.bulk([
        { action: counter ? 'index' : 'create', index, id, at: counter && revisionOf(counter), body: { next: end } },
      ]);
      if (isOurs) return { next, end };
    }
  }
}

function revisionOf({ seqNo, term }: Revision): Revision {
  return { seqNo, term };
}
