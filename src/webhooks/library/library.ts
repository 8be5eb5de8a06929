import type { Template } from '../templates.ts';
import { GITHUB } from './github.ts';
import { GITLAB, PAGERDUTY, SHOPIFY, SLACK, STRIPE } from './others.ts';

/** An event as its system would send it; the body is our own, in the shape of the public documentation at `source`. */
export interface LibraryEvent extends Template {
  readonly source: string;
}

/** The events by name, such as `github.pull_request.opened`. */
export const LIBRARY: Readonly<Record<string, LibraryEvent>> = Object.fromEntries(
  [...GITHUB, ...GITLAB, ...STRIPE, ...SLACK, ...SHOPIFY, ...PAGERDUTY].map(({ name, ...event }) => [name, event]),
);
