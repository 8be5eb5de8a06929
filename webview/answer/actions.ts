import type { AnswerMethods, AnswerState, CodeToken } from '../../src/protocol/answerView.ts';

/** Actions of the user. */
export interface AnswerActions {
  type(draft: string): void;
  /** Sends this question, or the typed one. */
  ask(question?: string): void;
  stop(): void;
  askAgain(): void;
  chooseProvider(again: boolean): void;
  searchIn(scope: AnswerState['scope']): void;
  replaceToken(): void;
  open(exchange: number, passage: number, toSide?: boolean): void;
  expand(exchange: number, passage: number): Promise<string | null>;
  highlight(language: string, code: string): Promise<readonly CodeToken[] | null>;
  copyCode(code: string): void;
  copy(exchange: number): void;
  clear(): void;
  go(to: Parameters<AnswerMethods['go']>[0]['to']): void;
}

/** Content and actions of the page. */
export interface AnswerPageProps {
  readonly state: AnswerState;
  /** Typed text that was not sent yet. */
  readonly draft: string;
  /** A failure between the page and the extension, or empty. */
  readonly problem: string;
  readonly actions: AnswerActions;
  readonly control: (element: HTMLElement | null) => void;
}
