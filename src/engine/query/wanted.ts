import type { Postings } from '../index/postings.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { hasBit, noDeletions, type Segment } from '../index/snapshot.ts';
import type { DocumentId } from '../documentId.ts';
import { DocumentScope } from './documentScope.ts';
import { EXACT, PREFIX, type CompiledFilters, type Test } from './filters.ts';
import { markDocuments, symbolTerm, type Term } from './terms.ts';

/** The documents of a segment that may be results. */
export interface Wanted {
  readonly accepts: (document: number) => boolean;
  /** Whether {@link accepts} takes about a microsecond: then other work may wait for many documents. */
  readonly isSlow: boolean;
  /**
   * Bits of the documents that define a name for `sym:`: one that begins with it, and the very name. Empty without such a
   * filter.
   */
  readonly near: readonly Uint8Array[];
}

/** Conditions on documents, apart from their text. */
export interface Conditions {
  readonly filters: CompiledFilters;
  readonly within: Pick<ReadonlySet<DocumentId>, 'has'> | undefined;
  readonly excluded: readonly Term[];
  /** Groups of terms: a document has at least one of each. */
  readonly required: readonly (readonly Term[])[];
}

/** Number of names that are read before other work may run. */
const NAMES_PER_STEP = 2_000;

/** Computes which documents of a segment may be results. Clears `postings`. */
export function* wantedIn(
  segment: Segment,
  { filters, within, excluded, required }: Conditions,
  postings: Postings,
): Generator<void, Wanted, void> {
  const { reader } = segment;
  const { hasDocumentFilter, matchesDocument, wantedSymbol, excludedSymbol, nearness } = filters;
  const bits = (): Uint8Array => noDeletions(reader.documents);
  const mark = (terms: Iterable<Term>, documents: Uint8Array): Generator<void, void, void> =>
    markDocuments(reader, terms, postings, documents);
  const having: Uint8Array[] = [];
  const near: Uint8Array[] = [];
  if (wantedSymbol) {
    const found: Record<'any' | 'prefix' | 'exact', Term[]> = { any: [], prefix: [], exact: [] };
    const documents = bits();
    near.push(bits(), bits());
    yield* namesIn(reader, wantedSymbol, (name) => {
      const near = nearness(name);
      found[near >= EXACT ? 'exact' : near >= PREFIX ? 'prefix' : 'any'].push(symbolTerm(name));
    });
    yield* mark([...found.prefix, ...found.exact], near[0]!);
    yield* mark(found.exact, near[1]!);
    yield* mark(found.any, documents);
    for (let i = 0; i < documents.length; i++) documents[i]! |= near[0]![i]!;
    having.push(documents);
  }
  for (const terms of required) {
    const documents = bits();
    yield* mark(terms, documents);
    having.push(documents);
  }
  const unwanted = bits();
  yield* mark(excluded, unwanted);
  // A file that defines an excluded name is out, whatever else it defines.
  if (excludedSymbol) {
    const terms: Term[] = [];
    yield* namesIn(reader, excludedSymbol, (name) => terms.push(symbolTerm(name)));
    yield* mark(terms, unwanted);
  }
  const isWithin = (document: number): boolean =>
    within instanceof DocumentScope ? within.hasIn(reader, document) : within!.has(reader.documentIdOf(document));
  return {
    isSlow: hasDocumentFilter || within !== undefined,
    near,
    accepts: (document) =>
      (!within || isWithin(document)) &&
      !hasBit(unwanted, document) &&
      having.every((documents) => hasBit(documents, document)) &&
      (!hasDocumentFilter || matchesDocument(reader.pathOf(document), reader.languageOf(document))),
  };
}

/** Calls `take` with each defined name that a test accepts. */
function* namesIn(reader: SegmentReader, accepts: Test, take: (name: string) => void): Generator<void, void, void> {
  const names = reader.names();
  for (let read = 1; names.next(); read++) {
    const name = names.text();
    if (accepts(name)) take(name);
    if (read % NAMES_PER_STEP === 0) yield;
  }
}
