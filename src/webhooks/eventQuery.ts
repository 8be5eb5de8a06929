import { EVENT_STATUSES, type EventStatus } from './event.ts';
import { parseFilter } from './filter/checkFilter.ts';

/** A query for events, as typed into a box. */
export interface EventQuery {
  /** Parts of the body, in any case, or ids. */
  readonly words?: readonly string[];
  /** JSONLogic over the body. */
  readonly filter?: unknown;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  /** Part of the type or of the sender's name. */
  readonly type?: string;
  readonly status?: EventStatus;
  readonly webhook?: string;
  /** Of its webhook. */
  readonly scope?: string;
  readonly owner?: string;
  readonly from?: string;
  readonly to?: string;
}

/** A token: a quoted text, `name:` with a value that may be quoted, or a word. */
const TOKEN = /(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/g;

/**
 * Parses words, `"a phrase"`, `status:failed`, `webhook:NAME`, `owner:NAME`, `scope:organization`, `type:push`, `header:NAME=VALUE`, `from:2026-11-21` and `to:`; a text that
 * begins with `{` is a JSONLogic filter. Throws `InvalidFilter`, and `SyntaxError` for a filter's value that does not exist.
 */
export function parseEventQuery(text: string): EventQuery {
  const query = text.trim();
  if (query.startsWith('{')) return { filter: parseFilter(query) };
  const words: string[] = [];
  const headers: { name: string; value: string }[] = [];
  const given: { status?: EventStatus } & Partial<Record<PlainField, string>> = {};
  for (const [whole, name, quoted, plain] of query.matchAll(TOKEN)) {
    const value = quoted ?? plain ?? '';
    if (name === 'status') given.status = statusOf(value);
    else if (name === 'header') headers.push(headerOf(value));
    else if (isPlainField(name)) given[name] = value;
    else words.push(quoted !== undefined && name === undefined ? quoted : whole);
  }
  return { ...(words.length > 0 && { words }), ...(headers.length > 0 && { headers }), ...given };
}

const PLAIN_FIELDS = ['type', 'webhook', 'scope', 'owner', 'from', 'to'] as const;
type PlainField = (typeof PLAIN_FIELDS)[number];

function isPlainField(name: string | undefined): name is PlainField {
  return PLAIN_FIELDS.some((one) => one === name);
}

function statusOf(value: string): EventStatus {
  const found = EVENT_STATUSES.find((status) => status === value);
  if (!found) throw new SyntaxError(`status: must be one of ${EVENT_STATUSES.join(', ')}`);
  return found;
}

/** `X-GitHub-Event=push`, or a name alone for any value. */
function headerOf(text: string): { name: string; value: string } {
  const at = text.indexOf('=');
  return at < 0 ? { name: text, value: '' } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** Whether the index of the server answers a query, which needs no search then. */
export function isIndexed({ words, filter, headers, type }: EventQuery): boolean {
  return words === undefined && filter === undefined && headers === undefined && type === undefined;
}
