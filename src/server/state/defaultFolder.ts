import { join, resolve } from 'node:path';
import envPaths from 'env-paths';

/** The absolute path of a server's folder of state. By default it is one for the command and every window. */
export function serverStateFolder(named: string | undefined): string {
  return named === undefined ? join(envPaths('sextant', { suffix: '' }).data, 'server') : resolve(named);
}
