import { join } from 'node:path';
import envPaths from 'env-paths';

/** The server's default folder of state: one for the command and every window. */
export function serverStateFolder(named: string | undefined): string {
  return named ?? join(envPaths('sextant', { suffix: '' }).data, 'server');
}
