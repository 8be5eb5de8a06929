import { DOCUMENTS } from '../../analyze/languages.ts';
import type { SegmentScores } from '../collect.ts';
import { familyOf } from '../families.ts';
import { formOf } from '../fileForms.ts';
import type { SearchedFolder } from '../hits.ts';
import { localeOf } from '../locales.ts';
import type { Phrase } from '../phrase.ts';
import type { Query } from '../query.ts';

/* What the rules have in common that put documents before all others. */

export interface Candidate {
  readonly scores: SegmentScores;
  readonly document: number;
}

/** Tells tests, examples and vendored code that the query does not request. */
export type IsAside = (candidate: Candidate) => boolean;

/** A document that comes before all others, and perhaps the line to show. */
export interface Pinned extends Candidate {
  readonly line?: number;
  /** Order among pinned documents, the highest first. */
  readonly worth: number;
  readonly feature:
    | 'verbatim'
    | 'location'
    | 'pathPart'
    | 'namePart'
    | 'key'
    | 'locale'
    | 'manifest'
    | 'version'
    | 'section';
}

/** What a query of one name is: `begun` is nowhere, but defined names begin with it; `unknown` not even that. */
export type NameKind = 'defined' | 'used' | 'begun' | 'unknown';

/** A query without phrases and regular expressions, and where to find what it types or names. */
export interface PinRequest {
  /** The text to rank by, as typed, without spaces around it. */
  readonly typed: string;
  readonly query: Query;
  /** Set if the query is one name. */
  readonly name: NameKind | undefined;
  /** Matches instead of the words. */
  readonly likeRegex: Phrase | undefined;
  readonly all: readonly SegmentScores[];
  readonly folders: readonly SearchedFolder[];
  readonly isAside: IsAside;
  /** Whether a folder has a word in its name, by its stem. */
  readonly hasFolder: (stem: string) => boolean;
}

/** Finds the documents that a query types or names in one way, with pauses; none if these are many. */
export type PinRule = (request: PinRequest) => Generator<undefined, readonly Pinned[], void>;

/** Number of files that are read for this number of words and more; fewer words are in many files, and rarely pasted. */
export const MAX_READ = [0, 6, 12, 24, 32];
/** The same for code and for what looks like a regular expression, of any number of words. */
const MAX_READ_CODE = 160;
/** Number of files that precede all others by the text that they have. */
export const MAX_PINNED = 4;
/** Worth of a text in a test or a page, of what it is worth in the code that they repeat. */
const REPEATED = 0.7;

/** Whether a document is a test, a page or the like, which repeats what code has. */
export function isRepeated(one: Candidate, isAside: IsAside): boolean {
  return isAside(one) || DOCUMENTS.has(one.scores.reader.languageOf(one.document));
}

/** The document with less worth if it repeats what code has. */
export function weigh(one: Pinned, isAside: IsAside): Pinned {
  return isRepeated(one, isAside) ? { ...one, worth: one.worth * REPEATED } : one;
}

/** Those to which the condition does not apply, or all if it applies to all. */
export function unlessAll<T>(found: readonly T[], isLess: (one: T) => boolean): T[] {
  const better = found.filter((one) => !isLess(one));
  return better.length > 0 ? better : [...found];
}

/**
 * All documents if these are few, else those that are no tests and the like, if those are. Of many translations of a file, the
 * English or else the first counts.
 */
export function fewOf(pinned: readonly Pinned[], isAside: IsAside, most = MAX_PINNED): Pinned[] {
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
export function candidatesIn(
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

/** The segments of folders whose files can be read. */
export function readable({ all, folders }: Pick<PinRequest, 'all' | 'folders'>): readonly SegmentScores[] {
  return all.filter(({ folder }) => folders[folder]!.readText);
}

/** Number of folders above a document, plus 1. */
export function depthOf({ scores, document }: Candidate): number {
  return scores.reader.pathOf(document).split('/').length;
}
