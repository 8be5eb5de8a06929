import { existsSync, statSync } from 'node:fs';
import path, { dirname, join, resolve } from 'node:path';
import { readTextIfThere } from './guardedFile.ts';

/** A working tree, and the folder with the files that all working trees share: `config`, `info/exclude`. */
export interface GitRepository {
  /** The working tree's top folder. */
  readonly top: string;
  readonly commonDir: string;
  /** The folder with the files of this working tree alone: `config.worktree`. */
  readonly gitDir: string;
}

/**
 * The repository whose working tree has its top in `folder`. `.git` is a folder there; in a linked working tree and in a
 * submodule it is a file that names one.
 */
export function repositoryAt(folder: string): GitRepository | undefined {
  const dotGit = join(folder, '.git');
  if (!existsSync(dotGit)) return undefined;
  if (statSync(dotGit, { throwIfNoEntry: false })?.isDirectory())
    return { top: folder, commonDir: commonDirOf(dotGit), gitDir: dotGit };
  const named = /^gitdir: (.+?)\r?\n?$/.exec(readTextIfThere(dotGit) ?? '')?.[1];
  if (named === undefined || isForeignShare(named, folder)) return undefined;
  const gitDir = resolve(folder, named);
  return existsSync(gitDir) ? { top: folder, commonDir: commonDirOf(gitDir), gitDir } : undefined;
}

/** The repository whose working tree contains `folder`. */
export function repositoryAround(folder: string): GitRepository | undefined {
  const repository = repositoryAt(folder);
  if (repository) return repository;
  const above = dirname(folder);
  return above === folder ? undefined : repositoryAround(above);
}

function commonDirOf(gitDir: string): string {
  const named = readTextIfThere(join(gitDir, 'commondir'))?.trim();
  return named === undefined || named === '' || isForeignShare(named, gitDir) ? gitDir : resolve(gitDir, named);
}

/**
 * Whether a file of a repository names a path on another machine than the folder `here`. Windows would sign in there with the
 * user's name and a hash of the password, so an unpacked repository could collect them. `paths` is for tests.
 */
export function isForeignShare(named: string, here: string, paths: path.PlatformPath = path): boolean {
  const rootOf = (one: string): string => paths.parse(one).root.toLowerCase();
  const there = rootOf(paths.resolve(here, named));
  return there.startsWith('\\\\') && there !== rootOf(paths.resolve(here));
}
