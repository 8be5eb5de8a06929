import { readFileSync } from 'node:fs';
import { systemCode } from '../base/errors.ts';

/** The text of a file that may be missing, a folder, or not for us to read: then it says nothing, as with Git. */
export function readTextIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}
