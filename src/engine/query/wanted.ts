import type { Postings } from '../index/postings.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { clearBit, hasBit, noDeletions, type Segment } from '../index/snapshot.ts';
import type { DocumentId } from '../documentId.ts';
import { DocumentScope } from './documentScope.ts';
import { EXACT, PREFIX, isNamed, spellingsOf, type CompiledFilters, type Test } from './filters.ts';
import { keyOf, markDocuments, symbolTerm, type Term } from './terms.ts';

/** The documents of a segment that may be results. */
export interface Wanted {
  /** Without it, all may. */
  readonly accepts?: (document: number) => boolean;
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
  const { wantedPrefixes, excludedPrefixes } = filters;
  const bits = (): Uint8Array => noDeletions(reader.documents);
  const mark = (terms: Iterable<Term>, documents: Uint8Array): Generator<void, void, void> =>
    markDocuments(reader, terms, postings, documents);
  const having: Uint8Array[] = [];
  const near: Uint8Array[] = [];
  if (wantedSymbol) {
    const found: { readonly term: Term; readonly nearness: number }[] = [];
    yield* namesIn(reader, wantedPrefixes, wantedSymbol, (name) =>
      found.push({ term: symbolTerm(name), nearness: nearness(name) }),
    );
    for (const least of [PREFIX, EXACT]) {
      const documents = bits();
      const terms = found.filter((one) => one.nearness >= least).map(({ term }) => term);
      yield* mark(terms, documents);
      // `__NAME` has the same term as `NAME`, so the definitions decide.
      const others = new Set(found.filter((one) => one.nearness < least).map(({ term }) => keyOf(term)));
      const ambiguous = bits();
      yield* mark(
        terms.filter((term) => others.has(keyOf(term))),
        ambiguous,
      );
      const isNear = (name: string): boolean => nearness(name) >= least;
      for (let document = 0; document < reader.documents; document++) {
        if (!hasBit(ambiguous, document)) continue;
        yield;
        if (!reader.definitionsOf(document).some((span) => isNamed(span, isNear))) clearBit(documents, document);
      }
      near.push(documents);
    }
    const documents = bits();
    yield* mark(
      found.map(({ term }) => term),
      documents,
    );
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
    yield* namesIn(reader, excludedPrefixes, excludedSymbol, (name) => terms.push(symbolTerm(name)));
    yield* mark(terms, unwanted);
  }
  for (const documents of having) for (let i = 0; i < unwanted.length; i++) unwanted[i]! |= ~documents[i]!;
  const isSlow = hasDocumentFilter || within !== undefined;
  if (!isSlow && excluded.length === 0 && !excludedSymbol && having.length === 0) return { isSlow, near };
  const isWithin = (document: number): boolean =>
    within instanceof DocumentScope ? within.hasIn(reader, document) : within!.has(reader.documentIdOf(document));
  return {
    isSlow,
    near,
    accepts: (document) =>
      !hasBit(unwanted, document) &&
      (!within || isWithin(document)) &&
      (!hasDocumentFilter || matchesDocument(reader.pathOf(document), reader.languageOf(document))),
  };
}

/** Calls `take` with each defined name that begins with one of the prefixes and that a test accepts. */
function* namesIn(
  reader: SegmentReader,
  prefixes: readonly string[],
  accepts: Test,
  take: (name: string) => void,
): Generator<void, void, void> {
  for (const prefix of prefixes.flatMap(spellingsOf)) {
    const names = reader.names(prefix);
    for (let read = 1; names.next(); read++) {
      const name = names.text();
      if (accepts(name)) take(name);
      if (read % NAMES_PER_STEP === 0) yield;
    }
  }
}
