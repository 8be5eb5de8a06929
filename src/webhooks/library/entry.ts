import type { Header } from '../event.ts';
import type { System } from '../templates.ts';

/** An event of the library with its name. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  readonly system: System;
  readonly source: string;
  readonly headers: readonly Header[];
  readonly body: unknown;
}

export const JSON_TYPE: Header = ['Content-Type', 'application/json'];

/** A body of public documentation may have hundreds of fields: ours have those on which programs decide. */
export type Body = Readonly<Record<string, unknown>>;
