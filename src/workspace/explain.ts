import type { FolderOptions } from './folderOptions.ts';
import { describeFileStatus, explainFile } from './whyFile.ts';
import { rankReasons, asSentence } from './rankSentences.ts';
import { describeMismatch, explainRank, MAX_RANK, type RankAnswer } from './whyRank.ts';

export interface ExplainRequest {
  readonly folder: FolderOptions;
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** In the query language. */
  readonly query?: string;
}

/** Sentences on why a file is found or not; with a query, on its rank or on the parts that it does not match. */
export async function explain({ folder, path, query }: ExplainRequest, signal?: AbortSignal): Promise<string[]> {
  const status = explainFile(folder, path, Date.now());
  const { headline, details } = describeFileStatus(status, path === '' ? '.' : path, folder);
  const sentences = [headline, ...details];
  if (query === undefined || (status.kind !== 'indexed' && status.kind !== 'waiting')) return sentences;
  const answer = await explainRank({ folders: [folder], root: folder.root, path, query, isTrusted: true }, signal);
  return [...sentences, ...describeRank(answer, query), ...answer.problems.map(({ message }) => message)];
}

function describeRank(answer: RankAnswer, query: string): string[] {
  if (answer.kind === 'unknown') return [];
  if (answer.kind === 'unmatched') return ['It is no result of the query.', ...answer.mismatches.map(describeMismatch)];
  const { rank, first } = answer;
  const place = rank === undefined ? `It comes after the first ${MAX_RANK} results` : `It is result ${rank}`;
  const reasons = rankReasons(answer, query).map(asSentence);
  return [rank === 1 ? `${place}.` : `${place}; the first is ${first.path}:${first.line}.`, ...reasons];
}
