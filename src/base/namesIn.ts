import { readdirSync } from 'node:fs';
import { systemCode } from './errors.ts';

/** Names of the entries of a folder; none where it is missing. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
