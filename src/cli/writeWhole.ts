import { createWriteStream, renameSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Terminal } from './terminal.ts';

/** To the standard output, or to a file that only its owner may read and that is whole or what it was before. */
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
    renameSync(temporary, output);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
