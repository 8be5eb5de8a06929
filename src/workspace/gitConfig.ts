import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { gitExecutable } from './gitExecutable.ts';
import { isForeignShare, type GitRepository } from './gitRepository.ts';
import { readTextIfThere } from './guardedFile.ts';

/** One setting of a Git configuration: `core.excludesfile`, `remote.origin.url`; section and key in lower case. */
export interface GitSetting {
  readonly name: string;
  readonly value: string;
}

/** Places of a user's own Git configuration. */
export interface GitHome {
  /** The user's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Those of this user. Git for Windows, too, prefers `HOME` to the profile. */
export function ownGitHome(env: GitHome['env'] = process.env): GitHome {
  return { home: env.HOME === undefined || env.HOME === '' ? homedir() : env.HOME, env };
}

/** Includes may include others, but not for ever: Git has the same limit of depth, at which six in each file are sixty million. */
const MAX_DEPTH = 10;
const MAX_INCLUDED = 100;

/**
 * Reads Git's configuration for a repository, or the user's alone; a later file overrules an earlier one. It is read from
 * the files, because `git` in an untrusted folder may run commands that the folder configures. `include.path` is followed;
 * `includeIf` is not. `onFile` gets each file that counts, even a missing one.
 */
export function readGitConfig(
  repository: Pick<GitRepository, 'commonDir' | 'gitDir'> | undefined,
  { home, env }: GitHome,
  onFile: (file: string) => void,
): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let included = 0;
  const readFrom = (file: string, depth: number, gitDir?: string): void => {
    onFile(file);
    for (const { name, value } of parseGitConfig(readTextIfThere(file) ?? '')) {
      // It may be that of `core.excludesFile` or `include.path`.
      if (gitDir !== undefined && isForeignShare(value, gitDir)) continue;
      settings.set(name, value);
      if (name !== 'include.path' || depth >= MAX_DEPTH || included >= MAX_INCLUDED) continue;
      included++;
      const path = expandHome(value, home);
      readFrom(isAbsolute(path) ? path : join(dirname(file), path), depth + 1, gitDir);
    }
  };
  const system = env.GIT_CONFIG_SYSTEM === undefined ? systemFiles(env) : [env.GIT_CONFIG_SYSTEM];
  for (const file of isTrue(env.GIT_CONFIG_NOSYSTEM) ? [] : system) readFrom(file, 0);
  const own = [join(configHome({ home, env }), 'git', 'config'), join(home, '.gitconfig')];
  for (const file of env.GIT_CONFIG_GLOBAL === undefined ? own : [env.GIT_CONFIG_GLOBAL]) readFrom(file, 0);
  if (repository) readFrom(join(repository.commonDir, 'config'), 0, repository.commonDir);
  // `git sparse-checkout` writes there.
  if (repository && isTrue(settings.get('extensions.worktreeconfig')))
    readFrom(join(repository.gitDir, 'config.worktree'), 0, repository.gitDir);
  return settings;
}

/** The user's global ignore file; Git's default unless configured. */
export function globalExcludesFile(config: ReadonlyMap<string, string>, git: GitHome): string | undefined {
  const configured = config.get('core.excludesfile');
  if (configured === '') return undefined;
  return configured === undefined ? join(configHome(git), 'git', 'ignore') : expandHome(configured, git.home);
}

export function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(?:true|yes|on|[1-9]\d*)$/i.test(value);
}

/**
 * The configuration of the machine. Git for Windows has it beside its programs, which are in `cmd`, `bin` or `mingw64/bin`; its
 * first versions had one in `ProgramData`, too. Exported for its tests.
 */
export function systemFiles(env: GitHome['env'], platform = process.platform, find = gitFolder): string[] {
  if (platform !== 'win32') return ['/etc/gitconfig'];
  const data = env.PROGRAMDATA ?? env.ProgramData;
  const files = data === undefined ? [] : [join(data, 'Git', 'config')];
  const programs = find(env);
  if (programs === undefined) return files;
  const above = dirname(programs);
  const top = /^(?:mingw|clang|ucrt|usr)/i.test(basename(above)) ? dirname(above) : above;
  return [...files, join(top, 'etc', 'gitconfig')];
}

/** The folder of `git.exe`. */
function gitFolder(env: GitHome['env']): string | undefined {
  try {
    return dirname(gitExecutable(undefined, env));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

function configHome({ home, env }: GitHome): string {
  return env.XDG_CONFIG_HOME !== undefined && env.XDG_CONFIG_HOME !== '' ? env.XDG_CONFIG_HOME : join(home, '.config');
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

const HEADER = /^\s*\[\s*([-.\w]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;

/** The settings of a file in their order. Malformed lines are skipped; Git itself refuses such a file. */
export function parseGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    let rest = lines[at]!;
    while (isContinued(rest) && at + 1 < lines.length) rest += `\n${lines[++at]!}`;
    for (let header = HEADER.exec(rest); header; header = HEADER.exec(rest)) {
      const [all, name = '', sub] = header;
      section = name.toLowerCase() + (sub === undefined ? '' : `.${sub.replace(/\\(.)/g, '$1')}`);
      rest = rest.slice(all.length);
    }
    const setting = /^\s*([a-z][-a-z\d]*)\s*(?:=([^]*))?/i.exec(rest);
    if (!setting) continue;
    const [, key = '', value] = setting;
    settings.push({
      name: `${section}.${key.toLowerCase()}`,
      value: value === undefined ? 'true' : unquote(value),
    });
  }
  return settings;
}

/** Whether a line ends in a backslash that is not itself escaped, nor in a comment. */
function isContinued(line: string): boolean {
  let isQuoted = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i];
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === '#' || char === ';')) return false;
    else if (char === '\\' && ++i === line.length) return true;
  }
  return false;
}

/** A line break after a backslash continues the value. */
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\n': '' };

/** A value without quotes, escapes, a comment, and spaces at its ends. */
function unquote(text: string): string {
  let value = '';
  // Spaces count where something follows them.
  let spaces = '';
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (!isQuoted && (char === '#' || char === ';')) break;
    if (!isQuoted && /\s/.test(char)) {
      if (value !== '') spaces += char;
      continue;
    }
    value += spaces;
    spaces = '';
    if (char === '"') isQuoted = !isQuoted;
    else if (char === '\\') value += ESCAPES[text[++i] ?? ''] ?? text[i] ?? '';
    else value += char;
  }
  return value;
}
