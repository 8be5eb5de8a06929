import type { SegmentScores } from './collect.ts';
import type { SearchedFolder } from './hits.ts';
import { matchPaths, type PastedLocation } from './pastedLocation.ts';
import { compileWords } from './phrase.ts';

/** A document that comes before all others, and perhaps the line to show. */
export interface Pinned {
  readonly scores: SegmentScores;
  readonly document: number;
  readonly line?: number;
  /** Order among pinned documents, the highest first. */
  readonly worth: number;
  readonly feature: 'verbatim' | 'location' | 'path';
}

/**
 * The query's words in their order are searched in the first number of files; the files precede all others, if the second
 * number of files has them at the most.
 */
const MAX_READ = 32;
const MAX_VERBATIM = 4;
/** Number of files that a part of a path may name to precede all others. */
const MAX_PATHS = 20;
/** Number of paths that are read before other work may run. */
const PATHS_PER_STEP = 1_000;

/**
 * The documents that have the words in their order, stop words included, if these are few: pasted lines and messages are
 * searched for themselves.
 */
export function* findVerbatim(
  words: string,
  all: readonly SegmentScores[],
  folders: readonly SearchedFolder[],
): Generator<undefined, Pinned[], void> {
  const pinned: Pinned[] = [];
  const pattern = compileWords(words);
  if (!pattern) return pinned;
  const having = all
    .filter(({ folder }) => folders[folder]!.readText)
    .flatMap((scores) => scores.documentsWithAll().map((document) => ({ scores, document })))
    .sort((a, b) => b.scores.scoreOf(b.document) - a.scores.scoreOf(a.document));
  for (const { scores, document } of having.slice(0, MAX_READ)) {
    yield;
    const { reader, folder } = scores;
    const text = folders[folder]!.readText!(reader.pathOf(document), reader.documentIdOf(document));
    const match = text === undefined ? undefined : pattern.firstIn(text);
    if (match) pinned.push({ scores, document, line: match.line, worth: 1, feature: 'verbatim' });
    if (pinned.length > MAX_VERBATIM) return [];
  }
  return pinned;
}

/**
 * The documents whose path has a typed part of a path that begins a folder's or file's name, if these are few; those with the
 * least behind the part first.
 */
export function findPaths(typed: string, all: readonly SegmentScores[]): Pinned[] {
  const part = typed.replaceAll('\\', '/').replace(/^(?:\.{0,2}\/)+/, '');
  if (!/^[^\s:]{3,}$/.test(part) || !/[\\/]/.test(typed)) return [];
  const bytes = Buffer.from(part);
  const pinned: Pinned[] = [];
  for (const scores of all) {
    for (const document of scores.reader.documentsWithPathPart(bytes)) {
      const path = scores.reader.pathOf(document);
      const at = path.startsWith(part) ? 0 : path.indexOf(`/${part}`) + 1;
      if (at === 0 && !path.startsWith(part)) continue;
      if (!scores.mayBeResult(document)) continue;
      const left = path.length - at - part.length;
      pinned.push({ scores, document, worth: 1 / (1 + left / 1_000), feature: 'path' });
      if (pinned.length > MAX_PATHS) return [];
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
  const documents: { readonly scores: SegmentScores; readonly document: number }[] = [];
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
