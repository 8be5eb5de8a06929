import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { explainWriteError, SextantError, systemCode } from '../base/errors.ts';
import { moveSync, removeIfFreeSync } from '../base/removal.ts';
import type { Terminal } from './terminal.ts';

/** Writes to the standard output, or to a file that only its owner may read and that is replaced as a whole or not at all. */
export async function writeWhole(
  bytes: Readable,
  output: string | undefined,
  { stdout, signal }: Terminal,
): Promise<void> {
  if (output === undefined) {
    await pipeline(bytes, stdout, { signal, end: false });
    return;
  }
  const temporary = `${output}.tmp`;
  try {
    await pipeline(bytes, createWriteStream(temporary, { mode: 0o600 }), { signal });
    moveSync(temporary, output);
  } catch (error) {
    removeIfFreeSync(temporary);
    throw explainOutputError(error, output);
  }
}

/** Turns the system's error for an output file into one that says what to do. */
export function explainOutputError(error: unknown, file: string): unknown {
  const code = systemCode(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EISDIR') return explainWriteError(error, file);
  return new SextantError('NoOutput', `${file} cannot be written. Name a file in a folder that exists.`, {
    cause: error,
  });
}
