import * as z from 'zod/mini';
import { MAX_QUESTION } from './limits.ts';
import { SEARCH_SCOPES, type SearchScope } from './searchScope.ts';
import type { ViewContract } from './viewContract.ts';

/** Lines that an answer may cite, as they are shown. The page does not receive the folder's path on disk. */
export interface ShownPassage {
  /** The number in `[3]` of the answer. */
  readonly number: number;
  /** Path, after the folder's name if several are open. */
  readonly path: string;
  /** Counts from 1, both ends inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly symbol?: { readonly name: string; readonly kind: string };
  /** Whether it is a part of a longer definition, which can be requested. */
  readonly isPart: boolean;
}

/** A piece of code, with its kind in the words of highlight.js, such as `keyword`. */
export interface CodeToken {
  readonly text: string;
  readonly kind?: string;
}

/** The next action after a failure. */
export type NextAction = 'ask-again' | 'choose-provider' | 'set-key' | 'open-settings' | 'enter-token';

export interface ShownProvider {
  readonly label: string;
  /** Whether all data stays on this machine. */
  readonly isLocal: boolean;
}

/**
 * State of an exchange. `searching` has no passages yet, `writing` has them and the text so far. `stopped` keeps the
 * text so far; `interrupted` was running when the window was closed.
 */
export type ExchangeState =
  | { readonly kind: 'searching' | 'writing' | 'done' | 'stopped' | 'interrupted' }
  | { readonly kind: 'failed'; readonly message: string; readonly next: NextAction };

/** A question and its answer. */
export interface Exchange {
  readonly id: number;
  readonly question: string;
  readonly scope: SearchScope;
  readonly state: ExchangeState;
  readonly provider: ShownProvider;
  /** Size of the input to the provider besides the question. */
  readonly sent: { readonly files: number; readonly characters: number };
  /** The model that ordered the passages, what it received, and why it did not order them, if so. */
  readonly reranking?: ShownProvider & {
    readonly sent: { readonly files: number; readonly characters: number };
    readonly failure?: string;
  };
  /** What in the question was not understood, in sentences. */
  readonly problems: readonly string[];
  readonly passages: readonly ShownPassage[];
  /** Markdown in which `[n]` cites a passage. */
  readonly markdown: string;
  /** Number of citations removed because they point to no passage. */
  readonly removedCitations: number;
  /** Likely next questions. */
  readonly followUps: readonly string[];
}

export interface AnswerState {
  /** Oldest first; only the last one may be running. */
  readonly exchanges: readonly Exchange[];
  /** The provider of the next answer. */
  readonly provider: ShownProvider;
  /** What the next question is about. */
  readonly scope: SearchScope;
  /** Whether the team has a service, and the scope can be chosen. */
  readonly hasTeam: boolean;
  /** Whether there is an index to question, with a description. */
  readonly workspace: { readonly kind: 'none' | 'partial' | 'ready'; readonly summary: string };
}

export interface AnswerMethods {
  ready(nothing: undefined): AnswerState;
  /** Sends a question, and stops a running answer. The answer arrives as events. */
  ask(request: { readonly question: string }): void;
  stop(nothing: undefined): void;
  /** Repeats the last question. */
  askAgain(nothing: undefined): void;
  /** Lets the user choose the provider of further answers; `again` then repeats the last question. */
  chooseProvider(request: { readonly again: boolean }): void;
  /** Asks about this from now on; asks for the token of the team's service where it is missing. */
  scope(request: { readonly to: SearchScope }): void;
  /** Asks for another token of the team's service; then repeats the last question. */
  replaceToken(nothing: undefined): void;
  /** Shows a passage at the present position of its lines. */
  open(request: { readonly exchange: number; readonly passage: number; readonly toSide: boolean }): void;
  /** Returns all lines of the definition that a passage is a part of, as they are now; `null` if they are not there. */
  expand(request: { readonly exchange: number; readonly passage: number }): string | null;
  /** Returns code with its tokens; `null` if the editor cannot tell them. */
  highlight(request: { readonly language: string; readonly code: string }): readonly CodeToken[] | null;
  copyCode(request: { readonly code: string }): void;
  /** Copies the question and its answer to the clipboard as Markdown. */
  copy(request: { readonly exchange: number }): void;
  clear(nothing: undefined): void;
  /** Opens another part of the editor. */
  go(request: { readonly to: 'folder' | 'settings' | 'key' | 'indexStatus' }): void;
}

export interface AnswerEvents {
  readonly state: AnswerState;
  /** More of the last exchange's Markdown. */
  readonly text: string;
  /** Moves the focus to the input. */
  readonly focus: null;
}

const nothing = z.undefined();
/** Length of the longest code that is coloured or copied: that of an answer. */
const MAX_CODE = 200_000;
const code = z.string().check(z.maxLength(MAX_CODE));

/** "Ask About Workspace". */
export const answerView: ViewContract<AnswerMethods, AnswerEvents> = {
  name: 'answer',
  requests: {
    ready: nothing,
    ask: z.strictObject({ question: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_QUESTION)) }),
    stop: nothing,
    askAgain: nothing,
    chooseProvider: z.strictObject({ again: z.boolean() }),
    scope: z.strictObject({ to: z.enum(SEARCH_SCOPES) }),
    replaceToken: nothing,
    open: z.strictObject({ exchange: z.int(), passage: z.int(), toSide: z.boolean() }),
    expand: z.strictObject({ exchange: z.int(), passage: z.int() }),
    highlight: z.strictObject({ language: z.string().check(z.regex(/^[\w+#.-]{0,40}$/)), code }),
    copyCode: z.strictObject({ code }),
    copy: z.strictObject({ exchange: z.int() }),
    clear: nothing,
    go: z.strictObject({ to: z.enum(['folder', 'settings', 'key', 'indexStatus']) }),
  },
};
