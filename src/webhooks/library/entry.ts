import type { Header } from '../event.ts';
import type { System } from '../names.ts';

/** An event as its system would send it; the body is our own, in the shape of the public documentation at `source`. */
export interface Entry {
  readonly name: string;
  /** Title in lists. */
  readonly title: string;
  readonly system: System;
  readonly source: string;
  readonly headers: readonly Header[];
  readonly body: unknown;
}

export const JSON_TYPE: Header = ['Content-Type', 'application/json'];

/** A body of public documentation may have hundreds of fields: ours have those on which programs decide. */
export type Body = Readonly<Record<string, unknown>>;
