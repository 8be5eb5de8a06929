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

/** Whether an event is sent as a form. */
export function isForm({ headers }: Pick<Entry, 'headers'>): boolean {
  return headers.some(
    ([name, value]) => name === 'Content-Type' && value.startsWith('application/x-www-form-urlencoded'),
  );
}

/** The fields of an object as a form: texts as they are, other values as JSON. */
export function formOf(body: unknown): string {
  const fields = Object.entries(typeof body === 'object' && body !== null ? body : {});
  const texts = fields.map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts).toString();
}

/** A body of public documentation may have hundreds of fields: ours have those on which programs decide. */
export type Body = Readonly<Record<string, unknown>>;
