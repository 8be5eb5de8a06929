import * as z from 'zod/mini';
import { MAX_FILES, MAX_QUERY } from './limits.ts';
import { SEARCH_SCOPES, type SearchScope } from './searchScope.ts';
import type { ViewContract } from './viewContract.ts';

/** A part of a text, in UTF-16 units, end exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A line that answers. */
export interface ShownPlace {
  /** Identifies the place in requests, until the next but one search. */
  readonly id: number;
  readonly line: number;
  readonly text: string;
  readonly marks: readonly TextSpan[];
  /** The definition around the line, with its icon `symbol-NAME`. */
  readonly symbol: { readonly name: string; readonly icon: string } | null;
}

/** A file that answers, and places in it, the best one first. */
export interface ShownFile {
  /** Identifies the file: the folder's path on disk and the path in it. */
  readonly key: string;
  readonly name: string;
  /** The path of its folder, after the workspace folder's name if several are open; may be empty. */
  readonly folder: string;
  /** Number of translations, versions and copies of the file that rank behind all others. */
  readonly alike: number;
  readonly places: readonly ShownPlace[];
  /** Number of places, with lines of a phrase or an expression beyond those that are listed. */
  readonly lines: number;
}

/** A part of the query that was not understood, and changes of the query that solve it; or a folder that is not searched. */
export interface ShownProblem extends TextSpan {
  readonly message: string;
  readonly fixes: readonly { readonly label: string; readonly query: string }[];
  /** Whether the workspace must be trusted first. */
  readonly needsTrust: boolean;
}

/** A completion of the filter at the end of the query. */
export interface ShownCompletion {
  readonly filter: string;
  readonly detail: string;
  readonly query: string;
}

/** Parts of the query that chips show. */
export interface ShownParts {
  readonly languages: readonly string[];
  readonly folders: readonly string[];
  readonly kind: 'source' | 'tests' | 'docs' | null;
  readonly isChanged: boolean;
  readonly isSymbol: boolean;
}

export interface SearchReply {
  /** Files that precede {@link files} in the list and that the page has already. */
  readonly from: number;
  /** Best first. */
  readonly files: readonly ShownFile[];
  /** Whether these are the first files, and a reply with all follows at once. */
  readonly isBeginning: boolean;
  /** Whether there may be more than the limit. */
  readonly hasMore: boolean;
  readonly problems: readonly ShownProblem[];
  readonly completions: readonly ShownCompletion[];
  readonly parts: ShownParts;
  /** Whether files were not read that may have a phrase. */
  readonly isUnfinished: boolean;
  /** Explains results that may be missing; empty if there are none. */
  readonly notice: string;
}

/** State of the index in a line. `partial`: files are missing in results; `failed`: a folder has no index. */
export interface IndexLine {
  readonly kind: 'none' | 'ready' | 'partial' | 'paused' | 'failed';
  readonly text: string;
}

export interface SearchState {
  readonly query: string;
  readonly scope: SearchScope;
  /** Whether the team has a service, and the scope can be chosen. */
  readonly hasTeam: boolean;
  /** Describes lines that the search leaves out; empty for none. */
  readonly except: string;
  readonly index: IndexLine;
  readonly recent: readonly string[];
  readonly kept: readonly string[];
  /** Whether the search box takes the focus. */
  readonly takesFocus: boolean;
}

/** A value that a chip offers. */
export interface ShownChoice {
  readonly value: string;
  readonly detail: string;
  readonly isOn: boolean;
}

/** Parts of the editor that the view leads to. */
export const SEARCH_TARGETS = ['folder', 'indexStatus', 'update', 'pause', 'resume', 'log', 'trust', 'ask'] as const;
export type SearchTarget = (typeof SEARCH_TARGETS)[number];

/** Parts of a query that chips change. */
export const QUERY_PARTS = ['language', 'folder', 'kind', 'changed', 'symbol'] as const;
export type QueryPart = (typeof QUERY_PARTS)[number];

/** Code of a search's error: the team's service refuses the token. */
export const TOKEN_REFUSED = 'TokenRefused';

interface QueryRequest {
  readonly query: string;
}

export interface SearchMethods {
  ready(nothing: undefined): SearchState;
  /**
   * Searches; cancelled when the page aborts it. `limit: null` is the setting's; `from` leaves out files that the page has; `first`
   * is the number of files to report before the others, 0 for none.
   */
  search(
    request: QueryRequest & {
      readonly limit: number | null;
      readonly from: number;
      readonly first: number;
      readonly readAll: boolean;
    },
  ): SearchReply;
  /** Number of files that the query finds; `null` where counting takes too long. `isLeast`: there are more. */
  count(request: QueryRequest): { readonly files: number; readonly isLeast: boolean } | null;
  /** Values for a part of the query, most frequent first. */
  choices(request: QueryRequest & { readonly part: 'language' | 'folder' }): readonly ShownChoice[];
  /** Returns the query with a part added, changed or removed. */
  change(request: QueryRequest & { readonly part: QueryPart; readonly value: string }): string;
  /** Searches elsewhere from now on; asks for the token of the team's service where it is missing. */
  scope(request: { readonly to: SearchScope }): void;
  /** Asks for another token of the team's service. */
  replaceToken(nothing: undefined): void;
  /** Shows a place; the view keeps the focus. */
  preview(request: { readonly id: number }): void;
  /** Opens a place, and moves the focus to it. */
  open(request: QueryRequest & { readonly id: number; readonly toSide: boolean }): void;
  /** Restores the editors as they were before the previews. */
  restore(nothing: undefined): void;
  copy(request: { readonly id: number }): void;
  /** Explains the place's rank. */
  explain(request: { readonly id: number }): void;
  /** Removes a query from the recent ones. */
  forget(request: QueryRequest): void;
  /** Keeps a search, or removes it. */
  keep(request: QueryRequest & { readonly isKept: boolean }): void;
  go(request: { readonly to: SearchTarget }): void;
}

export interface SearchEvents {
  readonly state: SearchState;
  /** The index changed: results may be others. */
  readonly changed: null;
  /** Searches for this query, and moves the focus to the box. */
  readonly show: string;
  /** Moves the focus to the box and selects its text. */
  readonly focus: null;
}

const nothing = z.undefined();
const query = z.string().check(z.maxLength(MAX_QUERY));
const id = z.int().check(z.gte(0));

/** "Search". */
export const searchView: ViewContract<SearchMethods, SearchEvents> = {
  name: 'search',
  requests: {
    ready: nothing,
    search: z.strictObject({
      query,
      limit: z.nullable(z.int().check(z.gte(1), z.lte(MAX_FILES))),
      from: z.int().check(z.gte(0), z.lte(MAX_FILES)),
      first: z.int().check(z.gte(0), z.lte(MAX_FILES)),
      readAll: z.boolean(),
    }),
    count: z.strictObject({ query }),
    choices: z.strictObject({ query, part: z.enum(['language', 'folder']) }),
    change: z.strictObject({ query, part: z.enum(QUERY_PARTS), value: z.string().check(z.maxLength(MAX_QUERY)) }),
    scope: z.strictObject({ to: z.enum(SEARCH_SCOPES) }),
    replaceToken: nothing,
    preview: z.strictObject({ id }),
    open: z.strictObject({ query, id, toSide: z.boolean() }),
    restore: nothing,
    copy: z.strictObject({ id }),
    explain: z.strictObject({ id }),
    forget: z.strictObject({ query }),
    keep: z.strictObject({ query, isKept: z.boolean() }),
    go: z.strictObject({ to: z.enum(SEARCH_TARGETS) }),
  },
};
