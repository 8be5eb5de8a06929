import type { Chunk } from '../analyze/chunks.ts';
import { COMMENT } from '../analyze/lexer.ts';
import { Analyzer } from '../analyze/analyzer.ts';
import type { Definition } from '../analyze/definitions.ts';
import { IdentifierTable } from '../analyze/identifiers.ts';
import { decode, internWord, type SourceScan } from '../analyze/scanner.ts';
import { foldName, foldQualified, isHome, isPath, symbolNames } from '../analyze/symbolNames.ts';
import { endOfSimpleNumber, mayBeNumber, numberTerm, WORD } from '../analyze/numbers.ts';
import {
  AsciiParts,
  isIndexable,
  isUnspaced,
  MAX_WORD,
  splitIdentifier,
  stem,
  writtenWords,
} from '../analyze/words.ts';
import { encodeDefinitions } from './documents.ts';
import { DocumentTable } from './documentTable.ts';
import { ARE_IMPORTS, ByteWriter, Field, IN_COMMENT, MAX_TF, MAX_TOKENS, type TermHash } from './format.ts';
import { NameSet } from './nameSet.ts';
import type { SegmentWriter } from './segmentWriter.ts';
import { doubled, TermTable } from './termTable.ts';
import { WordSet, type WordWriter } from './wordList.ts';

/** A document to be indexed: `text` is UTF-8. */
export interface NewDocument {
  readonly id: Uint8Array;
  readonly path: string;
  readonly text: Uint8Array;
}

/** What the analysis of a document found, besides its terms. */
export interface AddedDocument {
  readonly language: string;
  readonly definitions: readonly Definition[];
  readonly tokens: number;
  readonly chunks: number;
}

/** A term of a document, by its hash, and the number of its occurrences. */
export interface TermCount extends TermHash {
  readonly field: Field;
  readonly count: number;
}

/** Length in bytes above which a name may be data, and the mean length of the parts of a name that is none. */
const LONG_NAME = 100;
const MEAN_PART = 3;
/** Pattern of a path that may have a number with letters or dots. */
const DIGITS = /\d[\dA-Za-z.]/;
/** A posting is one word: its term's number (24 bits) and the frequency; sorted by term, its chunk and the frequency. */
const FREQUENCY_BITS = 8;
const FREQUENCY_MASK = MAX_TF | IN_COMMENT;
/** Gathered bytes that fill a segment: of about 60 MB of text, or 30 MB of generated definitions. */
const FULL_BYTES = 64 << 20;
/** Bytes of a posting, a term and an identifier, with their share of the tables and room to sort. */
const POSTING_BYTES = 8;
const TERM_BYTES = 20;
const IDENTIFIER_BYTES = 20;

/**
 * Analyses documents and gathers their postings in memory until a segment is worth writing.
 *
 * Every identifier is split once, at its first occurrence, and every word stemmed once; each later occurrence costs a hash
 * over its bytes and a few additions. Postings are kept in the order of documents and sorted by term once, when the segment
 * is written.
 */
export class SegmentBuilder {
  readonly #terms = new TermTable();
  readonly #words = new WordTerms(this.#terms);
  readonly #parts = new AsciiParts();
  readonly #analyzer: Analyzer;
  readonly #documents = new DocumentTable();
  readonly #details = new ByteWriter();
  readonly #names = new NameSet();
  #chunks = 0;
  #firstChunkOfLast = 0;

  /** Begin of each identifier's terms in {@link #identifierTerms}. */
  #termsFrom = new Uint32Array(1 << 15);
  #identifierTerms = new Uint32Array(1 << 16);
  #identifierTermCount = 0;

  /** In the order of chunks. */
  #postings = new Uint32Array(1 << 16);
  #postingCount = 0;
  #sorted = new Uint32Array(0);
  /** Begin of each chunk's postings. */
  #chunkBegins = new Uint32Array(1 << 10);
  /** The number of each term's latest posting. */
  #latest = new Int32Array(1 << 16).fill(-1);
  #chunkBegin = 0;

  constructor() {
    this.#analyzer = new Analyzer((identifier, bytes, start, end) => this.#meet(identifier, bytes, start, end));
  }

  get documents(): number {
    return this.#documents.count;
  }

  get isFull(): boolean {
    const counted =
      this.#postingCount * POSTING_BYTES +
      this.#terms.size * TERM_BYTES +
      this.#analyzer.identifiers * IDENTIFIER_BYTES +
      this.#identifierTermCount * 4;
    return counted + this.#names.bytes + this.#words.bytes + this.#documents.bytes > FULL_BYTES;
  }

  add(document: NewDocument): AddedDocument {
    const { text, path } = document;
    this.#firstChunkOfLast = this.#chunks;
    const { language, isData, definitions, chunks, quiet, scan } = this.#analyzer.analyze(path, text);
    const comments = isData ? 0 : COMMENT;
    const pieces: readonly Chunk[] = chunks.length > 0 ? chunks : [{ start: 0, end: 0 }];
    const chunkTokens: number[] = [];
    let next = 0;
    for (const [index, { start, end, isImports }] of pieces.entries()) {
      this.#beginChunk();
      this.#countLines(scan, quiet, comments, start, end);
      for (; next < definitions.length && definitions[next]!.line <= end; next++) {
        this.#countDefinition(definitions[next]!);
      }
      if (index === 0) this.#countPath(path);
      const tokens = scan.lineCount === 0 ? 0 : scan.firstToken[end + 1]! - scan.firstToken[start]!;
      chunkTokens.push(Math.min(tokens, MAX_TOKENS) | (isImports ? ARE_IMPORTS : 0));
    }
    this.#details.length = 0;
    encodeDefinitions(definitions, this.#details);
    this.#documents.add({
      id: document.id,
      path: Buffer.from(path),
      language,
      contentBytes: text.length,
      lines: scan.lineCount,
      chunkStarts: pieces.map((piece) => piece.start),
      chunkTokens,
      details: this.#details.view(),
    });
    const all = chunkTokens.reduce((sum, tokens) => sum + (tokens & MAX_TOKENS), 0);
    return { language, definitions, tokens: all, chunks: pieces.length };
  }

  /** The terms of the document that was added last, each once. */
  termsOfLast(): TermCount[] {
    const counts = new Map<number, number>();
    for (let i = this.#chunkBegins[this.#firstChunkOfLast]!; i < this.#postingCount; i++) {
      const posting = this.#postings[i]!;
      const term = posting >>> FREQUENCY_BITS;
      counts.set(term, (counts.get(term) ?? 0) + (posting & MAX_TF));
    }
    return Array.from(counts, ([term, count]) => ({
      field: this.#terms.fieldOf(term),
      bucket: this.#terms.highOf(term),
      key: this.#terms.keyOf(term),
      count,
    }));
  }

  /** Forgets everything gathered. Its memory is used again: allocating it costs more than the analysis of a file. */
  clear(): void {
    this.#terms.clear();
    this.#words.clear();
    this.#documents.clear();
    this.#names.clear();
    this.#chunks = 0;
    this.#identifierTermCount = 0;
    this.#postingCount = 0;
    this.#chunkBegin = 0;
    this.#latest.fill(-1);
    this.#analyzer.clear();
  }

  /** Writes everything gathered, and keeps it. */
  write(writer: SegmentWriter): void {
    this.#documents.write(writer);
    writer.beginTerms(this.#terms.size);

    // Counting sort by the terms' order on disk; it is stable, so each list keeps its chunks ascending.
    const order = this.#terms.sorted();
    const postings = this.#postings;
    const ends = new Uint32Array(this.#terms.size);
    for (let i = 0; i < this.#postingCount; i++) ends[postings[i]! >>> FREQUENCY_BITS]!++;
    const counts = ends.slice();
    let total = 0;
    for (const term of order) {
      const count = ends[term]!;
      ends[term] = total;
      total += count;
    }
    if (this.#sorted.length < this.#postingCount) this.#sorted = new Uint32Array(this.#postingCount);
    const sorted = this.#sorted;
    for (let chunk = 0; chunk < this.#chunks; chunk++) {
      const end = chunk + 1 < this.#chunks ? this.#chunkBegins[chunk + 1]! : this.#postingCount;
      for (let i = this.#chunkBegins[chunk]!; i < end; i++) {
        const posting = postings[i]!;
        sorted[ends[posting >>> FREQUENCY_BITS]!++] = (chunk << FREQUENCY_BITS) | (posting & FREQUENCY_MASK);
      }
    }

    let chunks = new Uint32Array(1024);
    let frequencies = new Uint8Array(1024);
    let from = 0;
    for (const term of order) {
      const count = ends[term]! - from;
      if (count > chunks.length) {
        chunks = new Uint32Array(count * 2);
        frequencies = new Uint8Array(count * 2);
      }
      for (let i = 0; i < count; i++) {
        const value = sorted[from + i]!;
        chunks[i] = value >>> FREQUENCY_BITS;
        frequencies[i] = value & FREQUENCY_MASK;
      }
      if (count > 0) writer.addTerm(this.#terms.highOf(term), this.#terms.keyOf(term), chunks, frequencies, count);
      from += count;
    }
    writer.beginNames();
    this.#names.write(writer.names);
    writer.beginWords();
    this.#words.write(writer.words, (term) => counts[term]!);
  }

  /** Computes an identifier's terms at its first occurrence. */
  #meet(identifier: number, bytes: Uint8Array, start: number, end: number): void {
    if (identifier + 1 >= this.#termsFrom.length) this.#termsFrom = doubled(this.#termsFrom);
    this.#addTerms(bytes, start, end);
    this.#termsFrom[identifier + 1] = this.#identifierTermCount;
  }

  #addTerms(bytes: Uint8Array, start: number, end: number): void {
    const size = end - start;
    const parts = this.#parts;
    if (mayBeNumber(bytes, start)) {
      const term = this.#numberTerm(bytes, start, end);
      if (term !== undefined) {
        if (term >= 0) this.#pushIdentifierTerm(term);
        return;
      }
    }
    if (parts.split(bytes, start, end)) {
      // The parts of a blob in base64 say nothing, and are as many as half of its characters.
      const isBlob = size > LONG_NAME && parts.count * MEAN_PART > size;
      for (let part = 0; part < parts.count && !isBlob; part++) {
        const term = this.#words.term(Field.body, bytes, parts.starts[part]!, parts.ends[part]!);
        if (term >= 0) this.#pushIdentifierTerm(term);
      }
      if (parts.count > 1 || size > MAX_WORD) {
        this.#pushIdentifierTerm(this.#terms.numberOfParts(Field.identifier, bytes, parts));
      }
    } else {
      const text = decode(bytes, start, end);
      const words = splitIdentifier(text);
      for (const word of writtenWords(text, words)) {
        const term = this.#words.termOf(Field.body, word);
        if (term >= 0) this.#pushIdentifierTerm(term);
      }
      // A long run in a script with no spaces is a sentence rather than a name.
      const isName = words.length > 1 ? size <= LONG_NAME || !isUnspaced(text) : text.length > MAX_WORD;
      if (isName) this.#pushIdentifierTerm(this.#terms.number(Field.identifier, words.join('')));
    }
  }

  /** The term of a number, negative if it is not indexed; `undefined` for a name. Most numbers need no string. */
  #numberTerm(bytes: Uint8Array, start: number, end: number): number | undefined {
    const simpleEnd = endOfSimpleNumber(bytes, start, end);
    if (simpleEnd > start + 1) {
      const parts = this.#parts;
      parts.count = 1;
      parts.starts[0] = start;
      parts.ends[0] = simpleEnd;
      return this.#terms.numberOfParts(Field.body, bytes, parts);
    }
    const number = numberTerm(decode(bytes, start, end));
    if (number === undefined) return undefined;
    return isIndexable(number) ? this.#terms.number(Field.body, number) : -1;
  }

  #pushIdentifierTerm(term: number): void {
    if (this.#identifierTermCount === this.#identifierTerms.length) {
      this.#identifierTerms = doubled(this.#identifierTerms);
    }
    this.#identifierTerms[this.#identifierTermCount++] = term;
  }

  #countLines(scan: SourceScan, quiet: Uint8Array, comments: number, start: number, end: number): void {
    if (scan.lineCount === 0) return;
    for (let from = start; from <= end;) {
      let next = from + 1;
      while (next <= end && quiet[next] === quiet[from]) next++;
      this.#countTokens(scan, scan.firstToken[from]!, scan.firstToken[next]!, quiet[from]! & comments ? IN_COMMENT : 0);
      from = next;
    }
  }

  #countTokens(scan: SourceScan, from: number, to: number, flag: number): void {
    const { tokens } = scan;
    const termsFrom = this.#termsFrom;
    const terms = this.#identifierTerms;
    for (let token = from; token < to; token++) {
      const identifier = tokens[token]!;
      const end = termsFrom[identifier + 1]!;
      for (let i = termsFrom[identifier]!; i < end; i++) this.#count(terms[i]!, flag);
    }
  }

  #countDefinition(definition: Definition): void {
    const { name } = definition;
    const home = isHome(definition);
    // Members of an enum are found by their names; the words of hundreds of them do not describe a file.
    const isMember = definition.kind === 'constant' && definition.container !== undefined;
    const hasWords = this.#countName(
      name,
      isMember || isPath(name) ? undefined : Field.definition,
      home ? Field.symbol : undefined,
    );
    const names = hasWords ? symbolNames(definition) : undefined;
    if (!names) return;
    const { own, qualified, acronym } = names;
    if (home) this.#names.add(own);
    if (home && own !== name) this.#count(this.#terms.number(Field.symbol, foldName(own)));
    if (home && acronym !== undefined) this.#count(this.#terms.number(Field.acronym, acronym));
    if (qualified === undefined) return;
    this.#names.add(qualified);
    this.#count(this.#terms.number(Field.qualified, foldQualified(qualified)));
  }

  /** Counts a name's words, and the whole name, in the fields that are given. Returns whether it has any word. */
  #countName(name: string, wordField?: Field, wholeField?: Field): boolean {
    const bytes = Buffer.from(name);
    const parts = this.#parts;
    if (parts.split(bytes, 0, bytes.length)) {
      for (let part = 0; wordField !== undefined && part < parts.count; part++) {
        const term = this.#words.term(wordField, bytes, parts.starts[part]!, parts.ends[part]!);
        if (term >= 0) this.#count(term);
      }
      if (wholeField !== undefined && parts.count > 0) {
        this.#count(this.#terms.numberOfParts(wholeField, bytes, parts));
      }
      return parts.count > 0;
    }
    const words = splitIdentifier(name);
    for (const word of wordField === undefined ? [] : writtenWords(name, words)) {
      const term = this.#words.termOf(wordField!, word);
      if (term >= 0) this.#count(term);
    }
    if (wholeField !== undefined && words.length > 0) this.#count(this.#terms.number(wholeField, words.join('')));
    return words.length > 0;
  }

  #countPath(path: string): void {
    const slash = path.lastIndexOf('/') + 1;
    this.#countName(path.slice(0, slash), Field.folder);
    this.#countName(path.slice(slash), Field.fileName);
    if (!DIGITS.test(path)) return;
    for (const { 0: token, index } of path.matchAll(WORD)) {
      const number = numberTerm(token);
      // Digits alone are a part of the name already.
      if (number === undefined || !/\D/.test(number)) continue;
      this.#count(this.#terms.number(index < slash ? Field.folder : Field.fileName, number));
    }
  }

  /** Counts an occurrence of `term` in the current chunk. */
  #count(term: number, flag = 0): void {
    if (term >= this.#latest.length) {
      const known = this.#latest;
      this.#latest = new Int32Array(Math.max(known.length * 2, term + 1)).fill(-1, known.length);
      this.#latest.set(known);
    }
    const latest = this.#latest[term]!;
    if (latest >= this.#chunkBegin) {
      if ((this.#postings[latest]! & MAX_TF) < MAX_TF) this.#postings[latest]!++;
      this.#postings[latest]! |= flag;
      return;
    }
    if (this.#postingCount === this.#postings.length) this.#postings = doubled(this.#postings);
    this.#latest[term] = this.#postingCount;
    this.#postings[this.#postingCount++] = (term << FREQUENCY_BITS) | flag | 1;
  }

  #beginChunk(): void {
    if (this.#chunks === this.#chunkBegins.length) this.#chunkBegins = doubled(this.#chunkBegins);
    this.#chunkBegins[this.#chunks++] = this.#postingCount;
    this.#chunkBegin = this.#postingCount;
  }
}

/** The terms of words in each field. A word is decoded and stemmed at its first occurrence there. */
class WordTerms {
  readonly #terms: TermTable;
  readonly #table = new IdentifierTable();
  /** By field and word: the term's number + 1, 0 for a word that did not occur in the field, -1 for one not indexed. */
  readonly #byField: (Int32Array | undefined)[] = [];
  readonly #list = new WordSet();

  constructor(terms: TermTable) {
    this.#terms = terms;
  }

  clear(): void {
    this.#table.clear();
    for (const terms of this.#byField) terms?.fill(0);
    this.#list.clear();
  }

  /** Number of bytes of the list of words. */
  get bytes(): number {
    return this.#list.bytes;
  }

  /** Writes the list of words; `frequencyOf` returns the number of a term's postings. */
  write(writer: WordWriter, frequencyOf: (term: number) => number): void {
    this.#list.write(writer, frequencyOf);
  }

  /** The term of the letters or digits in ASCII from `start` to `end`, or a negative number if it is not indexed. */
  term(field: Field, bytes: Uint8Array, start: number, end: number): number {
    const word = internWord(bytes, start, end, this.#table);
    let terms = this.#byField[field];
    if (terms === undefined || word >= terms.length) terms = this.#grow(field, word);
    return (terms[word]! || this.#meet(terms, word, field, bytes, start, end)) - 1;
  }

  /** The term of a word, or -1 if it is not indexed. Without its accents a word is one of letters in ASCII. */
  termOf(field: Field, word: string): number {
    if (/^[a-z]+$/.test(word)) return this.term(field, Buffer.from(word), 0, word.length);
    return isIndexable(word) ? this.#terms.number(field, stem(word)) : -1;
  }

  #meet(terms: Int32Array, word: number, field: Field, bytes: Uint8Array, start: number, end: number): number {
    const text = decode(bytes, start, end).toLowerCase();
    const isWord = isIndexable(text);
    const term = isWord ? this.#terms.number(field, stem(text)) + 1 : -1;
    terms[word] = term;
    // The frequency of a word is that of its term in the body, or of a path's term where the body does not have the word.
    if (isWord && (field === Field.body || !this.#list.has(word))) this.#list.set(word, term - 1, bytes, start, end);
    return term;
  }

  #grow(field: Field, word: number): Int32Array {
    const larger = new Int32Array(Math.max(1 << 12, word * 2));
    larger.set(this.#byField[field] ?? []);
    this.#byField[field] = larger;
    return larger;
  }
}
