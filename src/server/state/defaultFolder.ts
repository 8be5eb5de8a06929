import { join } from 'node:path';
import envPaths from 'env-paths';

/** Where the server keeps its state unless it is told otherwise: one folder for the command and every window. */
export function serverStateFolder(named: string | undefined): string {
  return named ?? join(envPaths('sextant', { suffix: '' }).data, 'server');
}
