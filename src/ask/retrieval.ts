import type { PassageWeights } from './passageRanker.ts';
import type { FoundLines } from './sourceFile.ts';

export type { FoundLines };

/** A search result: a file, the best place in it, and further ones. */
export interface FoundPlace extends FoundLines {
  readonly root: string;
  readonly path: string;
  readonly language: string;
  /** Higher is better; comparable only between the results of one search. */
  readonly score: number;
  readonly more: readonly FoundLines[];
}

/** Access to the workspace for answers. */
export interface Sources {
  /** Finds places for words or a query in the query language, best first. `onProblem` receives what in it was not understood. */
  search(
    query: string,
    limit: number,
    signal: AbortSignal,
    onProblem?: (problem: string) => void,
  ): Promise<readonly FoundPlace[]>;
  /** Reads the current text of a file, even if not saved; `undefined` if it was deleted or must not be shown. */
  read(root: string, path: string): Promise<string | undefined>;
}

/** Figures of retrieval for questions; docs/benchmarks.md tells what each is worth. */
export interface AskProfile {
  /** Number of files that are searched for. */
  readonly files: number;
  /** Number of files further down whose best place comes before a file's next place. */
  readonly filesPerPlace: number;
  /** Lines of the longest definition that is quoted whole; of a longer one, the best lines are. */
  readonly wholeLines: number;
  /** Number of the best files of which all definitions are compared. */
  readonly comparedFiles: number;
  /** Number of files, among them these, of which the places that search found are compared. */
  readonly placedFiles: number;
  /** Number of related words for each word of the question that a second search has. */
  readonly relatedWords: number;
  /**
   * Whether passages next to each other become one. For a person also those with at most `bridged` lines between them do, up to
   * `mergedLines` lines, among the first `considered`.
   */
  readonly isMerged: boolean;
  readonly bridged: number;
  readonly mergedLines: number;
  readonly considered: number;
  /** Number of pages that are compared with them, and the rank that the first one has at the best. */
  readonly documents: number;
  readonly documentRank: number;
  /** Number of definitions that a model receives because the best passages call them, and the number of those passages. */
  readonly called: number;
  readonly calledFrom: number;
  /** Whether a question for a number is also answered with a constant. */
  readonly constants: boolean;
  readonly weights: PassageWeights;
  /** Passages that score so far below the best are left out. */
  readonly fall: number;
}

/** How much is retrieved: a number of passages, or of tokens. */
export interface RetrievalLimit {
  readonly passages: number;
  readonly tokens: number;
}
