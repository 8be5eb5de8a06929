import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { systemCode } from '../base/errors.ts';

/**
 * Git's program. Windows looks for a bare name in the current folder before `PATH`, and so would start a `git.exe` that lies in
 * a repository. There it is looked up here: in absolute folders of `PATH`, none of them in the repository `root`. `git.cmd` and
 * `git.bat` need a shell, and are left out. Throws `ENOENT` as the system does where there is none.
 */
export function gitExecutable(
  root: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform = process.platform,
): string {
  if (platform !== 'win32') return 'git';
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  for (const entry of path.split(delimiter)) {
    const folder = entry.replace(/^"(.*)"$/, '$1');
    if (!isAbsolute(folder) || (root !== undefined && isInside(root, folder))) continue;
    const file = join(folder, 'git.exe');
    if (isProgram(file)) return file;
  }
  throw Object.assign(new Error('spawn git ENOENT'), { code: 'ENOENT' });
}

function isInside(root: string, folder: string): boolean {
  const way = relative(root, folder);
  return !isAbsolute(way) && way !== '..' && !/^\.\.[\\/]/.test(way);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
