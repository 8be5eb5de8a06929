import type { Passage, ProviderInfo } from './answer.ts';

export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** How much a model takes. */
export interface PromptBudget {
  /** UTF-16 units of all messages together. */
  readonly characters: number;
  /** Asked where the model itself can tell; a prompt that does not fit is made again with less. */
  readonly fits?: (messages: readonly PromptMessage[], signal: AbortSignal) => Promise<boolean>;
}

export interface Task {
  readonly question: string;
  readonly passages: readonly Passage[];
  /** None for a provider without a budget, which is sent nothing. */
  readonly messages: readonly PromptMessage[];
}

/** Who answers. New ones need nothing but this. */
export interface AnswerProvider {
  readonly info: ProviderInfo;
  /** Missing where nothing is sent to anybody: then no prompt is made. */
  readonly budget?: PromptBudget;
  /**
   * Markdown as it comes, in which `[n]` cites the passage of that number. Throws a `SextantError` of `askErrors`, or that
   * of a cancelled `signal`.
   */
  answer(task: Task, signal: AbortSignal): AsyncIterable<string>;
}
