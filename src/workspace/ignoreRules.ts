import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import picomatch from 'picomatch';
import { systemCode } from '../base/errors.ts';
import type { Skip } from './skip.ts';

/** Folders that hold a version control system's own files. */
const VCS_FOLDERS = new Set(['.git', '.hg', '.svn', '.jj', '.bzr', 'CVS']);
const IGNORE_FILES: readonly string[] = ['.gitignore', '.sextantignore'];

/** The names whose change may change which files belong to the index. */
export function isRuleFile(path: string): boolean {
  return IGNORE_FILES.includes(path.slice(path.lastIndexOf('/') + 1));
}

/**
 * Decides which paths of a folder are left out: by glob patterns of the settings, and by ignore files, where a deeper
 * file overrules a higher one as in Git. Paths are relative to the folder, with `/`.
 *
 * `.gitignore` counts inside a Git repository only, as for Git itself: in an unpacked archive it says what some packager's
 * repository left out, which may be everything. If the folder is part of a larger repository, the rules above it hold too.
 *
 * The caller walks down from the top and does not enter what is left out, which is how Git sees it: nothing inside an
 * ignored folder can be brought back from within it.
 */
export class IgnoreRules {
  /** Where rules begin: the repository's top, if that is above the folder. */
  readonly #top: string;
  /** The folder's path from the top: '' or with a `/` at its end. */
  readonly #prefix: string;
  readonly #isExcluded: (path: string) => boolean;
  /** What holds in a folder, by its path from the top. */
  readonly #rules = new Map<string, FolderRules>();

  constructor(root: string, exclude: readonly string[]) {
    this.#top = repositoryTop(root) ?? root;
    const below = relative(this.#top, root).split(sep).join('/');
    this.#prefix = below === '' ? '' : `${below}/`;
    this.#isExcluded = exclude.length === 0 ? () => false : picomatch([...exclude], { dot: true });
  }

  check(path: string, isFolder: boolean): Skip | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (isFolder && VCS_FOLDERS.has(name)) return { reason: 'excluded', detail: 'version control' };
    if (this.#isExcluded(path)) return { reason: 'excluded', detail: 'sextant.index.exclude' };
    const full = this.#prefix + path;
    const { ignored, rule } = this.#rulesIn(parentOf(full)).rules.test(isFolder ? `${full}/` : full);
    return ignored ? { reason: 'ignored', detail: rule?.mark ?? '' } : undefined;
  }

  /** Like {@link check}, for a path that was not reached by walking: looks at the folders above it as well. */
  checkFromTop(path: string, isFolder: boolean): Skip | undefined {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const skip = this.check(path.slice(0, slash), true);
      if (skip) return skip;
    }
    return this.check(path, isFolder);
  }

  /**
   * One list of rules per folder, each rewritten to be relative to the top, rather than a list per file asked in turn:
   * whether a rule of a higher file applies to a path depends on whether a deeper one has spared the folders between.
   */
  #rulesIn(folder: string): FolderRules {
    const known = this.#rules.get(folder);
    if (known) return known;
    const above = folder === '' ? undefined : this.#rulesIn(parentOf(folder));
    const at = (name: string): string => join(this.#top, folder, name);
    const isTopOfRepository = above?.inRepository !== true && existsSync(at('.git'));
    const inRepository = above?.inRepository === true || isTopOfRepository;
    const names = [
      ...(isTopOfRepository ? ['.git/info/exclude'] : []),
      ...(inRepository ? ['.gitignore'] : []),
      '.sextantignore',
    ];
    const lines: { readonly pattern: string; readonly mark: string }[] = [];
    for (const name of names) {
      const file = folder === '' ? name : `${folder}/${name}`;
      for (const line of readIfThere(at(name))?.split(/\r?\n/) ?? []) {
        lines.push({ pattern: fromTop(folder, line), mark: `${file}: ${line.trimEnd()}` });
      }
    }
    let rules = above?.rules;
    if (!rules || lines.length > 0) {
      rules = ignore({ ignorecase: process.platform !== 'linux' });
      if (above) rules.add(above.rules);
      rules.add(lines);
    }
    const result = { rules, inRepository };
    this.#rules.set(folder, result);
    return result;
  }
}

interface FolderRules {
  /** Those of the folders above, then its own. */
  readonly rules: Ignore;
  readonly inRepository: boolean;
}

/** The innermost folder around `folder`, itself included, that has a `.git`. */
export function repositoryTop(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : repositoryTop(above);
}

/** A line of an ignore file in `folder`, as it would read in the top folder's. */
function fromTop(folder: string, line: string): string {
  if (folder === '' || line.trim() === '' || line.startsWith('#')) return line;
  const negation = line.startsWith('!') ? '!' : '';
  const pattern = line.slice(negation.length);
  const base = `/${folder.replace(/[\\*?[\]!# ]/g, String.raw`\$&`)}`;
  // A pattern with a slash that is not its last character is anchored to its folder; others match at any depth.
  const isAnchored = pattern.trimEnd().slice(0, -1).includes('/');
  return `${negation}${base}${isAnchored ? '' : '/**'}${pattern.startsWith('/') ? '' : '/'}${pattern}`;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // A folder of that name, or one without the right to read it, gives no rules, as with Git.
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}
