import type { Choices } from './random.ts';
import type { Corpus, SourceFile } from './corpus.ts';

/** Text as a person types it, and the files that answer. */
export interface TypedQuery {
  readonly text: string;
  /** Any of them is right. */
  readonly paths: readonly string[];
  /** The line that a result must cover as well. */
  readonly line?: number;
}

/** Makes queries of one class from a repository's own lines. */
export interface Rule {
  readonly name: string;
  /** Whether one file may give several queries, as most files have none. */
  readonly isDense?: boolean;
  /**
   * A query from a file, or `undefined` if the file has nothing that the rule accepts. `turn` counts the queries that the
   * repository has of this class, so that a rule takes turns between its forms.
   */
  propose(file: SourceFile, corpus: Corpus, choices: Choices, turn: number): TypedQuery | undefined;
}

/** The first candidate, in random order, that the condition accepts; few are tried, since conditions read all texts. */
export function firstAccepted<T, R>(
  candidates: readonly T[],
  choices: Choices,
  accept: (candidate: T) => R | undefined,
): R | undefined {
  for (const candidate of choices.shuffled(candidates).slice(0, 8)) {
    const accepted = accept(candidate);
    if (accepted !== undefined) return accepted;
  }
  return undefined;
}
