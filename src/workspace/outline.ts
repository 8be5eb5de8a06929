import { Analyzer } from '../engine/analyze/analyzer.ts';

/** A definition; lines count from 1, both ends included. */
export interface OutlinedDefinition {
  readonly startLine: number;
  readonly endLine: number;
  readonly kind: string;
  /** With its container: `Foo.bar`. */
  readonly name: string;
}

/** The definitions of a text, in their order. */
export function outlineOf(path: string, text: string): OutlinedDefinition[] {
  const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
  return definitions.map(({ name, kind, container, line, end }) => ({
    startLine: line + 1,
    endLine: end + 1,
    kind,
    name: container === undefined ? name : `${container}.${name}`,
  }));
}
