import { Field, termHash } from '../index/format.ts';
import { gallop } from '../index/gallop.ts';
import { Postings, type PostingList } from '../index/postings.ts';
import { hasBit, type Segment } from '../index/snapshot.ts';
import type { Averages } from './bestChunk.ts';
import type { SearchMemory } from './searchMemory.ts';
import { keep } from './keep.ts';
import type { Counts } from './query.ts';
import { keyOf, type Term } from './terms.ts';
import { stemOf } from './wordMatch.ts';

/**
 * Statistics of a larger set of documents, of which the searched segments have only the most promising: another index chose
 * them, and counted.
 */
export interface Statistics {
  readonly documents: number;
  readonly tokens: number;
  readonly chunks: number;
  /** Number of documents by language, and by `outerFolderOf`. */
  readonly languages: ReadonlyMap<string, number>;
  readonly folders: ReadonlyMap<string, number>;
  /** Number of documents with a term, if it was counted. */
  documentsWith(term: Term): number | undefined;
}

/**
 * Statistics of all documents that a search ranks together. Deleted documents do not count, although they stay in the
 * postings until a merge; so the order of results depends on the documents alone, not on how they got into the index.
 */
export class Collection implements Counts {
  /** Number of documents. */
  readonly documents: number;
  readonly averages: Averages;
  readonly #folders: readonly (readonly Segment[])[];
  readonly #segments: readonly Segment[];
  readonly #memory: SearchMemory;
  readonly #outside: Statistics | undefined;
  /** Shares that candidates have in common; those of packages for each folder. */
  readonly #languageShares = new Map<string, number>();
  readonly #packageShares: readonly Map<string, number>[];

  /** `folders` has the segments of each folder; `outside` counts instead of them. */
  constructor(folders: readonly (readonly Segment[])[], memory: SearchMemory, outside?: Statistics) {
    this.#outside = outside;
    this.#folders = folders;
    this.#segments = folders.flat();
    this.#memory = memory;
    this.#packageShares = folders.map(() => new Map<string, number>());
    let documents = 0;
    let tokens = 0;
    let chunks = 0;
    for (const segment of this.#segments) {
      const { footer } = segment.reader;
      const deleted = segment.deletedCounts;
      documents += segment.liveDocuments;
      tokens += footer.tokens - (deleted?.tokens ?? 0);
      chunks += footer.chunks - (deleted?.chunks ?? 0);
    }
    if (outside) ({ documents, tokens, chunks } = outside);
    this.documents = documents;
    this.averages = {
      documentTokens: Math.max(1, tokens / Math.max(1, documents)),
      chunkTokens: Math.max(1, tokens / Math.max(1, chunks)),
    };
  }

  /** Inverse document frequency, as in BM25; 0 for no documents. */
  idf(documents: number): number {
    return documents === 0 ? 0 : Math.log(1 + (this.documents - documents + 0.5) / (documents + 0.5));
  }

  /** The share of the documents that are in a language, at least one. */
  languageShare(language: string): number {
    return keep(this.#languageShares, language, () =>
      this.#share(
        this.#outside?.languages.get(language) ??
          sumOf(this.#segments, ({ reader, deletedCounts }) => {
            return (reader.languages.get(language) ?? 0) - (deletedCounts?.languages.get(language) ?? 0);
          }),
      ),
    );
  }

  /** The share of the documents that are below an `outerFolderOf` of a folder, at least one. */
  packageShare(folder: number, name: string): number {
    return keep(this.#packageShares[folder]!, name, () =>
      this.#share(
        this.#outside?.folders.get(name) ??
          sumOf(this.#folders[folder]!, ({ reader, deletedCounts }) => {
            return (reader.folders.get(name) ?? 0) - (deletedCounts?.folders.get(name) ?? 0);
          }),
      ),
    );
  }

  /** Number of documents in which a folded name occurs: a compound one as a whole, a single word as that word. */
  references(folded: string): number {
    const identifiers = this.documentsWith({ field: Field.identifier, text: folded });
    return Math.max(identifiers, this.writtenIn(folded));
  }

  /** Number of documents that define a folded name. */
  definedIn(folded: string): number {
    return this.documentsWith({ field: Field.symbol, text: folded });
  }

  /** Number of documents with a folded word in their text. */
  writtenIn(folded: string): number {
    return this.documentsWith({ field: Field.body, text: stemOf(folded) });
  }

  /** Number of documents with a term; cached for each commit. */
  documentsWith(term: Term): number {
    return this.#outside?.documentsWith(term) ?? this.#documentsHere(term);
  }

  /** The number of documents with a term, where the caller knows how many of the segments have it. */
  documentsOf(term: Term, here: number): number {
    return this.#outside?.documentsWith(term) ?? here;
  }

  #documentsHere(term: Term): number {
    return sumOf(this.#folders, (segments) => documentsWith(segments, term, this.#memory));
  }

  #share(documents: number): number {
    return Math.max(1, documents) / Math.max(1, this.documents);
  }
}

/** Number of documents with a term, without the deleted ones; cached for each commit. */
function documentsWith(segments: readonly Segment[], term: Term, memory: SearchMemory): number {
  const known = memory.countsOf(segments);
  const key = keyOf(term);
  let documents = known.get(key);
  if (documents === undefined) known.set(key, (documents = sumOf(segments, (one) => documentsIn(one, term, memory))));
  return documents;
}

function documentsIn({ reader, deletedCounts }: Segment, term: Term, memory: SearchMemory): number {
  const all = reader.documentsWith(termHash(term.field, term.text));
  if (all === 0 || !deletedCounts) return all;
  const having = memory.documentsHaving(reader, term);
  let live = all;
  for (const document of deletedCounts.documents) if (hasBit(having, document)) live--;
  return live;
}

/** Whether a segment has a term in a document that is not deleted. */
export function isLiving(segment: Segment, { field, text }: Term): boolean {
  const postings = new Postings();
  const list = segment.reader.read(termHash(field, text), postings);
  return list !== undefined && liveDocumentsIn(segment, list, postings) > 0;
}

/** Number of documents in a list, without the deleted ones. */
export function liveDocumentsIn(
  { reader, deletedCounts }: Segment,
  { from, to, documents }: PostingList,
  { chunks }: Postings,
): number {
  if (!deletedCounts) return documents;
  const deleted = deletedCounts.documents;
  const { firstChunk } = reader;
  let live = documents;
  for (let i = 0, at = from; i < deleted.length && at < to; i++) {
    const document = deleted[i]!;
    at = gallop(chunks, at, to, firstChunk[document]!);
    if (at < to && chunks[at]! < firstChunk[document + 1]!) live--;
  }
  return live;
}

/** The sum of a value of each item. */
export function sumOf<T>(items: readonly T[], valueOf: (item: T, i: number) => number): number {
  return items.reduce((sum, item, i) => sum + valueOf(item, i), 0);
}
