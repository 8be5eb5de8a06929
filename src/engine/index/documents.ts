import type { DefinitionKind } from '../analyze/language.ts';
import type { Definition } from '../analyze/definitions.ts';
import type { ByteWriter } from './format.ts';
import { ByteReader, DEFINITION_KINDS } from './format.ts';

/** A definition as a search shows it. Lines count from 1, both ends included. */
export interface SymbolSpan {
  readonly name: string;
  readonly kind: DefinitionKind;
  /** The class, module or function around it. */
  readonly container?: string;
  readonly startLine: number;
  /** The line that names it. */
  readonly line: number;
  readonly endLine: number;
}

export function toSymbolSpan({ name, kind, container, start, line, end }: Definition): SymbolSpan {
  const lines = { startLine: start + 1, line: line + 1, endLine: end + 1 };
  return { name, kind, ...(container !== undefined && { container }), ...lines };
}

/** Encodes definitions. A container is the number of definitions back to the one of that name, or 0 and its name. */
export function encodeDefinitions(definitions: readonly Definition[], out: ByteWriter): void {
  const lastOfName = new Map<string, number>();
  const hasMembers = definitions.some(({ container }) => container !== undefined);
  let previous = 0;
  for (const [index, { name, kind, container, start, line, end }] of definitions.entries()) {
    writeText(name, out);
    out.varint(DEFINITION_KINDS.indexOf(kind) * 2 + (container === undefined ? 0 : 1));
    if (container !== undefined) {
      const known = lastOfName.get(container);
      out.varint(known === undefined ? 0 : index - known);
      if (known === undefined) writeText(container, out);
    }
    out.varint(line - previous);
    out.varint(line - start);
    out.varint(end - line);
    previous = line;
    if (hasMembers) lastOfName.set(name, index);
  }
}

function writeText(text: string, out: ByteWriter): void {
  const bytes = Buffer.from(text);
  out.varint(bytes.length);
  out.append(bytes);
}

/** Iterates over encoded definitions without creating objects. */
export class DefinitionCursor {
  /** Begin and end of the current definition's name in the bytes. */
  nameFrom = 0;
  nameTo = 0;
  kind: DefinitionKind = 'variable';
  /** From 1. */
  startLine = 1;
  line = 1;
  endLine = 1;
  /** Its container: the number of definitions back, or 0 and this range of bytes; `undefined` if it has none. */
  back: number | undefined;
  containerFrom = 0;
  containerTo = 0;
  readonly bytes: Buffer;
  readonly #reader: ByteReader;

  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes);
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Whether {@link encodeDefinitions} can have written the bytes so far. */
  get isWhole(): boolean {
    return this.#reader.at <= this.#reader.bytes.length;
  }

  /** Moves to the next definition; `false` if there is none. */
  next(): boolean {
    const reader = this.#reader;
    if (reader.at >= reader.bytes.length) return false;
    const length = reader.varint();
    this.nameFrom = reader.at;
    this.nameTo = reader.at += length;
    const code = reader.varint();
    this.kind = DEFINITION_KINDS[code >>> 1] ?? 'variable';
    this.back = code % 2 === 1 ? reader.varint() : undefined;
    if (this.back === 0) {
      const containerLength = reader.varint();
      this.containerFrom = reader.at;
      this.containerTo = reader.at += containerLength;
    }
    this.line += reader.varint();
    this.startLine = this.line - reader.varint();
    this.endLine = this.line + reader.varint();
    return this.isWhole;
  }

  name(): string {
    return this.text(this.nameFrom, this.nameTo);
  }

  text(from: number, to: number): string {
    return this.bytes.toString('utf8', from, to);
  }
}

/** First and last line, from 1. */
export type LineRange = readonly [number, number];

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * array.length);
  longer.set(array);
  return longer;
}

/** Whether lines are in one of the `ranges`. Runs for each definition of the documents shown, often before V8 optimizes it. */
export function meets(ranges: readonly LineRange[], startLine: number, endLine: number): boolean {
  for (let i = 0; i < ranges.length; i++) {
    const range = ranges[i]!;
    if (startLine <= range[1] && endLine >= range[0]) return true;
  }
  return false;
}

/**
 * All definitions, or those with a line in one of the `ranges`; `undefined` where {@link encodeDefinitions} did not write
 * the bytes.
 */
export function decodeDefinitions(bytes: Uint8Array, ranges?: readonly LineRange[]): SymbolSpan[] | undefined {
  const cursor = new DefinitionCursor(bytes);
  const spans: SymbolSpan[] = [];
  /** Begin and end of each name so far. */
  let names = new Uint32Array(128);
  for (let count = 1; cursor.next(); count++) {
    const { kind, back, startLine, line, endLine } = cursor;
    if (2 * count > names.length) names = doubled(names);
    names[2 * count - 2] = cursor.nameFrom;
    names[2 * count - 1] = cursor.nameTo;
    const at = back === undefined ? 0 : 2 * count - 2 - 2 * back;
    if (at < 0) return undefined;
    if (ranges && !meets(ranges, startLine, endLine)) continue;
    const [from, to] = back === 0 ? [cursor.containerFrom, cursor.containerTo] : [names[at]!, names[at + 1]!];
    const name = cursor.name();
    if (back === undefined) spans.push({ name, kind, startLine, line, endLine });
    else spans.push({ name, kind, container: cursor.text(from, to), startLine, line, endLine });
  }
  return cursor.isWhole ? spans : undefined;
}
