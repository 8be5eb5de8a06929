import { execFile } from 'node:child_process';
import { describeError, systemCode } from '../base/errors.ts';
import type { ChangedPaths } from '../engine/query/filters.ts';
import type { QueryFilter, QueryProblem, QueryProblemCode } from '../engine/query/queryLanguage.ts';
import { gitExecutable } from './gitExecutable.ts';
import { repositoryAround } from './gitRepository.ts';

/** Reason why the changes are unknown. */
interface UnknownChanges {
  readonly code: QueryProblemCode;
  readonly message: string;
}

type ChangedPathSet = ReadonlySet<string> | UnknownChanges;

export interface ChangedInFolders {
  /** Paths of each folder's `changed:` filters, by the folder's root. */
  readonly byRoot: ReadonlyMap<string, ChangedPaths>;
  /** Filters that no folder could resolve; they are left out. */
  readonly problems: readonly QueryProblem[];
}

/** Lifetime of an answer, since every typed key searches again. */
const FRESH_MS = 2_000;
/** Git waits for ever if one of its files is a named pipe. */
const GIT_TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 256 * 2 ** 20;

/**
 * Lists the paths of a folder that changed since a revision, by Git's own command: commits since the merge base, uncommitted
 * changes, and untracked files. It runs without a shell.
 */
export class ChangedFiles {
  readonly #timeoutMs: number;
  readonly #known = new Map<string, { readonly at: number; readonly changes: Promise<ChangedPathSet> }>();

  constructor(timeoutMs = GIT_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** `isTrusted`: Git runs commands that a repository configures, so it does not run in an untrusted one. */
  async resolve(
    roots: readonly string[],
    filters: readonly QueryFilter[],
    isTrusted: boolean,
  ): Promise<ChangedInFolders> {
    const byRoot = new Map(roots.map((root) => [root, new Map<string, ReadonlySet<string>>()]));
    const problems: QueryProblem[] = [];
    for (const { field, pattern, start, end } of filters) {
      if (field !== 'changed') continue;
      const found = isTrusted
        ? await Promise.all(roots.map((root) => this.#changes(root, pattern)))
        : roots.map(() => NOT_TRUSTED);
      const unknown = found.find((changes) => 'code' in changes);
      // Some folders may be in no repository, or not have the revision: they have no known changes.
      if (unknown && found.every((changes) => 'code' in changes)) problems.push({ ...unknown, start, end });
      else {
        for (const [i, root] of roots.entries()) {
          const changes = found[i]!;
          byRoot.get(root)!.set(pattern, 'code' in changes ? new Set() : changes);
        }
      }
    }
    return { byRoot, problems };
  }

  #changes(root: string, revision: string): Promise<ChangedPathSet> {
    const key = `${revision} ${root}`;
    const known = this.#known.get(key);
    const now = performance.now();
    if (known && now - known.at < FRESH_MS) return known.changes;
    for (const [old, { at }] of this.#known) if (now - at >= FRESH_MS) this.#known.delete(old);
    const changes = changesSince(root, revision, this.#timeoutMs);
    this.#known.set(key, { at: now, changes });
    return changes;
  }
}

const NOT_TRUSTED: UnknownChanges = {
  code: 'NotTrusted',
  message: 'The filter needs Git, which does not run in an untrusted folder. Trust the workspace first.',
};

/** Paths relative to `root`, with `/`. */
async function changesSince(root: string, revision: string, timeout: number): Promise<ChangedPathSet> {
  if (!repositoryAround(root)) {
    return { code: 'NoRepository', message: `${root} is in no Git repository, so its changes are unknown.` };
  }
  const git = (...args: string[]): Promise<GitOutput> => runGit(root, args, timeout);
  try {
    const commit = await git('rev-parse', '--verify', '--quiet', `${revision || 'HEAD'}^{commit}`);
    if (commit.exitCode === 0 && /^[0-9a-f]{40,64}$/.test(commit.text.trim())) {
      const base = await git('merge-base', commit.text.trim(), 'HEAD');
      const since = base.exitCode === 0 ? base.text.trim() : commit.text.trim();
      const format = ['--name-only', '-z', '--no-renames', '--relative', '--no-ext-diff', '--ignore-submodules'];
      return paths(await git('diff', ...format, since, '--'), await git(...UNTRACKED));
    }
    if (commit.exitCode > 1) throw failed(commit);
    // Before the first commit all files are uncommitted.
    if (revision === '') return paths(await git(...UNTRACKED, '--cached'));
    return {
      code: 'UnknownRevision',
      message: `There is no revision "${revision}" here. Name a branch, a tag or a commit, such as changed:main.`,
    };
  } catch (error) {
    return systemCode(error) === 'ENOENT'
      ? { code: 'GitMissing', message: 'The filter needs Git, which is not installed or not on the PATH.' }
      : { code: 'GitFailed', message: `Git could not list the changes: ${describeError(error)}` };
  }
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
function runGit(root: string, args: readonly string[], timeout: number): Promise<GitOutput> {
  // A hook sets these for its own repository.
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env;
  return new Promise((resolve, reject) => {
    execFile(
      gitExecutable(root, env),
      ['-C', root, '-c', 'core.fsmonitor=false', ...args],
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
