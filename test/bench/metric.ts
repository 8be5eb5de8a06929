import { groupBy } from '../../src/base/collections.ts';
import type { RetrieverResult } from './retrieverClient.ts';

/** The target of a query: a file, or lines of a file (from 1, both ends included). */
export interface Target {
  readonly path: string;
  readonly start_line?: number | null;
  readonly end_line?: number | null;
}

/**
 * Whether a result counts for a target: the paths are equal, or one ends with the other at a `/`; and if both give lines,
 * these overlap.
 */
export function covers(result: RetrieverResult, target: Target): boolean {
  const found = result.path.replaceAll('\\', '/');
  const wanted = target.path.replaceAll('\\', '/');
  if (found !== wanted && !found.endsWith(`/${wanted}`) && !wanted.endsWith(`/${found}`)) return false;
  const [foundLines, wantedLines] = [linesOf(result), linesOf(target)];
  return !foundLines || !wantedLines || (foundLines.start <= wantedLines.end && foundLines.end >= wantedLines.start);
}

/** `undefined` for a file as a whole. */
export function linesOf({
  start_line,
  end_line,
}: Target): { readonly start: number; readonly end: number } | undefined {
  const isSpan = typeof start_line === 'number' && typeof end_line === 'number';
  return isSpan ? { start: start_line, end: end_line } : undefined;
}

/** For each covered target, the position (from 1) of the first result that covers it. */
export function targetRanks(results: readonly RetrieverResult[], targets: readonly Target[]): number[] {
  return targets.map((target) => results.findIndex((result) => covers(result, target)) + 1).filter((rank) => rank > 0);
}

/**
 * Binary NDCG@k: each position that covers a target gains 1/log2(position + 1), once however many targets it covers; the
 * sum is divided by what the first min(k, targets) positions would gain. 0 if there is no target.
 */
export function ndcg(ranks: readonly number[], targets: number, k = 10): number {
  const gain = (rank: number): number => 1 / Math.log2(rank + 1);
  let ideal = 0;
  for (let rank = 1; rank <= Math.min(k, targets); rank++) ideal += gain(rank);
  let gained = 0;
  for (const rank of new Set(ranks)) if (rank <= k) gained += gain(rank);
  return ideal === 0 ? 0 : gained / ideal;
}

/** The mean; 0 for no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean over groups of each group's mean, so that all repositories have the same weight. */
export function meanOfMeans<T>(rows: readonly T[], groupOf: (row: T) => string, valueOf: (row: T) => number): number {
  return mean([...groupBy(rows, groupOf).values()].map((group) => mean(group.map(valueOf))));
}

/** Interpolates between two values; 0 for no values. `percent` from 0 to 100. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (percent / 100) * (sorted.length - 1);
  const low = sorted[Math.floor(at)]!;
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}
