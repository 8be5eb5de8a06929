import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import picomatch from 'picomatch';
import { MARKER } from '../base/ownedFolder.ts';
import { globalExcludesFile, isTrue, ownGitHome, readGitConfig, type GitHome } from './gitConfig.ts';
import { repositoryAround, repositoryAt, type GitRepository } from './gitRepository.ts';
import { GuardedFolder, readRulesIfThere, readTextIfThere } from './guardedFile.ts';
import type { Skip } from './skip.ts';

/** Folders that hold a version control system's own files. */
const VCS_FOLDERS = new Set(['.git', '.hg', '.svn', '.jj', '.bzr', 'CVS']);
const OWN_FILE = '.sextantignore';
const RULE_FILES: readonly string[] = ['.gitignore', OWN_FILE, MARKER];

/** Whether a path is an ignore file or the mark of a Sextant folder, whose change may change which files belong to the index. */
export function isRuleFile(path: string): boolean {
  return RULE_FILES.includes(path.slice(path.lastIndexOf('/') + 1));
}

/** Glob patterns, relative to the folder, of paths to leave out. */
export interface Excluded {
  /** Patterns of Sextant's setting. */
  readonly exclude: readonly string[];
  /** Patterns of the editor, by setting. */
  readonly editorExclude?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Decides which paths of a folder are left out. Paths are relative to the folder, with `/`. In this order:
 *
 * 1. patterns of settings, over all other rules;
 * 2. `.sextantignore` files, in the folder, below it, and above it in its repository. They have the syntax of `.gitignore`,
 *    and overrule Git's rules: `!pattern` includes files that Git ignores. A pattern with a path, such as
 *    `!build/generated/`, opens the ignored folders on it; one without, such as `!*.pb.go`, holds in scanned folders only;
 * 3. Git's: the user's own excludes file, `info/exclude`, `.gitignore` files, a deeper one over a higher one.
 *
 * Git's rules count inside a repository only, as for Git itself: in an unpacked archive they are the rules of the packager's
 * repository, which may ignore everything. If the folder is part of a larger repository, the rules above it hold too,
 * unless they ignore the folder itself: a user who opens it wants it. A repository within another, a submodule, and a linked
 * working tree have their own rules only. Whether Git tracks an ignored file is not checked; and `?` stands for a character
 * where Git takes it for a byte.
 *
 * The caller scans down from the top and does not enter folders that are left out.
 */
export class IgnoreRules {
  /** Topmost folder with rules: the repository's top, if that is above the folder. */
  readonly #top: string;
  readonly #files: GuardedFolder;
  /** The folder's path from the top: '' or with a `/` at its end. */
  readonly #prefix: string;
  readonly #excluded: readonly { readonly mark: string; readonly matches: (path: string) => boolean }[];
  readonly #git: GitHome;
  /** Rules of each folder, by its path from the top. */
  readonly #rules = new Map<string, FolderRules>();
  /** Rule files that were read or missing, with their state then. */
  readonly #sources = new Map<string, string>();

  constructor(root: string, { exclude, editorExclude = {} }: Excluded, git: GitHome = ownGitHome()) {
    this.#git = git;
    const settings = [['sextant.index.exclude', exclude] as const, ...Object.entries(editorExclude)];
    this.#excluded = settings.flatMap(([setting, patterns]) =>
      patterns.map((pattern) => ({ mark: `${setting}: ${pattern}`, matches: picomatch(pattern, { dot: true }) })),
    );
    this.#top = repositoryAround(root)?.top ?? root;
    this.#files = new GuardedFolder(this.#top);
    for (let folder = root; ; folder = dirname(folder)) {
      this.#remember(join(folder, '.git'));
      if (folder === dirname(folder)) break;
    }
    this.#prefix = prefixOf(this.#top, root);
    if (this.#prefix !== '' && this.#isIgnoredItself()) {
      this.#rules.clear();
      this.#top = root;
      this.#files = new GuardedFolder(root);
      this.#prefix = '';
    }
  }

  check(path: string, isFolder: boolean): Skip | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1);
    // In a linked working tree, `.git` is a file.
    if (VCS_FOLDERS.has(name) && (isFolder || name === '.git'))
      return { reason: 'excluded', detail: 'version control' };
    // Each update would change an index in its own folder, and that of a server has what it received.
    if (isFolder && existsSync(join(this.#top, this.#prefix, path, MARKER)))
      return { reason: 'excluded', detail: 'Sextant' };
    const excluded = this.#excluded.find(({ matches }) => matches(path));
    if (excluded) return { reason: 'excluded', detail: excluded.mark };
    const full = this.#prefix + path;
    const above = this.#rulesIn(parentOf(full));
    const { ignored, rule, isOwn } = above.test(full, isFolder);
    if (!ignored || (isFolder && !isOwn && above.isOnWay(full))) return undefined;
    return { reason: 'ignored', detail: rule };
  }

  /** Like {@link check}, for a path outside of a scan: also checks the folders above it. */
  checkFromTop(path: string, isFolder: boolean): Skip | undefined {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const skip = this.check(path.slice(0, slash), true);
      if (skip) return skip;
    }
    return this.check(path, isFolder);
  }

  /** Whether a rule file has changed since it was read. The caller notices a new one in a folder. */
  isStale(): boolean {
    return [...this.#sources].some(([file, stamp]) => stampOf(file) !== stamp);
  }

  #isIgnoredItself(): boolean {
    const folder = this.#prefix.slice(0, -1);
    const ways = [...folder.matchAll(/\//g)].map(({ index }) => folder.slice(0, index));
    return [...ways, folder].some((way) => this.#rulesIn(parentOf(way)).test(way, true).ignored);
  }

  #rulesIn(folder: string): FolderRules {
    const known = this.#rules.get(folder);
    if (known) return known;
    const above = folder === '' ? undefined : this.#rulesIn(parentOf(folder));
    const repository = repositoryAt(join(this.#top, folder));
    const own = this.#linesOf(folder, OWN_FILE);
    let rules: FolderRules;
    if (repository) {
      const config = this.#configOf(repository);
      const lines = [
        ...config.lines.map((line) => line.movedTo(folder)),
        ...this.#linesOf(folder, '.git/info/exclude', join(repository.commonDir, 'info', 'exclude')),
        ...this.#linesOf(folder, '.gitignore'),
      ];
      rules = new FolderRules({ inRepository: true, ignoreCase: config.ignoreCase }, above, lines, own, true);
    } else if (!above) rules = new FolderRules({ inRepository: false, ignoreCase: !isLinux }, above, [], own);
    else {
      const ignored = above.test(folder, true);
      // It is on the path to an included file; the rest of it stays ignored, as for Git.
      const lines = ignored.ignored
        ? [new Line('', `!/${escapeGlob(folder)}`, ignored.rule), new Line(folder, '/*', ignored.rule)]
        : this.#linesOf(folder, above.repository.inRepository ? '.gitignore' : undefined);
      rules = lines.length + own.length === 0 ? above : new FolderRules(above.repository, above, lines, own);
    }
    this.#rules.set(folder, rules);
    return rules;
  }

  /** Rules and case of the user's and the repository's configuration. */
  #configOf(repository: GitRepository): { readonly lines: readonly Line[]; readonly ignoreCase: boolean } {
    const config = readGitConfig(repository, this.#git, (file) => this.#remember(file));
    const named = globalExcludesFile(config, this.#git);
    // Git runs in the top folder, where a relative path begins.
    const file = named === undefined ? undefined : resolve(repository.top, named);
    const ignoreCase = isTrue(config.get('core.ignorecase') ?? String(!isLinux));
    return { lines: file === undefined ? [] : this.#linesOf('', file, file), ignoreCase };
  }

  /** Rules of the file `name` in a folder, or of `file`, which counts as if it were there. */
  #linesOf(folder: string, name: string | undefined, file?: string): Line[] {
    if (name === undefined) return [];
    const source = file ?? join(this.#top, folder, name);
    const inTree = folder === '' ? name : `${folder}/${name}`;
    const text = file === undefined ? readRulesIfThere(this.#files, inTree) : readTextIfThere(file);
    // A scan notices a new rule file inside the folder; one above it is found by its state only.
    const isAbove = !`${folder}/`.startsWith(this.#prefix);
    if (text !== undefined || file !== undefined || isAbove) this.#remember(source);
    const shown = file === name ? name : inTree;
    const lines = text?.replace(/^\uFEFF/, '').split(/\r?\n/) ?? [];
    return lines
      .filter((line) => !line.startsWith('#') && !MATCHES_NOTHING.test(line) && line.length <= MAX_RULE)
      .map((line) => new Line(folder, line, `${shown}: ${line.trimEnd()}`));
  }

  #remember(file: string): void {
    this.#sources.set(file, stampOf(file));
  }
}

const MATCHES_NOTHING = /^!?\/*\s*$/;
/** Most characters of a line that counts: a path is no longer, and the library cannot compile much longer ones. */
const MAX_RULE = 4_096;

const isLinux = process.platform === 'linux';

interface RepositoryRules {
  readonly inRepository: boolean;
  readonly ignoreCase: boolean;
}

/**
 * Rules of one folder. All rules are one list, each rewritten to be relative to the top. Rejected: one list per file, checked
 * in turn. Whether a rule of a higher file applies to a path depends on whether a deeper one includes the folders between.
 */
class FolderRules {
  readonly repository: RepositoryRules;
  readonly #lines: readonly Line[];
  readonly #own: readonly Line[];
  readonly #rules: Ignore;
  readonly #isOnWay: (folder: string) => boolean;

  /** `isTop`: Git's rules of the folders above do not count here. */
  constructor(
    repository: RepositoryRules,
    above: FolderRules | undefined,
    lines: readonly Line[],
    own: readonly Line[],
    isTop = false,
  ) {
    this.repository = repository;
    this.#lines = above && !isTop ? [...above.#lines, ...lines] : lines;
    this.#own = above ? [...above.#own, ...own] : own;
    this.#rules = ignore({ ignorecase: repository.ignoreCase });
    this.#rules.add([...this.#lines, ...this.#own].map(({ pattern, mark }) => ({ pattern, mark })));
    const ways = own.flatMap((line) => line.ways());
    const isOnOwnWay = ways.length === 0 ? () => false : picomatch(ways, { dot: true, nobrace: true, noextglob: true });
    this.#isOnWay = above ? (folder) => isOnOwnWay(folder) || above.#isOnWay(folder) : isOnOwnWay;
  }

  /** `path` is from the top. */
  test(path: string, isFolder: boolean): RuleMatch {
    const { ignored, rule } = this.#rules.test(isFolder ? `${path}/` : path);
    const mark = rule?.mark ?? '';
    return { ignored, rule: mark, isOwn: ignored && this.#own.some((line) => line.mark === mark) };
  }

  /** Whether a `!pattern` names something below this folder. */
  isOnWay(folder: string): boolean {
    return this.#isOnWay(folder);
  }
}

interface RuleMatch {
  readonly ignored: boolean;
  /** The deciding rule, for a person: its file and its line. */
  readonly rule: string;
  /** Whether the rule is in a `.sextantignore` file. */
  readonly isOwn: boolean;
}

/** A rule of an ignore file in `folder`, rewritten for the top folder. */
class Line {
  readonly pattern: string;
  readonly mark: string;
  readonly #line: string;

  constructor(folder: string, line: string, mark: string) {
    this.#line = line;
    this.mark = mark;
    this.pattern = fromTop(folder, asGitReads(line));
  }

  movedTo(folder: string): Line {
    return new Line(folder, this.#line, this.mark);
  }

  /** Folders on the path of a `!pattern`, as globs from the top. */
  ways(): string[] {
    if (!this.#line.startsWith('!') || this.#line.startsWith('!**/') || !isAnchored(this.#line)) return [];
    const parts = this.pattern.replace(/^!\/?/, '').trimEnd().replace(/\/$/, '').split('/');
    const ways: string[] = [];
    for (let end = 1; end < parts.length; end++) ways.push(parts.slice(0, end).join('/'));
    return ways;
  }
}

/** A pattern with a slash that is not its last character is anchored to its folder; others match at any depth. */
function isAnchored(line: string): boolean {
  const pattern = line.replace(/^!/, '');
  return pattern.trimEnd().slice(0, -1).includes('/');
}

function fromTop(folder: string, line: string): string {
  if (folder === '') return line;
  const negation = line.startsWith('!') ? '!' : '';
  const pattern = line.slice(negation.length);
  return `${negation}/${escapeGlob(folder)}${isAnchored(line) ? '' : '/**'}${pattern.startsWith('/') ? '' : '/'}${pattern}`;
}

/**
 * The rule in the form that the library reads as Git does: an escaped slash is a slash, before which `**` stands for one folder
 * at least; and after a literal beginning `**` stands for any folders, too. Spaces at the end do not count.
 */
function asGitReads(line: string): string {
  return line
    .replace(/^([^*?[\\]*[^*?[\\/!])\*{2,}\\?\/(?! *$)/, '$1*/**/')
    .replace(/(?<=^!?|\/)\*{2,}\\\/(?! *$)/g, '*/**/')
    .replace(/(?<=[^\\!/])\\\/(?! *$)/g, '/');
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]!# ]/g, String.raw`\$&`);
}

/** State of a file for comparison; it misses a change within one tick of the clock. */
function stampOf(file: string): string {
  if (!existsSync(file)) return '';
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return '';
  // For a folder (`.git`) only its existence counts.
  return stats.isDirectory() ? 'folder' : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function prefixOf(top: string, root: string): string {
  const below = relative(top, root).split(sep).join('/');
  return below === '' ? '' : `${below}/`;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
