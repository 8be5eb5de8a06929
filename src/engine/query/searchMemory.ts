import { Field, termHash } from '../index/format.ts';
import { Postings } from '../index/postings.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import type { Segment } from '../index/snapshot.ts';
import { keep } from './keep.ts';
import { pathInfo, sidesOf, type PathInfo } from './paths.ts';
import type { NameWords } from './sourceRange.ts';
import { stemOf } from './wordMatch.ts';

/** Sums of one segment, zero while no search runs. */
export interface Sums {
  /** By document: its score so far, without its best chunk. */
  readonly score: Float32Array;
  /** By document: lower bound of the score of its best chunk. */
  readonly reach: Float32Array;
  /** By document: whether it may be a result; see {@link SegmentScores}. */
  readonly state: Uint8Array;
}

interface OfSegment {
  readonly sums: Sums;
  readonly brief: Map<number, Pick<PathInfo, 'path' | 'sides'>>;
  readonly whole: Map<number, PathInfo>;
}

/**
 * Memory that the searches of one reader use again: arrays, and results computed from paths, names and counts. Searches
 * tend to return to the same files. A search runs to its end at once, so no two use it at a time.
 */
export class SearchMemory {
  /** Postings of the current search. */
  readonly postings = new Postings();
  /** Words of the names of definitions. */
  readonly names = new Map<string, NameWords>();
  readonly #segments = new WeakMap<SegmentReader, OfSegment>();
  /** Counts of one commit. */
  readonly #counts = new WeakMap<readonly Segment[], Map<string, number>>();

  sumsOf(reader: SegmentReader): Sums {
    return this.#of(reader).sums;
  }

  pathInfoOf(reader: SegmentReader, document: number): PathInfo {
    return keep(this.#of(reader).whole, document, () => pathInfo(reader.pathOf(document)));
  }

  /** The part of {@link PathInfo} that is needed for many documents. */
  pathAndSidesOf(reader: SegmentReader, document: number): Pick<PathInfo, 'path' | 'sides'> {
    return keep(this.#of(reader).brief, document, () => {
      const path = reader.pathOf(document);
      return { path, sides: sidesOf(path) };
    });
  }

  /** The number of documents in which a name occurs: a compound one as a whole, a single word as that word. */
  references(segments: readonly Segment[], folded: string): number {
    let known = this.#counts.get(segments);
    if (!known) this.#counts.set(segments, (known = new Map<string, number>()));
    let documents = known.get(folded);
    if (documents === undefined) {
      documents = 0;
      for (const { reader } of segments) {
        const count = (field: Field, text: string): number => reader.documentsWith(termHash(field, text));
        documents += Math.max(count(Field.identifier, folded), count(Field.body, stemOf(folded)));
      }
      known.set(folded, documents);
    }
    return documents;
  }

  #of(reader: SegmentReader): OfSegment {
    let entry = this.#segments.get(reader);
    if (!entry) {
      const { documents } = reader;
      const sums = {
        score: new Float32Array(documents),
        reach: new Float32Array(documents),
        state: new Uint8Array(documents),
      };
      this.#segments.set(reader, (entry = { sums, brief: new Map(), whole: new Map() }));
    }
    return entry;
  }
}
