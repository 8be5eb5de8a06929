import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolderSync } from '../../base/atomicFile.ts';
import { explainWriteError, isWriteError, systemCode } from '../../base/errors.ts';
import { fencedName, fencedNumbers, type Fence } from '../../base/lease.ts';
import { makeInnerFolder } from '../../base/ownedFolder.ts';
import { moveSync, removeIfFreeSync } from '../../base/removal.ts';

const REST = 'd';

/**
 * A folder of files that carries the number of its owner's lease: `<stem>.<number>.d`; 0 stands for the `<stem>` of versions
 * without numbers. A new owner renames the folder before it acknowledges anything. An earlier owner that wakes up writes,
 * touches and deletes at a path that no longer exists.
 *
 * Rejected: the number in the name of each file. An earlier owner may sleep between its check and the deletion of a file that
 * its heir has since relied on; the heir would have to rename each of thousands of files.
 */
export class FencedFolder {
  readonly fence: Fence;
  readonly #parent: string;
  readonly #stem: string;
  #path: string;
  #isAdopted = false;

  constructor(fence: Fence, parent: string, stem: string) {
    this.fence = fence;
    this.#parent = parent;
    this.#stem = stem;
    this.#path = this.#newest() ?? this.#own;
  }

  /** The present path of the folder, which may be missing until {@link adopt} succeeds. */
  get path(): string {
    return this.#path;
  }

  /**
   * Call before each write. Gives the newest folder the number of this lease, or creates one. Returns true if this call did so:
   * then the caller reads the files again. Throws `LeaseLost`, `DiskFull`, `ReadOnly`, `FolderNotOurs`.
   */
  adopt(): boolean {
    this.fence.check();
    if (this.#isAdopted) return false;
    try {
      const newest = this.#newest();
      // Refuses a symbolic link, through which files elsewhere would be deleted.
      makeInnerFolder(newest ?? this.#own);
      if (newest !== undefined && newest !== this.#own) moveSync(newest, this.#own);
      // At once: if the disk fails at the next step, the files are read at their new path.
      this.#path = this.#own;
      syncFolderSync(this.#parent);
    } catch (error) {
      throw explainWriteError(error, this.#parent);
    }
    this.fence.check();
    this.#isAdopted = true;
    this.#removeOlder();
    return true;
  }

  /** The meaning of a failed write: `LeaseLost` if an heir has renamed the folder, `DiskFull`, `ReadOnly`. */
  explain(error: unknown): unknown {
    if (systemCode(error) === 'ENOENT') this.fence.check();
    return explainWriteError(error, this.#path);
  }

  get #own(): string {
    return this.#nameOf(this.fence.number);
  }

  #nameOf(number: number): string {
    return join(this.#parent, number === 0 ? this.#stem : fencedName(this.#stem, number, REST));
  }

  #newest(): string | undefined {
    // A folder of a higher number is an heir's, and must not be renamed.
    return [...fencedNumbers(this.#parent, this.#stem, REST), 0]
      .filter((number) => number <= this.fence.number)
      .map((number) => this.#nameOf(number))
      .find((path) => existsSync(path));
  }

  /** Removes older folders, of two restored backups for instance: no write in them is newer than the newest folder. */
  #removeOlder(): void {
    for (const number of [...fencedNumbers(this.#parent, this.#stem, REST), 0])
      if (number < this.fence.number) removeIfFreeSync(this.#nameOf(number), { recursive: true });
  }
}

/**
 * Call before the answer to a read, since a process that lost its lease does not know its heir's files. Throws `LeaseLost`.
 * If the folder cannot be written to, no other process took over.
 */
export function checkNotLost(fence: Fence): void {
  try {
    fence.check();
  } catch (error) {
    if (!isWriteError(error)) throw error;
  }
}
