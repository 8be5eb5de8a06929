import type { DefinitionKind } from '../analyze/languages.ts';
import type { Definition } from '../analyze/definitions.ts';
import type { ByteWriter } from './format.ts';
import { ByteReader, KINDS } from './format.ts';

/** A definition as a search shows it. Lines count from 1, both ends included. */
export interface SymbolSpan {
  readonly name: string;
  readonly kind: DefinitionKind;
  readonly startLine: number;
  /** The line that names it. */
  readonly line: number;
  readonly endLine: number;
}

export function toSymbolSpan({ name, kind, start, line, end }: Definition): SymbolSpan {
  return { name, kind, startLine: start + 1, line: line + 1, endLine: end + 1 };
}

export function encodeDefinitions(definitions: readonly Definition[], out: ByteWriter): void {
  let previous = 0;
  for (const { name, kind, start, line, end } of definitions) {
    const bytes = Buffer.from(name);
    out.varint(bytes.length);
    out.append(bytes);
    out.varint(KINDS.indexOf(kind));
    out.varint(line - previous);
    out.varint(line - start);
    out.varint(end - line);
    previous = line;
  }
}

/** Undefined where the bytes are not what {@link encodeDefinitions} writes. */
export function decodeDefinitions(bytes: Uint8Array): SymbolSpan[] | undefined {
  const reader = new ByteReader(bytes);
  const spans: SymbolSpan[] = [];
  let line = 1;
  while (reader.at < bytes.length) {
    const name = reader.text(reader.varint());
    const kind = KINDS[reader.varint()] ?? 'variable';
    line += reader.varint();
    const startLine = line - reader.varint();
    const endLine = line + reader.varint();
    spans.push({ name, kind, startLine, line, endLine });
  }
  return reader.at === bytes.length ? spans : undefined;
}
