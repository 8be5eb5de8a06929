/**
 * What passes between a question and whoever shows its answer: the command, the answer view, the chat participant.
 * Plain data, so that it can cross a thread or a webview's border.
 */

/** Lines of a file that were read from the disk (or the unsaved editor) for this question. */
export interface Passage {
  /** Counted from 1 within one answer: what `[3]` in its text refers to. */
  readonly number: number;
  /** The folder that the path is relative to. */
  readonly root: string;
  readonly path: string;
  readonly language: string;
  /** From 1, both ends included. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** The definition that the lines are or are in. */
  readonly symbol?: { readonly name: string; readonly kind: string };
}

/** Who answers. */
export interface ProviderInfo {
  /** `extractive`, `vscode.lm:<model id>` or `openai:<model>`. */
  readonly id: string;
  /** What a person is told: "Passages, no model", "GPT-5 by Copilot". */
  readonly label: string;
  /** Whether anything leaves this machine's process for it. */
  readonly isLocal: boolean;
}

/** What a provider was given besides the question; zeros where nothing was sent to anybody. */
export interface Sent {
  readonly files: number;
  /** UTF-16 units of the whole prompt. */
  readonly characters: number;
}

/** How an answer comes, in this order: `sources` once, `text` any number of times, then `done`. Failures are thrown. */
export type AnswerEvent =
  | {
      readonly kind: 'sources';
      readonly provider: ProviderInfo;
      readonly passages: readonly Passage[];
      readonly sent: Sent;
    }
  /**
   * More Markdown. Citations are `[n]`, of a passage in `sources`, and none is cut in two by where a piece ends. In code they
   * are no citations: `CitationScanner` tells.
   */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'done'; readonly answer: Answer };

export interface Answer {
  readonly question: string;
  readonly provider: ProviderInfo;
  readonly sent: Sent;
  /** Markdown in which each citation `[n]` is the number of one of the passages. */
  readonly markdown: string;
  /** The passages that are cited, in the order of their first citation. */
  readonly cited: readonly Passage[];
  /** How many citations were removed, because there is nothing where they point. */
  readonly removedCitations: number;
}
