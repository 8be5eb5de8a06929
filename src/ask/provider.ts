import type { Passage, ProviderInfo } from './answer.ts';

export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Capacity of a model. */
export interface PromptBudget {
  /** Tokens of all messages together, as `countTokens` estimates them. */
  readonly tokens: number;
  /** Called if the service may report how many it has; fewer shorten the prompt. */
  readonly available?: () => Promise<number | undefined>;
  /** Called if the model itself can measure; a prompt that does not fit is built again with less. */
  readonly fits?: (messages: readonly PromptMessage[], signal: AbortSignal) => Promise<boolean>;
}

export interface AnswerTask {
  readonly question: string;
  readonly passages: readonly Passage[];
  /** Empty for a provider without a budget, which receives no prompt. */
  readonly messages: readonly PromptMessage[];
}

/** A provider of answers. A new one implements nothing but this. */
export interface AnswerProvider {
  readonly info: ProviderInfo;
  /** Missing if nothing is sent anywhere: then no prompt is built. */
  readonly budget?: PromptBudget;
  /**
   * Yields Markdown as it arrives, in which `[n]` cites the passage with that number. Throws a `SextantError` of
   * `askErrors`, or the error of a cancelled `signal`.
   */
  answer(task: AnswerTask, signal: AbortSignal): AsyncIterable<string>;
}
