import { readdirSync } from 'node:fs';
import { systemCode } from './errors.ts';

/** Names of the entries of a folder; none where it is missing, or where a parent is a file. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return [];
    throw error;
  }
}
