import type { SegmentScores } from './collect.ts';
import type { SearchedFolder } from './hits.ts';
import { DOCUMENTS } from '../analyze/languages.ts';
import { familyOf } from './families.ts';
import { formOf } from './fileForms.ts';
import { localeOf } from './locales.ts';
import { foldName, nameSegments } from '../analyze/symbolNames.ts';
import { DefinitionCursor } from '../index/documents.ts';
import { isStopword, splitToken } from '../analyze/words.ts';
import { matchPaths, type PastedLocation } from './pastedLocation.ts';
import { compileLine, compilePart, compilePhrase, compileWords, Position, type Phrase } from './phrase.ts';
import { WORD } from '../analyze/numbers.ts';
import { DEFINED, keyFinder, parseKey } from './typedKeys.ts';
import { stemOf } from './wordMatch.ts';

export interface Candidate {
  readonly scores: SegmentScores;
  readonly document: number;
}

interface Located extends Candidate {
  readonly path: string;
}

/** Tells tests, examples and vendored code that the query does not request. */
export type IsAside = (candidate: Candidate) => boolean;

/** A document that comes before all others, and perhaps the line to show. */
export interface Pinned extends Candidate {
  readonly line?: number;
  /** Order among pinned documents, the highest first. */
  readonly worth: number;
  readonly feature: 'verbatim' | 'location' | 'pathPart' | 'namePart' | 'key' | 'locale' | 'manifest' | 'section';
}

/** Number of files that are read for this number of words and more; fewer words are in many files, and rarely pasted. */
const MAX_READ = [0, 6, 12, 24, 32];
/** The same for code and for what looks like a regular expression, of any number of words. */
const MAX_READ_CODE = 160;
/** Number of files that may have the words in their order. */
const MAX_VERBATIM = 4;
/** Number of files that a part of a path may name to precede all others. */
const MAX_PATHS = 20;
/** The same for a folder and a part of a file's name with a space between, which may be meant as words. */
const MAX_SPACED = 4;
/** Number of documents whose definitions are compared with a part of a name. */
const MAX_NAMED = 500;
/** The same for the bytes of their definitions: some files have thousands. */
const MAX_NAMED_BYTES = 1 << 19;
/** Letters in lower case, and digits; 0 for what separates them. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9]/.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});
/** Least number, and share, of the words of a message that identify it. */
const MIN_PART_WORDS = 4;
const MIN_PART = 0.75;
/** Largest number of words of a message that is searched for its parts. */
const MAX_PART_WORDS = 150;
/** Pages that quote a question do not answer it; a pasted sentence has this number of words. */
const MIN_PROSE_WORDS = 7;
/** Worth of a part of a text or name, of what a whole one is worth. */
const PART = 0.8;
/** Worth of a text in a test or a page, of what it is worth in the code that they repeat. */
const REPEATED = 0.7;
/** Worth of code as it is typed, of what its words are worth. */
const EXACT = 1.2;
/** Pattern of a word, or of a number with the sign that was typed. */
const SIGNED = new RegExp(String.raw`(?:(?<!\S)-(?=\d))?(?:${WORD.source})`, WORD.flags);
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
  /^(?<stem>authors|change-?log|code_?of_?conduct|codeowners|contribut(?:ing|ors)|copying|dockerfile|gemfile|jenkinsfile|licen[cs]e|maintainers|makefile|procfile|rakefile|readme|roadmap|vagrantfile)(?<extension>\.\w+)?$/i;
/** Number of paths that are read before other work may run. */
export const PATHS_PER_STEP = 1_000;

/** Whether a text has characters that code has and a question has not. */
export function isCode(text: string): boolean {
  return /[()[\]{};=<>]|->|::/.test(text);
}

/** The documents that have the typed text: see `findVerbatim`; else those whose names it has. */
export function* findTyped(...typed: Parameters<typeof findVerbatim>): ReturnType<typeof findVerbatim> {
  const verbatim = yield* findVerbatim(...typed);
  const [words, , all, , isAside] = typed;
  return verbatim.length > 0 ? verbatim : findNamedCode(words, all, isAside);
}

/**
 * The documents that have the words in their order, stop words included, if these are few: pasted lines and messages are
 * searched for themselves, in code before the tests that repeat them. Of a message of which nothing has all words, most of
 * them in a row are enough: the others may have been filled in. So they are in code of a message that only tests and pages
 * have in full. `likeRegex` matches instead of the words.
 */
function* findVerbatim(
  words: string,
  likeRegex: Phrase | undefined,
  all: readonly SegmentScores[],
  folders: readonly SearchedFolder[],
  isAside: IsAside,
): Generator<undefined, Pinned[], void> {
  const typed = [...words.matchAll(WORD)].map(([word]) => word);
  const count = all[0]?.words ?? 0;
  if (typed.length < 2 || count === 0) return [];
  const isShort = typed.length < MIN_PROSE_WORDS;
  const signed = [...words.matchAll(SIGNED)].map(([word]) => word);
  const searched = all.filter(({ folder }) => folders[folder]!.readText);
  const isPasted = likeRegex !== undefined || isCode(words);
  const having = candidatesIn(searched, count, (scores) => scores.documentsWithAll(), isPasted, isAside);
  const patterns = [
    ...(isPasted ? [{ pattern: compilePhrase(words.trim()), worth: EXACT }] : []),
    { pattern: likeRegex ?? compileWords(words), worth: 1 },
    ...(isShort && !likeRegex ? [{ pattern: compileLine(signed), worth: PART }] : []),
  ];
  const matches = yield* findMatches(patterns, having, folders, isAside);
  const found = matches.filter(
    ({ scores, document }) => !isShort || !DOCUMENTS.has(scores.reader.languageOf(document)),
  );
  const isMessage = typed.length > MIN_PART_WORDS && typed.length <= MAX_PART_WORDS && count >= MIN_PART_WORDS - 1;
  const weighed = found.map((one) => weigh(one, isAside));
  if (likeRegex || !isMessage || found.some((one) => !isRepeated(one, isAside))) return weighed;
  const havingMost = new Map<SegmentScores, Set<number>>();
  for (const scores of searched) {
    const documents = new Set<number>();
    for (let word = 0; word < count; word++) {
      yield;
      for (const document of scores.documentsWithAll('body', new Set([word]))) documents.add(document);
    }
    havingMost.set(scores, documents);
  }
  const least = Math.max(MIN_PART_WORDS, Math.ceil(MIN_PART * typed.length));
  const longestIn = compilePart(typed, least);
  const parts: { readonly length: number; readonly pinned: Pinned }[] = [];
  for (const candidate of candidatesIn(searched, count, (scores) => [...havingMost.get(scores)!], false, isAside)) {
    yield;
    if (found.length > 0 && isRepeated(candidate, isAside)) continue;
    const part = longestIn(textOf(candidate, folders) ?? '');
    if (!part) continue;
    const pinned = { ...candidate, line: part.line, worth: PART, feature: 'verbatim' } as const;
    parts.push({ length: Math.min(part.length, typed.length - 1), pinned });
  }
  const most = Math.max(...parts.map(({ length }) => length));
  const best = parts.filter(({ length }) => length === most).map(({ pinned }) => pinned);
  return [...weighed, ...fewOf(best, isAside).map((one) => weigh(one, isAside))];
}

/** Whether a document is a test, a page or the like, which repeats what code has. */
export function isRepeated(one: Candidate, isAside: IsAside): boolean {
  return isAside(one) || DOCUMENTS.has(one.scores.reader.languageOf(one.document));
}

/** The document with less worth if it repeats what code has. */
export function weigh(one: Pinned, isAside: IsAside): Pinned {
  return isRepeated(one, isAside) ? { ...one, worth: one.worth * REPEATED } : one;
}

/**
 * All documents if these are few, else those that are no tests and the like, if those are. Of many translations of a file, the
 * English or else the first counts.
 */
export function fewOf(pinned: readonly Pinned[], isAside: IsAside, most = MAX_VERBATIM): Pinned[] {
  if (pinned.length <= most) return [...pinned];
  const families = new Map<string, Pinned>();
  for (const one of pinned) {
    if (isAside(one)) continue;
    const path = one.scores.reader.pathOf(one.document);
    const family = `${one.scores.folder}:${familyOf(path, formOf(path), new Set())}`;
    if (!families.has(family) || /^en\b/i.test(localeOf(path) ?? '')) families.set(family, one);
  }
  return families.size > most ? [] : [...families.values()];
}

/** The documents to read, the most promising first; none where so few words are in many documents. */
function candidatesIn(
  all: readonly SegmentScores[],
  words: number,
  documentsOf: (scores: SegmentScores) => readonly number[],
  mayBeMany = false,
  isAside: IsAside = () => false,
): readonly Candidate[] {
  const candidates = all.flatMap((scores) => documentsOf(scores).map((document) => ({ scores, document })));
  const most = MAX_READ[words] ?? Infinity;
  // Too many, whatever part of the best is aside: then they need no order.
  if (!mayBeMany && candidates.length - MAX_READ_CODE > most) return [];
  const best = candidates
    .sort((a, b) => b.scores.scoreOf(b.document) - a.scores.scoreOf(a.document))
    .slice(0, MAX_READ_CODE);
  const aside = new Set(best.filter(isAside));
  if (!mayBeMany && candidates.length - aside.size > most) return [];
  const ordered = [...best.filter((one) => !aside.has(one)), ...aside];
  return mayBeMany ? ordered : ordered.slice(0, MAX_READ.at(-1));
}

export function textOf({ scores, document }: Candidate, folders: readonly SearchedFolder[]): string | undefined {
  const { reader, folder } = scores;
  return folders[folder]!.readText!(reader.pathOf(document), reader.documentIdOf(document));
}

/** Matches of the first pattern that is in few of the documents, and of the others as far as those are few, too. */
function* findMatches(
  patterns: readonly { readonly pattern: Pick<Phrase, 'firstIn'> | undefined; readonly worth: number }[],
  candidates: readonly Candidate[],
  folders: readonly SearchedFolder[],
  isAside: IsAside,
): Generator<undefined, Pinned[], void> {
  const found = patterns.map((): Pinned[] => []);
  for (const { scores, document } of candidates) {
    yield;
    const text = textOf({ scores, document }, folders);
    if (text === undefined) continue;
    for (const [i, { pattern, worth }] of patterns.entries()) {
      const match = pattern?.firstIn(text);
      if (!match) continue;
      found[i]!.push({ scores, document, line: match.line, worth, feature: 'verbatim' });
      break;
    }
    if (found[0]!.length > MAX_VERBATIM && fewOf(found[0]!, isAside).length === 0) return [];
  }
  const pinned: Pinned[] = [];
  for (const those of found) {
    const few = fewOf(those, isAside, MAX_VERBATIM - pinned.length);
    if (few.length === 0 && those.length > 0) break;
    pinned.push(...few);
  }
  return pinned;
}

/**
 * The documents with the option or the wanted key of a setting, if these are few: first those that define it. `words`
 * are those of the query, `isAside` tells tests and the like, which use it as pages do.
 */
export function* findKeys(
  typed: string,
  words: readonly string[],
  isName: boolean,
  all: readonly SegmentScores[],
  folders: readonly SearchedFolder[],
  isAside: IsAside,
): Generator<undefined, Pinned[], void> {
  const key = parseKey(typed, isName);
  if (!key) return [];
  const omitted = new Set(key.role === undefined ? [] : [words.indexOf(stemOf(key.role))]);
  const searched = all.filter(({ folder }) => folders[folder]!.readText);
  const skips = (one: Candidate): boolean => isRepeated(one, isAside);
  const number = MAX_READ.length;
  const folded = key.words.join('');
  const named = candidatesIn(searched, number, (scores) => scores.documentsWithName(folded), false, skips);
  const having = isName
    ? []
    : candidatesIn(searched, number, (scores) => scores.documentsWithAll('body', omitted), true, skips);
  const isNamed = (one: Candidate): boolean =>
    named.some(({ scores, document }) => scores === one.scores && document === one.document);
  const candidates = [...named, ...having.filter((one) => !isNamed(one))];
  const find = keyFinder(key);
  const pinned: Pinned[] = [];
  for (const candidate of candidates) {
    yield;
    if (skips(candidate)) continue;
    const text = textOf(candidate, folders) ?? '';
    const match = find(text);
    if (!match || (isName && match.worth < DEFINED)) continue;
    const { line } = new Position(text).at(match.offset);
    pinned.push({ ...candidate, line, worth: match.worth / DEFINED, feature: 'key' });
  }
  const most = Math.max(...pinned.map(({ worth }) => worth));
  const best = pinned.length > MAX_VERBATIM ? pinned.filter(({ worth }) => worth === most) : pinned;
  return best.length > MAX_VERBATIM ? [] : best;
}

/** The documents that define a name with the typed one within, if these are few; or else whose file has such a name. */
export function* findPartsOfNames(
  typed: string,
  folded: string,
  all: readonly SegmentScores[],
): Generator<undefined, readonly Pinned[], void> {
  const pinned: Pinned[] = [];
  const candidates = all.flatMap((scores) =>
    scores.documentsWithAll('definition').map((document) => ({ scores, document })),
  );
  const bytes = candidates.reduce((sum, { scores, document }) => sum + scores.reader.detailsLengthOf(document), 0);
  if (candidates.length > MAX_NAMED || bytes > MAX_NAMED_BYTES) return [];
  const mayHave = nameFilter(folded);
  for (const { scores, document } of candidates) {
    yield;
    let best: Pinned | undefined;
    const cursor = new DefinitionCursor(scores.reader.detailsOf(document));
    while (cursor.next()) {
      if (!mayHave(cursor.bytes, cursor.nameFrom, cursor.nameTo)) continue;
      const name = cursor.name();
      const whole = foldName(nameSegments(name).at(-1) ?? name);
      if (!whole.includes(folded)) continue;
      const worth = PART * (folded.length / whole.length);
      if (!best || worth > best.worth) best = { scores, document, line: cursor.line, worth, feature: 'namePart' };
    }
    if (best) pinned.push(best);
  }
  const found =
    pinned.length > 0
      ? pinned
      : withPathPart(typed, all, () => true).map((one): Pinned => ({
          ...one,
          worth: PART * (typed.length / one.path.length),
          feature: 'namePart',
        }));
  return found.length > MAX_PATHS ? [] : found;
}

/** Whether the letters and digits of a name have the folded one within, without a string for each name. Exact in ASCII. */
function nameFilter(folded: string): (bytes: Uint8Array, from: number, to: number) => boolean {
  const wanted = Buffer.from(folded);
  if (wanted.length > folded.length) return () => true;
  return (bytes, from, to) => {
    for (let start = from; start + wanted.length <= to; start++) {
      if (FOLDED[bytes[start]!] !== wanted[0]) continue;
      let found = 1;
      for (let at = start + 1; at < to && found < wanted.length; at++) {
        const byte = FOLDED[bytes[at]!]!;
        if (byte === wanted[found]) found++;
        else if (byte !== 0) break;
      }
      if (found === wanted.length) return true;
    }
    return false;
  };
}

/**
 * The documents whose path has a typed part of a path that begins a folder's or file's name, if these are few; those with the
 * least behind the part first. A folder and a part of a file's name may also have a space between them. Else the documents
 * whose file names, or ends of paths, are among the words.
 */
export function findPaths(
  typed: string,
  all: readonly SegmentScores[],
  isFolder: (name: string) => boolean,
  isAside: IsAside,
): Pinned[] {
  const parts = findPathParts(typed, all, isFolder);
  if (parts.length > 0) return parts;
  const { names, beside } = fileNamesIn(typed);
  if (names[0] === typed || PAGE_NAME.test(typed)) return findFile(typed, all, isAside);
  return beside.length > MAX_BESIDE ? [] : findNamed(typed, all, isAside);
}

/** The words of a text that may be names of files, and the others in lower case. */
function fileNamesIn(typed: string): { readonly names: readonly string[]; readonly beside: readonly string[] } {
  const content = typed.split(QUOTING).filter((word) => /\w/.test(word) && !isStopword(word.toLowerCase()));
  const names = new Set(content.filter((word) => FILE_NAME.test(word)));
  const beside = content.filter((word) => !names.has(word)).map((word) => word.toLowerCase());
  return { names: [...names].slice(0, MAX_FILE_NAMES), beside };
}

/**
 * The documents with the name of a file that is all of the query, those in outer folders first, and tests last; if there are none,
 * those whose names it begins, as `users.service`, but no tests. A page of the outermost folder is found in any case, and without extension.
 */
function findFile(name: string, all: readonly SegmentScores[], isAside: IsAside): Pinned[] {
  const { stem, extension = '' } = PAGE_NAME.exec(name)?.groups ?? {};
  const pages = stem === undefined ? [] : findPages(stem, extension, all);
  const isNamed = (path: string): boolean =>
    `/${path}`.endsWith(`/${name}`) && (stem === undefined || !isPage(path, name));
  const named = stem === undefined || extension !== '' ? withPathPart(name, all, isNamed) : [];
  const begins = (path: string): boolean => path.startsWith(`${name}.`, path.lastIndexOf('/') + 1);
  const begun = stem === undefined && named.length === 0 ? withPathPart(name, all, begins) : [];
  const found = [...pages, ...named, ...begun.filter((one) => !isAside(one))];
  const worthOf = (one: Located): number => 1 / (1 + (one.path.split('/').length + (isAside(one) ? ASIDE : 0)) / 50);
  return found
    .map((one): Pinned => ({ ...one, worth: worthOf(one), feature: 'pathPart' }))
    .sort((a, b) => b.worth - a.worth)
    .slice(0, MAX_PATHS);
}

function findPages(stem: string, extension: string, all: readonly SegmentScores[]): Located[] {
  const capitalized = stem.charAt(0).toUpperCase() + stem.slice(1).toLowerCase();
  const spellings = new Set([stem, stem.toLowerCase(), stem.toUpperCase(), capitalized].map((one) => one + extension));
  return [...spellings].flatMap((name) => withPathPart(name, all, (path) => isPage(path, name)));
}

/** The documents whose file names a longer question has. The name of a manifest or a page rather stands for all of them. */
function findNamedCode(typed: string, all: readonly SegmentScores[], isAside: IsAside): Pinned[] {
  return findNamed(typed, all, isAside, (path) => formOf(path) === undefined);
}

/**
 * The documents with each file name of a text, tests only if there are no others. Of many, as `mod.rs`, only the one whose path has
 * most of the other words, or else that has them itself.
 */
function findNamed(
  typed: string,
  all: readonly SegmentScores[],
  isAside: IsAside,
  accepts: (path: string) => boolean = () => true,
): Pinned[] {
  const { names, beside } = fileNamesIn(typed);
  const words = beside.slice(0, MAX_COMPARED);
  const found = names.flatMap((name) => {
    const named = withPathPart(name, all, (path) => `/${path}`.endsWith(`/${name}`) && accepts(path));
    const code = named.filter((one) => !isAside(one));
    const best = code.length > 0 ? code : named;
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

/** Whether a path is that of a page or a file for builds in the outermost folder, with this name and perhaps an extension. */
function isPage(path: string, name: string): boolean {
  const form = path === name || (path.startsWith(`${name}.`) && !path.includes('/')) ? formOf(path) : undefined;
  return form === 'prose' || form === 'history' || form === 'tooling';
}

/** The documents whose path has a part and is accepted. */
function withPathPart(part: string, all: readonly SegmentScores[], accepts: (path: string) => boolean): Located[] {
  return all.flatMap((scores) =>
    scores.reader
      .documentsWithPathPart(Buffer.from(part))
      .map((document) => ({ scores, document, path: scores.reader.pathOf(document) }))
      .filter(({ path, document }) => accepts(path) && scores.mayBeResult(document)),
  );
}

function findPathParts(typed: string, all: readonly SegmentScores[], isFolder: (name: string) => boolean): Pinned[] {
  const isPath = /[\\/]/.test(typed) && !/[\s:]/.test(typed);
  const isSpaced = /^[\w.-]+ [\w.-]{3,}$/.test(typed) && splitToken(/^[\w.-]+/.exec(typed)![0]).every(isFolder);
  if (typed.length < 3 || !(isPath || isSpaced)) return [];
  const part = typed.replaceAll(/[\\ ]/g, '/').replace(/^(?:\.{0,2}\/)+/, '');
  const most = isPath ? MAX_PATHS : MAX_SPACED;
  const bytes = Buffer.from(part);
  const pinned: Pinned[] = [];
  for (const scores of all) {
    for (const document of scores.reader.documentsWithPathPart(bytes)) {
      const path = scores.reader.pathOf(document);
      const at = path.startsWith(part) ? 0 : path.indexOf(`/${part}`) + 1;
      if (at === 0 && !path.startsWith(part)) continue;
      if (!scores.mayBeResult(document)) continue;
      const left = path.length - at - part.length;
      pinned.push({ scores, document, worth: 1 / (1 + left / 1_000), feature: 'pathPart' });
      if (pinned.length > most) return [];
    }
  }
  return pinned;
}

/** The documents that pasted locations name, the first location first. */
export function* findLocations(
  locations: readonly PastedLocation[],
  all: readonly SegmentScores[],
): Generator<undefined, Pinned[], void> {
  if (locations.length === 0) return [];
  const paths: string[] = [];
  const documents: Candidate[] = [];
  for (const scores of all) {
    for (let document = 0; document < scores.reader.documents; document++) {
      if (document % PATHS_PER_STEP === 0) yield;
      if (!scores.mayBeResult(document)) continue;
      paths.push(scores.reader.pathOf(document));
      documents.push({ scores, document });
    }
  }
  const pinned = new Map<number, Pinned>();
  for (const [i, match] of matchPaths(locations, paths).entries()) {
    if (!match || pinned.has(match.index)) continue;
    const { scores, document } = documents[match.index]!;
    const line = Math.min(locations[i]!.line, Math.max(1, scores.reader.linesOf(document)));
    pinned.set(match.index, { scores, document, line, worth: 2 + 1 / (i + 1), feature: 'location' });
  }
  return [...pinned.values()];
}
