import { groupBy } from '../../base/collections.ts';
import { MAX_CHUNKS } from './format.ts';
import type { Segment } from './snapshot.ts';

/** Number of segments of about one size that become one; each document is written log₈(n) times. */
const FAN_IN = 8;
const SMALLEST_BYTES = 256 << 10;
/** Share of useless documents above which a segment is written again. */
const WASTE = 0.4;

/**
 * The segments to merge next, or none. A search reads every segment, so there should be few. `wasteOf` returns the number of
 * a segment's documents that are of no use any more.
 */
export function chooseMerge(
  segments: readonly Segment[],
  wasteOf: (segment: Segment) => number = ({ deletedCount }) => deletedCount,
): readonly Segment[] {
  const levels = groupBy(segments, sizeLevelOf);
  for (const level of [...levels.keys()].sort((a, b) => a - b)) {
    const candidates = levels.get(level)!;
    if (candidates.length >= FAN_IN) return fitting(candidates);
  }
  return segments.filter((segment) => wasteOf(segment) > segment.reader.documents * WASTE).slice(0, 1);
}

function sizeLevelOf({ reader }: Segment): number {
  return Math.max(0, Math.floor(Math.log2(reader.footer.cold / SMALLEST_BYTES) / Math.log2(FAN_IN)));
}

function fitting(segments: readonly Segment[]): readonly Segment[] {
  let chunks = 0;
  const taken = segments.filter(({ reader }) => (chunks += reader.footer.chunks) <= MAX_CHUNKS);
  return taken.length > 1 ? taken : [];
}
