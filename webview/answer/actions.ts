import type { AnswerMethods, AnswerState } from '../../src/protocol/answerView.ts';

/** What a person can do. */
export interface Actions {
  type(draft: string): void;
  /** Asks this, or what is typed. */
  ask(question?: string): void;
  stop(): void;
  askAgain(): void;
  chooseProvider(again: boolean): void;
  open(exchange: number, passage: number): void;
  copy(exchange: number): void;
  clear(): void;
  go(to: Parameters<AnswerMethods['go']>[0]['to']): void;
}

/** What the page shows, and what can be done on it. */
export interface PageProps {
  readonly state: AnswerState;
  /** What is typed and not asked yet. */
  readonly draft: string;
  /** What went wrong between the page and the extension, or nothing. */
  readonly problem: string;
  readonly actions: Actions;
  readonly control: (element: HTMLElement | null) => void;
}
