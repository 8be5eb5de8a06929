import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Cluster } from './cluster.ts';
import { unlessFull } from './errors.ts';
import { decodeRoaring, encodeRoaring } from './roaring.ts';
import type { IndexNames } from './schema.ts';

interface StoredSet {
  readonly bitmap: string;
  readonly count: number;
  readonly usedAt: number;
}

const TOUCH_MS = 3_600_000;
/** Bytes of sets in memory, those used last. */
const REMEMBERED_BYTES = 64 << 20;

/** Sets of blobs by their numbers, each named by the SHA-256 of its bitmap: equal sets are one. */
export class BlobSets {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Uint32Array>();
  readonly #usedAt = new Map<string, number>();
  #bytes = 0;

  constructor(cluster: Cluster, names: IndexNames, clock: Clock) {
    this.#cluster = cluster;
    this.#names = names;
    this.#clock = clock;
  }

  /** Stores a set by its ascending numbers, and returns its id. */
  async add(ascending: Uint32Array): Promise<string> {
    const bitmap = encodeRoaring(ascending);
    const id = createHash('sha256').update(bitmap).digest('hex');
    const usedAt = this.#clock.now();
    await this.#cluster.bulk([
      {
        action: 'index',
        index: this.#names.sets,
        id,
        body: { bitmap: bitmap.toString('base64'), count: ascending.length, usedAt },
      },
    ]);
    this.#usedAt.set(id, usedAt);
    this.#remember(id, ascending);
    return id;
  }

  /** The ascending numbers of a set, if it exists. Counts as a use. */
  async get(id: string): Promise<Uint32Array | undefined> {
    if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
    const now = this.#clock.now();
    const isRecent = now - (this.#usedAt.get(id) ?? -Infinity) < TOUCH_MS;
    const known = this.#remembered.get(id);
    if (known && isRecent) return known;
    const [stored] = await this.#cluster.get<StoredSet>(this.#names.sets, [id]);
    if (!stored) return undefined;
    const noted = [{ action: 'update', index: this.#names.sets, id, body: { usedAt: now } }] as const;
    await unlessFull(this.#cluster.bulk(noted));
    this.#usedAt.set(id, now);
    const numbers = known ?? decodeRoaring(Buffer.from(stored.source.bitmap, 'base64'));
    this.#remember(id, numbers);
    return numbers;
  }

  #remember(id: string, numbers: Uint32Array): void {
    this.#bytes += numbers.byteLength - (this.#remembered.get(id)?.byteLength ?? 0);
    this.#remembered.delete(id);
    this.#remembered.set(id, numbers);
    for (const [oldest, { byteLength }] of this.#remembered) {
      if (this.#bytes <= REMEMBERED_BYTES || oldest === id) break;
      this.#remembered.delete(oldest);
      this.#usedAt.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}
