import * as z from 'zod/mini';
import { MAX_QUESTION } from './limits.ts';
import type { ViewContract } from './viewContract.ts';

/** Lines that an answer may cite, as they are shown. Where the folder is on the disk, the page is not told. */
export interface ShownPassage {
  /** What `[3]` in the answer refers to. */
  readonly number: number;
  /** With the folder's name in front where several are open. */
  readonly path: string;
  /** From 1, both ends included. */
  readonly startLine: number;
  readonly endLine: number;
  readonly symbol?: { readonly name: string; readonly kind: string };
}

/** What a person can do next about a failure. */
export type NextAction = 'ask-again' | 'choose-provider' | 'set-key' | 'open-settings';

export interface ShownProvider {
  readonly label: string;
  /** Whether nothing leaves this machine for it. */
  readonly isLocal: boolean;
}

/**
 * `searching` has no passages yet, `writing` has them and the text so far. What was stopped keeps what there was; what is
 * `interrupted` was running when the window was closed.
 */
export type ExchangeState =
  | { readonly kind: 'searching' | 'writing' | 'done' | 'stopped' | 'interrupted' }
  | { readonly kind: 'failed'; readonly message: string; readonly next: NextAction };

/** A question and its answer. */
export interface Exchange {
  readonly id: number;
  readonly question: string;
  readonly state: ExchangeState;
  readonly provider: ShownProvider;
  /** What the provider was given besides the question. */
  readonly sent: { readonly files: number; readonly characters: number };
  readonly passages: readonly ShownPassage[];
  /** In which `[n]` cites a passage. */
  readonly markdown: string;
  /** How many citations were taken out, because there is nothing where they point. */
  readonly removedCitations: number;
  /** Questions that suggest themselves next. */
  readonly followUps: readonly string[];
}

export interface AnswerState {
  /** Oldest first; only the last one may be running. */
  readonly exchanges: readonly Exchange[];
  /** Who will answer the next question. */
  readonly provider: ShownProvider;
  /** What there is to ask about, and in words. */
  readonly workspace: { readonly kind: 'none' | 'partial' | 'ready'; readonly summary: string };
}

export interface AnswerMethods {
  ready(nothing: undefined): AnswerState;
  /** What is still being answered is stopped. The answer comes as events. */
  ask(request: { readonly question: string }): void;
  stop(nothing: undefined): void;
  /** Asks the last question again. */
  askAgain(nothing: undefined): void;
  /** Has a person choose who answers from now on; `again` asks the last question again, if one is chosen. */
  chooseProvider(request: { readonly again: boolean }): void;
  /** Shows a passage where its lines are now. */
  open(request: { readonly exchange: number; readonly passage: number }): void;
  /** The question and its answer as Markdown, to the clipboard. */
  copy(request: { readonly exchange: number }): void;
  clear(nothing: undefined): void;
  /** Leads elsewhere in the editor. */
  go(request: { readonly to: 'folder' | 'settings' | 'key' | 'indexStatus' }): void;
}

export interface AnswerEvents {
  readonly state: AnswerState;
  /** More of the last exchange's Markdown. */
  readonly text: string;
  /** Somebody wants to type. */
  readonly focus: null;
}

const nothing = z.undefined();

/** "Ask About Workspace". */
export const answerView: ViewContract<AnswerMethods, AnswerEvents> = {
  name: 'answer',
  requests: {
    ready: nothing,
    ask: z.strictObject({ question: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_QUESTION)) }),
    stop: nothing,
    askAgain: nothing,
    chooseProvider: z.strictObject({ again: z.boolean() }),
    open: z.strictObject({ exchange: z.int(), passage: z.int() }),
    copy: z.strictObject({ exchange: z.int() }),
    clear: nothing,
    go: z.strictObject({ to: z.enum(['folder', 'settings', 'key', 'indexStatus']) }),
  },
};
