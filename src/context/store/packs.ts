import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { isWriteError, systemCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { namesIn } from '../../base/namesIn.ts';
import { moveSync, removeIfFreeSync } from '../../base/removal.ts';
import { checkNotLost, type FencedFolder } from './fencedFolder.ts';
import { readContent, readDirectory, writePack, type PackedBlob, type PackedEntry } from './packFile.ts';

interface Pack {
  readonly number: number;
  readonly names: readonly string[];
  /** UTF-8 bytes of its contents. */
  readonly bytes: number;
  /** Milliseconds since 1970; the modification time of the file. */
  usedAt: number;
}

interface StoredEntry extends PackedEntry {
  readonly pack: Pack;
}

/** Interval in which the use of a pack is recorded at most once. */
const TOUCH_MS = 3_600_000;
/** Number of small packs that are merged into one, and the most bytes of that one. */
const MANY_SMALL = 16;
const SMALL_BYTES = 1 << 20;
const MERGED_BYTES = 8 << 20;

/** Ends the name of a pack whose directory is damaged; it is kept for a while, and never read. */
const SET_ASIDE = '.damaged';

/**
 * Blobs on the disk: an immutable file for each upload, whose modification time is that of the last use of one of its blobs.
 * Rejected: a file for each blob, which takes an fsync each, 50,000 for a large repository.
 */
export class Packs {
  readonly #folder: FencedFolder;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #onLost: (name: string) => void;
  readonly #packs = new Set<Pack>();
  readonly #blobs = new Map<string, StoredEntry>();
  /** Numbers of packs whose directory is damaged. */
  #damaged: number[] = [];
  /** Files and blobs whose damage has been reported. */
  readonly #reported = new Set<string>();
  #last = 0;

  /** Reads the packs, and changes nothing. Throws `StoreNewer`. */
  constructor(folder: FencedFolder, clock: Clock, logger: Logger, onLost: (name: string) => void) {
    this.#folder = folder;
    this.#onLost = onLost;
    this.#clock = clock;
    this.#logger = logger;
    this.#load();
  }

  /** Call before each write. Throws `LeaseLost`, `DiskFull`, `ReadOnly`. */
  adopt(): void {
    if (!this.#folder.adopt()) return;
    // An interrupted write leaves a temporary file.
    for (const name of readdirSync(this.#folder.path))
      if (name.endsWith('.tmp')) removeIfFreeSync(join(this.#folder.path, name));
    // An earlier owner may have removed packs between the first reading and the adoption.
    this.#load();
    for (const number of this.#damaged) this.#setAside(number);
    this.#damaged = [];
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

  /** The content of a blob; `undefined` if missing or damaged: then the blob is forgotten, and may be added again. */
  read(name: string): Buffer | undefined {
    const blob = this.#blobs.get(name);
    if (!blob) return undefined;
    const file = this.#fileOf(blob.pack.number);
    let content: Buffer | undefined;
    try {
      content = readContent(file, blob);
    } catch (error) {
      if (!['ENOENT', 'EIO'].includes(systemCode(error) ?? '')) throw error;
      // An heir has renamed the folder.
      checkNotLost(this.#folder.fence);
    }
    if (content) return content;
    this.#report(
      `${file} ${name}`,
      `${file} is damaged: ${blob.path} is lost until a client adds it again. Other files are whole.`,
    );
    this.#blobs.delete(name);
    this.#onLost(name);
    return undefined;
  }

  /** Writes blobs durably. Throws `LeaseLost`, `DiskFull` and `ReadOnly`. */
  async add(blobs: readonly PackedBlob[], usedAt = this.#clock.now()): Promise<void> {
    if (blobs.length === 0) return;
    const number = this.#last + 1;
    try {
      await writePack(this.#fileOf(number), blobs);
      this.#touch(number, usedAt);
      this.#open(number);
    } catch (error) {
      throw this.#folder.explain(error);
    }
  }

  /** Records a use of blobs. */
  touch(names: Iterable<string>): void {
    const now = this.#clock.now();
    for (const name of names) {
      const pack = this.#blobs.get(name)?.pack;
      if (!pack || now - pack.usedAt < TOUCH_MS) continue;
      pack.usedAt = now;
      this.#touch(pack.number, now);
    }
  }

  /**
   * Removes unreachable blobs from packs not used since `cutoff`, and merges small packs. A crash leaves blobs in two packs,
   * which does no harm. Returns the names of the removed blobs.
   */
  async compact(isReachable: (name: string) => boolean, cutoff: number): Promise<string[]> {
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
    // Merges blobs of about the same last use, or old blobs would live as long as young ones.
    let batch: Pack[] = [];
    let bytes = 0;
    for (const pack of [...sources].sort((a, b) => a.usedAt - b.usedAt)) {
      const spread = pack.usedAt - (batch[0]?.usedAt ?? pack.usedAt);
      if (batch.length > 0 && (bytes + pack.bytes > MERGED_BYTES || spread > 24 * TOUCH_MS)) {
        await this.#merge(batch);
        [batch, bytes] = [[], 0];
      }
      batch.push(pack);
      bytes += pack.bytes;
    }
    await this.#merge(batch);
    this.#removeSetAside(cutoff);
    return gone;
  }

  /** Merges the remaining blobs of packs into one pack, and removes the others. */
  async #merge(packs: readonly Pack[]): Promise<void> {
    const blobs: PackedBlob[] = [];
    for (const pack of packs) {
      for (const name of pack.names) {
        const kept = this.#blobs.get(name);
        if (kept?.pack !== pack) continue;
        const content = this.read(name);
        if (content) blobs.push({ name, path: kept.path, isText: kept.isText, content });
      }
    }
    await this.add(blobs, packs.at(-1)?.usedAt);
    for (const pack of packs) {
      // An owner that takes over later renames the folder, so a late removal finds no file.
      this.#folder.fence.check();
      this.#packs.delete(pack);
      removeIfFreeSync(this.#fileOf(pack.number));
    }
  }

  /** Reads the packs in the folder. The later pack of a blob counts, since the earlier may be damaged. */
  #load(): void {
    this.#packs.clear();
    this.#blobs.clear();
    this.#damaged = [];
    this.#last = 0;
    const numbers = namesIn(this.#folder.path).flatMap((name) => /^pack-(\d+)\.sxb$/.exec(name)?.[1] ?? []);
    for (const number of numbers.map(Number).sort((a, b) => a - b)) this.#open(number);
  }

  #open(number: number): void {
    this.#last = Math.max(this.#last, number);
    const file = this.#fileOf(number);
    const entries = readDirectory(file);
    if (!entries) {
      this.#damaged.push(number);
      this.#report(
        `pack ${number}`,
        `${file} is damaged: the files that were uploaded with it are lost until clients add them again. ` +
          `Other files are whole.`,
      );
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

  #report(what: string, message: string): void {
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    this.#logger.error(message);
  }

  /** Renames a damaged pack, so that it is reported once instead of at each start. */
  #setAside(number: number): void {
    this.#folder.fence.check();
    try {
      moveSync(this.#fileOf(number), `${this.#fileOf(number)}${SET_ASIDE}`);
    } catch (error) {
      throw this.#folder.explain(error);
    }
  }

  #removeSetAside(cutoff: number): void {
    for (const name of readdirSync(this.#folder.path)) {
      const file = join(this.#folder.path, name);
      if (!name.endsWith(SET_ASIDE) || statSync(file).mtimeMs >= cutoff) continue;
      this.#folder.fence.check();
      removeIfFreeSync(file);
    }
  }

  #touch(number: number, ms: number): void {
    setTime(this.#folder, this.#fileOf(number), ms);
  }

  #fileOf(number: number): string {
    return join(this.#folder.path, `pack-${number}.sxb`);
  }
}

/** Sets a file's time of last use. On a disk without write access nothing expires either. */
export function setTime(folder: FencedFolder, file: string, ms: number): void {
  try {
    utimesSync(file, ms / 1000, ms / 1000);
  } catch (error) {
    // An heir has renamed the folder, or the file was deleted, which its next read reports.
    if (systemCode(error) === 'ENOENT') checkNotLost(folder.fence);
    else if (!isWriteError(folder.explain(error))) throw error;
  }
}
