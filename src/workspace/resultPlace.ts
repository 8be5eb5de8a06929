import type { DefinitionKind } from '../engine/analyze/language.ts';
import type { Excerpt } from './excerpt.ts';

/** A definition, and the line that names it. */
export interface ResultSymbol {
  readonly name: string;
  readonly kind: DefinitionKind;
  readonly line: number;
}

/** Lines of a file as it is on disk now, from 1, both ends included. */
export interface ResultPlace {
  readonly startLine: number;
  readonly endLine: number;
  readonly symbol?: ResultSymbol;
}

/** A place that is kept. It was true when it was found; `relocate` brings it up to date. */
export interface KeptPlace extends ResultPlace, Excerpt {
  readonly root: string;
  readonly path: string;
}
