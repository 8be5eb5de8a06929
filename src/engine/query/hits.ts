import type { Statistics } from './collection.ts';
import type { Correction } from './corrections.ts';
import type { DocumentId } from '../documentId.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import type { Segment } from '../index/snapshot.ts';
import type { Contribution } from './features.ts';
import type { ChangedPaths } from './filters.ts';
import type { Phrase } from './phrase.ts';
import type { SourceRange } from './sourceRange.ts';
import type { ReadText } from './textConditions.ts';

/* What a search takes, and what it finds. */

/** A document that answers a query, and the best place in it. */
export interface Hit extends SourceRange {
  readonly id: DocumentId;
  readonly path: string;
  readonly language: string;
  /** Higher is better; comparable only between answers to the same query. */
  readonly score: number;
  /** Up to three more places in the document, best first. */
  readonly more: readonly SourceRange[];
  /** Number of translations, versions and copies of the document that rank behind all others; missing without any. */
  readonly alike?: number;
  /** Contributions to the score, if `explain` is set. */
  readonly explanation?: readonly Contribution[];
}

/** Scope, limits and output of a search. */
export interface SearchOptions extends FolderOptions {
  /** At most this many hits, one per document; 10 by default, `Infinity` for all. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** Whether hits have an `explanation`. */
  readonly explain?: boolean;
}

/** What is different for each folder of a search. */
interface FolderOptions {
  /** Only these documents; all by default. */
  readonly within?: Pick<ReadonlySet<DocumentId>, 'has'>;
  /** Changed paths for `changed:`; without them such filters are ignored. */
  readonly changed?: ChangedPaths;
  /** Only the document of this path and those below it; unlike filters of `path:`, it holds beside others. */
  readonly below?: string;
  /** Name of the folder among several, with which filters of `path:` may begin after a `/`. */
  readonly name?: string;
  /**
   * Returns a document's text, or `undefined` if it is not available. The index keeps no text, and phrases are searched
   * in it. Without this function phrases filter nothing: their words rank like others.
   */
  readonly readText?: ReadText;
  /** Whether documents that have no whole word of the phrases are read for them, too, if no other document has them. */
  readonly withinWords?: boolean;
}

/** A folder to search. */
export interface SearchedFolder extends FolderOptions {
  readonly segments: readonly Segment[];
}

export interface CorpusOptions extends Pick<SearchOptions, 'limit' | 'explain'> {
  /** Counts of all documents, where the segments have only some of them. */
  readonly statistics?: Statistics;
  /** Whether the outcome has `corrections`. */
  readonly correct?: boolean;
  /** Characters of text to read at the most for phrases; no limit by default. */
  readonly maxText?: number;
  /** The compiled expressions of the query, in its order. */
  readonly regexes?: readonly Phrase[];
  /** The query's words as an expression, if they look like one. */
  readonly likeRegex?: Phrase;
}

/** A hit in one of several folders. */
export interface FolderHit {
  /** Index of the folder. */
  readonly folder: number;
  readonly hit: Hit;
  /** The line that the query names or quotes. */
  readonly line?: number;
  /** Where the index has the document. */
  readonly reader: SegmentReader;
  readonly document: number;
}

export interface SearchOutcome {
  /** Best first. */
  readonly hits: readonly FolderHit[];
  /** Whether `maxText` kept documents from being read that may have the phrases. */
  readonly isPartial: boolean;
  /** Words that no document has, with the indexed words that are nearest, if `correct` is set. They were not applied. */
  readonly corrections: readonly Correction[];
}
