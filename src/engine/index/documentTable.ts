import { ByteWriter } from './format.ts';
import type { DocumentRecord, SegmentWriter } from './segmentWriter.ts';

/**
 * Keeps the records of a segment's documents until it is written. In a few long arrays: with an object and three arrays for
 * each, the garbage collector spent its time on them.
 */
export class DocumentTable {
  /** Identifier, path and details of each document in a row, and the ends of each. */
  readonly #bytes = new ByteWriter();
  #ends: number[] = [];
  #languages: string[] = [];
  #contentBytes: number[] = [];
  #lines: number[] = [];
  #chunkStarts: number[] = [];
  #chunkTokens: number[] = [];
  #chunkEnds: number[] = [];

  get count(): number {
    return this.#languages.length;
  }

  /** Number of bytes, without the numbers. */
  get bytes(): number {
    return this.#bytes.length;
  }

  add(document: DocumentRecord): void {
    for (const part of [document.id, document.path, document.details]) {
      this.#bytes.append(part);
      this.#ends.push(this.#bytes.length);
    }
    this.#languages.push(document.language);
    this.#contentBytes.push(document.contentBytes);
    this.#lines.push(document.lines);
    for (let chunk = 0; chunk < document.chunkStarts.length; chunk++) {
      this.#chunkStarts.push(document.chunkStarts[chunk]!);
      this.#chunkTokens.push(document.chunkTokens[chunk]!);
    }
    this.#chunkEnds.push(this.#chunkStarts.length);
  }

  write(writer: SegmentWriter): void {
    const bytes = this.#bytes.view();
    let from = 0;
    let firstChunk = 0;
    for (let document = 0; document < this.count; document++) {
      const [idEnd, pathEnd, end] = this.#ends.slice(document * 3, document * 3 + 3) as [number, number, number];
      const chunkEnd = this.#chunkEnds[document]!;
      writer.addDocument({
        id: bytes.subarray(from, idEnd),
        path: bytes.subarray(idEnd, pathEnd),
        details: bytes.subarray(pathEnd, end),
        language: this.#languages[document]!,
        contentBytes: this.#contentBytes[document]!,
        lines: this.#lines[document]!,
        chunkStarts: this.#chunkStarts.slice(firstChunk, chunkEnd),
        chunkTokens: this.#chunkTokens.slice(firstChunk, chunkEnd),
      });
      from = end;
      firstChunk = chunkEnd;
    }
  }

  clear(): void {
    this.#bytes.length = 0;
    this.#ends = [];
    this.#languages = [];
    this.#contentBytes = [];
    this.#lines = [];
    this.#chunkStarts = [];
    this.#chunkTokens = [];
    this.#chunkEnds = [];
  }
}
