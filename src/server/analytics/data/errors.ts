import { SextantError } from '../../../base/errors.ts';

/** A line of a data file that cannot be loaded; nothing of the file is. `line` counts from 1. */
export function badLine(line: number, reason: string): SextantError {
  return new SextantError('BadData', `line ${line}: ${reason}; nothing was loaded`);
}
