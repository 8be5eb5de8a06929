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

/** Variables that name a repository or its parts, by `git rev-parse --local-env-vars`: a hook sets them for its own repository. */
const OF_ONE_REPOSITORY = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
];

/** The environment of a Git process that finds its repository by its folder alone. Configuration in variables stays. */
export function gitEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_ONE_REPOSITORY.includes(name)));
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
