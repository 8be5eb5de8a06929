import type { DefinitionKind } from '../analyze/languages.ts';
import type { Definition } from '../analyze/definitions.ts';
import type { ByteWriter } from './format.ts';
import { ByteReader, KINDS } from './format.ts';

/** A definition as a search shows it. Lines count from 1, both ends included. */
export interface SymbolSpan {
  readonly name: string;
  readonly kind: DefinitionKind;
  /** The class, module or function that it is a member of. */
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

/** A container is written as the number of definitions back to the one of that name, or 0 and its name. */
export function encodeDefinitions(definitions: readonly Definition[], out: ByteWriter): void {
  const lastOfName = new Map<string, number>();
  const hasMembers = definitions.some(({ container }) => container !== undefined);
  let previous = 0;
  for (const [index, { name, kind, container, start, line, end }] of definitions.entries()) {
    writeText(name, out);
    out.varint(KINDS.indexOf(kind) * 2 + (container === undefined ? 0 : 1));
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

/** Undefined where the bytes are not what {@link encodeDefinitions} writes. */
export function decodeDefinitions(bytes: Uint8Array): SymbolSpan[] | undefined {
  const reader = new ByteReader(bytes);
  const spans: SymbolSpan[] = [];
  let line = 1;
  while (reader.at < bytes.length) {
    const name = reader.text(reader.varint());
    const code = reader.varint();
    const kind = KINDS[code >>> 1] ?? 'variable';
    const isMember = code % 2 === 1;
    const container = isMember ? decodeContainer(reader, spans) : undefined;
    if (isMember && container === undefined) return undefined;
    line += reader.varint();
    const startLine = line - reader.varint();
    const endLine = line + reader.varint();
    spans.push({ name, kind, ...(container !== undefined && { container }), startLine, line, endLine });
  }
  return reader.at === bytes.length ? spans : undefined;
}

function decodeContainer(reader: ByteReader, spans: readonly SymbolSpan[]): string | undefined {
  const back = reader.varint();
  return back === 0 ? reader.text(reader.varint()) : spans.at(-back)?.name;
}
