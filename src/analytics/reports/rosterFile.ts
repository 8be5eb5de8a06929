import { readFile } from 'node:fs/promises';
import { SextantError } from '../../base/errors.ts';
import type { Identity } from '../identity.ts';
import { readRoster } from '../insights/presence.ts';

/** Reads the accounts of a roster: a CSV file of seats. Throws `RosterUnreadable`. */
export async function readRosterFile(file: string): Promise<Identity[]> {
  const { default: papa } = await import('papaparse');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new SextantError('RosterUnreadable', `The roster ${file} cannot be read. Check its path.`, { cause: error });
  }
  const rows = papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' }).data;
  const roster = readRoster(rows);
  if (roster) return roster;
  throw new SextantError(
    'RosterUnreadable',
    `The roster ${file} names no accounts. Its first row needs a column user_email, email, login or account.`,
  );
}
