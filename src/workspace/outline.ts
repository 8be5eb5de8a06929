import { Analyzer } from '../engine/analyze/analyzer.ts';

/** A definition; lines count from 1, both ends included. */
export interface OutlinedDefinition {
  readonly startLine: number;
  readonly endLine: number;
  readonly kind: string;
  /** With its container: `Foo.bar`. */
  readonly name: string;
}

/** The definitions of a text, in their order; with fields, those of its types are among them. */
export function outlineOf(path: string, text: string, withFields: boolean): OutlinedDefinition[] {
  const analyzer = new Analyzer();
  const bytes = Buffer.from(text);
  const definitions = withFields ? analyzer.outline(path, bytes) : analyzer.analyze(path, bytes).definitions;
  return definitions.map(({ name, kind, container, line, end }) => ({
    startLine: line + 1,
    endLine: end + 1,
    kind,
    name: container === undefined ? name : `${container}.${name}`,
  }));
}
