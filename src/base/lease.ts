import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SextantError, explainWriteError, systemCode } from './errors.ts';
import { makeFolder } from './makeFolder.ts';
import { createWhole } from './wholeFile.ts';

/** How often the owner shows that it lives, and after what silence it counts as dead though its process id is in use. */
const HEARTBEAT_MS = 5_000;
const SILENCE_MS = 60_000;
const RELEASED = 'released';

export interface LeaseOwner {
  readonly pid: number;
  readonly host: string;
}

/**
 * The right to write to a folder: at most one process holds it, and a dead owner loses it.
 *
 * A lease is a file `writer.<n>.lock`; the highest n owns the folder. Whoever finds the highest dead or released creates
 * n + 1, which only one can (exclusive create), and then looks again whether it is the highest. The number
 * also fences: an owner that was asleep and lost its lease sees a higher number before its next commit ({@link check}).
 * Rejected: one lock file that is deleted and made anew, where two processes that both saw the dead owner can delete each
 * other's lock; and a socket or SQLite lock, which network file systems do not keep.
 */
export class Lease {
  readonly #folder: string;
  readonly #number: number;
  readonly #timer: NodeJS.Timeout;
  #held = true;

  private constructor(folder: string, number: number) {
    this.#folder = folder;
    this.#number = number;
    this.#timer = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  /** Takes the lease, or tells who has it. Creates `folder` if it is missing. */
  static acquire(folder: string): Lease | LeaseOwner {
    makeFolder(folder);
    for (;;) {
      const highest = highestNumber(folder);
      const owner = highest === 0 ? undefined : livingOwner(fileName(folder, highest));
      if (owner) return owner;
      const number = highest + 1;
      if (!claim(folder, number)) continue;
      if (highestNumber(folder) !== number) {
        rmSync(fileName(folder, number), { force: true });
        continue;
      }
      for (let old = number - 1; old > 0 && old >= number - 100; old--) rmSync(fileName(folder, old), { force: true });
      return new Lease(folder, number);
    }
  }

  /** Who holds the lease at this moment, if anybody does. Takes nothing and writes nothing. */
  static ownerOf(folder: string): LeaseOwner | undefined {
    const highest = existsSync(folder) ? highestNumber(folder) : 0;
    return highest === 0 ? undefined : livingOwner(fileName(folder, highest));
  }

  /** For a process whose thread died with the lease in its hands: frees it at once instead of after a minute. */
  static releaseOwn(folder: string): void {
    const owner = Lease.ownerOf(folder);
    if (owner?.pid === process.pid && owner.host === hostname()) markReleased(fileName(folder, highestNumber(folder)));
  }

  /** Call before each commit. Throws `LeaseLost` when another process took over. */
  check(): void {
    if (this.#held && highestNumber(this.#folder) === this.#number) return;
    this.#stop();
    throw new SextantError(
      'LeaseLost',
      'Another process took over this folder of state; this one stops writing to it.',
    );
  }

  /** Gives the folder free. The file stays, marked, so that numbers only grow. */
  release(): void {
    if (!this.#held) return;
    this.#stop();
    try {
      markReleased(fileName(this.#folder, this.#number));
    } catch (error) {
      // Read-only by now, or gone: nothing can be marked, and the lease ends with this process at the latest.
      if (!(explainWriteError(error, this.#folder) instanceof SextantError) && systemCode(error) !== 'ENOENT')
        throw error;
    }
  }

  #stop(): void {
    this.#held = false;
    clearInterval(this.#timer);
  }

  #beat(): void {
    const now = new Date();
    try {
      utimesSync(fileName(this.#folder, this.#number), now, now);
    } catch {
      // Gone: a later owner cleaned up, or the folder was removed. The next check() says so to whoever writes.
      this.#stop();
    }
  }
}

function fileName(folder: string, number: number): string {
  return join(folder, `writer.${number}.lock`);
}

function claim(folder: string, number: number): boolean {
  const owner: LeaseOwner = { pid: process.pid, host: hostname() };
  return createWhole(fileName(folder, number), JSON.stringify(owner));
}

function highestNumber(folder: string): number {
  let highest = 0;
  for (const name of readdirSync(folder)) {
    const number = /^writer\.(\d+)\.lock$/.exec(name)?.[1];
    if (number !== undefined) highest = Math.max(highest, Number(number));
  }
  return highest;
}

/** Writes over what is there: emptying the file first could leave it empty where the disk is full. */
function markReleased(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    ftruncateSync(fd, writeSync(fd, RELEASED, 0));
  } finally {
    closeSync(fd);
  }
}

function livingOwner(file: string): LeaseOwner | undefined {
  let text: string;
  try {
    if (Date.now() - statSync(file).mtimeMs > SILENCE_MS) return undefined;
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (text.startsWith(RELEASED)) return undefined;
  const owner = parseOwner(text);
  return owner.host === hostname() && !isRunning(owner.pid) ? undefined : owner;
}

/** A file that is not whole yet belongs to somebody who is writing it: an owner nobody can name, until it goes silent. */
function parseOwner(text: string): LeaseOwner {
  try {
    const { pid, host } = JSON.parse(text) as Partial<LeaseOwner>;
    if (typeof pid === 'number' && typeof host === 'string') return { pid, host };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { pid: 0, host: '' };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
