import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { SextantError } from '../../base/errors.ts';

/** The absolute path of a server's folder of state. By default it is one for the command and every window. Throws `NoName` if it is empty. */
export function serverStateFolder(named: string | undefined): string {
  if (named === '')
    throw new SextantError(
      'NoName',
      "The name of the server's folder of state is empty. Name a folder, or leave the option out.",
    );
  return named === undefined ? join(envPaths('sextant', { suffix: '' }).data, 'server') : resolve(named);
}
