import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SextantError, systemCode } from '../../base/errors.ts';
import { moveSync } from '../../base/removal.ts';

const NAME = 'log.txt';
/** Some thousand lines; a larger file is renamed to `log.txt.old`. */
const LARGEST_BYTES = 256_000;

/**
 * Log of the command's work on an index, in the index's state folder: the lines that `sextant doctor` shows. Several processes
 * may append. A disk that cannot be written loses lines, and nothing else fails.
 */
export class LogFile {
  readonly #file: string;
  readonly #now: () => Date;

  constructor(stateFolder: string, now: () => Date) {
    this.#file = join(stateFolder, NAME);
    this.#now = now;
  }

  write(level: 'info' | 'warn' | 'error', message: string): void {
    const line = `${this.#now().toISOString()} ${level} ${message.replaceAll('\n', ' ')}\n`;
    try {
      if ((statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_BYTES) {
        this.#setAside();
      }
      appendFileSync(this.#file, line, { mode: 0o600 });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }

  /** A file that another process holds grows until the next line. */
  #setAside(): void {
    try {
      moveSync(this.#file, `${this.#file}.old`);
    } catch (error) {
      if (!(error instanceof SextantError)) throw error;
    }
  }

  /** The last lines, oldest first. */
  static read(stateFolder: string, limit: number): string[] {
    const file = join(stateFolder, NAME);
    const lines = [`${file}.old`, file].flatMap((one) => linesOf(one));
    return lines.slice(-limit);
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}
