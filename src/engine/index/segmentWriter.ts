import { crc32 } from 'node:zlib';
import { BlockSums } from './blockFile.ts';
import { ByteWriter, DOCUMENT_ID_BYTES, MAX_CHUNKS, MAX_TOKENS, type TermHash } from './format.ts';
import { bytesOf, bytesPerTerm, columnsOf } from './dictionary.ts';
import { NameWriter, type NameBlocks } from './names.ts';
import { countFolders } from './outerFolders.ts';
import { encodeInline, encodePostings } from './postings.ts';
import { encodeEnd, encodeSums } from './segmentEnd.ts';
import { closeSync, fsyncSync, openSync, removeIfFreeSync, writeSync } from './segmentStorage.ts';
import { WordWriter } from './wordList.ts';

/** The data of a document besides its postings. */
export interface DocumentRecord {
  readonly id: Uint8Array;
  readonly path: Uint8Array;
  readonly language: string;
  readonly contentBytes: number;
  readonly lines: number;
  /** First line (from 0) of each chunk, and its tokens, see {@link MAX_TOKENS}; at least one chunk. */
  readonly chunkStarts: ArrayLike<number>;
  readonly chunkTokens: ArrayLike<number>;
  /** Encoded definitions. */
  readonly details: Uint8Array;
}

const FLUSH_BYTES = 1 << 20;
/** Terms per bucket, which a lookup reads: about 40 × 8 bytes. */
const TERMS_PER_BUCKET = 40;

/**
 * Writes one segment file: first every document, then every term in the order of its hash, then the defined names, then the
 * words, then {@link finish}.
 */
export class SegmentWriter {
  readonly #file: string;
  readonly #fd: number;
  readonly #out = new ByteWriter();
  readonly #coldSums = new BlockSums();
  #written = 0;

  readonly #ids = new ByteWriter();
  readonly #paths = new ByteWriter();
  readonly #pathOffsets: number[] = [0];
  readonly #detailOffsets: number[] = [0];
  readonly #firstChunk: number[] = [0];
  readonly #lines: number[] = [];
  readonly #contentBytes: number[] = [];
  readonly #documentTokens: number[] = [];
  readonly #documentLanguage: number[] = [];
  readonly #languages: string[] = [];
  readonly #chunkStarts: number[] = [];
  readonly #chunkTokens: number[] = [];
  #chunkDocument = new Uint32Array(0);

  #bucketBits = 0;
  #terms = 0;
  #keys = new Uint32Array(0);
  #highBits = new Uint16Array(0);
  #values = new Uint32Array(0);
  #bucketEntries = new Uint32Array(0);
  #bucketPostings = new Float64Array(0);
  #bucket = -1;

  readonly #append = (bytes: Uint8Array): void => {
    this.#out.append(bytes);
    this.#flush(FLUSH_BYTES);
  };
  /** Takes the names between {@link beginNames} and {@link beginWords}, and then the words. */
  readonly names = new NameWriter(this.#append);
  readonly words = new WordWriter(this.#append);
  #nameBlocks = 0;
  #names: NameBlocks | undefined;
  #wordParts = 0;

  constructor(file: string) {
    this.#file = file;
    this.#fd = openSync(file, 'wx');
  }

  get documents(): number {
    return this.#lines.length;
  }

  get chunks(): number {
    return this.#chunkStarts.length;
  }

  addDocument(document: DocumentRecord): void {
    this.#ids.append(document.id);
    this.#paths.append(document.path);
    this.#pathOffsets.push(this.#paths.length);
    this.#out.append(document.details);
    this.#detailOffsets.push(this.#written + this.#out.length);
    this.#flush(FLUSH_BYTES);
    let tokens = 0;
    for (let i = 0; i < document.chunkStarts.length; i++) {
      this.#chunkStarts.push(document.chunkStarts[i]!);
      this.#chunkTokens.push(document.chunkTokens[i]!);
      tokens += document.chunkTokens[i]! & MAX_TOKENS;
    }
    this.#firstChunk.push(this.#chunkStarts.length);
    this.#lines.push(document.lines);
    this.#contentBytes.push(document.contentBytes);
    this.#documentTokens.push(tokens);
    let language = this.#languages.indexOf(document.language);
    if (language < 0) language = this.#languages.push(document.language) - 1;
    this.#documentLanguage.push(language);
  }

  /** Call between the last document and the first term. There may be no more than `maxTerms`, and should not be far fewer. */
  beginTerms(maxTerms: number): void {
    if (this.chunks > MAX_CHUNKS) throw new RangeError(`A segment holds at most ${MAX_CHUNKS} chunks.`);
    this.#bucketBits = Math.min(16, Math.max(0, Math.ceil(Math.log2(maxTerms / TERMS_PER_BUCKET + 1))));
    const buckets = 1 << this.#bucketBits;
    this.#bucketEntries = new Uint32Array(buckets + 1);
    this.#bucketPostings = new Float64Array(buckets + 1);
    this.#keys = new Uint32Array(maxTerms);
    this.#highBits = new Uint16Array(maxTerms);
    this.#values = new Uint32Array(maxTerms);
    this.#chunkDocument = new Uint32Array(this.chunks);
    for (let document = 0; document < this.documents; document++) {
      this.#chunkDocument.fill(document, this.#firstChunk[document], this.#firstChunk[document + 1]);
    }
  }

  /** Terms must come in the order of (`high`, `key`); `chunks` ascends. */
  addTerm(high: number, key: number, chunks: Uint32Array, frequencies: Uint8Array, count: number): void {
    const bucket = high >>> (16 - this.#bucketBits);
    while (this.#bucket < bucket) this.#openBucket();
    this.#keys[this.#terms] = key;
    this.#highBits[this.#terms] = high;
    this.#values[this.#terms++] =
      count === 1 ? encodeInline(chunks[0]!, frequencies[0]!) : this.#writePostings(bucket, chunks, frequencies, count);
  }

  #writePostings(bucket: number, chunks: Uint32Array, frequencies: Uint8Array, count: number): number {
    const offset = this.#written + this.#out.length - this.#bucketPostings[bucket]!;
    const chunkDocument = this.#chunkDocument;
    let documents = 0;
    let lastDocument = -1;
    for (let i = 0; i < count; i++) {
      const document = chunkDocument[chunks[i]!]!;
      if (document !== lastDocument) documents++;
      lastDocument = document;
    }
    encodePostings(this.#out, chunks, frequencies, count, documents);
    this.#flush(FLUSH_BYTES);
    return offset;
  }

  /** Call between the last term and the first name. */
  beginNames(): void {
    const buckets = 1 << this.#bucketBits;
    while (this.#bucket < buckets) this.#openBucket();
    this.#nameBlocks = this.#written + this.#out.length;
  }

  /** Call between the last name and the first word. Returns the names' blocks. */
  beginWords(): NameBlocks {
    this.#names = this.names.finish();
    this.#wordParts = this.#written + this.#out.length;
    return this.#names;
  }

  /** Whether the term was added; call after {@link beginNames}. */
  hasTerm({ bucket: high, key }: TermHash): boolean {
    const bucket = high >>> (16 - this.#bucketBits);
    let low = this.#bucketEntries[bucket]!;
    let end = this.#bucketEntries[bucket + 1]!;
    while (low < end) {
      const middle = (low + end) >>> 1;
      const order = this.#highBits[middle]! - high || this.#keys[middle]! - key;
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else end = middle;
    }
    return false;
  }

  /** Writes the rest and makes the file durable. Returns its size in bytes. */
  finish(): number {
    const names = this.#names ?? this.beginWords();
    const wordOffsets = this.words.finish();
    this.#flush(1);
    const dictionary = this.#written;
    this.#writeCold(this.#dictionary());
    const cold = this.#written;

    const resident = new ByteWriter();
    const sections: Record<string, [number, number]> = {};
    const section = (name: string, array: Uint8Array | Uint16Array | Uint32Array | Float64Array): void => {
      resident.append(new Uint8Array((8 - (resident.length % 8)) % 8));
      sections[name] = [resident.length, array.byteLength];
      resident.append(bytesOf(array));
    };
    section('bucketPostings', this.#bucketPostings);
    section('bucketEntries', this.#bucketEntries);
    section('nameOffsets', names.offsets);
    section('nameKeys', names.keys);
    section('nameKeyOffsets', names.keyOffsets);
    section('wordOffsets', wordOffsets);
    section('ids', this.#ids.view());
    section('pathOffsets', Uint32Array.from(this.#pathOffsets));
    section('paths', this.#paths.view());
    section('detailOffsets', Float64Array.from(this.#detailOffsets));
    section('firstChunk', Uint32Array.from(this.#firstChunk));
    section('lines', Uint32Array.from(this.#lines));
    section('contentBytes', Uint32Array.from(this.#contentBytes));
    section('documentTokens', Uint32Array.from(this.#documentTokens));
    section('documentLanguage', Uint8Array.from(this.#documentLanguage));
    section('chunkStarts', Uint32Array.from(this.#chunkStarts));
    section('chunkTokens', Uint16Array.from(this.#chunkTokens));
    this.#write(resident.view());

    const end = encodeEnd({
      documents: this.documents,
      chunks: this.chunks,
      terms: this.#terms,
      tokens: sum(this.#documentTokens),
      contentBytes: sum(this.#contentBytes),
      languages: this.#countLanguages(),
      folders: [...countFolders(Buffer.from(this.#paths.view()).toString('latin1'), this.#pathOffsets)],
      bucketBits: this.#bucketBits,
      dictionary,
      names: this.names.count,
      nameBlocks: this.#nameBlocks,
      words: this.words.count,
      wordParts: this.#wordParts,
      cold,
      resident: resident.length,
      coldSums: encodeSums(this.#coldSums.finish()),
      residentSum: crc32(resident.view()),
      sections,
    });
    for (const part of end) this.#write(part);
    fsyncSync(this.#fd);
    closeSync(this.#fd);
    return this.#written;
  }

  #countLanguages(): [string, number][] {
    const counts = this.#languages.map((language): [string, number] => [language, 0]);
    for (const language of this.#documentLanguage) counts[language]![1]++;
    return counts;
  }

  /** A bucket's columns are together, so that the lookup of a term is one read. */
  #dictionary(): Uint8Array {
    const bytes = new Uint8Array(this.#terms * bytesPerTerm(this.#bucketBits));
    const columns = columnsOf(this.#keys, this.#values, this.#highBits, this.#bucketBits);
    let at = 0;
    for (let bucket = 0; bucket < this.#bucketEntries.length - 1; bucket++) {
      const from = this.#bucketEntries[bucket]!;
      const to = this.#bucketEntries[bucket + 1]!;
      for (const [column, width] of columns) {
        bytes.set(column.subarray(from * width, to * width), at);
        at += (to - from) * width;
      }
    }
    return bytes;
  }

  /** Gives up: the unfinished file is removed. */
  abort(): void {
    closeSync(this.#fd);
    removeIfFreeSync(this.#file);
  }

  #openBucket(): void {
    this.#bucket++;
    this.#bucketEntries[this.#bucket] = this.#terms;
    this.#bucketPostings[this.#bucket] = this.#written + this.#out.length;
  }

  /** Writes the buffer once it holds `atLeast` bytes. */
  #flush(atLeast: number): void {
    if (this.#out.length < atLeast) return;
    this.#writeCold(this.#out.view());
    this.#out.length = 0;
  }

  #writeCold(bytes: Uint8Array): void {
    this.#coldSums.add(bytes);
    this.#write(bytes);
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    this.#written += bytes.length;
  }
}

/** Writes one segment file; `fill` adds its documents and terms. The file is removed if that throws. */
export function writeSegment(file: string, fill: (writer: SegmentWriter) => void): void {
  const writer = new SegmentWriter(file);
  try {
    fill(writer);
    writer.finish();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

export function documentIdAt(ids: Uint8Array, document: number): Uint8Array {
  return ids.subarray(document * DOCUMENT_ID_BYTES, (document + 1) * DOCUMENT_ID_BYTES);
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
