import type { DocumentId } from '../../engine/documentId.ts';
import type { MemoryDocument } from '../../engine/index/memorySegment.ts';
import type { Hit } from '../../engine/query/hits.ts';
import type { ParsedQuery } from '../../engine/query/queryLanguage.ts';
import { compileRegexes } from '../../engine/query/searchIndexes.ts';
import { keyOf, type Term } from '../../engine/query/terms.ts';
import { TextConditions } from '../../engine/query/textConditions.ts';
import { CandidateSegments } from '../../engine/candidateSegments.ts';
import { rankCandidates, type CandidateOptions } from '../../engine/rankCandidates.ts';
import { candidateQuery, termClause, type CandidateQuery, type Clause } from './candidateQuery.ts';
import type { Cluster, SearchAnswer } from './cluster.ts';
import type { IndexNames } from './schema.ts';

/** A set of documents to search. */
export interface SearchedSet {
  /** Documents of the set. */
  readonly clause: Clause;
  /** Equal for equal sets: their statistics are kept. */
  readonly key: string;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundText {
  readonly hit: Hit;
  readonly text: string;
}

type SetStatistics = CandidateOptions['statistics'];

/** Number of documents that our ranking gets. */
const CANDIDATES = 200;
/** Pages of candidates that are read for the text of a phrase or an expression. */
const MAX_PAGES = 10;
/** Sets whose statistics are kept. */
const REMEMBERED_SETS = 200;
/** Files of a set may be uploaded after it was named. */
const STATISTICS_MS = 60_000;
const MAX_FOLDERS = 2_000;
const MAX_LANGUAGES = 200;
/** Characters of texts in memory, of the documents that were candidates last. */
const REMEMBERED_TEXT = 64 << 20;

/**
 * Searches in two stages: the cluster chooses the most promising documents and counts the documents with each word; our ranking
 * orders these by their texts, with the cluster's counts.
 */
export class CandidateSearch {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #statistics = new Map<string, { readonly until: number; readonly of: SetStatistics }>();
  readonly #texts = new Map<DocumentId, { readonly path: string; readonly text: string }>();
  readonly #segments = new CandidateSegments(REMEMBERED_TEXT);
  #textLength = 0;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  async search(parsed: ParsedQuery, { clause, key, limit, signal }: SearchedSet): Promise<readonly FoundText[]> {
    const conditions = new TextConditions(parsed, { regexes: await compileRegexes(parsed) });
    const query = candidateQuery(parsed, conditions.requiredTerms());
    // As in the engine: a query of filters alone is no question, and without any there is nothing to search.
    if (query.should.length === 0 && query.filter.length + query.mustNot.length === 0 && !conditions.isNeeded)
      return [];
    const counts = new Map<string, number>();
    const [statistics, documents] = await Promise.all([
      this.#statisticsOf(clause, key, signal),
      this.#candidates(query, clause, conditions, counts, signal),
    ]);
    const hits = await rankCandidates(documents, parsed, {
      limit,
      statistics,
      counts,
      kept: this.#segments,
      count: (terms) => this.#count(terms, clause, signal),
      ...(signal && { signal }),
    });
    return hits.map((hit) => ({ hit, text: this.#texts.get(hit.id)?.text ?? '' }));
  }

  /** The most promising documents, the text of which meets the conditions. Adds the counts of the query's terms. */
  async #candidates(
    query: CandidateQuery,
    set: Clause,
    conditions: TextConditions,
    counts: Map<string, number>,
    signal?: AbortSignal,
  ): Promise<readonly MemoryDocument[]> {
    const found: MemoryDocument[] = [];
    // An expression may match the middle of words, which are no terms.
    const isScored = query.should.length > 0 && !conditions.hasRegex;
    let after: readonly unknown[] | undefined;
    for (let page = 0; page < MAX_PAGES && found.length < CANDIDATES; page++) {
      const answer = await this.#cluster.search(
        this.#names.documents,
        {
          size: CANDIDATES,
          _source: false,
          // Beside the query, so that it does not change the counts.
          post_filter: { bool: { filter: query.filter, must_not: query.mustNot } },
          query: {
            bool: {
              filter: [set, { exists: { field: 'tokens' } }],
              ...(query.should.length > 0 && { should: query.should, minimum_should_match: isScored ? 1 : 0 }),
            },
          },
          sort: [isScored ? { _score: 'desc' } : { path: 'asc' }, { number: 'asc' }],
          ...(page === 0 && query.counted.length > 0 && { aggs: { counts: countAggregation(query.counted) } }),
          ...(after && { search_after: after }),
        },
        '?search_type=dfs_query_then_fetch&request_cache=false',
        signal,
      );
      if (page === 0)
        for (const [i, n] of countsOf(answer, query.counted).entries()) counts.set(keyOf(query.counted[i]!), n);
      const { hits } = answer.hits;
      for (const { id, path, text } of await this.#textsOf(
        hits.map(({ _id }) => _id),
        signal,
      ))
        if (
          conditions.match(
            () => text,
            path,
            () => id,
          )
        )
          found.push({ id, path, text: Buffer.from(text) });
      after = hits.at(-1)?.sort;
      if (hits.length < CANDIDATES || !conditions.isNeeded) break;
    }
    return found;
  }

  async #count(terms: readonly Term[], set: Clause, signal?: AbortSignal): Promise<readonly number[]> {
    const query = {
      bool: {
        filter: [set],
        should: terms.map((term) => ({ constant_score: { filter: termClause(term) } })),
        minimum_should_match: 1,
      },
    };
    const body = { size: 0, query, aggs: { counts: countAggregation(terms) } };
    const answer = await this.#cluster.search(this.#names.documents, body, '', signal);
    return countsOf(answer, terms);
  }

  async #statisticsOf(set: Clause, key: string, signal?: AbortSignal): Promise<SetStatistics> {
    const known = this.#statistics.get(key);
    if (known && known.until > performance.now()) return known.of;
    const body = {
      size: 0,
      query: { bool: { filter: [set] } },
      aggs: {
        documents: { value_count: { field: 'tokens' } },
        tokens: { sum: { field: 'tokens' } },
        chunks: { sum: { field: 'chunks' } },
        languages: { terms: { field: 'language', size: MAX_LANGUAGES } },
        folders: { terms: { field: 'folder', size: MAX_FOLDERS } },
      },
    };
    const { aggregations } = await this.#cluster.search(this.#names.documents, body, '', signal);
    const value = (name: string): number => (aggregations![name] as { value: number }).value;
    const buckets = (name: string): Map<string, number> =>
      new Map(
        (aggregations![name] as { buckets: { key: string; doc_count: number }[] }).buckets.map((one) => [
          one.key,
          one.doc_count,
        ]),
      );
    const statistics = {
      documents: value('documents'),
      tokens: value('tokens'),
      chunks: value('chunks'),
      languages: buckets('languages'),
      folders: buckets('folders'),
    };
    // Without this condition, files uploaded after a first search would not be found for a minute.
    if (statistics.documents > 0)
      this.#statistics.set(key, { until: performance.now() + STATISTICS_MS, of: statistics });
    for (const [oldest] of this.#statistics) {
      if (this.#statistics.size <= REMEMBERED_SETS) break;
      this.#statistics.delete(oldest);
    }
    return statistics;
  }

  /** The texts of documents, in their order, without those that were removed since. */
  async #textsOf(
    ids: readonly DocumentId[],
    signal?: AbortSignal,
  ): Promise<readonly { id: string; path: string; text: string }[]> {
    const missing = ids.filter((id) => !this.#texts.has(id));
    const here = new Map<DocumentId, { readonly path: string; readonly text: string }>();
    const fields = ['path', 'text'];
    const stored = await this.#cluster.get<Document>(this.#names.documents, missing, { fields, signal });
    for (const one of stored) if (one) here.set(one.id, { path: one.source.path, text: one.source.text });
    for (const id of ids) {
      const one = here.get(id) ?? this.#texts.get(id);
      if (!one) continue;
      here.set(id, one);
      if (!this.#texts.delete(id)) this.#textLength += one.text.length;
      this.#texts.set(id, one);
    }
    for (const [oldest, { text }] of this.#texts) {
      if (this.#textLength <= REMEMBERED_TEXT || here.has(oldest)) break;
      this.#texts.delete(oldest);
      this.#textLength -= text.length;
    }
    return ids.flatMap((id) => {
      const one = here.get(id);
      return one ? [{ id, ...one }] : [];
    });
  }
}

interface Document {
  readonly path: string;
  readonly text: string;
}

function countAggregation(terms: readonly Term[]): Clause {
  return { filters: { filters: Object.fromEntries(terms.map((term, i) => [String(i), termClause(term)])) } };
}

function countsOf({ aggregations }: SearchAnswer, terms: readonly Term[]): readonly number[] {
  const counts = aggregations?.counts as { buckets: Readonly<Record<string, { doc_count: number }>> } | undefined;
  return terms.map((_, i) => counts?.buckets[String(i)]?.doc_count ?? 0);
}
