import { TEMPLATES } from '../templates.ts';
import type { Entry } from './entry.ts';
import { GITHUB } from './github.ts';
import { GITLAB, PAGERDUTY, SHOPIFY, SLACK, STRIPE, TWILIO } from './others.ts';

const ENTRIES: readonly Entry[] = [...GITHUB, ...GITLAB, ...STRIPE, ...SLACK, ...SHOPIFY, ...PAGERDUTY, ...TWILIO];

export type LibraryEvent = Omit<Entry, 'name'>;

/** The events by name, such as `github.pull_request.opened`. */
export const LIBRARY: Readonly<Record<string, LibraryEvent>> = Object.fromEntries(
  ENTRIES.map(({ name, ...event }) => [name, event]),
);

/** The names of all events, with what lists show of them. */
export function listLibrary(): Omit<Entry, 'headers' | 'body'>[] {
  return ENTRIES.map(({ name, title, system, source }) => ({ name, title, system, source }));
}

export function libraryEvent(name: string): LibraryEvent | undefined {
  return Object.hasOwn(LIBRARY, name) ? LIBRARY[name] : undefined;
}

/** The event of a template, or else of the library. */
export function templateEvent(name: string): LibraryEvent | undefined {
  return libraryEvent(TEMPLATES[name]?.event ?? name);
}
