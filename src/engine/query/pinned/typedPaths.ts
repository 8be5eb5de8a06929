import { isStopword, splitToken } from '../../analyze/words.ts';
import type { SegmentScores } from '../collect.ts';
import { formOf } from '../fileForms.ts';
import { stemOf } from '../wordMatch.ts';
import { unlessAll, type Candidate, type IsAside, type Pinned, type PinRequest } from './pinned.ts';

interface Located extends Candidate {
  readonly path: string;
}

/** Number of files that a part of a path may name to precede all others. */
const MAX_PATHS = 20;
/** The same for a folder and a part of a file's name with a space between, which may be meant as words. */
const MAX_SPACED = 4;
/** What may be around a file's name in a sentence. */
const QUOTING = /[\s,;:?!()[\]{}<>"'`]+|(?<!\.)\.+(?=\s|$)/;
/** A file's name with an extension, or a hidden one's. */
const FILE_NAME = /^(?=.{3})[\w@+./-]*\.[a-z]\w*$/i;
/** Number of names of files in a text that are looked for, each in all paths. */
const MAX_FILE_NAMES = 8;
/** Number of folders that a test or the like counts as deeper. */
const ASIDE = 20;
/** Number of words that are compared with the paths of many files with a name. */
const MAX_COMPARED = 20;
/** Number of words beside the name of a file that precedes all others. */
const MAX_BESIDE = 2;
/** Names of pages and of files for builds in the outermost folder that are hardly meant as words, with or without extension. */
const PAGE_NAME =
  /^(?<stem>authors|change-?log|code_?of_?conduct|codeowners|contribut(?:ing|ors)|copying|dockerfile|gemfile|jenkinsfile|licen[cs]e|maintainers|makefile|procfile|rakefile|readme|roadmap|vagrantfile)(?<extension>\.[\w.-]+)?$/i;
/** What a question has before the name of a page: _which license_. */
const ASKING = /^(?:which|what|the)\s+/i;

/**
 * The documents whose path has a typed part of a path that begins a folder's or file's name, if these are few; those with the
 * least behind the part first. A folder and a part of a file's name may also have a space between them. Else the documents
 * whose file names, or ends of paths, are among the words.
 */
export function* findPaths({
  typed,
  all,
  isAside,
  hasFolder,
}: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const parts = findPathParts(typed, all, hasFolder);
  yield;
  if (parts.length > 0) return parts;
  const names = fileNamesIn(typed);
  const page = typed.replace(ASKING, '');
  if (names.files[0] === typed || PAGE_NAME.test(page)) return findFile(page, all, isAside);
  return names.others.length > MAX_BESIDE ? [] : findNamed(names, all, isAside);
}

/** Words of a text that may be names of files, and the others in lower case. */
interface TypedNames {
  readonly files: readonly string[];
  readonly others: readonly string[];
}

function fileNamesIn(typed: string): TypedNames {
  const content = typed.split(QUOTING).filter((word) => /\w/.test(word) && !isStopword(word.toLowerCase()));
  const files = new Set(content.filter((word) => FILE_NAME.test(word)));
  const others = content.filter((word) => !files.has(word)).map((word) => word.toLowerCase());
  return { files: [...files].slice(0, MAX_FILE_NAMES), others };
}

/**
 * The documents with the name of a file that is all of the query, those in outer folders first, and tests last; if there are none,
 * those whose names it begins, as `users.service`, but no tests. A page of the outermost folder is found in any case, and without extension.
 */
function findFile(name: string, all: readonly SegmentScores[], isAside: IsAside): Pinned[] {
  const { stem, extension } = PAGE_NAME.exec(name)?.groups ?? {};
  const isPageWanted = stem !== undefined;
  const pages = isPageWanted ? findPages(name, all) : [];
  const isNamed = (path: string): boolean => `/${path}`.endsWith(`/${name}`) && !(isPageWanted && isPage(path));
  const named = isPageWanted && extension === undefined ? [] : withPathPart(name, all, isNamed);
  const begins = (path: string): boolean => path.startsWith(`${name}.`, path.lastIndexOf('/') + 1);
  const begun = !isPageWanted && named.length === 0 ? withPathPart(name, all, begins) : [];
  const found = [...pages, ...named, ...begun.filter((one) => !isAside(one))];
  const worthOf = (one: Located): number => 1 / (1 + (one.path.split('/').length + (isAside(one) ? ASIDE : 0)) / 50);
  return found
    .map((one): Pinned => ({ ...one, worth: worthOf(one), feature: 'pathPart' }))
    .sort((a, b) => b.worth - a.worth)
    .slice(0, MAX_PATHS);
}

/** The pages with a name in any case, perhaps without extension. */
function findPages(name: string, all: readonly SegmentScores[]): Located[] {
  const wanted = name.toLowerCase();
  return all.flatMap((scores) =>
    located(scores, scores.reader.documentsLike(PAGE_NAME), (path) => {
      const lower = path.toLowerCase();
      return (lower === wanted || lower.startsWith(`${wanted}.`)) && isPage(path);
    }),
  );
}

/** Whether a path is that of a page or a file for builds in the outermost folder. */
function isPage(path: string): boolean {
  const form = path.includes('/') ? undefined : formOf(path);
  return form === 'prose' || form === 'history' || form === 'tooling';
}

/** The documents whose file names a longer question has. The name of a manifest or a page rather stands for all of them. */
export function findNamedCode({ typed, all, isAside }: PinRequest): Pinned[] {
  return findNamed(fileNamesIn(typed), all, isAside, (path) => formOf(path) === undefined);
}

/**
 * The documents with each file name of a text, tests only if there are no others. Of many, as `mod.rs`, only the one whose path has
 * most of the other words, or else that has them itself.
 */
function findNamed(
  { files, others }: TypedNames,
  all: readonly SegmentScores[],
  isAside: IsAside,
  accepts: (path: string) => boolean = () => true,
): Pinned[] {
  const words = others.slice(0, MAX_COMPARED);
  const found = files.flatMap((name) => {
    const named = withPathPart(name, all, (path) => `/${path}`.endsWith(`/${name}`) && accepts(path));
    const best = unlessAll(named, isAside);
    if (best.length <= MAX_SPACED) return best;
    const wordsIn = ({ path }: Located): number => {
      const folded = path.toLowerCase();
      return words.filter((word) => folded.includes(word)).length;
    };
    const fits = new Map(best.map((one) => [one, wordsIn(one)]));
    const byFit = (a: Located, b: Located): number =>
      fits.get(b)! - fits.get(a)! || b.scores.scoreOf(b.document) - a.scores.scoreOf(a.document);
    return best.sort(byFit).slice(0, 1);
  });
  return found.map((one) => ({ ...one, worth: 1, feature: 'pathPart' }));
}

/** The documents whose path has a part and is accepted. */
export function withPathPart(
  part: string,
  all: readonly SegmentScores[],
  accepts: (path: string) => boolean,
): Located[] {
  return all.flatMap((scores) => located(scores, scores.reader.documentsWithPathPart(Buffer.from(part)), accepts));
}

/** Those of some documents that may be results and whose path is accepted. */
function located(scores: SegmentScores, documents: readonly number[], accepts: (path: string) => boolean): Located[] {
  return documents
    .map((document) => ({ scores, document, path: scores.reader.pathOf(document) }))
    .filter(({ path, document }) => accepts(path) && scores.mayBeResult(document));
}

function findPathParts(typed: string, all: readonly SegmentScores[], hasFolder: PinRequest['hasFolder']): Pinned[] {
  const isPath = /[\\/]/.test(typed) && !/[\s:]/.test(typed);
  const isSpaced =
    /^[\w.-]+ [\w.-]{3,}$/.test(typed) &&
    splitToken(/^[\w.-]+/.exec(typed)![0]).every((folder) => hasFolder(stemOf(folder.toLowerCase())));
  if (typed.length < 3 || !(isPath || isSpaced)) return [];
  const part = typed.replaceAll(/[\\ ]/g, '/').replace(/^(?:\.{0,2}\/)+/, '');
  const most = isPath ? MAX_PATHS : MAX_SPACED;
  const bytes = Buffer.from(part);
  const pinned: Pinned[] = [];
  for (const scores of all) {
    for (const document of scores.reader.documentsWithPathPart(bytes)) {
      const path = scores.reader.pathOf(document);
      const at = `/${path}`.indexOf(`/${part}`);
      if (at < 0 || !scores.mayBeResult(document)) continue;
      const left = path.length - at - part.length;
      pinned.push({ scores, document, worth: 1 / (1 + left / 1_000), feature: 'pathPart' });
      if (pinned.length > most) return [];
    }
  }
  return pinned;
}
