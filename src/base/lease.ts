import { closeSync, existsSync, ftruncateSync, statSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SextantError, explainWriteError, isExpected, isWriteError, systemCode } from './errors.ts';
import { makeFolder } from './makeFolder.ts';
import { namesIn } from './namesIn.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from './processIdentity.ts';
import { readRegularFileSync } from './regularFile.ts';
import { openOwnSync, removeIfFreeSync } from './removal.ts';
import { createWhole } from './wholeFile.ts';

/** Interval in which the owner renews its lock, and the silence after which it counts as dead even if its process exists. */
const HEARTBEAT_MS = 5_000;
const SILENCE_MS = 60_000;
/** A lock is created whole, except on file systems without links: there an unreadable one may still be being written. */
const UNREADABLE_MS = 5_000;
const RELEASED = 'released';
/** A lock is `writer.<number>.lock`. */
const LOCK = ['writer', 'lock'] as const;

/** The process that holds a lease. Its `pid` is 0 where the lock cannot be read. */
export type LeaseOwner = ProcessIdentity;

const UNKNOWN: LeaseOwner = { pid: 0, host: '' };

/** `Process 12 on host`, to begin a sentence with. */
export function describeOwner({ pid, host }: LeaseOwner): string {
  return pid === 0 ? 'Another process (its lock is unreadable)' : `Process ${pid} on ${host}`;
}

/** What a writer of durable files needs of a lease. */
export interface Fence {
  /** The number that files written under it carry. */
  readonly number: number;
  /** Aborts, with the error of {@link check} as its reason, once it is known that another process took over. */
  readonly lost: AbortSignal;
  /**
   * Call before each write, and again between the write and its acknowledgement. Throws `LeaseLost`; `DiskFull` or `ReadOnly`
   * where the folder cannot be written to at all.
   */
  check(): void;
}

/** A {@link Fence} that its owner gives back. */
export interface HeldFence extends Fence {
  release(): void;
}

/**
 * The right to write to a folder: at most one process holds it, and a dead owner loses it.
 *
 * A lease is a file `writer.<n>.lock`; the highest n owns the folder. A process that finds the highest one dead or released
 * creates n + 1, which only one can (exclusive create), and then checks again that it is the highest.
 *
 * The number fences: every durable file carries the number of the lease it was written under, readers prefer the highest, and
 * a write is acknowledged only if {@link check} passes after it. An owner that slept through a takeover can so neither
 * overwrite a file of its heir nor acknowledge what the heir has not read.
 * Rejected: one lock file that is deleted and created again, where two processes that both saw the dead owner can delete each
 * other's lock; and a socket or SQLite lock, which network file systems do not keep.
 */
export class Lease implements HeldFence {
  /** Grows with each owner of the folder. */
  readonly number: number;
  readonly #folder: string;
  readonly #timer: NodeJS.Timeout;
  readonly #lost = new AbortController();
  #held = true;

  private constructor(folder: string, number: number) {
    this.#folder = folder;
    this.number = number;
    this.#timer = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  /**
   * Takes the lease, or returns its owner. Creates `folder` if it is missing. The number is above that of every fenced file
   * (`*.<n>.*`) in `folder` and in `alsoIn`, so that a folder that was restored without its locks keeps growing numbers.
   */
  static acquire(folder: string, alsoIn: readonly string[] = []): Lease | LeaseOwner {
    makeFolder(folder);
    for (;;) {
      const number = nextNumber(folder, alsoIn);
      const owner = Lease.ownerOf(folder);
      if (owner) return owner;
      if (!createWhole(fileName(folder, number), JSON.stringify(ownIdentity()), 0o600)) continue;
      if (highestLock(folder) !== number) {
        removeIfFreeSync(fileName(folder, number));
        continue;
      }
      removeLocksBelow(folder, number);
      return new Lease(folder, number);
    }
  }

  /** The owner of the lease at this moment. Takes nothing and writes nothing. */
  static ownerOf(folder: string): LeaseOwner | undefined {
    const highest = highestLock(folder);
    return highest === 0 ? undefined : livingOwner(fileName(folder, highest));
  }

  /** Frees at once a lease of this process whose thread died, which would otherwise last for a minute. */
  static releaseOwn(folder: string): void {
    const owner = Lease.ownerOf(folder);
    if (owner && isOwn(owner)) markReleased(fileName(folder, highestLock(folder)));
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Throws `LeaseLost` when another process took over or the folder was removed. Lists the folder: some 10 µs. */
  check(): void {
    if (this.#held && highestLock(this.#folder) === this.number) return;
    this.#stop();
    const error = leaseLost(this.#folder);
    if (!this.#lost.signal.aborted) this.#lost.abort(error);
    throw error;
  }

  /** Frees the folder. The file stays, marked, so that numbers only grow. */
  release(): void {
    if (!this.#held) return;
    this.#stop();
    try {
      markReleased(fileName(this.#folder, this.number));
    } catch (error) {
      unmarked.add(fileName(this.#folder, this.number));
      // Read-only by now, or deleted: nothing can be marked, and the lease ends with this process at the latest.
      if (!(explainWriteError(error, this.#folder) instanceof SextantError) && systemCode(error) !== 'ENOENT')
        throw error;
    }
  }

  #stop(): void {
    this.#held = false;
    clearInterval(this.#timer);
  }

  /** Renews the lock, and reports a takeover early; what is acknowledged does not depend on it. */
  #beat(): void {
    const now = new Date();
    try {
      this.check();
      utimesSync(fileName(this.#folder, this.number), now, now);
    } catch (error) {
      // Lost: `check` has reported it. Or the disk is read-only for now: the next beat may pass.
      if (!isExpected(error)) throw error;
    }
  }
}

/**
 * {@link Lease.acquire} for an owner that can also use a folder it cannot write to. Where the disk is full or read-only, the
 * first {@link Fence.check} that finds room acquires the lease. Until then an earlier owner that wakes up may still write, so
 * the lease is lost if any fenced file has changed by then: what this owner has read is old.
 */
export function acquireFence(folder: string, alsoIn: readonly string[] = []): HeldFence | LeaseOwner {
  try {
    return Lease.acquire(folder, alsoIn);
  } catch (error) {
    if (!isWriteError(explainWriteError(error, folder))) throw error;
    // Its fingerprint first: an owner that comes between the two changes it.
    const late = new LateLease(folder, alsoIn);
    return Lease.ownerOf(folder) ?? late;
  }
}

/** Whether `result` of an attempt to acquire is the lease, and not its present owner. */
export function isHeld<T extends HeldFence>(result: T | LeaseOwner): result is T {
  return 'check' in result;
}

class LateLease implements HeldFence {
  readonly number: number;
  readonly #folder: string;
  readonly #alsoIn: readonly string[];
  readonly #lost = new AbortController();
  /** The fenced files before anything was read. */
  readonly #before: string;
  #lease: Lease | undefined;

  constructor(folder: string, alsoIn: readonly string[]) {
    this.#folder = folder;
    this.#alsoIn = alsoIn;
    this.number = nextNumber(folder, alsoIn);
    this.#before = this.#fingerprint();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  check(): void {
    if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
    if (this.#lease) this.#lease.check();
    else this.#acquire();
  }

  release(): void {
    this.#lease?.release();
  }

  #acquire(): void {
    let lease: Lease | LeaseOwner;
    try {
      lease = Lease.acquire(this.#folder, this.#alsoIn);
    } catch (error) {
      throw explainWriteError(error, this.#folder);
    }
    // The lock of the new lease keeps an earlier owner from changing more.
    if (isHeld(lease) && lease.number === this.number && this.#fingerprint() === this.#before) {
      this.#lease = lease;
      lease.lost.addEventListener('abort', () => this.#lost.abort(lease.lost.reason));
      return;
    }
    const error = leaseLost(this.#folder);
    if (isHeld(lease)) lease.release();
    this.#lost.abort(error);
    throw error;
  }

  /** Names, sizes and times of all files that carry the number of a lease, except locks, which change without a write. */
  #fingerprint(): string {
    return [this.#folder, ...this.#alsoIn]
      .flatMap((folder) => namesIn(folder).map((name) => ({ name, path: join(folder, name) })))
      .filter(({ name }) => numberOf(name) > 0 && !name.endsWith('.lock'))
      .map(({ path }) => {
        const { size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
        return `${path} ${size} ${mtimeMs}`;
      })
      .sort()
      .join('\n');
  }
}

/** The error of a process whose lease is lost; names the process that has it now. */
function leaseLost(folder: string): SextantError {
  const owner = Lease.ownerOf(folder);
  const why = existsSync(folder)
    ? `${owner ? describeOwner(owner) : 'Another process'} took over ${folder}`
    : `${folder} was removed`;
  const advice = owner ? 'Stop it, and use that one.' : 'Stop it, and start again.';
  return new SextantError('LeaseLost', `${why}; this process no longer writes to it. ${advice}`);
}

/** `<stem>.<number>.<rest>`: the name of a file that belongs to one lease. */
export function fencedName(stem: string, number: number, rest: string): string {
  return `${stem}.${number}.${rest}`;
}

/** Whether a file is the lock of a lease, by its name. */
export function isLockName(name: string): boolean {
  return /^writer\.\d{1,15}\.lock$/.test(name);
}

/** The number of the newest lease of a folder, held or not; 0 where there was none. */
export function newestLease(folder: string): number {
  return highestLock(folder);
}

/** Whether the last owner of a folder has not given its lease back: it lives, or was killed. */
export function isLeaseLeft(folder: string): boolean {
  const highest = highestLock(folder);
  try {
    return highest > 0 && readText(fileName(folder, highest))?.startsWith(RELEASED) === false;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The lease numbers for which `folder` has a file `<stem>.<number>.<rest>`, highest first. */
export function fencedNumbers(folder: string, stem: string, rest: string): number[] {
  return namesIn(folder)
    .filter((name) => name.startsWith(`${stem}.`) && name.endsWith(`.${rest}`))
    .map((name) => name.slice(stem.length + 1, -rest.length - 1))
    .filter((number) => /^\d{1,15}$/.test(number))
    .map(Number)
    .sort((a, b) => b - a);
}

/**
 * Reads the newest of the fenced files that `list` finds, and lists them again while an owner replaces them: files that were
 * listed and have been deleted since have successors.
 */
export function readListed<T>(list: () => readonly number[], read: (numbers: readonly number[]) => T): T {
  for (let listed = list(); ;) {
    const result = read(listed);
    const again = list();
    if (again.join() === listed.join()) return result;
    listed = again;
  }
}

function fileName(folder: string, number: number): string {
  const [stem, rest] = LOCK;
  return join(folder, fencedName(stem, number, rest));
}

/** Above all locks and fenced files. Reads the files first: one that an owner writes meanwhile shows by its lock. */
function nextNumber(folder: string, alsoIn: readonly string[]): number {
  const fenced = [folder, ...alsoIn].map(highestFenced);
  return Math.max(highestLock(folder), ...fenced) + 1;
}

function highestLock(folder: string): number {
  return fencedNumbers(folder, ...LOCK)[0] ?? 0;
}

function highestFenced(folder: string): number {
  return namesIn(folder).reduce((highest, name) => Math.max(highest, numberOf(name)), 0);
}

/** The lease number in the name of a fenced file; 0 in other names. */
function numberOf(name: string): number {
  return Number(/^[a-z0-9-]+\.(\d{1,15})\.(?:\d+\.)?[a-z.]+$/.exec(name)?.[1] ?? 0);
}

function removeLocksBelow(folder: string, number: number): void {
  for (const old of fencedNumbers(folder, ...LOCK)) if (old < number) removeIfFreeSync(fileName(folder, old));
}

/** Writes over what is there: emptying the file first could leave it empty where the disk is full. */
function markReleased(file: string): void {
  const fd = openOwnSync(file, 'r+');
  try {
    ftruncateSync(fd, writeSync(fd, RELEASED, 0));
  } finally {
    closeSync(fd);
  }
}

/** Locks of leases that this process released while the disk was read-only: it does not wait for itself. */
const unmarked = new Set<string>();

function livingOwner(file: string): LeaseOwner | undefined {
  if (unmarked.has(file)) return undefined;
  let text: string | undefined;
  let silence: number;
  try {
    silence = Date.now() - statSync(file).mtimeMs;
    text = readText(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (text?.startsWith(RELEASED)) return undefined;
  const owner = text === undefined ? undefined : parseOwner(text);
  if (!owner) return Math.abs(silence) > UNREADABLE_MS ? undefined : UNKNOWN;
  const running = isRunning(owner);
  // A time in the future says nothing about a process that cannot be seen from here: a clock was set back.
  const isSilent = silence > SILENCE_MS || (running === undefined && silence < -SILENCE_MS);
  return running === false || isSilent ? undefined : owner;
}

/** `undefined` where the disk cannot give it back. */
function readText(file: string): string | undefined {
  try {
    return readRegularFileSync(file).toString();
  } catch (error) {
    if (systemCode(error) === 'EIO') return undefined;
    throw error;
  }
}

/** `undefined` for a lock that is not whole: zeroes after a power cut, for instance. */
function parseOwner(text: string): ProcessIdentity | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof ProcessIdentity, unknown>> | null;
    if (value === null || !Number.isInteger(value.pid) || typeof value.host !== 'string') return undefined;
    const of = (key: 'boot' | 'started' | 'namespace') => (typeof value[key] === 'string' ? { [key]: value[key] } : {});
    return { pid: value.pid as number, host: value.host, ...of('boot'), ...of('started'), ...of('namespace') };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function isOwn(owner: ProcessIdentity): boolean {
  const { pid, host, started } = ownIdentity();
  return owner.pid === pid && owner.host === host && owner.started === started;
}
