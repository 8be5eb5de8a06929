/**
 * Data between a question and the view of its answer: the command, the answer view, the chat participant. Plain data,
 * so that it can cross a thread or a webview's border.
 */

/** Lines of a file that were read from the disk (or the unsaved editor) for this question. */
export interface Passage {
  /** Counts from 1 within one answer: `[3]` in its text refers to passage 3. */
  readonly number: number;
  /** The folder that the path is relative to. */
  readonly root: string;
  readonly path: string;
  readonly language: string;
  /** Counts from 1, both ends inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** The definition that is, or encloses, the lines. */
  readonly symbol?: { readonly name: string; readonly kind: string };
  /** Definitions next to it in the same lines. */
  readonly further?: readonly { readonly name: string; readonly kind: string }[];
  /** The line that begins the definition around the lines: the class of a method, the function of a part. */
  readonly head?: { readonly line: number; readonly text: string };
  /** All lines of the definition, if the passage is a part of it. */
  readonly whole?: { readonly startLine: number; readonly endLine: number };
  /** Number of the passage that calls or uses the definition, if that is why it is here. */
  readonly calledBy?: number;
}

/** The provider of an answer. */
export interface ProviderInfo {
  /** `extractive`, `vscode.lm:<model id>` or `openai:<model>`. */
  readonly id: string;
  /** Name for display: "Passages, no model", "GPT-5 by Copilot". */
  readonly label: string;
  /** Whether all data stays on this machine. */
  readonly isLocal: boolean;
}

/** Size of the input to a provider besides the question; zeros if nothing was sent. */
export interface Sent {
  readonly files: number;
  /** UTF-16 units of the whole prompt. */
  readonly characters: number;
}

/** How a model ordered the passages. */
export interface Reranking {
  readonly provider: ProviderInfo;
  readonly sent: Sent;
  /** Why the order is that of the search; missing if it is the model's. */
  readonly failure?: string;
}

/** Events of an answer, in this order: `sources` once, `text` any number of times, then `done`. Failures are thrown. */
export type AnswerEvent =
  | {
      readonly kind: 'sources';
      readonly provider: ProviderInfo;
      readonly passages: readonly Passage[];
      readonly sent: Sent;
      readonly reranking?: Reranking;
      /** What in the question was not understood, in sentences; missing if there is nothing. */
      readonly problems?: readonly string[];
    }
  /**
   * More Markdown. Citations are `[n]`, of a passage in `sources`, and none is split between two pieces. In code they
   * are no citations: `CitationScanner` distinguishes them.
   */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'done'; readonly answer: Answer };

export interface Answer {
  readonly question: string;
  readonly provider: ProviderInfo;
  readonly sent: Sent;
  /** Missing if no model ordered the passages. */
  readonly reranking?: Reranking;
  /** Markdown in which each citation `[n]` is the number of one of the passages. */
  readonly markdown: string;
  /** The passages that are cited, in the order of their first citation. */
  readonly cited: readonly Passage[];
  /** Number of citations removed because they point to no passage. */
  readonly removedCitations: number;
}
