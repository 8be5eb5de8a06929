import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolderSync, writeFileAtomicSync } from './atomicFile.ts';
import { SextantError, explainWriteError } from './errors.ts';

interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * JSON values that are appended to a file, each whole or not at all whenever the process is killed. A line is a checksum
 * and the value; a torn one at the end is cut off when the file is opened. Values that are appended while a write is under
 * way share the next one.
 */
export class RecordLog {
  readonly #file: string;
  readonly #handle: FileHandle;
  #length: number;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #broken: unknown;

  private constructor(file: string, handle: FileHandle, length: number) {
    this.#file = file;
    this.#handle = handle;
    this.#length = length;
  }

  /**
   * The log and what it holds. `onDamage` is told of lines that are damaged though whole ones follow: those are left out.
   * The file is made, readable by its owner only, where there is none.
   */
  static async open(
    file: string,
    onDamage: (line: number) => void,
  ): Promise<{ readonly log: RecordLog; readonly records: readonly unknown[] }> {
    const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    let length: number;
    let records: readonly unknown[];
    try {
      const bytes = readFileSync(fd);
      ({ records, length } = parse(bytes, onDamage));
      if (length < bytes.length) ftruncateSync(fd, length);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    syncFolderSync(dirname(file));
    return { log: new RecordLog(file, await open(file, 'r+'), length), records };
  }

  /** What a log holds, for somebody who does not own it: nothing is changed. Throws where there is no such file. */
  static read(file: string, onDamage: (line: number) => void): readonly unknown[] {
    return parse(readFileSync(file), onDamage).records;
  }

  /** Resolves when the value is on the disk. Values are written in the order of the calls. */
  append(value: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: lineOf(value), resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#handle.close();
  }

  /** Replaces all that is in the file of a log that is closed. */
  static replace(file: string, values: readonly unknown[]): void {
    writeFileAtomicSync(file, values.map(lineOf).join(''), 0o600);
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        await this.#append(Buffer.from(batch.map(({ line }) => line).join('')));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(explainWriteError(error, dirname(this.#file)));
      }
    }
    this.#writing = undefined;
  }

  async #append(bytes: Buffer): Promise<void> {
    if (this.#broken !== undefined)
      throw new SextantError('LogBroken', `${this.#file} can no longer be written to. Start again.`, {
        cause: this.#broken,
      });
    try {
      for (let at = 0; at < bytes.length;)
        at += (await this.#handle.write(bytes, at, bytes.length - at, this.#length + at)).bytesWritten;
      await this.#handle.datasync();
      this.#length += bytes.length;
    } catch (error) {
      await this.#undo();
      throw error;
    }
  }

  /** What was refused must not come back at the next start. */
  async #undo(): Promise<void> {
    try {
      await this.#handle.truncate(this.#length);
      await this.#handle.datasync();
    } catch (error) {
      this.#broken = error;
    }
  }
}

function lineOf(value: unknown): string {
  const body = JSON.stringify(value);
  return `${checksum(body)} ${body}\n`;
}

function checksum(body: string | Uint8Array): string {
  return crc32(body).toString(16).padStart(8, '0');
}

function parse(
  bytes: Buffer,
  onDamage: (line: number) => void,
): { readonly records: unknown[]; readonly length: number } {
  const records: unknown[] = [];
  const damaged: number[] = [];
  let length = 0;
  for (let from = 0, line = 1; from < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, from);
    if (end < 0) break;
    const body = bytes.subarray(from + 9, end);
    if (bytes.toString('latin1', from, from + 9) === `${checksum(body)} `) {
      records.push(JSON.parse(body.toString()));
      for (const one of damaged.splice(0)) onDamage(one);
      length = end + 1;
    } else {
      damaged.push(line);
    }
    from = end + 1;
  }
  return { records, length };
}
