import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import type { Clock } from '../../base/clock.ts';
import { isWriteError, systemCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { readOwnSync, removeIfFreeSync, removeSync } from '../../base/removal.ts';
import { DocumentSet } from '../../engine/query/documentScope.ts';
import { checkNotLost, type FencedFolder } from './fencedFolder.ts';
import { setTime } from './packs.ts';

const NAME_BYTES = 32;
const TOUCH_MS = 3_600_000;
/** The most names in memory, of the checkpoints used last; some 100 bytes each. */
const REMEMBERED_NAMES = 500_000;

/**
 * Immutable sets of names: a file each, named by the SHA-256 of its content, which is the names in order, 32 bytes each. Equal
 * sets are one checkpoint, so a repeated request creates no second one. The modification time of the file is that of its last
 * use.
 */
export class Checkpoints {
  readonly #folder: FencedFolder;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Sets by id; the last used at the end. */
  readonly #remembered = new Map<string, DocumentSet>();
  readonly #usedAt = new Map<string, number>();
  /** Files whose damage has been reported. */
  readonly #reported = new Set<string>();

  constructor(folder: FencedFolder, clock: Clock, logger: Logger) {
    this.#folder = folder;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Call before each write. Throws `LeaseLost`, `DiskFull`, `ReadOnly`. */
  adopt(): void {
    if (!this.#folder.adopt()) return;
    for (const name of readdirSync(this.#folder.path))
      if (name.endsWith('.tmp')) removeIfFreeSync(join(this.#folder.path, name));
  }

  /** Writes a set to the disk, and returns its id. Throws `LeaseLost`, `DiskFull` and `ReadOnly`. */
  add(names: ReadonlySet<string>): string {
    const bytes = Buffer.from([...names].sort().join(''), 'hex');
    const id = idOf(bytes);
    // Also writes a damaged file again.
    if (!this.get(id)) {
      try {
        writeFileAtomicSync(this.#fileOf(id), bytes, 0o600);
      } catch (error) {
        throw this.#folder.explain(error);
      }
      this.#touch(id);
      this.#remember(id, new DocumentSet(new Set(names)));
    }
    return id;
  }

  /** The names of a checkpoint, if it exists. Counts as a use. */
  get(id: string): DocumentSet | undefined {
    const names = this.#remembered.get(id) ?? this.#read(id);
    if (!names) return undefined;
    this.#touch(id);
    this.#remember(id, names);
    return names;
  }

  /**
   * Removes checkpoints not used since `cutoff` and not `needed`, and returns the names in the others. Clients of an heir may use
   * a checkpoint between the check and the removal; the removal then finds no file, since the heir has renamed the folder.
   */
  removeUnused(cutoff: number, needed: ReadonlySet<string>): Set<string> {
    const reachable = new Set<string>();
    for (const file of readdirSync(this.#folder.path)) {
      const id = /^([0-9a-f]{64})\.sxc$/.exec(file)?.[1];
      if (id === undefined) continue;
      if (!needed.has(id) && statSync(this.#fileOf(id)).mtimeMs < cutoff && this.#removed(id)) {
        this.#remembered.delete(id);
        this.#usedAt.delete(id);
      } else for (const name of (this.#remembered.get(id) ?? this.#read(id))?.ids ?? []) reachable.add(name);
    }
    return reachable;
  }

  #read(id: string): DocumentSet | undefined {
    if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
    let bytes: Buffer;
    try {
      bytes = readOwnSync(this.#fileOf(id));
    } catch (error) {
      if (!['ENOENT', 'EIO'].includes(systemCode(error) ?? '')) throw error;
      checkNotLost(this.#folder.fence);
      if (systemCode(error) === 'ENOENT') return undefined;
      bytes = Buffer.alloc(0);
    }
    if (idOf(bytes) !== id || bytes.length % NAME_BYTES !== 0) {
      if (!this.#reported.has(id))
        this.#logger.error(
          `${this.#fileOf(id)} is damaged: this set of files is lost, the files are whole. Contexts that use it send it again, ` +
            'and search-only states of it have to be exported again.',
        );
      this.#reported.add(id);
      if (bytes.length > 0) this.#removeDamaged(id);
      return undefined;
    }
    const names = new Set<string>();
    const text = bytes.toString('hex');
    for (let at = 0; at < text.length; at += 2 * NAME_BYTES) names.add(text.slice(at, at + 2 * NAME_BYTES));
    return new DocumentSet(names);
  }

  /** Whether the file could be deleted: one that is open elsewhere stays in use until the next time. */
  #removed(id: string): boolean {
    this.#folder.fence.check();
    return removeIfFreeSync(this.#fileOf(id));
  }

  /** Deletes a damaged file, so that it is reported once instead of at each start. */
  #removeDamaged(id: string): void {
    try {
      this.#folder.fence.check();
      removeSync(this.#fileOf(id));
    } catch (error) {
      if (!isWriteError(this.#folder.explain(error))) throw error;
    }
  }

  #remember(id: string, names: DocumentSet): void {
    this.#remembered.delete(id);
    this.#remembered.set(id, names);
    let count = 0;
    for (const { ids } of this.#remembered.values()) count += ids.size;
    for (const [oldest, { ids }] of this.#remembered) {
      if (count <= REMEMBERED_NAMES || oldest === id) break;
      this.#remembered.delete(oldest);
      count -= ids.size;
    }
  }

  #touch(id: string): void {
    const now = this.#clock.now();
    if (now - (this.#usedAt.get(id) ?? -Infinity) < TOUCH_MS) return;
    this.#usedAt.set(id, now);
    setTime(this.#folder, this.#fileOf(id), now);
  }

  #fileOf(id: string): string {
    return join(this.#folder.path, `${id}.sxc`);
  }
}

function idOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
