import type { DocumentId } from '../documentId.ts';
import { systemCode, type SextantError } from '../../base/errors.ts';
import { BlockFile, DamagedBlock, Scratch } from './blockFile.ts';
import { bytesPerTerm, columnsOf } from './dictionary.ts';
import { isDamage, reasonOfDamage } from './damage.ts';
import { decodeDefinitions, type LineRange, type SymbolSpan } from './documents.ts';
import { BLOCK_BYTES, ByteReader, DOCUMENT_ID_BYTES, damaged, type TermHash } from './format.ts';
import { gallop } from './gallop.ts';
import { NameCursor, nameKey, type NameSource } from './names.ts';
import type { SegmentFooter } from './segmentEnd.ts';
import { INLINE, decodeInline, decodePostings, type PostingList, type Postings } from './postings.ts';
import { documentIdAt } from './segmentWriter.ts';
import { outerFolderOf } from './outerFolders.ts';
import { LETTERS, WordCursor } from './wordList.ts';

/** Terms in a row, with their lists. */
export interface TermRun {
  readonly count: number;
  readonly highs: Uint16Array;
  readonly keys: Uint32Array;
  /** Appends the postings of one term. */
  read(entry: number, into: Postings): void;
}

/** Number of documents that are compared with a chunk one by one, before they are searched. */
const NEAR = 4;
/** Approximate bytes of postings that are read at once for a merge. */
const RUN_BYTES = 256 << 10;
/** What is before a word in a path: `/`, `-`, `.` and `_`. */
const SEPARATORS: ReadonlySet<number> = new Set(Buffer.from('/-._'));

/**
 * Reads one segment file. Opening reads its resident part; a search reads the few pieces of the rest that it needs.
 * A method that meets damage throws `IndexDamaged`; then {@link broken} and {@link lostDocuments} have its extent.
 */
export class SegmentReader {
  readonly file: string;
  /** See {@link BlockFile.sum}. */
  readonly sum: number;
  readonly footer: SegmentFooter;
  readonly firstChunk: Uint32Array;
  readonly chunkStarts: Uint32Array;
  readonly chunkTokens: Uint16Array;
  readonly documentTokens: Uint32Array;

  readonly #blocks: BlockFile;
  readonly #resident: Uint8Array;
  readonly #bucketPostings: Float64Array;
  readonly #bucketEntries: Uint32Array;
  readonly #names: NameSource;
  readonly #wordOffsets: Uint32Array;
  readonly #ids: Buffer;
  readonly #pathOffsets: Uint32Array;
  readonly #paths: Buffer;
  readonly #detailOffsets: Float64Array;
  readonly #lines: Uint32Array;
  readonly #contentBytes: Uint32Array;
  readonly #documentLanguage: Uint8Array;
  #languages: ReadonlyMap<string, number> | undefined;
  readonly #documentsLike = new Map<RegExp, readonly number[]>();
  #folders: ReadonlyMap<string, number> | undefined;
  /** Blocks of the dictionary that were read: each word of a query reads a few, and all are a tenth of a segment. */
  #dictionaryBlocks: (DataView | undefined)[] = [];
  /** Bytes with the bucket that was read last, and its offset in them. */
  #bucketView: DataView = new DataView(new ArrayBuffer(0));
  #bucketAt = 0;
  readonly #bucketScratch = new Scratch();
  readonly #damagedDetails = new Set<number>();
  #broken: string | undefined;

  /** Throws `IndexDamaged`, or the system's error where the file cannot be opened. */
  constructor(file: string) {
    this.file = file;
    this.#blocks = new BlockFile(file);
    this.sum = this.#blocks.sum;
    this.footer = this.#blocks.footer;
    try {
      this.#resident = this.#blocks.resident();
      this.#bucketPostings = new Float64Array(...this.#section('bucketPostings', 8));
      this.#bucketEntries = new Uint32Array(...this.#section('bucketEntries', 4));
      this.#names = {
        blocks: {
          offsets: new Float64Array(...this.#section('nameOffsets', 8)),
          keys: new Uint8Array(...this.#section('nameKeys', 1)),
          keyOffsets: new Uint32Array(...this.#section('nameKeyOffsets', 4)),
        },
        read: (from, length) => this.#readCold(this.footer.nameBlocks + from, length),
        damaged: this.#damaged,
        recent: new Map(),
      };
      this.#wordOffsets = new Uint32Array(...this.#section('wordOffsets', 4));
      this.#ids = Buffer.from(...this.#section('ids', 1));
      this.#pathOffsets = new Uint32Array(...this.#section('pathOffsets', 4));
      this.#paths = Buffer.from(...this.#section('paths', 1));
      this.#detailOffsets = new Float64Array(...this.#section('detailOffsets', 8));
      this.firstChunk = new Uint32Array(...this.#section('firstChunk', 4));
      this.#lines = new Uint32Array(...this.#section('lines', 4));
      this.#contentBytes = new Uint32Array(...this.#section('contentBytes', 4));
      this.documentTokens = new Uint32Array(...this.#section('documentTokens', 4));
      this.#documentLanguage = new Uint8Array(...this.#section('documentLanguage', 1));
      this.chunkStarts = new Uint32Array(...this.#section('chunkStarts', 4));
      this.chunkTokens = new Uint16Array(...this.#section('chunkTokens', 2));
      this.#checkCounts();
    } catch (error) {
      this.#blocks.close();
      throw error;
    }
  }

  /**
   * Throws `IndexDamaged` where the counts are not those of the arrays. An archive from elsewhere may have any numbers under
   * valid checksums, and loops over these would not end.
   */
  #checkCounts(): void {
    const { documents, chunks } = this.footer;
    const ends = [this.firstChunk, this.#pathOffsets, this.#detailOffsets].every(
      ({ length }) => length === documents + 1,
    );
    const each = [this.#lines, this.#contentBytes, this.documentTokens].every(({ length }) => length === documents);
    if (!ends || !each || this.chunkStarts.length !== chunks || this.chunkTokens.length !== chunks)
      throw damaged(this.file, 'counts');
  }

  get documents(): number {
    return this.footer.documents;
  }

  /** The damage, if it is to more than the details of some documents: then the whole segment is unusable. */
  get broken(): string | undefined {
    return this.#broken;
  }

  /** The documents with details in damaged blocks. All others can be used. */
  lostDocuments(): number[] {
    const lost: number[] = [];
    for (let document = 0; this.#damagedDetails.size > 0 && document < this.documents; document++) {
      const from = this.#detailOffsets[document]!;
      const end = this.#detailOffsets[document + 1]!;
      if (from === end) continue;
      for (let block = blockOf(from); block <= blockOf(end - 1); block++) {
        if (!this.#damagedDetails.has(block)) continue;
        lost.push(document);
        break;
      }
    }
    return lost;
  }

  /** Reads the whole file again and compares all checksums. Does not throw for damage, but remembers it. */
  *verify(): Generator<void, void, void> {
    this.#dictionaryBlocks = [];
    try {
      yield* this.#blocks.verify((block) => this.#lose(block));
    } catch (error) {
      if (!isDamage(error) && systemCode(error) !== 'ENOENT') throw error;
      this.#broken ??= reasonOfDamage(error);
    }
  }

  close(): void {
    this.#blocks.close();
  }

  idOf(document: number): Uint8Array {
    return documentIdAt(this.#ids, document);
  }

  documentIdOf(document: number): DocumentId {
    return this.#ids.toString('hex', document * DOCUMENT_ID_BYTES, (document + 1) * DOCUMENT_ID_BYTES);
  }

  pathOf(document: number): string {
    return this.#paths.toString('utf8', this.#pathOffsets[document], this.#pathOffsets[document + 1]);
  }

  pathBytesOf(document: number): Uint8Array {
    return this.#paths.subarray(this.#pathOffsets[document], this.#pathOffsets[document + 1]);
  }

  /** The documents whose path matches. They are kept for each pattern, of which there should be few. */
  documentsLike(path: RegExp): readonly number[] {
    let documents = this.#documentsLike.get(path);
    if (!documents) {
      documents = Array.from({ length: this.documents }, (_, document) => document).filter((document) =>
        path.test(this.pathOf(document)),
      );
      this.#documentsLike.set(path, documents);
    }
    return documents;
  }

  /** The documents whose path has `part`, as these bytes, from the beginning of a folder's or file's name or a word of it on. */
  documentsWithPathPart(part: Uint8Array): number[] {
    const documents: number[] = [];
    for (let at = this.#paths.indexOf(part); at >= 0;) {
      const document = gallop(this.#pathOffsets, 1, this.documents, at + 1) - 1;
      const end = this.#pathOffsets[document + 1]!;
      const begins = at === this.#pathOffsets[document] || SEPARATORS.has(this.#paths[at - 1]!);
      const isFound = begins && at + part.length <= end;
      if (isFound) documents.push(document);
      at = this.#paths.indexOf(part, isFound ? end : at + 1);
    }
    return documents;
  }

  languageOf(document: number): string {
    return this.footer.languages[this.#documentLanguage[document]!]![0];
  }

  /** Number of documents in each language, with removed ones. */
  get languages(): ReadonlyMap<string, number> {
    return (this.#languages ??= new Map(this.footer.languages));
  }

  /** Number of documents below each outer folder, with removed ones. */
  get folders(): ReadonlyMap<string, number> {
    return (this.#folders ??= new Map(this.footer.folders));
  }

  /** The outer folders of a document's path, by their bytes. */
  outerFolderOf(document: number): string {
    return outerFolderOf(this.#paths.toString('latin1', this.#pathOffsets[document], this.#pathOffsets[document + 1]));
  }

  contentBytesOf(document: number): number {
    return this.#contentBytes[document]!;
  }

  linesOf(document: number): number {
    return this.#lines[document]!;
  }

  /** The document of a chunk; `from` is an earlier document or the same, the nearer the faster. */
  documentOf(chunk: number, from = 0): number {
    const { firstChunk } = this;
    // Most often one of the next: a table of all chunks would take longer, as it does not fit in the processor's caches.
    for (let document = from; document < from + NEAR; document++) {
      if (!(firstChunk[document + 1]! <= chunk)) return document;
    }
    return gallop(firstChunk, from + NEAR + 1, this.documents, chunk + 1) - 1;
  }

  /** First and last line of a chunk, from 1. */
  linesOfChunk(chunk: number): LineRange {
    const document = this.documentOf(chunk);
    const next = chunk + 1 < this.firstChunk[document + 1]! ? this.chunkStarts[chunk + 1]! : this.#lines[document]!;
    return [this.chunkStarts[chunk]! + 1, Math.max(next, this.chunkStarts[chunk]! + 1)];
  }

  /** All definitions of a document, or those that have a line in one of the `ranges`. */
  definitionsOf(document: number, ranges?: readonly LineRange[]): SymbolSpan[] {
    const definitions = decodeDefinitions(this.detailsOf(document), ranges);
    if (!definitions) throw this.#damaged('definitions');
    return definitions;
  }

  /** Bytes of a document's definitions, from which their number can be estimated. */
  detailsLengthOf(document: number): number {
    return this.#detailOffsets[document + 1]! - this.#detailOffsets[document]!;
  }

  detailsOf(document: number): Uint8Array {
    const from = this.#detailOffsets[document]!;
    return this.#readCold(from, this.#detailOffsets[document + 1]! - from);
  }

  /** Whether any document has a term. */
  has(term: TermHash): boolean {
    return this.#find(term) !== undefined;
  }

  /** Number of documents with a term, without reading its postings. */
  documentsWith(term: TermHash): number {
    const found = this.#find(term);
    if (!found || found.value >= INLINE) return found ? 1 : 0;
    const length = Math.min(found.end - found.value, MAX_HEAD_BYTES);
    const head = new ByteReader(this.#readCold(found.value, length));
    head.varint();
    return head.varint();
  }

  /** Appends a term's postings to `into`; `undefined` if there are none. */
  read(term: TermHash, into: Postings): PostingList | undefined {
    const found = this.#find(term);
    if (!found) return undefined;
    if (found.value >= INLINE) return this.#checked(decodeInline(found.value, this.footer.chunks, into));
    return this.#checked(
      decodePostings(this.#readCold(found.value, found.end - found.value, into.scratch), this.footer.chunks, into),
    );
  }

  /** Every term in the order of its hash, many at a time, for a merge. */
  *termRuns(): Generator<TermRun> {
    const buckets = 1 << this.footer.bucketBits;
    for (let from = 0, to = 1; from < buckets; from = to, to++) {
      while (to < buckets && this.#bucketPostings[to]! - this.#bucketPostings[from]! < RUN_BYTES) to++;
      if (this.#bucketEntries[from] !== this.#bucketEntries[to]) yield this.#termRun(from, to);
    }
  }

  #termRun(from: number, to: number): TermRun {
    const { dictionary, bucketBits } = this.footer;
    const first = this.#bucketEntries[from]!;
    const count = this.#bucketEntries[to]! - first;
    const keys = new Uint32Array(count);
    const values = new Uint32Array(count);
    const highs = new Uint16Array(count);
    const entryBytes = bytesPerTerm(bucketBits);
    const bytes = this.#readCold(dictionary + entryBytes * first, entryBytes * count);
    const columns = columnsOf(keys, values, highs, bucketBits);
    for (let bucket = from, at = 0; bucket < to; bucket++) {
      const entry = this.#bucketEntries[bucket]! - first;
      const entries = this.#bucketEntries[bucket + 1]! - first - entry;
      for (const [column, width] of columns) {
        column.set(bytes.subarray(at, at + width * entries), width * entry);
        at += width * entries;
      }
    }
    // Offsets count from each bucket's own postings.
    const begin = this.#bucketPostings[from]!;
    for (let bucket = from; bucket < to; bucket++) {
      const end = this.#bucketEntries[bucket + 1]! - first;
      const offset = this.#bucketPostings[bucket]! - begin;
      for (let entry = this.#bucketEntries[bucket]! - first; entry < end; entry++) {
        if (values[entry]! < INLINE) values[entry]! += offset;
        if (bucketBits === 16) highs[entry] = bucket;
      }
    }
    const postings = this.#readCold(begin, this.#bucketPostings[to]! - begin);
    const read = (entry: number, into: Postings): void => {
      const value = values[entry]!;
      if (value < INLINE) this.#checked(decodePostings(postings.subarray(value), this.footer.chunks, into));
      else this.#checked(decodeInline(value, this.footer.chunks, into));
    };
    return { count, highs, keys, read };
  }

  /** The defined names whose key begins with that of `prefix`, in the order of their keys; see {@link nameKey}. */
  names(prefix = ''): NameCursor {
    return new NameCursor(this.#names, nameKey(prefix));
  }

  /** The first `limit` of {@link names}: a member occurs as `bar` and as `Foo.bar`. */
  namesWithPrefix(prefix: string, limit: number): string[] {
    return this.namesMatching(() => true, limit, prefix);
  }

  /** Likewise, only those that `matches` accepts. Without a prefix all names are read: 0.3 µs each. */
  namesMatching(matches: (name: string) => boolean, limit: number, prefix = ''): string[] {
    const names: string[] = [];
    const cursor = this.names(prefix);
    while (names.length < limit && cursor.next()) {
      const name = cursor.text();
      if (matches(name)) names.push(name);
    }
    return names;
  }

  /** The words that begin with a letter, from 0 for `a` to 25, in alphabetical order. */
  words(letter: number): WordCursor {
    const isLetter = letter >= 0 && letter < LETTERS;
    const from = isLetter ? this.#wordOffsets[letter]! : 0;
    const length = isLetter ? this.#wordOffsets[letter + 1]! - from : 0;
    return new WordCursor(this.#readCold(this.footer.wordParts + from, length), this.#damaged);
  }

  /** Looks a term up in its bucket of the dictionary. */
  #find({ bucket: high, key }: TermHash): FoundTerm | undefined {
    const { dictionary, bucketBits } = this.footer;
    const bucket = high >>> (16 - bucketBits);
    const first = this.#bucketEntries[bucket]!;
    const count = this.#bucketEntries[bucket + 1]! - first;
    if (count === 0) return undefined;
    const entryBytes = bytesPerTerm(bucketBits);
    this.#readBucket(dictionary + entryBytes * first, entryBytes * count);
    const view = this.#bucketView;
    const keys = this.#bucketAt;
    const values = keys + count * 4;
    const highs = values + count * 4;
    for (let entry = 0; entry < count; entry++) {
      if (view.getUint32(keys + entry * 4, true) !== key) continue;
      if (bucketBits < 16 && view.getUint16(highs + entry * 2, true) !== high) continue;
      const value = view.getUint32(values + entry * 4, true);
      if (value >= INLINE) return { value, end: value };
      const from = this.#bucketPostings[bucket]!;
      for (let next = entry + 1; next < count; next++) {
        const end = view.getUint32(values + next * 4, true);
        if (end < INLINE) return { value: from + value, end: from + end };
      }
      return { value: from + value, end: this.#bucketPostings[bucket + 1]! };
    }
    return undefined;
  }

  #readBucket(from: number, length: number): void {
    const block = blockOf(from);
    if (blockOf(from + length - 1) !== block) {
      this.#bucketView = viewOf(this.#readCold(from, length, this.#bucketScratch));
      this.#bucketAt = 0;
      return;
    }
    const start = block * BLOCK_BYTES;
    const end = Math.min(start + BLOCK_BYTES, this.footer.cold);
    this.#bucketView = this.#dictionaryBlocks[block] ??= viewOf(this.#readCold(start, end - start));
    this.#bucketAt = from - start;
  }

  #checked(list: PostingList | undefined): PostingList {
    if (!list) throw this.#damaged('a posting is out of range');
    return list;
  }

  #section(name: string, width: number): [ArrayBuffer, number, number] {
    const [offset, length] = this.footer.sections[name] ?? [0, -1];
    if (length < 0 || offset + length > this.#resident.length) throw damaged(this.file, `no section ${name}`);
    return [this.#resident.buffer as ArrayBuffer, this.#resident.byteOffset + offset, length / width];
  }

  #readCold(from: number, length: number, scratch?: Scratch): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    const inside = from >= 0 && length > 0 && from + length <= this.footer.cold;
    if (!inside) throw this.#damaged('an offset is out of range');
    try {
      return this.#blocks.read(from, length, scratch);
    } catch (error) {
      if (error instanceof DamagedBlock) this.#lose(error.block);
      else if (isDamage(error)) this.#broken ??= reasonOfDamage(error);
      throw error;
    }
  }

  /** Bytes that were good when their block was checked make no sense: the file changed since. */
  readonly #damaged = (what: string): SextantError => {
    this.#broken ??= what;
    return damaged(this.file, what);
  };

  #lose(block: number): void {
    if ((block + 1) * BLOCK_BYTES > this.#detailOffsets[this.documents]!) this.#broken ??= `block ${block}`;
    else this.#damagedDetails.add(block);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function blockOf(at: number): number {
  return Math.floor(at / BLOCK_BYTES);
}

/** Range of a term's list in the cold part; a `value` of {@link INLINE} or more is its only posting. */
interface FoundTerm {
  readonly value: number;
  readonly end: number;
}

/** A list begins with two numbers. */
const MAX_HEAD_BYTES = 10;
