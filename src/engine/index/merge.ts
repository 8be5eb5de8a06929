import { foldName, foldQualified } from '../analyze/symbolNames.ts';
import { stem } from '../analyze/words.ts';
import { Field, hashTerm, termHash, type TermHash } from './format.ts';
import { Postings } from './postings.ts';
import type { SegmentReader, TermRun } from './segmentReader.ts';
import type { SegmentWriter } from './segmentWriter.ts';
import type { Segment } from './snapshot.ts';
import { LETTERS } from './wordList.ts';

const GONE = 0xffffffff;
/** Fields of the terms of listed words; the words of a definition's name are also in the body. */
const WORD_FIELDS = [Field.body, Field.fileName, Field.folder];

/**
 * Writes the documents of `segments` that are not deleted as one segment. A generator that yields every few thousand terms,
 * so that the caller decides when to go on; it may be abandoned.
 */
export function* mergeSegments(segments: readonly Segment[], writer: SegmentWriter): Generator<void, void, void> {
  const chunkMaps = segments.map((segment) => copyDocuments(segment, writer));
  yield;
  let expected = 0;
  for (const { reader } of segments) expected += reader.footer.terms;
  writer.beginTerms(expected);

  const cursors = segments.map(({ reader }, index) => new Cursor(reader, chunkMaps[index]!));
  const into = new Postings();
  for (let done = 1; ; done++) {
    let least = END;
    for (const cursor of cursors) if (cursor.order < least) least = cursor.order;
    if (least === END) break;
    into.clear();
    // Segments are in the order of their chunks, so appending keeps each list ascending.
    for (const cursor of cursors) {
      if (cursor.order !== least) continue;
      cursor.appendLive(into);
      cursor.advance();
    }
    const { chunks, frequencies, length } = into;
    if (length > 0) writer.addTerm(Math.floor(least / 2 ** 32), least >>> 0, chunks, frequencies, length);
    if (done % 4096 === 0) yield;
  }
  writer.beginNames();
  yield* mergeNames(segments, writer);
  writer.beginWords();
  yield* mergeWords(segments, writer);
}

/** Names without a posting are left behind: they were defined in removed documents only. */
function* mergeNames(segments: readonly Segment[], writer: SegmentWriter): Generator<void, void, void> {
  const someAreGone = segments.some(({ deletedCount }) => deletedCount > 0);
  const term: TermHash = { bucket: 0, key: 0 };
  const open = segments.map(({ reader }) => reader.names()).filter((cursor) => cursor.next());
  open.sort((a, b) => a.compare(b));
  for (let done = 0; open.length > 0; done++) {
    const least = open[0]!;
    if (someAreGone) hashName(least.text(), term);
    if (!someAreGone || writer.hasTerm(term)) writer.names.add(least.keyBytes(), least.nameBytes());
    while (open.length > 1 && open[1]!.compare(least) === 0) advanceAt(open, 1);
    advanceAt(open, 0);
    if (done % 4096 === 0) yield;
  }
}

/** Words whose stem has no posting are left behind. A word's frequency is still that with removed documents. */
function* mergeWords(segments: readonly Segment[], writer: SegmentWriter): Generator<void, void, void> {
  const someAreGone = segments.some(({ deletedCount }) => deletedCount > 0);
  const isKept = (word: string): boolean => {
    const text = stem(word);
    return WORD_FIELDS.some((field) => writer.hasTerm(termHash(field, text)));
  };
  for (let letter = 0, done = 0; letter < LETTERS; letter++) {
    const open = segments.map(({ reader }) => reader.words(letter)).filter((cursor) => cursor.next() >= 0);
    open.sort((a, b) => a.compare(b));
    for (; open.length > 0; done++) {
      const least = open[0]!;
      let { frequency } = least;
      while (open.length > 1 && open[1]!.compare(least) === 0) {
        frequency += open[1]!.frequency;
        advanceAt(open, 1);
      }
      if (!someAreGone || isKept(least.text())) writer.words.add(least.word(), frequency);
      advanceAt(open, 0);
      if (done % 4096 === 0) yield;
    }
  }
}

/** An ordered list with a current entry. */
interface OrderedCursor<Self> {
  /** Moves to the next entry; `false` or a negative number if there is none. */
  next(): boolean | number;
  compare(other: Self): number;
}

/** Moves the cursor at `index` to its next entry, and then to its place in the order. */
function advanceAt<Entry extends OrderedCursor<Entry>>(cursors: Entry[], index: number): void {
  const cursor = cursors[index]!;
  const moved = cursor.next();
  if (moved === false || (typeof moved === 'number' && moved < 0)) {
    cursors.splice(index, 1);
    return;
  }
  let at = index;
  for (; at + 1 < cursors.length && cursors[at + 1]!.compare(cursor) < 0; at++) cursors[at] = cursors[at + 1]!;
  cursors[at] = cursor;
}

function hashName(name: string, out: TermHash): void {
  if (name.includes('.')) hashTerm(Field.qualified, foldQualified(name), out);
  else hashTerm(Field.symbol, foldName(name), out);
}

/** Copies the documents that are not deleted. Returns the new number of each old chunk. */
function copyDocuments(segment: Segment, writer: SegmentWriter): Uint32Array {
  const { reader } = segment;
  const chunkMap = new Uint32Array(reader.footer.chunks).fill(GONE);
  for (let document = 0; document < reader.documents; document++) {
    if (segment.isDeleted(document)) continue;
    const first = reader.firstChunk[document]!;
    const end = reader.firstChunk[document + 1]!;
    for (let chunk = first; chunk < end; chunk++) chunkMap[chunk] = writer.chunks + chunk - first;
    writer.addDocument({
      id: reader.idOf(document),
      path: reader.pathBytesOf(document),
      language: reader.languageOf(document),
      contentBytes: reader.contentBytesOf(document),
      lines: reader.linesOf(document),
      chunkStarts: reader.chunkStarts.subarray(first, end),
      chunkTokens: reader.chunkTokens.subarray(first, end),
      details: reader.detailsOf(document),
    });
  }
  return chunkMap;
}

const END = Number.POSITIVE_INFINITY;

/** Iterates over the terms of one segment. */
class Cursor {
  /** The term's 48 bits as one number, {@link END} past the last. */
  order = END;
  readonly #chunkMap: Uint32Array;
  readonly #runs: Generator<TermRun>;
  #run: TermRun | undefined;
  #entry = -1;

  constructor(reader: SegmentReader, chunkMap: Uint32Array) {
    this.#chunkMap = chunkMap;
    this.#runs = reader.termRuns();
    this.advance();
  }

  advance(): void {
    if (!this.#run || ++this.#entry === this.#run.count) {
      const next = this.#runs.next();
      this.#run = next.done ? undefined : next.value;
      this.#entry = 0;
    }
    this.order = this.#run ? this.#run.highs[this.#entry]! * 2 ** 32 + this.#run.keys[this.#entry]! : END;
  }

  /** Appends the term's postings in chunks that are kept, by their new numbers. */
  appendLive(into: Postings): void {
    let end = into.length;
    this.#run!.read(this.#entry, into);
    const chunkMap = this.#chunkMap;
    for (let i = end; i < into.length; i++) {
      const chunk = chunkMap[into.chunks[i]!]!;
      if (chunk === GONE) continue;
      into.chunks[end] = chunk;
      into.frequencies[end++] = into.frequencies[i]!;
    }
    into.length = end;
  }
}
