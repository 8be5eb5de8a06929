import { Analyzer } from '../analyze/analyzer.ts';
import type { Definition } from '../analyze/definitions.ts';
import type { Scan } from '../analyze/scanner.ts';
import { foldName, foldQualified, symbolNames } from '../analyze/symbolNames.ts';
import { isIndexable, splitIdentifier, stem } from '../analyze/words.ts';
import { encodeDefinitions } from './documents.ts';
import { ByteWriter, Field, MAX_TF, hashTerm, type TermHash } from './format.ts';
import { NameSet } from './nameSet.ts';
import type { DocumentRecord, SegmentWriter } from './segmentWriter.ts';

/** A document to be indexed: `text` is UTF-8. */
export interface NewDocument {
  readonly id: Uint8Array;
  readonly path: string;
  readonly text: Uint8Array;
}

/** A posting is its term's number and, in one word, the chunk (24 bits) and the frequency (8 bits). */
const FREQUENCY_BITS = 8;
/** Postings that make a segment full: about 64 MB of text, 100 MB of memory. */
const FULL_POSTINGS = 6_000_000;
const FULL_IDENTIFIERS = 1_500_000;

/**
 * Analyses documents and gathers their postings in memory until a segment is worth writing.
 *
 * Every identifier is split and stemmed once, when it is met first; each later occurrence costs a hash over its bytes and
 * a few additions. Postings are kept in the order of documents and sorted by term once, when the segment is written.
 */
export class SegmentBuilder {
  readonly #terms = new TermTable();
  readonly #analyzer: Analyzer;
  readonly #documents: DocumentRecord[] = [];
  readonly #names = new NameSet();
  #chunks = 0;

  /** For each identifier, where its terms begin in {@link #identifierTerms}. */
  #termsFrom = new Uint32Array(1 << 15);
  #identifierTerms = new Uint32Array(1 << 16);
  #identifierTermCount = 0;

  #postingTerms = new Uint32Array(1 << 16);
  #postingValues = new Uint32Array(1 << 16);
  #postings = 0;

  /** Frequencies of the chunk at hand, by term, and the terms that have one. */
  #frequencies = new Uint32Array(1 << 16);
  #touched = new Uint32Array(1 << 12);
  #touchedCount = 0;

  constructor() {
    this.#analyzer = new Analyzer((identifier, text) => this.#meet(identifier, text));
  }

  get documents(): number {
    return this.#documents.length;
  }

  get isFull(): boolean {
    return this.#postings >= FULL_POSTINGS || this.#analyzer.identifiers >= FULL_IDENTIFIERS;
  }

  add(document: NewDocument): void {
    const { text, path } = document;
    const { language, definitions, chunks, scan } = this.#analyzer.analyze(path, text);
    const pieces = chunks.length > 0 ? chunks : [{ start: 0, end: 0 }];
    const chunkTokens: number[] = [];
    let next = 0;
    for (const [index, { start, end }] of pieces.entries()) {
      const from = scan.lineCount === 0 ? 0 : scan.firstToken[start]!;
      const to = scan.lineCount === 0 ? 0 : scan.firstToken[end + 1]!;
      this.#countTokens(scan, from, to);
      for (; next < definitions.length && definitions[next]!.line <= end; next++) {
        this.#countDefinition(definitions[next]!);
      }
      if (index === 0) this.#countPath(path);
      this.#emitChunk(this.#chunks + index);
      chunkTokens.push(to - from);
    }
    this.#chunks += pieces.length;

    const details = new ByteWriter();
    encodeDefinitions(definitions, details);
    this.#documents.push({
      id: document.id,
      path: Buffer.from(path),
      language,
      contentBytes: text.length,
      lines: scan.lineCount,
      chunkStarts: pieces.map((piece) => piece.start),
      chunkTokens,
      details: details.view().slice(),
    });
  }

  /** Writes everything gathered. The builder is of no use afterwards. */
  write(writer: SegmentWriter): void {
    for (const document of this.#documents) writer.addDocument(document);
    writer.beginTerms(this.#terms.size);

    // Counting sort by the terms' order on disk; it is stable, so each list keeps its chunks ascending.
    const order = this.#terms.sorted();
    const begins = new Uint32Array(this.#terms.size + 1);
    for (let i = 0; i < this.#postings; i++) begins[this.#postingTerms[i]!]!++;
    let total = 0;
    for (const term of order) {
      const count = begins[term]!;
      begins[term] = total;
      total += count;
    }
    const sorted = new Uint32Array(this.#postings);
    const ends = begins.slice();
    for (let i = 0; i < this.#postings; i++) sorted[ends[this.#postingTerms[i]!]!++] = this.#postingValues[i]!;

    let chunks = new Uint32Array(1024);
    let frequencies = new Uint8Array(1024);
    for (const term of order) {
      const from = begins[term]!;
      const count = ends[term]! - from;
      if (count > chunks.length) {
        chunks = new Uint32Array(count * 2);
        frequencies = new Uint8Array(count * 2);
      }
      for (let i = 0; i < count; i++) {
        const value = sorted[from + i]!;
        chunks[i] = value >>> FREQUENCY_BITS;
        frequencies[i] = value & MAX_TF;
      }
      if (count > 0) writer.addTerm(this.#terms.highOf(term), this.#terms.keyOf(term), chunks, frequencies, count);
    }
    writer.beginNames();
    this.#names.write(writer.names);
  }

  /** Works out an identifier's terms, when it occurs for the first time. */
  #meet(identifier: number, text: string): void {
    if (identifier + 1 >= this.#termsFrom.length) this.#termsFrom = doubled(this.#termsFrom);
    const parts = splitIdentifier(text);
    for (const part of parts)
      if (isIndexable(part)) this.#pushIdentifierTerm(this.#terms.number(Field.body, stem(part)));
    if (parts.length > 1) this.#pushIdentifierTerm(this.#terms.number(Field.identifier, parts.join('')));
    this.#termsFrom[identifier + 1] = this.#identifierTermCount;
  }

  #pushIdentifierTerm(term: number): void {
    if (this.#identifierTermCount === this.#identifierTerms.length) {
      this.#identifierTerms = doubled(this.#identifierTerms);
    }
    this.#identifierTerms[this.#identifierTermCount++] = term;
  }

  #countTokens(scan: Scan, from: number, to: number): void {
    const { tokens } = scan;
    const termsFrom = this.#termsFrom;
    const terms = this.#identifierTerms;
    for (let token = from; token < to; token++) {
      const identifier = tokens[token]!;
      const end = termsFrom[identifier + 1]!;
      for (let i = termsFrom[identifier]!; i < end; i++) this.#count(terms[i]!);
    }
  }

  #countDefinition(definition: Definition): void {
    const { name } = definition;
    const parts = this.#countName(name, Field.definition);
    if (parts.length > 0) this.#count(this.#terms.number(Field.symbol, parts.join('')));
    const names = symbolNames(definition, parts);
    if (!names) return;
    const { own, qualified, acronym } = names;
    this.#names.add(own);
    if (own !== name) this.#count(this.#terms.number(Field.symbol, foldName(own)));
    if (acronym !== undefined) this.#count(this.#terms.number(Field.acronym, acronym));
    if (qualified === undefined) return;
    this.#names.add(qualified);
    this.#count(this.#terms.number(Field.qualified, foldQualified(qualified)));
  }

  #countName(name: string, wordField: Field): string[] {
    const parts = splitIdentifier(name);
    for (const part of parts) if (isIndexable(part)) this.#count(this.#terms.number(wordField, stem(part)));
    return parts;
  }

  #countPath(path: string): void {
    const slash = path.lastIndexOf('/') + 1;
    this.#countName(path.slice(0, slash), Field.folder);
    this.#countName(path.slice(slash), Field.fileName);
  }

  #count(term: number): void {
    if (term >= this.#frequencies.length) {
      const larger = new Uint32Array(Math.max(this.#frequencies.length * 2, term + 1));
      larger.set(this.#frequencies);
      this.#frequencies = larger;
    }
    if (this.#frequencies[term]!++ > 0) return;
    if (this.#touchedCount === this.#touched.length) this.#touched = doubled(this.#touched);
    this.#touched[this.#touchedCount++] = term;
  }

  #emitChunk(chunk: number): void {
    for (let i = 0; i < this.#touchedCount; i++) {
      const term = this.#touched[i]!;
      if (this.#postings === this.#postingTerms.length) {
        this.#postingTerms = doubled(this.#postingTerms);
        this.#postingValues = doubled(this.#postingValues);
      }
      this.#postingTerms[this.#postings] = term;
      this.#postingValues[this.#postings++] = (chunk << FREQUENCY_BITS) | Math.min(this.#frequencies[term]!, MAX_TF);
      this.#frequencies[term] = 0;
    }
    this.#touchedCount = 0;
  }
}

/** Numbers the distinct terms of a segment by their hashes. */
class TermTable {
  #slots = new Int32Array(1 << 17);
  #keys = new Uint32Array(1 << 16);
  #highs = new Uint16Array(1 << 16);
  #hash: TermHash = { bucket: 0, key: 0 };
  size = 0;

  keyOf(term: number): number {
    return this.#keys[term]!;
  }

  highOf(term: number): number {
    return this.#highs[term]!;
  }

  number(field: Field, text: string): number {
    const hash = this.#hash;
    hashTerm(field, text, hash);
    const mask = this.#slots.length - 1;
    let slot = (hash.key ^ (hash.bucket << 4)) & mask;
    for (;;) {
      const found = this.#slots[slot]!;
      if (found === 0) break;
      if (this.#keys[found - 1] === hash.key && this.#highs[found - 1] === hash.bucket) return found - 1;
      slot = (slot + 1) & mask;
    }
    if (this.size === this.#keys.length) {
      this.#keys = doubled(this.#keys);
      this.#highs = doubled(this.#highs);
    }
    this.#keys[this.size] = hash.key;
    this.#highs[this.size] = hash.bucket;
    this.#slots[slot] = ++this.size;
    if (this.size * 2 > this.#slots.length) this.#grow();
    return this.size - 1;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let term = 0; term < this.size; term++) {
      let slot = (this.#keys[term]! ^ (this.#highs[term]! << 4)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = term + 1;
    }
    this.#slots = slots;
  }

  /** The terms' numbers in the order of (bucket, key): a radix sort, 16 bits at a time. */
  sorted(): Uint32Array {
    let from = new Uint32Array(this.size);
    for (let i = 0; i < from.length; i++) from[i] = i;
    let to = new Uint32Array(this.size);
    const digits = [
      (term: number): number => this.#keys[term]! & 0xffff,
      (term: number): number => this.#keys[term]! >>> 16,
      (term: number): number => this.#highs[term]!,
    ];
    for (const digit of digits) {
      const begins = new Uint32Array(0x10001);
      for (const term of from) begins[digit(term) + 1]!++;
      for (let i = 1; i < begins.length; i++) begins[i]! += begins[i - 1]!;
      for (const term of from) to[begins[digit(term)]!++] = term;
      [from, to] = [to, from];
    }
    return from;
  }
}

function doubled<T extends Uint32Array | Uint16Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(array.length * 2);
  larger.set(array);
  return larger;
}
