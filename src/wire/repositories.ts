import * as z from 'zod/mini';
import { blobName, listOf, scope, text, WIRE_LIMITS } from './contract.ts';

/* Named repositories of a service: pushed by CI, searched by people and agents. Paths, limits and shapes as data. Ours:
   the wire sheet has nothing of the kind. Like its calls, all are POST with JSON. */

export const REPOSITORY_PATHS = {
  put: '/repositories/put',
  list: '/repositories/list',
  remove: '/repositories/remove',
  search: '/repositories/search',
  retrieve: '/repositories/retrieval',
  file: '/repositories/file',
} as const;
export type RepositoryPath = (typeof REPOSITORY_PATHS)[keyof typeof REPOSITORY_PATHS];

export const REPOSITORY_LIMITS = {
  maxNameLength: 200,
  /** Results of one search. */
  maxResults: 200,
  /** Earlier versions of a repository that a service keeps. */
  maxKeep: 100,
  /** Names of repositories in one result; a count stands for the others. */
  namesPerResult: 20,
} as const;

const NAME = /^[A-Za-z0-9][\w.@+-]*(?:\/[A-Za-z0-9][\w.@+-]*)*$/;
const PATTERN = /^[\w.@+*/-]+$/;

/** Whether a text can be the name of a repository: `payments`, `acme/payments`, `payments@2.x`. */
export function isRepositoryName(name: string): boolean {
  return name.length <= REPOSITORY_LIMITS.maxNameLength && NAME.test(name);
}

/** Whether a text is a pattern of names; in it `*` stands for any characters, `/` included. */
export function isRepositoryPattern(pattern: string): boolean {
  return pattern.length <= REPOSITORY_LIMITS.maxNameLength && PATTERN.test(pattern);
}

/** Whether one of the patterns matches a whole name. Takes linear time. */
export function matchesRepository(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(name, pattern.split('*')));
}

/** `parts` are the texts between the stars of a pattern. */
function matches(name: string, parts: readonly string[]): boolean {
  const first = parts[0]!;
  const last = parts.at(-1)!;
  if (parts.length === 1) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

const URL_FIELDS = /\{(ref|path|line)\}/g;

/** Whether a text is a template of addresses of a forge, with `{ref}`, `{path}` and `{line}`. */
export function isUrlTemplate(template: string): boolean {
  if (template.length > 2000 || !template.includes('{path}')) return false;
  const url = template.replace(URL_FIELDS, 'x');
  if (/[{}\s]/.test(url) || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return (protocol === 'https:' || protocol === 'http:') && `${username}${password}` === '';
}

/** The address of a line on the forge. */
export function forgeUrl(
  template: string,
  { ref, path, line }: { readonly ref: string; readonly path: string; readonly line: number },
): string {
  const values = { ref: encoded(ref), path: encoded(path), line: String(line) };
  return template.replace(URL_FIELDS, (_, field: keyof typeof values) => values[field]);
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

const nameOf = (field: string): z.ZodMiniString<string> =>
  text(field).check(
    z.refine(
      isRepositoryName,
      `${field} must be letters, digits and . _ - @ + in parts between slashes, as in acme/payments`,
    ),
  );
const name = nameOf('name');
const patterns = z.optional(
  z.nullable(
    listOf(
      text('a pattern').check(z.refine(isRepositoryPattern, 'a pattern has the letters of a name, and *')),
      'repositories must be an array of patterns',
    ),
  ),
);
const shortText = (field: string) => text(field).check(z.maxLength(500, `${field} must have at most 500 characters`));
const whole = (field: string, most: number) =>
  z.optional(
    z.nullable(
      z
        .int(`${field} must be a whole number`)
        .check(z.minimum(0, `${field} must be at least 0`), z.maximum(most, `${field} must be at most ${most}`)),
    ),
  );

export const repositoryRequests = {
  put: z.object({
    name,
    blobs: scope,
    /** The branch or tag; shown, and part of links. */
    ref: z.optional(z.nullable(shortText('ref'))),
    commit: z.optional(z.nullable(shortText('commit'))),
    url: z.optional(
      z.nullable(
        text('url').check(z.refine(isUrlTemplate, 'url must be an address with {path}, and perhaps {ref} and {line}')),
      ),
    ),
    keep: whole('keep', REPOSITORY_LIMITS.maxKeep),
  }),
  list: z.object({}),
  remove: z.object({ name }),
  search: z.object({
    query: text('query').check(z.maxLength(10_000, 'query must have at most 10,000 characters')),
    repositories: patterns,
    limit: whole('limit', REPOSITORY_LIMITS.maxResults),
  }),
  retrieve: z.object({
    information_request: text('information_request'),
    repositories: patterns,
    max_output_length: z.optional(z.nullable(z.number('max_output_length must be a number'))),
  }),
  file: z.object({ repository: nameOf('repository'), blob_name: text('blob_name') }),
};

const repository = z.object({
  name: z.string(),
  ref: z.nullable(z.string()),
  commit: z.nullable(z.string()),
  url: z.nullable(z.string()),
  files: z.number(),
  /** ISO 8601. */
  pushed_at: z.string(),
  /** Number of earlier versions that are kept. */
  older: z.number(),
});

const line = z.int().check(z.minimum(1));

const definition = z.object({ name: z.string(), kind: z.string(), line, start_line: line, end_line: line });

const place = z.object({
  start_line: line,
  end_line: line,
  symbol: z.nullable(definition),
  /** The lines, or the first of many. */
  text: z.string(),
});

const result = z.object({
  /** Names of the repositories that have the file, the first of many. */
  repositories: z.array(z.string()).check(z.minLength(1)),
  repository_count: z.number(),
  blob_name: blobName,
  path: z.string(),
  language: z.string(),
  score: z.number(),
  /** Best first. */
  places: z.array(place).check(z.minLength(1)),
  /** Number of translations, versions and copies that come last. */
  alike: z.number(),
  /** The address of the first place on the forge. A click opens it, so it is one of the web. */
  url: z.nullable(z.string().check(z.regex(/^https?:/i))),
});

export const repositoryResponses = {
  put: z.object({ repository }),
  list: z.object({ repositories: z.array(repository) }),
  remove: z.object({ removed: z.boolean() }),
  search: z.object({
    results: z.array(result),
    /** Number of repositories that were searched. */
    searched: z.number(),
    /** Parts of the query that were not understood, repositories that must be pushed again. */
    problems: z.array(z.string()),
  }),
  retrieve: z.object({ formatted_retrieval: z.string() }),
  file: z.object({ path: z.string(), content: z.string() }),
};

export type WireRepository = z.output<typeof repository>;
export type WireResult = z.output<typeof result>;
export type SearchAnswer = z.output<typeof repositoryResponses.search>;
export const MAX_REPOSITORY_BODY = WIRE_LIMITS.maxBodyBytes;

/** A query without its filters of repositories, and the patterns of those filters. */
export interface RepositoryQuery {
  readonly query: string;
  readonly only: readonly string[];
  readonly without: readonly string[];
}

/** Takes `repo:pattern` and `-repo:pattern` out of a query; text in quotes stays as it is. */
export function splitRepositoryQuery(query: string): RepositoryQuery {
  const only: string[] = [];
  const without: string[] = [];
  const rest = query.replace(
    /"[^"]*"?|(?<=^|\s)(-?)repo:(\S+)/g,
    (token, minus: string | undefined, pattern?: string) => {
      if (pattern === undefined) return token;
      (minus === '-' ? without : only).push(pattern);
      return '';
    },
  );
  return { query: rest.trim(), only, without };
}
