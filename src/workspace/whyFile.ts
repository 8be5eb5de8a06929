import { existsSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { formatBytes } from '../base/format.ts';
import { describeError, systemCode } from '../base/errors.ts';
import { languageOf } from '../engine/analyze/languages.ts';
import { decodeText } from '../engine/analyze/text.ts';
import type { DocumentId } from '../engine/documentId.ts';
import { EngineReader } from '../engine/engine.ts';
import { displayNameOf, FileDecoder } from './encodings.ts';
import { FileReader } from './fileReader.ts';
import { indexFolderOf, type FolderOptions } from './folderOptions.ts';
import { repositoryAround } from './gitRepository.ts';
import { IgnoreRules } from './ignoreRules.ts';
import { readTextIfThere } from './guardedFile.ts';
import { listedPath } from './listedPath.ts';
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

/** Whether a file can be found, and why not. Crosses threads. */
export type FileStatus =
  | {
      readonly kind: 'indexed';
      readonly language: string;
      readonly bytes: number;
      /** An ignore file without effect, because the folder is in no Git repository. */
      readonly idleRules?: string;
      /** The guessed encoding of a file that is not Unicode and has no setting. */
      readonly guessed?: string;
    }
  /** The file belongs to the index, which has not read its present content yet. */
  | { readonly kind: 'waiting'; readonly change: 'new' | 'changed' }
  | {
      readonly kind: 'skipped';
      readonly skip: Skip;
      /** The path that is left out: the file, or a folder around it. Relative to the indexed folder, with `/`. */
      readonly path: string;
      readonly isFolder: boolean;
      readonly rule?: IgnoreRule;
      /** The exclude pattern that matches, and its setting. Other settings may have it, too. */
      readonly excluded?: { readonly setting: string; readonly pattern: string };
    }
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' }
  /** The file is not in the indexed folder. */
  | { readonly kind: 'outside' };

/** A file that no rule leaves out, as it is now. */
export interface AdmittedFile {
  readonly kind: 'admitted';
  readonly id: DocumentId;
  readonly bytes: number;
  /** The text in UTF-8. */
  readonly text: Uint8Array;
  readonly guessed?: string;
}

/**
 * Explains one file as the next reconcile would treat it: by the rules and the file itself, then by the index. `path` is relative to the folder, in the system's or in POSIX form; `now` is in milliseconds since 1970.
 */
export function explainFile(options: FolderOptions, path: string, now: number): FileStatus {
  const given = path.split(sep).join('/');
  // Where a disk opens a file by other names, too, the index has the one that it lists.
  const file = listedPath(options.root, given) ?? given;
  const admitted = admitFile(options, file, now);
  if (admitted.kind !== 'admitted') return admitted;
  const { id, bytes, text, guessed } = admitted;
  const known = indexedAs(options.stateFolder, file);
  if (known !== id) return { kind: 'waiting', change: known === undefined ? 'new' : 'changed' };
  const idleRules = idleRulesFor(options.root, file);
  return {
    kind: 'indexed',
    language: languageOf(file, Buffer.from(text.subarray(0, 256)).toString()).id,
    bytes,
    ...(idleRules !== undefined && { idleRules }),
    ...(guessed !== undefined && { guessed }),
  };
}

/** Checks one file by the rules and its content, whatever the index has. `path` is relative, with `/`. */
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
    const link = isLink(join(root, folder)) ? { reason: 'link' as const } : undefined;
    const skip = rules.check(folder, true) ?? link ?? unlistable(join(root, folder));
    if (skip) return skipped(options, skip, folder, true);
  }
  const stats = statsOf(join(root, path));
  if (stats instanceof Error) return skipped(options, unreadable(stats), path, false);
  const isFolder = stats?.isDirectory() === true;
  const skip = rules.check(path, isFolder);
  if (!stats) return { kind: 'missing' };
  if (skip) return skipped(options, skip, path, isFolder);
  if (isFolder) {
    const problem = unlistable(join(root, path));
    return problem ? skipped(options, problem, path, true) : { kind: 'folder' };
  }

  const skips = new SkipRules(options);
  const seen = observe(root, path, skips);
  if (!seen) return { kind: 'missing' };
  if ('reason' in seen) return skipped(options, seen, path, false);
  const { record, document } = new FileReader(options, skips).read(path, seen, now);
  if ('skip' in record) return skipped(options, record.skip, path, false);
  const decoded = document && decodeText(document.content);
  if (!decoded) {
    const detail = new FileDecoder(options.encodings).whyNotText(path);
    return skipped(options, { reason: 'binary', detail }, path, false);
  }
  return { kind: 'admitted', id: record.id, bytes: record.size, ...decoded };
}

/** Reads the index itself, since its owner may not have saved the catalog yet. */
function indexedAs(stateFolder: string, path: string): DocumentId | undefined {
  const reader = new EngineReader(indexFolderOf(stateFolder));
  try {
    return reader.find(path);
  } finally {
    reader.close();
  }
}

const OTHER_ENCODING =
  'If it is text in another encoding, set files.encoding for its folder or language, in the editor or in .vscode/settings.json.';

/** A file's status in words, for a person. */
export interface Explanation {
  /** One sentence. */
  readonly headline: string;
  /** The cause and the remedy, in this order; one or two sentences each. */
  readonly details: readonly string[];
}

/** Describes the status of `path` in words. */
export function describeFileStatus(
  status: FileStatus,
  path: string,
  { root, maxFileBytes }: Pick<FolderOptions, 'root' | 'maxFileBytes'>,
): Explanation {
  switch (status.kind) {
    case 'indexed': {
      const { language, bytes, idleRules, guessed } = status;
      const details: string[] = [];
      if (idleRules)
        details.push(
          `${idleRules} does not count: the folder is in no Git repository. A .sextantignore counts everywhere.`,
        );
      if (guessed !== undefined)
        details.push(`It is read as ${displayNameOf(guessed)}, a guess, as it is not UTF-8. ${OTHER_ENCODING}`);
      return { headline: `${path} is indexed: ${language}, ${formatBytes(bytes)}.`, details };
    }
    case 'waiting':
      return {
        headline:
          status.change === 'new' ? `${path} is not indexed yet.` : `${path} changed since it was indexed last.`,
        details: ['No rule leaves it out. The next update of the index reads it.'],
      };
    case 'folder':
      return {
        headline: `${path} is a folder.`,
        details: ['Search finds files, not folders. Choose a file in it.'],
      };
    case 'missing':
      return { headline: `There is no file ${path}.`, details: ['Check its name and its folder.'] };
    case 'outside':
      return { headline: `${path} is not in ${root}.`, details: ['Search finds only files of an indexed folder.'] };
    case 'skipped':
      return explainSkip(status, path, root, maxFileBytes);
  }
}

function explainSkip(
  { skip, path: at, isFolder, rule, excluded }: FileStatus & { readonly kind: 'skipped' },
  path: string,
  root: string,
  maxFileBytes: number,
): Explanation {
  const subject = at === path ? 'it' : `its folder ${at}`;
  const notIndexed = (why: string): string => `${path} is not indexed: ${why}.`;
  switch (skip.reason) {
    case 'ignored': {
      const details = [rule ? `The rule is ${fromRoot(root, rule.file)}:${rule.line}: ${rule.pattern}` : skip.detail];
      if (rule) details.push(howToInclude(root, rule, at, isFolder));
      return { headline: notIndexed(`${subject} is ignored`), details: details.filter((text) => text !== undefined) };
    }
    case 'excluded':
      if (!excluded) {
        const by = skip.detail ?? '';
        return {
          headline: notIndexed(`${subject} is excluded (${by})`),
          details: [`Files of ${by} are never indexed.`],
        };
      }
      return {
        headline: notIndexed(`${subject} is excluded`),
        details: [
          `${excluded.setting} has the pattern ${excluded.pattern}`,
          'Remove it from the settings to index the file.',
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
          `Sextant recognises that ${skip.detail === 'by its name' ? 'by its name' : `by its content: ${skip.detail ?? ''}`}.`,
          'A search may show any indexed file, so files with secrets are never indexed.',
        ],
      };
    case 'generated':
      return {
        headline: notIndexed('a program wrote it'),
        details: [
          `Sextant recognises that by ${skip.detail === 'by its name' ? 'its name' : `its marker: ${skip.detail ?? ''}`}.`,
        ],
      };
    case 'minified':
      return {
        headline: notIndexed('it is minified'),
        details: [
          `Sextant recognises that ${skip.detail === 'by its name' ? 'by its name' : `by its lines: ${skip.detail ?? ''}`}.`,
        ],
      };
    case 'binary':
      return {
        headline: notIndexed(`it is ${skip.detail ?? 'not text'}`),
        details: [OTHER_ENCODING],
      };
    case 'link':
      return {
        headline: notIndexed(`${subject} is a symbolic link`),
        details: ['Links are not followed. Their targets are found if they are in an indexed folder.'],
      };
    case 'special':
      return {
        headline: notIndexed('it is not a regular file'),
        details: ['Sockets, pipes and devices are not read.'],
      };
    case 'unreadable':
      return {
        headline: notIndexed(`${subject} cannot be read`),
        details: [skip.detail ?? '', 'Allow Sextant to read it. Each update of the index tries again.'],
      };
  }
}

/** A `.sextantignore` in the rule's folder overrules it: deeper files count more, and Git's are read first. */
function howToInclude(root: string, rule: IgnoreRule, at: string, isFolder: boolean): string {
  const ruleFolder = rule.file.endsWith('/.git/info/exclude')
    ? dirname(dirname(dirname(rule.file)))
    : dirname(rule.file);
  const folder = fromRoot(root, ruleFolder).startsWith('..') ? root : ruleFolder;
  const ours = fromRoot(root, join(folder, '.sextantignore'));
  const target = `/${relative(folder, join(root, at)).split(sep).join('/')}${isFolder ? '/' : ''}`;
  return `To index it anyway, add the line !${escapePattern(target)} to ${ours}.`;
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

/** The rule that a skip names, and its line: the last of equal lines decides, as in Git. */
function ruleOf(root: string, { detail = '' }: Skip): IgnoreRule | undefined {
  const [, name, pattern] = /^(.*?): (.*)$/s.exec(detail) ?? [];
  if (name === undefined || pattern === undefined) return undefined;
  const repository = repositoryAround(root);
  // Rules are named from the repository's top, unless it ignores the folder itself. The `.git` folder of a linked working
  // tree is elsewhere.
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

/** The nearest `.gitignore` above a file outside of any repository. */
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

/** `undefined` for a missing path, an error for an unreadable one. */
function statsOf(path: string): Stats | Error | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    if (error instanceof Error) return error;
    throw error;
  }
}

/** Why the files in a folder are not found, although they may be readable by their names: the scan cannot list it. */
function unlistable(folder: string): Skip | undefined {
  try {
    readdirSync(folder);
    return undefined;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '') || !(error instanceof Error)) return undefined;
    return unreadable(error);
  }
}

function unreadable(error: Error): Skip {
  return { reason: 'unreadable', detail: describeError(error) };
}

/** The setting that may change whether such a file is left out. */
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
    case 'binary':
      return 'files.encoding';
    case 'excluded':
    case 'ignored':
    case 'link':
    case 'special':
    case 'unreadable':
      return undefined;
  }
}
