import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readCheckedJson, writeCheckedJson } from './checkedJson.ts';
import { explainWriteError, systemCode } from './errors.ts';
import { fencedName, fencedNumbers, readListed, type Fence } from './lease.ts';
import { removeIfFreeSync, removeSync } from './removal.ts';

/** What {@link readFencedJson} found. */
export interface FencedValue {
  readonly value: unknown;
  /** The lease under which it was written; 0 of a version of Sextant whose files carried none. */
  readonly number: number;
}

export interface FencedRead {
  /** `undefined` where there is none, or none that is whole. */
  readonly found: FencedValue | undefined;
  /** Files that are damaged: names in the folder. If one of two copies is, nothing is lost. */
  readonly damaged: readonly string[];
  /** A newer value than {@link found} was there, and neither of its copies is whole. */
  readonly isLost: boolean;
}

const files = (stem: string, number: number): readonly [first: string, copy: string] =>
  number === 0
    ? [`${stem}.json`, `${stem}.json.copy`]
    : [fencedName(stem, number, 'json'), fencedName(stem, number, 'copy.json')];

/**
 * Reads the newest whole value of `stem` in `folder`: that of the highest lease, from its file or the copy of it.
 * Changes nothing.
 */
export function readFencedJson(folder: string, stem: string): FencedRead {
  const list = (): number[] => numbersOf(folder, stem);
  return readListed(list, (listed) => readNumbers(folder, stem, listed));
}

function readNumbers(folder: string, stem: string, listed: readonly number[]): FencedRead {
  const damaged: string[] = [];
  let isLost = false;
  for (const number of listed) {
    const names = files(stem, number);
    const reads = names.map((name) => readCheckedJson(join(folder, name)));
    damaged.push(...names.filter((_, i) => reads[i] === 'damaged'));
    const whole = reads.find((read) => typeof read === 'object');
    if (whole) return { found: { value: whole.value, number }, damaged, isLost };
    isLost ||= reads.includes('damaged');
  }
  return { found: undefined, damaged, isLost };
}

/**
 * A JSON value in a folder, kept twice in files that carry the number of the writer's lease:
 * `<stem>.<number>.json` and, written before it, `<stem>.<number>.copy.json`. A crash leaves the value before or after,
 * damage to one file loses nothing, and an owner that lost its lease cannot replace what its heir has written. A new owner
 * writes the value that it read, before it acknowledges anything: from then on files of lower numbers do not count.
 */
export class FencedJson {
  readonly #lease: Fence;
  readonly #folder: string;
  readonly #stem: string;
  readonly #mode: number | undefined;
  /** The last value that was written. */
  #value: { readonly value: unknown } | undefined;

  constructor(lease: Fence, folder: string, stem: string, mode?: number) {
    this.#lease = lease;
    this.#folder = folder;
    this.#stem = stem;
    this.#mode = mode;
  }

  read(): FencedRead {
    return readFencedJson(this.#folder, this.#stem);
  }

  /** On the disk when it returns. Throws `LeaseLost`, `DiskFull`, `ReadOnly`: then it may not be acknowledged. */
  write(value: unknown): void {
    const { number } = this.#lease;
    const [first, copy] = files(this.#stem, number);
    this.#lease.check();
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeCheckedJson(join(this.#folder, copy), value, this.#mode);
      writeCheckedJson(join(this.#folder, first), value, this.#mode);
      this.#lease.check();
    } catch (error) {
      // What was refused must not come back. An heir may have read it, and then it counts there.
      if (!this.#lease.lost.aborted) this.#undo();
      throw explainWriteError(error, this.#folder);
    }
    this.#value = { value };
    this.#removeOlder();
  }

  /** Back to the last value of this lease, or to those of earlier ones. */
  #undo(): void {
    const [first, copy] = files(this.#stem, this.#lease.number).map((name) => join(this.#folder, name));
    for (const file of [first!, copy!]) {
      if (this.#value && isDeepStrictEqual(readCheckedJson(file), this.#value)) continue;
      try {
        if (this.#value) writeCheckedJson(file, this.#value.value, this.#mode);
        else removeSync(file);
      } catch (error) {
        // The disk takes nothing, which the caller reports. A copy that is missing brings nothing back.
        if (systemCode(error) === undefined) throw error;
        if (file === copy) removeSync(copy);
      }
    }
  }

  /** Files of earlier owners, which this value stands above. */
  #removeOlder(): void {
    const older = numbersOf(this.#folder, this.#stem).filter((number) => number < this.#lease.number);
    for (const name of older.flatMap((number) => files(this.#stem, number))) removeIfFreeSync(join(this.#folder, name));
  }
}

/** Highest first; 0 is always among them. */
function numbersOf(folder: string, stem: string): number[] {
  const numbers = ['json', 'copy.json'].flatMap((rest) => fencedNumbers(folder, stem, rest));
  return [...new Set([...numbers, 0])].sort((a, b) => b - a);
}
