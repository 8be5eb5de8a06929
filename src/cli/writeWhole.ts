import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cancelled, explainWriteError, SextantError, systemCode } from '../base/errors.ts';
import { moveSync, removeIfFreeSync } from '../base/removal.ts';
import type { Terminal } from './terminal.ts';

/** Where a command writes: the standard output without `output`, or where it is `-`. */
export interface OutputOptions {
  readonly output?: string | undefined;
  /** Whether a file of that name is replaced. */
  readonly force?: true | undefined;
}

/** Adds {@link OutputOptions}. */
export function withOutputOptions(command: Command, text = 'write to this file'): Command {
  return command.option('-o, --output <file>', text).option(...FORCE);
}

export const FORCE = ['--force', 'replace that file if it exists'] as const;

/** Whether `--output` names a file, and not the standard output. */
export function isFile(output: string | undefined): output is string {
  return output !== undefined && output !== '-';
}

/** Throws `FileExists`. Commands check it before their work, too, which may take minutes. */
export function requireNewOutput({ output, force }: OutputOptions, option = '--output'): void {
  if (isFile(output) && !force && existsSync(output)) throw fileExists(output, option);
}

/** The error for an output file that exists, and that `--force` does not allow to replace. */
function fileExists(file: string, option: string): SextantError {
  return new SextantError(
    'FileExists',
    `The file "${file}" exists already. Name another with ${option}, or replace it with --force.`,
  );
}

/**
 * Writes to the standard output, or to a file that only its owner may read and that is written as a whole or not at all. Throws
 * `Cancelled` on Ctrl-C.
 */
export async function writeWhole(
  bytes: Readable,
  options: OutputOptions,
  { stdout, signal }: Pick<Terminal, 'stdout'> & { readonly signal?: AbortSignal },
): Promise<void> {
  try {
    if (isFile(options.output)) await writeFile(bytes, options.output, options, signal);
    else await pipeline(bytes, stdout, { end: false, ...(signal && { signal }) });
  } catch (error) {
    throw signal?.aborted ? cancelled() : error;
  }
}

async function writeFile(
  bytes: Readable,
  output: string,
  { force }: OutputOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const temporary = `${output}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await pipeline(bytes, createWriteStream(temporary, { flags: 'wx', mode: 0o600 }), { ...(signal && { signal }) });
    requireNewOutput({ output, force });
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
