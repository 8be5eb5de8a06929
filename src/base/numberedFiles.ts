import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from './errors.ts';
import { readOwnSync, removeIfAbandonedSync, removeIfFreeSync } from './removal.ts';
import { createWhole } from './wholeFile.ts';

/** Number of files kept behind the newest: a number behind those was used, and is not created again. */
const KEPT = 32;
const ABANDONED_MS = 60_000;

/**
 * A state that processes share, as files with numbers for names. The newest counts, and exactly one process can create
 * the next, so that each change starts from the previous state. Rejected: a file under a lock, since a process killed
 * with the lock blocks all others until its death is known. Not synced: a power cut may leave an unreadable newest
 * file.
 */
export class NumberedFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The newest file; number 0 and no text if there is none. */
  newest(): { readonly number: number; readonly text: string | undefined } {
    for (;;) {
      const number = Math.max(0, ...this.#numbers());
      if (number === 0) return { number, text: undefined };
      const text = this.#read(number);
      if (text !== undefined) return { number, text };
    }
  }

  /** Adds a file; `false` if another process has added this number. */
  add(number: number, text: string): boolean {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (!createWhole(join(this.#folder, String(number)), text, 0o600)) return false;
    const numbers = this.#numbers();
    if (Math.max(...numbers) - number >= KEPT) {
      // The number was used, and its file removed while this process slept.
      this.#remove(String(number));
      return false;
    }
    for (const old of numbers) if (old <= number - KEPT) this.#remove(String(old));
    return true;
  }

  #numbers(): number[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
    for (const name of names) if (name.endsWith('.tmp')) removeIfAbandonedSync(join(this.#folder, name), ABANDONED_MS);
    return names.filter((name) => /^\d+$/.test(name)).map(Number);
  }

  /** Undefined if another process has just removed the file. */
  #read(number: number): string | undefined {
    try {
      return readOwnSync(join(this.#folder, String(number))).toString();
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #remove(name: string): void {
    removeIfFreeSync(join(this.#folder, name));
  }
}
