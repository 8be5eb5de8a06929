import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';

/** `once`: one call fails, as with an I/O error that passes. `stays`: so does every later one, as on a full disk. */
export type Persistence = 'once' | 'stays';
export type FailureCode = 'ENOSPC' | 'EROFS';

type Call = (this: unknown, ...args: unknown[]) => unknown;
type Patched = Record<string, Call>;

/** Calls that need space or permission to write, and have the path as their first argument. */
const BY_PATH = ['writeFileSync', 'appendFileSync', 'mkdirSync', 'mkdtempSync', 'truncateSync', 'copyFileSync'];
/** Calls with two paths that create the second. */
const BY_TARGET = ['renameSync', 'linkSync', 'copyFileSync'];
const BY_DESCRIPTOR = ['writeSync', 'fsyncSync', 'ftruncateSync'];
const BY_HANDLE = ['write', 'writeFile', 'appendFile', 'truncate', 'sync', 'datasync'];

/**
 * A disk that fails at the n-th call that needs space: replaces the functions of `node:fs` in this process, for the files below
 * one folder. That is the boundary to the system, which a library that is loaded before (`LD_PRELOAD`) would move further down
 * on one system only.
 */
export class FailingDisk {
  readonly #folder: string;
  readonly #original: (() => void)[] = [];
  readonly #descriptors = new Map<number, boolean>();
  #left = Infinity;
  #code: FailureCode = 'ENOSPC';
  #persistence: Persistence = 'once';
  /** Above 0 inside a call that is counted already. */
  #depth = 0;
  #hits = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async below(folder: string): Promise<FailingDisk> {
    const disk = new FailingDisk(folder);
    await disk.#patch();
    return disk;
  }

  /** The n-th call from now on fails. */
  failAt(n: number, persistence: Persistence, code: FailureCode = 'ENOSPC'): void {
    this.#left = n;
    this.#persistence = persistence;
    this.#code = code;
    this.#hits = 0;
  }

  /** From now on nothing fails. Returns the number of calls that failed. */
  heal(): number {
    this.#left = Infinity;
    return this.#hits;
  }

  restore(): void {
    for (const undo of this.#original) undo();
    syncBuiltinESMExports();
  }

  async #patch(): Promise<void> {
    const sync = fs as unknown as Patched;
    for (const name of new Set([...BY_PATH, ...BY_TARGET]))
      this.#replace(
        sync,
        name,
        (args) => this.#isBelow(args[0]) || (BY_TARGET.includes(name) && this.#isBelow(args[1])),
      );
    for (const name of BY_DESCRIPTOR) this.#replace(sync, name, ([fd]) => this.#descriptors.get(fd as number) === true);
    this.#replace(
      sync,
      'openSync',
      ([path, flags]) => this.#isBelow(path) && creates(flags),
      (result, [path]) => void this.#descriptors.set(result as number, this.#isBelow(path)),
    );
    const handles = new WeakSet();
    this.#patchPromises(promises as unknown as Patched, handles);
    const handle = await promises.open(import.meta.filename, 'r');
    const prototype = Object.getPrototypeOf(handle) as Patched;
    await handle.close();
    for (const name of BY_HANDLE) this.#replace(prototype, name, (_args, self) => handles.has(self as object));
    syncBuiltinESMExports();
  }

  #patchPromises(target: Patched, handles: WeakSet<object>): void {
    for (const name of ['writeFile', 'appendFile', 'mkdir', 'rename'])
      this.#replace(target, name, (args) => this.#isBelow(args[0]));
    this.#replace(
      target,
      'open',
      ([path, flags]) => this.#isBelow(path) && creates(flags),
      (result, [path]) => {
        if (this.#isBelow(path))
          void (result as Promise<object>).then(
            (handle) => handles.add(handle),
            () => undefined,
          );
      },
    );
  }

  #replace(
    target: Patched,
    name: string,
    counts: (args: readonly unknown[], self: unknown) => boolean,
    then: (result: unknown, args: readonly unknown[]) => void = () => undefined,
  ): void {
    const original = target[name]!;
    // eslint-disable-next-line @typescript-eslint/no-this-alias
    const disk = this;
    target[name] = function (this: unknown, ...args: unknown[]): unknown {
      if (disk.#depth > 0 || !counts(args, this)) {
        const result = original.apply(this, args);
        then(result, args);
        return result;
      }
      // A truncation needs no space.
      if (disk.#code === 'ENOSPC' && /truncate/i.test(name)) return original.apply(this, args);
      const isPromise = target !== (fs as unknown);
      if (--disk.#left <= 0) {
        if (disk.#persistence === 'once') disk.#left = Infinity;
        disk.#hits++;
        const error = Object.assign(new Error(`${disk.#code}: injected, ${name}`), { code: disk.#code, syscall: name });
        const half = name === 'writeSync' || name === 'write' ? halfOf(args) : undefined;
        // A full disk accepts the first part of a write.
        if (half && disk.#code === 'ENOSPC') {
          const result = original.apply(this, half);
          if (isPromise) return (result as Promise<unknown>).then(() => Promise.reject(error));
        }
        if (isPromise) return Promise.reject(error);
        throw error;
      }
      if (isPromise) {
        const result = original.apply(this, args);
        then(result, args);
        return result;
      }
      disk.#depth++;
      try {
        const result = original.apply(this, args);
        then(result, args);
        return result;
      } finally {
        disk.#depth--;
      }
    };
    this.#original.push(() => (target[name] = original));
  }

  #isBelow(path: unknown): boolean {
    return typeof path === 'string' && (path === this.#folder || path.startsWith(this.#folder + sep));
  }
}

function creates(flags: unknown): boolean {
  return typeof flags === 'string'
    ? /[wa+]/.test(flags)
    : typeof flags === 'number' && (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
}

/** The arguments of a write of the first half. */
function halfOf(args: readonly unknown[]): unknown[] | undefined {
  const isHandle = typeof args[0] !== 'number';
  const [buffer, offset = 0, length, ...rest] = isHandle ? args : args.slice(1);
  if (!(buffer instanceof Uint8Array) || typeof offset !== 'number') return undefined;
  const whole = typeof length === 'number' ? length : buffer.length - offset;
  if (whole < 2) return undefined;
  const half = [buffer, offset, whole >> 1, ...rest];
  return isHandle ? half : [args[0], ...half];
}
