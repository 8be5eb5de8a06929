import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describeError, systemCode } from '../base/errors.ts';
import type { ChangedPaths } from '../engine/query/filters.ts';
import type { QueryFilter, QueryProblem, QueryProblemCode } from '../engine/query/queryLanguage.ts';
import { gitEnvironment, gitExecutable } from './gitExecutable.ts';
import { repositoryAround, repositoryAt } from './gitRepository.ts';

/** Reason why the changes are unknown. */
interface UnknownChanges {
  readonly code: QueryProblemCode;
  readonly message: string;
}

type ChangedPathSet = ReadonlySet<string> | UnknownChanges;

interface IndexedFolder {
  readonly root: string;
  readonly reader: { paths(): Iterable<string> };
}

interface FolderChanges {
  /** `undefined` if they are unknown in each repository. */
  readonly paths?: ReadonlySet<string>;
  /** Given without paths, and if Git failed in one of the repositories. */
  readonly problem?: UnknownChanges;
}

export interface ChangedInFolders {
  /** Paths of each folder's `changed:` filters, by the folder's root. */
  readonly byRoot: ReadonlyMap<string, ChangedPaths>;
  /** Filters that no folder could resolve, which are left out, and failures of Git in single repositories. */
  readonly problems: readonly QueryProblem[];
}

/** Lifetime of an answer, since every typed key searches again. */
const FRESH_MS = 2_000;
/** Git waits for ever if one of its files is a named pipe. */
const GIT_TIMEOUT_MS = 30_000;
/** A folder may contain hundreds of repositories. */
const REPOSITORIES_AT_ONCE = 4;
const MAX_OUTPUT_BYTES = 256 * 2 ** 20;

/**
 * Lists the paths of a folder that changed since a revision, by Git's own command: commits since the merge base, uncommitted
 * changes, and untracked files. It runs without a shell, in the repository around the folder and in each below it: submodules
 * and repositories that the outer one does not track.
 */
export class ChangedFiles {
  readonly #timeoutMs: number;
  readonly #known = new Map<string, { readonly at: number; readonly changes: Promise<FolderChanges> }>();

  constructor(timeoutMs = GIT_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** `isTrusted`: Git runs commands that a repository configures, so it does not run in an untrusted one. */
  async resolve(
    folders: readonly IndexedFolder[],
    filters: readonly QueryFilter[],
    isTrusted: boolean,
  ): Promise<ChangedInFolders> {
    const byRoot = new Map(folders.map(({ root }) => [root, new Map<string, ReadonlySet<string>>()]));
    const problems: QueryProblem[] = [];
    for (const { field, pattern, start, end } of filters) {
      if (field !== 'changed') continue;
      const found: readonly FolderChanges[] = isTrusted
        ? await Promise.all(folders.map((folder) => this.#changes(folder, pattern)))
        : folders.map(() => ({ problem: NOT_TRUSTED }));
      const isUnknown = found.every(({ paths }) => paths === undefined);
      // Some folders may be in no repository, or not have the revision: they have no known changes.
      const problem = found.find((one) => one.problem && (isUnknown || one.problem.code === 'GitFailed'))?.problem;
      if (problem) problems.push({ ...problem, start, end });
      if (isUnknown) continue;
      for (const [i, { root }] of folders.entries()) byRoot.get(root)!.set(pattern, found[i]!.paths ?? new Set());
    }
    return { byRoot, problems };
  }

  #changes(folder: IndexedFolder, revision: string): Promise<FolderChanges> {
    const key = `${revision} ${folder.root}`;
    const known = this.#known.get(key);
    const now = performance.now();
    if (known && now - known.at < FRESH_MS) return known.changes;
    for (const [old, { at }] of this.#known) if (now - at >= FRESH_MS) this.#known.delete(old);
    const changes = changesSince(folder.root, folder.reader.paths(), revision, this.#timeoutMs);
    this.#known.set(key, { at: now, changes });
    return changes;
  }
}

const NOT_TRUSTED: UnknownChanges = {
  code: 'NotTrusted',
  message: 'The filter needs Git, which does not run in an untrusted folder. Trust the workspace first.',
};

/** Changes in a repository, or why they are unknown. */
interface RepositoryChanges {
  readonly changes: ChangedPathSet;
  /** The commit that the files are compared with. */
  readonly base?: string;
}

/** A repository whose files are below the one around it, which may have it as a submodule. */
interface AroundRepository {
  readonly folder: string;
  /** Path of the inner one in `folder`. */
  readonly path: string;
  readonly run: Promise<RepositoryChanges>;
}

/** Paths relative to `root`, with `/`, of the repository around it and of those below that have `indexed` files. */
async function changesSince(
  root: string,
  indexed: Iterable<string>,
  revision: string,
  timeout: number,
): Promise<FolderChanges> {
  const tops = [...(repositoryAround(root) ? [''] : []), ...repositoriesBelow(root, indexed)];
  if (tops.length === 0) {
    const message = `${root} is in no Git repository and contains none, so its changes are unknown.`;
    return { problem: { code: 'NoRepository', message } };
  }
  const git: RunGit = (folder, ...args) => runGit(root, folder, args, timeout);
  const runs = new Map<string, Promise<RepositoryChanges>>();
  const queue = tops.values();
  const work = async (): Promise<void> => {
    for (const top of queue) {
      // It is before this one in the queue.
      const outer = [...runs.keys()].findLast((other) => top.startsWith(prefixOf(other)));
      const around =
        outer === undefined
          ? undefined
          : { folder: join(root, outer), path: top.slice(prefixOf(outer).length), run: runs.get(outer)! };
      const run = changesOf(join(root, top), revision, git, around);
      runs.set(top, run);
      await run;
    }
  };
  await Promise.all(Array.from({ length: REPOSITORIES_AT_ONCE }, work));
  const all = new Set<string>();
  const unknown: UnknownChanges[] = [];
  for (const [top, run] of runs) {
    const { changes } = await run;
    if ('code' in changes) unknown.push(changes);
    else for (const path of changes) all.add(`${prefixOf(top)}${path}`);
  }
  // Other repositories may not have the revision.
  const problem = unknown.find(({ code }) => code === 'GitFailed');
  return unknown.length === runs.size
    ? { problem: problem ?? unknown[0]! }
    : { paths: all, ...(problem && { problem }) };
}

/** Top folders of the repositories below `root`, outer ones first. The index has the paths, so no folder is listed. */
function repositoriesBelow(root: string, indexed: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const path of indexed) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders].filter((folder) => repositoryAt(join(root, folder))).sort((a, b) => a.length - b.length);
}

function prefixOf(folder: string): string {
  return folder === '' ? '' : `${folder}/`;
}

type RunGit = (folder: string, ...args: string[]) => Promise<GitOutput>;

/** Changes of the repository around the folder `top`. */
async function changesOf(
  top: string,
  revision: string,
  git: RunGit,
  around: AroundRepository | undefined,
): Promise<RepositoryChanges> {
  try {
    const recorded = revision === '' ? undefined : await recordedCommit(git, around);
    const known = recorded === undefined ? undefined : await commitOf(top, recorded, git);
    const commit = known ?? (await commitOf(top, revision || 'HEAD', git));
    if (commit !== undefined) {
      const merged = await git(top, 'merge-base', commit, 'HEAD');
      const base = merged.exitCode === 0 ? merged.text.trim() : commit;
      const format = ['--name-only', '-z', '--no-renames', '--relative', '--no-ext-diff', '--ignore-submodules'];
      return { base, changes: paths(await git(top, 'diff', ...format, base, '--'), await git(top, ...UNTRACKED)) };
    }
    // Before the first commit all files are uncommitted.
    if (revision === '') return { changes: paths(await git(top, ...UNTRACKED, '--cached')) };
    const message = `There is no revision “${revision}” here. Name a branch, a tag or a commit, such as changed:main.`;
    return { changes: { code: 'UnknownRevision', message } };
  } catch (error) {
    const changes: UnknownChanges =
      systemCode(error) === 'ENOENT'
        ? { code: 'GitMissing', message: 'The filter needs Git, which is not installed or not on the PATH.' }
        : { code: 'GitFailed', message: `Git could not list the changes in ${top}: ${describeError(error)}` };
    return { changes };
  }
}

/** The commit of a submodule that the repository around it records where its changes begin. */
async function recordedCommit(git: RunGit, around: AroundRepository | undefined): Promise<string | undefined> {
  const base = (await around?.run)?.base;
  if (!around || base === undefined) return undefined;
  const recorded = `${base}:./${around.path}`;
  const { exitCode, text } = await git(around.folder, 'rev-parse', '--verify', '--quiet', recorded);
  return exitCode === 0 ? text.trim() : undefined;
}

/** `undefined` if the repository does not have the revision. */
async function commitOf(top: string, revision: string, git: RunGit): Promise<string | undefined> {
  const commit = await git(top, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
  if (commit.exitCode > 1) throw failed(commit);
  return commit.exitCode === 0 && /^[0-9a-f]{40,64}$/.test(commit.text.trim()) ? commit.text.trim() : undefined;
}

const UNTRACKED = ['ls-files', '-z', '--others', '--exclude-standard'];

function paths(...outputs: readonly GitOutput[]): ReadonlySet<string> {
  for (const output of outputs) if (output.exitCode !== 0) throw failed(output);
  return new Set(outputs.flatMap(({ text }) => text.split('\0')).filter((path) => path !== ''));
}

interface GitOutput {
  readonly exitCode: number;
  readonly text: string;
  readonly complaint: string;
}

function failed({ exitCode, complaint }: GitOutput): Error {
  const [line = ''] = complaint.trim().split('\n');
  return new Error(line === '' ? `it ended with ${exitCode}.` : line);
}

/** Runs Git without locks and file-system monitor. Rejects if Git cannot start or is killed. */
function runGit(root: string, folder: string, args: readonly string[], timeout: number): Promise<GitOutput> {
  const env = gitEnvironment();
  return new Promise((resolve, reject) => {
    execFile(
      gitExecutable(root, env),
      ['-C', folder, '-c', 'core.fsmonitor=false', ...args],
      { env: { ...env, GIT_OPTIONAL_LOCKS: '0' }, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true, timeout },
      (error, text, complaint) => {
        if (error?.killed === true && error.signal === 'SIGTERM') {
          reject(new Error(`Git did not end within ${timeout / 1000} s. Is one of its files, as .gitignore, a pipe?`));
        }
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- its type is an Error
        else if (error && typeof error.code !== 'number') reject(error);
        else resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, text, complaint });
      },
    );
  });
}
