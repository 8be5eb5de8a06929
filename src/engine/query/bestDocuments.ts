import type { SegmentScores } from './collect.ts';
import { numberOf } from './foundDocument.ts';
import { TopK } from './topK.ts';

/** Documents of a segment, in ascending order. */
interface SegmentDocuments {
  readonly scores: SegmentScores;
  readonly documents: readonly number[];
}

/** The `count` documents with the highest scores so far, by segment. Of equals, any but always the same. */
export function bestDocuments(segments: readonly SegmentScores[], count: number): SegmentDocuments[] {
  const offsets: number[] = [];
  let offset = 0;
  for (const { reader } of segments) {
    offsets.push(offset);
    offset += reader.documents;
  }
  const top = new TopK(count, (item) => {
    const i = offsets.findLastIndex((offset) => offset <= item);
    return numberOf(segments[i]!.reader.idOf(item - offsets[i]!));
  });
  for (const [i, scores] of segments.entries()) scores.addScores(top, offsets[i]!);
  const items = top.items().toSorted();
  let at = 0;
  return segments.map((scores, i) => {
    const documents: number[] = [];
    const end = offsets[i]! + scores.reader.documents;
    for (; at < items.length && items[at]! < end; at++) documents.push(items[at]! - offsets[i]!);
    return { scores, documents };
  });
}

/** A lower bound of the score of the `count` best documents with their best chunks: that number of documents reach it. */
export function leastOfBest(segments: readonly SegmentScores[], count: number): number {
  const best = bestDocuments(segments, count);
  const isFull = best.reduce((sum, { documents }) => sum + documents.length, 0) === count;
  return isFull ? Math.min(...best.map(({ scores, documents }) => scores.lowestOf(documents))) : 0;
}
