import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { changeAlone } from '../../base/changeAlone.ts';
import { describeError, explainWriteError, systemCode, type SextantError } from '../../base/errors.ts';
import { makeFolder } from '../../base/makeFolder.ts';

/** A list of the command that a person may edit; `undefined` without a file. Throws what `bad` makes of a problem. */
export function readListFile<T>(
  path: string,
  schema: z.ZodMiniType<T>,
  bad: (problem: string) => SextantError,
): T | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad(`${path} is no JSON: ${describeError(error)}. Correct it, or remove it and add them again.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path: at, message } = parsed.error.issues[0]!;
  throw bad(`${path}: ${at.join('.')}: ${message}. Correct it, or remove it and add them again.`);
}

/**
 * Writes what `change` makes of the list, for its owner alone, or nothing for `undefined`. `change` reads the list: other
 * processes wait until it is written, so no change of theirs is lost. Returns whether it was written.
 */
export async function changeListFile(
  path: string,
  change: () => object | undefined,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const folder = dirname(path);
  try {
    makeFolder(folder, 0o700);
    return await changeAlone(() => {
      const list = change();
      if (list) writeFileAtomicSync(path, `${JSON.stringify(list, null, 2)}\n`, 0o600);
      return list !== undefined;
    }, signal);
  } catch (error) {
    throw explainWriteError(error, folder);
  }
}
