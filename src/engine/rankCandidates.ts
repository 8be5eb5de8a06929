import type { CandidateSegments } from './candidateSegments.ts';
import type { MemoryDocument } from './index/memorySegment.ts';
import type { Segment } from './index/snapshot.ts';
import type { Statistics } from './query/collection.ts';
import type { Hit, SearchOptions } from './query/hits.ts';
import type { ParsedQuery } from './query/queryLanguage.ts';
import { compileRegexes, searchIndexes, type SearchableIndex } from './query/searchIndexes.ts';
import { SearchMemory } from './query/searchMemory.ts';
import { keyOf, type Term } from './query/terms.ts';

/** The number of documents with each term, of those that were counted. */
export type TermCounts = Map<string, number>;

export interface CandidateOptions extends Pick<SearchOptions, 'limit' | 'explain' | 'signal'> {
  readonly statistics: Omit<Statistics, 'documentsWith'>;
  /** By {@link keyOf}; gets what `count` returns. */
  readonly counts: TermCounts;
  /** Segments of earlier candidates. */
  readonly kept: CandidateSegments;
  /** Counts the documents with each term, of all documents. */
  readonly count: (terms: readonly Term[]) => Promise<readonly number[]>;
}

/**
 * Ranks documents that another index chose as the most promising of many, with the statistics of all. Terms that matter only
 * for these documents, such as their names, are counted after a first ranking, which finds them.
 */
export async function rankCandidates(
  documents: readonly MemoryDocument[],
  parsed: ParsedQuery,
  { statistics, counts, count, kept, signal, ...options }: CandidateOptions,
): Promise<Hit[]> {
  if (documents.length === 0) return [];
  return kept.with(documents, async (segments) => {
    const texts = new Map(documents.map(({ id, text }) => [id, text]));
    const decoded = new Map<string, string>();
    const readText = (_path: string, id: string): string | undefined => {
      const text = texts.get(id);
      if (text && !decoded.has(id)) decoded.set(id, Buffer.from(text).toString());
      return decoded.get(id);
    };
    const index = new CandidateIndex(segments);
    const memory = new SearchMemory();
    const regexes = await compileRegexes(parsed);
    const rank = async (documentsWith: Statistics['documentsWith']): Promise<Hit[]> => {
      const all = { ...options, regexes, statistics: { ...statistics, documentsWith } };
      const { hits } = await searchIndexes([{ index, readText }], parsed, all, memory, signal);
      return hits.map(({ hit }) => hit);
    };
    const missing = new Map<string, Term>();
    const first = await rank((term) => {
      const known = counts.get(keyOf(term));
      if (known === undefined) missing.set(keyOf(term), term);
      return known;
    });
    if (missing.size === 0) return first;
    const counted = await count([...missing.values()]);
    for (const [i, key] of [...missing.keys()].entries()) counts.set(key, counted[i]!);
    return await rank((term) => counts.get(keyOf(term)));
  });
}

class CandidateIndex implements SearchableIndex {
  readonly #segments: readonly Segment[];

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  hold(): readonly Segment[] {
    return this.#segments;
  }

  release(): void {
    // The segment is closed by its owner.
  }

  /** Memory is not damaged. */
  isolateDamaged(): boolean {
    return false;
  }
}
