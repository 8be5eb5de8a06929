import { IGNORING_CASE } from '../analyze/languages.ts';
import type { Postings } from '../index/postings.ts';
import { nameKey } from '../index/names.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { clearBit, hasBit, noDeletions, type Segment } from '../index/snapshot.ts';
import type { DocumentId } from '../documentId.ts';
import { DocumentScope } from './documentScope.ts';
import { EXACT, PREFIX, isNamed, type CompiledFilters, type NameBounds, type Test } from './filters.ts';
import { markDocuments, symbolTerm, type Term } from './terms.ts';

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

/** A name that `sym:` accepts. */
interface FoundName {
  readonly term: Term;
  readonly nearness: number;
}

const NEARNESSES = [
  { least: EXACT, most: EXACT },
  { least: PREFIX, most: PREFIX },
  { least: 0, most: PREFIX - 1 },
];

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
  const { wantedNames, excludedNames, wantedInAnyCase } = filters;
  const bits = (): Uint8Array => noDeletions(reader.documents);
  const mark = (terms: Iterable<Term>, documents: Uint8Array): Generator<void, void, void> =>
    markDocuments(reader, terms, postings, documents);
  const having: Uint8Array[] = [];
  const near: Uint8Array[] = [];
  if (wantedSymbol && wantedInAnyCase) {
    const found: FoundName[] = [];
    // Of the documents in other languages, places leave out those that have the name in another case.
    const ignoresCase = [...reader.languages.keys()].some((language) => IGNORING_CASE.has(language));
    yield* namesIn(reader, wantedNames, ignoresCase ? wantedInAnyCase : wantedSymbol, (name) =>
      found.push({ term: symbolTerm(name), nearness: nearness(name, ignoresCase) }),
    );
    const documents = bits();
    // Nearest names first: each adds to the documents of the nearer ones.
    for (const { least, most } of NEARNESSES) {
      yield* mark(termsBetween(found, least, most), documents);
      if (least < PREFIX) continue;
      const nearest = documents.slice();
      // `__NAME` has the same term as `NAME`, so the definitions decide.
      const ambiguous = bits();
      yield* mark(yield* ambiguousTerms(found, least), ambiguous);
      const isNear = (name: string): boolean => nearness(name, ignoresCase) >= least;
      for (let document = 0; document < reader.documents; document++) {
        if (!hasBit(ambiguous, document)) continue;
        yield;
        if (!reader.definitionsOf(document).some((span) => isNamed(span, isNear))) clearBit(nearest, document);
      }
      near.push(nearest);
    }
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
    yield* namesIn(reader, excludedNames, excludedSymbol, (name) => terms.push(symbolTerm(name)));
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

function* termsBetween(found: readonly FoundName[], least: number, most: number): Generator<Term, void, void> {
  for (const { term, nearness } of found) if (nearness >= least && nearness <= most) yield term;
}

/** The terms of names that are near enough which are also those of others. */
function* ambiguousTerms(found: readonly FoundName[], least: number): Generator<void, Iterable<Term>, void> {
  const near = new Set<string>();
  const shared = new Map<string, Term>();
  for (const [i, { term, nearness }] of found.entries()) {
    if (i % NAMES_PER_STEP === 0) yield;
    if (nearness >= least) near.add(term.text);
  }
  for (const [i, { term, nearness }] of found.entries()) {
    if (i % NAMES_PER_STEP === 0) yield;
    if (nearness < least && near.has(term.text)) shared.set(term.text, term);
  }
  return shared.values();
}

/** Calls `take` with each defined name that is within any of the bounds and that a test accepts. */
function* namesIn(
  reader: SegmentReader,
  bounds: readonly NameBounds[],
  accepts: Test,
  take: (name: string) => void,
): Generator<void, void, void> {
  for (const { prefix, part } of bounds) {
    const key = Buffer.from(nameKey(part), 'latin1');
    const names = reader.names(prefix);
    for (let read = 1; names.next(); read++) {
      if (read % NAMES_PER_STEP === 0) yield;
      if (!names.mayContain(key)) continue;
      const name = names.text();
      if (accepts(name)) take(name);
    }
  }
}
