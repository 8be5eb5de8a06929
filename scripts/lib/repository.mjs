// Rules for tracked files: no large files, no long sources, pages and settings in plain English, and commit subjects that fit
// one line of a log.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { avoidedWords, avoidedWordsOfPage } from './words.mjs';

/** Every clone downloads a large file, also after its removal. */
const MAX_TRACKED_BYTES = 300_000;
/** Files that may be larger, each with its reason. */
const LARGE_FILES = new Set([
  // npm writes it, with each package for each platform.
  'package-lock.json',
]);
/** Source files, without tests. */
const SOURCE = /^(?:src|webview)\/.+(?<!\.test)\.tsx?$/;
const MAX_SOURCE_LINES = 500;
/** Pages for people, without those that are generated from comments, which lint checks. */
const PAGE = /^(?:docs\/(?!api\/).+|[^/]+)\.md$/;
const MAX_SUBJECT = 72;
/** The rule for subjects holds for commits after this one. */
const BEFORE_THE_RULE = '3718bcf6b85311aa0854b34cc3786c32203b134e';

/** @typedef {{ problems: string[], notes: string[] }} Findings */

/**
 * Checks the files that Git tracks in a folder and the commits of its branch.
 * @param {string} folder
 * @param {{ large?: ReadonlySet<string>, since?: string }} [rules]
 * @returns {Findings}
 */
export function checkRepository(folder, { large = LARGE_FILES, since = BEFORE_THE_RULE } = {}) {
  if (!existsSync(join(folder, '.git')))
    return {
      problems: [],
      notes: ['This folder is no Git repository: neither tracked files nor commits are checked.'],
    };
  const commits = checkSubjects(folder, since);
  const names = git(folder, ['ls-files', '-z']).split('\0').filter(Boolean);
  return {
    problems: [
      ...checkSizes(folder, names, large),
      ...checkLines(folder, names),
      ...checkWords(folder, names),
      ...commits.problems,
    ],
    notes: commits.notes,
  };
}

/**
 * @param {string} folder
 * @param {readonly string[]} names
 * @param {ReadonlySet<string>} large
 */
function checkSizes(folder, names, large) {
  return names.flatMap((name) => {
    const size = lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    if (size <= MAX_TRACKED_BYTES || large.has(name)) return [];
    const limit = `${MAX_TRACKED_BYTES / 1000} kB`;
    return [`${name} has ${Math.ceil(size / 1000)} kB, more than ${limit}: make it smaller, or keep it out of Git.`];
  });
}

/**
 * @param {string} folder
 * @param {readonly string[]} names
 */
function checkLines(folder, names) {
  return names.flatMap((name) => {
    const file = join(folder, name);
    if (!SOURCE.test(name) || !existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').length - 1;
    return lines <= MAX_SOURCE_LINES ? [] : [`${name} has ${lines} lines, more than ${MAX_SOURCE_LINES}: divide it.`];
  });
}

/**
 * Checks the words of pages, of the manifest, and of the editor's texts in package.nls.json.
 * @param {string} folder
 * @param {readonly string[]} names
 * @returns {string[]} problems
 */
function checkWords(folder, names) {
  const problems = [];
  const read = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8');
  const present = names.filter((name) => existsSync(join(folder, name)));
  for (const name of present.filter((one) => PAGE.test(one))) {
    for (const { line, found, better } of avoidedWordsOfPage(read(name)))
      problems.push(`${name}:${line}: Instead of “${found}” write ${better}.`);
  }
  for (const name of present.filter((one) => one === 'package.json' || one === 'package.nls.json'))
    for (const text of textsOf(JSON.parse(read(name))))
      for (const { found, better } of avoidedWords(text))
        problems.push(`${name}: Instead of “${found}” write ${better}: ${text}`);
  return problems;
}

/**
 * @param {unknown} value
 * @returns {string[]} all strings in a JSON value
 */
function textsOf(value) {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/**
 * @param {string} folder
 * @param {string} since
 * @returns {Findings}
 */
function checkSubjects(folder, since) {
  const notes = [];
  let range = 'HEAD';
  if (hasCommit(folder, since)) range = `${since}..HEAD`;
  else if (git(folder, ['rev-parse', '--is-shallow-repository']).trim() === 'true')
    notes.push(`A shallow clone: of the commits since ${since.slice(0, 7)}, only those that are here are checked.`);
  else return { problems: [], notes: [`The history has no commit ${since.slice(0, 7)}: no subject is checked.`] };
  const log = git(folder, ['log', '--no-merges', '--format=%h%x00%s', range]);
  const problems = log
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const [id, subject = ''] = line.split('\0');
      if (subject.length > MAX_SUBJECT)
        return [`The subject of ${id} has ${subject.length} characters, more than ${MAX_SUBJECT}: ${subject}`];
      return subject.endsWith('.') ? [`The subject of ${id} ends with a full stop: ${subject}`] : [];
    });
  return { problems, notes };
}

/**
 * @param {string} folder
 * @param {string} id
 */
function hasCommit(folder, id) {
  try {
    git(folder, ['merge-base', '--is-ancestor', id, 'HEAD']);
    return true;
  } catch {
    // Git fails for a commit that is missing, and for one that is no ancestor.
    return false;
  }
}

/**
 * @param {string} folder
 * @param {string[]} args
 */
function git(folder, args) {
  return execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 << 20,
  });
}
