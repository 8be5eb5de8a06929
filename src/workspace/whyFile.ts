import { existsSync, lstatSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { formatBytes } from '../base/format.ts';
import { describeError, systemCode } from '../base/errors.ts';
import { languageOf } from '../engine/analyze/languages.ts';
import { toUtf8 } from '../engine/analyze/text.ts';
import type { DocumentId } from '../engine/documentId.ts';
import { EngineReader } from '../engine/engine.ts';
import { FileReader } from './fileReader.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { repositoryAround } from './gitRepository.ts';
import { IgnoreRules } from './ignoreRules.ts';
import { readTextIfThere } from './guardedFile.ts';
import { observe } from './scan.ts';
import { SkipRules, type Skip } from './skip.ts';

/** A line of an ignore file. */
export interface IgnoreRule {
  /** Absolute. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly pattern: string;
}

/** Why a file can be found or not. Crosses threads. */
export type FileStatus =
  | {
      readonly kind: 'indexed';
      readonly language: string;
      readonly bytes: number;
      /** An ignore file that does not count, because the folder is in no Git repository. */
      readonly idleRules?: string;
    }
  /** It belongs to the index, which has not read it yet, or not as it is now. */
  | { readonly kind: 'waiting'; readonly change: 'new' | 'changed' }
  | {
      readonly kind: 'skipped';
      readonly skip: Skip;
      /** What is left out: the file, or a folder that it is in. Relative to the indexed folder, with `/`. */
      readonly path: string;
      readonly isFolder: boolean;
      readonly rule?: IgnoreRule;
      /** The exclude pattern that matches, and the setting that it is from. Others may have it as well. */
      readonly excluded?: { readonly setting: string; readonly pattern: string };
    }
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' }
  /** It is not in the indexed folder. */
  | { readonly kind: 'outside' };

/** A file that nothing leaves out, as it is now. */
export interface AdmittedFile {
  readonly kind: 'admitted';
  readonly id: DocumentId;
  readonly bytes: number;
  /** In UTF-8. */
  readonly text: Uint8Array;
}

/**
 * Judges one file as the next reconcile would: by the rules and the file itself, then by what the index has read.
 * `path` is relative to the folder, in the system's or in POSIX form; `now` is in milliseconds since 1970.
 */
export function explainFile(options: FolderOptions, path: string, now: number): FileStatus {
  const file = path.split(sep).join('/');
  const judged = admitFile(options, file, now);
  if (judged.kind !== 'admitted') return judged;
  const { id, bytes, text } = judged;
  const known = indexedAs(options.stateFolder, file);
  if (known !== id) return { kind: 'waiting', change: known === undefined ? 'new' : 'changed' };
  const idleRules = idleRulesFor(options.root, file);
  return {
    kind: 'indexed',
    language: languageOf(file, Buffer.from(text.subarray(0, 256)).toString()).id,
    bytes,
    ...(idleRules !== undefined && { idleRules }),
  };
}

/** Judges one file by the rules and the file itself, whether the index has it or not. `path` is relative, with `/`. */
export function admitFile(
  options: FolderOptions,
  path: string,
  now: number,
): Exclude<FileStatus, { readonly kind: 'indexed' | 'waiting' }> | AdmittedFile {
  const { root } = options;
  if (isAbsolute(path) || path === '..' || path.startsWith('../')) return { kind: 'outside' };
  if (path === '') return { kind: 'folder' };
  const rules = new IgnoreRules(root, options);
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    const folder = path.slice(0, slash);
    const skip = rules.check(folder, true) ?? (isLink(join(root, folder)) ? { reason: 'link' as const } : undefined);
    if (skip) return skipped(options, skip, folder, true);
  }
  const stats = statsOf(join(root, path));
  if (stats instanceof Error) return skipped(options, unreadable(stats), path, false);
  const isFolder = stats?.isDirectory() === true;
  const skip = rules.check(path, isFolder);
  if (!stats) return { kind: 'missing' };
  if (skip) return skipped(options, skip, path, isFolder);
  if (isFolder) return { kind: 'folder' };

  const skips = new SkipRules(options);
  const seen = observe(root, path, skips);
  if (!seen) return { kind: 'missing' };
  if ('reason' in seen) return skipped(options, seen, path, false);
  const { record, document } = new FileReader(root, skips).read(path, seen, now);
  if ('skip' in record) return skipped(options, record.skip, path, false);
  const text = document && toUtf8(document.content);
  if (!text) return skipped(options, { reason: 'binary' }, path, false);
  return { kind: 'admitted', id: record.id, bytes: record.size, text };
}

/** Asked of the index, as the catalog of who keeps it may not be saved yet. */
function indexedAs(stateFolder: string, path: string): DocumentId | undefined {
  const reader = new EngineReader(indexFolderOf(stateFolder));
  try {
    return reader.find(path);
  } finally {
    reader.close();
  }
}

/** What a verdict means, for a person. */
export interface Explanation {
  /** One sentence. */
  readonly headline: string;
  /** What it follows from, and what to do about it: a sentence or two each, in this order. */
  readonly details: readonly string[];
}

/** Says a verdict about `path` in words. */
export function explainVerdict(
  verdict: FileStatus,
  path: string,
  { root, maxFileBytes }: Pick<FolderOptions, 'root' | 'maxFileBytes'>,
): Explanation {
  switch (verdict.kind) {
    case 'indexed': {
      const { language, bytes, idleRules } = verdict;
      const details = idleRules
        ? [`${idleRules} does not count: the folder is in no Git repository. A .sextantignore counts everywhere.`]
        : [];
      return { headline: `${path} is indexed: ${language}, ${formatBytes(bytes)}.`, details };
    }
    case 'waiting':
      return {
        headline:
          verdict.change === 'new' ? `${path} is not indexed yet.` : `${path} changed since it was indexed last.`,
        details: ['Nothing leaves it out: it is read when the index is brought up to date.'],
      };
    case 'folder':
      return {
        headline: `${path} is a folder.`,
        details: ['Files are found, folders are not: ask about a file in it.'],
      };
    case 'missing':
      return { headline: `There is no file ${path}.`, details: ['Check its name, and in which folder it is.'] };
    case 'outside':
      return { headline: `${path} is not in ${root}.`, details: ['Only what is in an indexed folder can be found.'] };
    case 'skipped':
      return explainSkip(verdict, path, root, maxFileBytes);
  }
}

function explainSkip(
  { skip, path: at, isFolder, rule, excluded }: FileStatus & { readonly kind: 'skipped' },
  path: string,
  root: string,
  maxFileBytes: number,
): Explanation {
  const what = at === path ? 'it' : `its folder ${at}`;
  const notIndexed = (why: string): string => `${path} is not indexed: ${why}.`;
  switch (skip.reason) {
    case 'ignored': {
      const details = [rule ? `The rule is ${fromRoot(root, rule.file)}:${rule.line}: ${rule.pattern}` : skip.detail];
      if (rule) details.push(howToInclude(root, rule, at, isFolder));
      return { headline: notIndexed(`${what} is ignored`), details: details.filter((text) => text !== undefined) };
    }
    case 'excluded':
      if (!excluded) {
        const detail = 'Files of a version control system are never indexed.';
        return { headline: notIndexed(`${what} is excluded (${skip.detail ?? ''})`), details: [detail] };
      }
      return {
        headline: notIndexed(`${what} is excluded`),
        details: [
          `${excluded.setting} has the pattern ${excluded.pattern}`,
          'Take it out of the settings to have it indexed.',
        ],
      };
    case 'tooLarge':
      return {
        headline: notIndexed('it is too large'),
        details: [`It has ${skip.detail ?? 'too many bytes'}; files of up to ${maxFileBytes} bytes are indexed.`],
      };
    case 'secret':
      return {
        headline: notIndexed('it holds keys or passwords'),
        details: [
          `That is told ${skip.detail === 'by its name' ? 'by its name' : `by its content: ${skip.detail ?? ''}`}.`,
          'What is in the index may be shown by a search, so these never are.',
        ],
      };
    case 'generated':
      return {
        headline: notIndexed('a program wrote it'),
        details: [
          `That is told by ${skip.detail === 'by its name' ? 'its name' : `what it says: ${skip.detail ?? ''}`}.`,
        ],
      };
    case 'minified':
      return { headline: notIndexed('it is minified'), details: [`That is told by this: ${skip.detail ?? ''}.`] };
    case 'binary':
      return { headline: notIndexed('it is binary'), details: ['It is no text in an encoding that Sextant reads.'] };
    case 'link':
      return {
        headline: notIndexed(`${what} is a symbolic link`),
        details: ['Links are not followed. What they lead to is found where it is, if that is in an indexed folder.'],
      };
    case 'special':
      return { headline: notIndexed('it is no regular file'), details: ['Sockets, pipes and devices are not read.'] };
    case 'unreadable':
      return {
        headline: notIndexed('it cannot be read'),
        details: [
          skip.detail ?? '',
          'Allow it to be read; it is tried again each time the index is brought up to date.',
        ],
      };
  }
}

/** The folder of the rule is where a file overrules it: deeper ones count more, and ours is read after Git's. */
function howToInclude(root: string, rule: IgnoreRule, at: string, isFolder: boolean): string {
  const ruleFolder = rule.file.endsWith('/.git/info/exclude')
    ? dirname(dirname(dirname(rule.file)))
    : dirname(rule.file);
  const folder = fromRoot(root, ruleFolder).startsWith('..') ? root : ruleFolder;
  const ours = fromRoot(root, join(folder, '.sextantignore'));
  const target = `/${relative(folder, join(root, at)).split(sep).join('/')}${isFolder ? '/' : ''}`;
  return `To have it indexed all the same, add the line !${escapePattern(target)} to ${ours}.`;
}

/** A path as a pattern that matches nothing else. */
function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]]/g, String.raw`\$&`).replace(/ $/, String.raw`\ `);
}

function fromRoot(root: string, file: string): string {
  return relative(root, file).split(sep).join('/');
}

function skipped(
  options: FolderOptions,
  skip: Skip,
  path: string,
  isFolder: boolean,
): FileStatus & { readonly kind: 'skipped' } {
  const rule = skip.reason === 'ignored' ? ruleOf(options.root, skip) : undefined;
  const [, setting, pattern] = (skip.reason === 'excluded' ? /^([\w.]+): (.*)$/s.exec(skip.detail ?? '') : null) ?? [];
  return {
    kind: 'skipped',
    skip,
    path,
    isFolder,
    ...(rule && { rule }),
    ...(setting !== undefined && pattern !== undefined && { excluded: { setting, pattern } }),
  };
}

/** The rule that a skip names, and its line: of equal lines the last one decides, as in Git. */
function ruleOf(root: string, { detail = '' }: Skip): IgnoreRule | undefined {
  const [, name, pattern] = /^(.*?): (.*)$/s.exec(detail) ?? [];
  if (name === undefined || pattern === undefined) return undefined;
  const repository = repositoryAround(root);
  // Rules are named from the top of the repository, if that does not ignore the folder itself; a linked working tree has
  // the `.git` folder elsewhere.
  const files = isAbsolute(name)
    ? [name]
    : [
        ...(repository ? [join(repository.commonDir, name.replace(/^\.git\//, '')), join(repository.top, name)] : []),
        join(root, name),
      ];
  for (const file of files) {
    const line = (readTextIfThere(file)?.split(/\r?\n/) ?? []).findLastIndex((one) => one.trimEnd() === pattern) + 1;
    if (line > 0) return { file, line, pattern };
  }
  return undefined;
}

/** The nearest `.gitignore` above a file, where no repository makes it count. */
function idleRulesFor(root: string, path: string): string | undefined {
  if (repositoryAround(root)) return undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const file = folder === '.' ? '.gitignore' : `${folder}/.gitignore`;
    if (existsSync(join(root, folder, '.git'))) return undefined;
    if (existsSync(join(root, file))) return file;
    if (folder === '.') return undefined;
  }
}

function isLink(path: string): boolean {
  const stats = statsOf(path);
  return stats !== undefined && !(stats instanceof Error) && stats.isSymbolicLink();
}

/** `undefined` where there is nothing, an error where nobody may look. */
function statsOf(path: string): Stats | Error | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    if (error instanceof Error) return error;
    throw error;
  }
}

function unreadable(error: Error): Skip {
  return { reason: 'unreadable', detail: describeError(error) };
}

/** The setting that has a say in whether a file is left out for what it is. */
export function settingOf({ reason, detail }: Skip): string | undefined {
  const isByName = detail === 'by its name';
  switch (reason) {
    case 'tooLarge':
      return 'sextant.index.maxFileBytes';
    case 'secret':
      return isByName ? 'sextant.index.secretFiles' : undefined;
    case 'generated':
      return isByName ? 'sextant.index.generatedFiles' : 'sextant.index.skipGenerated';
    case 'minified':
      return 'sextant.index.skipMinified';
    case 'excluded':
    case 'ignored':
    case 'binary':
    case 'link':
    case 'special':
    case 'unreadable':
      return undefined;
  }
}
