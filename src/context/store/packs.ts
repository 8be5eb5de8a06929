import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { explainWriteError, systemCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { readContent, readDirectory, writePack, type PackedBlob, type PackedEntry } from './packFile.ts';

interface Pack {
  readonly number: number;
  readonly names: readonly string[];
  /** UTF-8 bytes of its contents. */
  readonly bytes: number;
  /** Milliseconds since 1970; the modification time of the file. */
  usedAt: number;
}

interface Kept extends PackedEntry {
  readonly pack: Pack;
}

/** That a pack is used is noted so often at most. */
const TOUCH_MS = 3_600_000;
/** So many packs that are smaller than this become one, of at most so many bytes. */
const MANY_SMALL = 16;
const SMALL_BYTES = 1 << 20;
const MERGED_BYTES = 8 << 20;

/**
 * Blobs on the disk: a file for each upload, immutable, whose modification time says when one of its blobs was last used.
 * Rejected: a file for each blob, which takes an fsync each, 50,000 for a large repository.
 */
export class Packs {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #packs = new Set<Pack>();
  readonly #blobs = new Map<string, Kept>();
  #last = 0;

  /** Whoever opens it is alone in the folder. Throws `StoreNewer`, `DiskFull`, `ReadOnly`. */
  constructor(folder: string, clock: Clock, logger: Logger) {
    this.#folder = folder;
    this.#clock = clock;
    this.#logger = logger;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const numbers: number[] = [];
    for (const name of readdirSync(folder)) {
      const number = /^pack-(\d+)\.sxb$/.exec(name)?.[1];
      // A write that was cut off leaves one of these.
      if (name.endsWith('.tmp')) rmSync(join(folder, name), { force: true });
      else if (number !== undefined) numbers.push(Number(number));
    }
    // Of a blob in two packs the later one counts: the earlier may be damaged.
    for (const number of numbers.sort((a, b) => a - b)) this.#open(number);
  }

  get size(): number {
    return this.#blobs.size;
  }

  get(name: string): PackedEntry | undefined {
    return this.#blobs.get(name);
  }

  entries(): IterableIterator<PackedEntry> {
    return this.#blobs.values();
  }

  /** `undefined` where there is none, or no longer a good one: then it is forgotten, and may be added again. */
  read(name: string): Buffer | undefined {
    const blob = this.#blobs.get(name);
    if (!blob) return undefined;
    let content: Buffer | undefined;
    try {
      content = readContent(this.#fileOf(blob.pack.number), blob);
    } catch (error) {
      if (!['ENOENT', 'EIO'].includes(systemCode(error) ?? '')) throw error;
    }
    if (content) return content;
    this.#logger.error(
      `${this.#fileOf(blob.pack.number)} is damaged: ${blob.path} is lost until it is uploaded again.`,
    );
    this.#blobs.delete(name);
    return undefined;
  }

  /** When this returns, they are on the disk. Throws `DiskFull` and `ReadOnly`. */
  add(blobs: readonly PackedBlob[], usedAt = this.#clock.now()): void {
    if (blobs.length === 0) return;
    const number = ++this.#last;
    try {
      writePack(this.#fileOf(number), blobs);
    } catch (error) {
      throw explainWriteError(error, this.#folder);
    }
    setTime(this.#fileOf(number), usedAt);
    this.#open(number);
  }

  /** Notes that somebody relies on these. */
  touch(names: Iterable<string>): void {
    const now = this.#clock.now();
    for (const name of names) {
      const pack = this.#blobs.get(name)?.pack;
      if (!pack || now - pack.usedAt < TOUCH_MS) continue;
      pack.usedAt = now;
      setTime(this.#fileOf(pack.number), now);
    }
  }

  /**
   * Removes blobs that are not reachable, from packs that were not used since `cutoff`, and makes few packs of many small
   * ones. A crash in the midst leaves blobs in two packs, which is as good as one. Gives the names that are gone.
   */
  compact(isReachable: (name: string) => boolean, cutoff: number): string[] {
    const gone: string[] = [];
    const sources = new Set<Pack>();
    for (const pack of this.#packs) {
      if (pack.usedAt >= cutoff) continue;
      const unreachable = pack.names.filter((name) => this.#blobs.get(name)?.pack === pack && !isReachable(name));
      const isLeft = pack.names.every((name) => this.#blobs.get(name)?.pack !== pack);
      if (unreachable.length === 0 && !isLeft) continue;
      gone.push(...unreachable);
      for (const name of unreachable) this.#blobs.delete(name);
      sources.add(pack);
    }
    const small = [...this.#packs].filter(({ bytes }) => bytes < SMALL_BYTES);
    if (small.length >= MANY_SMALL) for (const pack of small) sources.add(pack);
    // What has been used at about one time stays together, or old blobs would live as long as young ones.
    let batch: Pack[] = [];
    let bytes = 0;
    for (const pack of [...sources].sort((a, b) => a.usedAt - b.usedAt)) {
      const spread = pack.usedAt - (batch[0]?.usedAt ?? pack.usedAt);
      if (batch.length > 0 && (bytes + pack.bytes > MERGED_BYTES || spread > 24 * TOUCH_MS)) {
        this.#merge(batch);
        [batch, bytes] = [[], 0];
      }
      batch.push(pack);
      bytes += pack.bytes;
    }
    this.#merge(batch);
    return gone;
  }

  /** Writes what is left of some packs into one, and removes them. */
  #merge(packs: readonly Pack[]): void {
    const blobs: PackedBlob[] = [];
    for (const pack of packs) {
      for (const name of pack.names) {
        const kept = this.#blobs.get(name);
        if (kept?.pack !== pack) continue;
        const content = this.read(name);
        if (content) blobs.push({ name, path: kept.path, isText: kept.isText, content });
      }
    }
    this.add(blobs, packs.at(-1)?.usedAt);
    for (const pack of packs) {
      this.#packs.delete(pack);
      rmSync(this.#fileOf(pack.number), { force: true });
    }
  }

  #open(number: number): void {
    this.#last = Math.max(this.#last, number);
    const file = this.#fileOf(number);
    const entries = readDirectory(file);
    if (!entries) {
      this.#logger.error(`${file} is damaged; what is in it has to be uploaded again.`);
      return;
    }
    const pack: Pack = {
      number,
      names: entries.map(({ name }) => name),
      bytes: entries.reduce((sum, { length }) => sum + length, 0),
      usedAt: statSync(file).mtimeMs,
    };
    this.#packs.add(pack);
    for (const entry of entries) this.#blobs.set(entry.name, { ...entry, pack });
  }

  #fileOf(number: number): string {
    return join(this.#folder, `pack-${number}.sxb`);
  }
}

/** Says when a file was last used. */
export function setTime(file: string, ms: number): void {
  utimesSync(file, ms / 1000, ms / 1000);
}
