import { runAtOnce } from '../../base/timeSlice.ts';
import { Postings } from '../index/postings.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { noDeletions, type Segment } from '../index/snapshot.ts';
import { BestChunks } from './bestChunk.ts';
import { keep } from './keep.ts';
import { pathInfo, sidesOf, type PathInfo } from './paths.ts';
import type { NameWords } from './sourceRange.ts';
import { keyOf, markDocuments, type Term } from './terms.ts';

/** Sums of one segment, zero while no search uses them. */
export interface Sums {
  /** By document: its score so far, without its best chunk. */
  readonly score: Float32Array;
  /** By document: lower bound of the score of its best chunk. */
  readonly reach: Float32Array;
  /** By document: whether it may be a result; see {@link SegmentScores}. */
  readonly state: Uint8Array;
}

/** Arrays of one search. */
export class SearchArrays {
  readonly postings = new Postings();
  readonly bestChunks = new BestChunks();
  readonly #sums = new WeakMap<SegmentReader, Sums>();

  sumsOf(reader: SegmentReader): Sums {
    let sums = this.#sums.get(reader);
    if (!sums) {
      const { documents } = reader;
      const zeros = (): Float32Array => new Float32Array(documents);
      this.#sums.set(reader, (sums = { score: zeros(), reach: zeros(), state: new Uint8Array(documents) }));
    }
    return sums;
  }
}

interface OfSegment {
  readonly brief: Map<number, Pick<PathInfo, 'path' | 'sides'>>;
  readonly whole: Map<number, PathInfo>;
  readonly having: Map<string, Uint8Array>;
}

/** Capacity of the cache of {@link SearchMemory.documentsHaving}, in bytes for each segment. */
const MAX_HAVING_BYTES = 4 << 20;

/**
 * Memory that searches use again: arrays, and results computed from paths, names and counts. Searches tend to return to
 * the same files.
 */
export class SearchMemory {
  /** Words of the names of definitions. */
  readonly names = new Map<string, NameWords>();
  readonly #free: SearchArrays[] = [];
  readonly #segments = new WeakMap<SegmentReader, OfSegment>();
  /** Counts of one commit. */
  readonly #counts = new WeakMap<readonly Segment[], Map<string, number>>();
  readonly #postings = new Postings();

  /** Arrays for one search, which others may run beside; {@link giveBack} them at its end. */
  borrow(): SearchArrays {
    const arrays = this.#free.pop() ?? new SearchArrays();
    arrays.postings.clear();
    return arrays;
  }

  /** All sums must be zero. */
  giveBack(arrays: SearchArrays): void {
    if (this.#free.length === 0) this.#free.push(arrays);
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

  /** Numbers of documents by term, for the segments of a commit. */
  countsOf(segments: readonly Segment[]): Map<string, number> {
    let known = this.#counts.get(segments);
    if (!known) this.#counts.set(segments, (known = new Map<string, number>()));
    return known;
  }

  /** A bit for each document that has a term, deleted or not. */
  documentsHaving(reader: SegmentReader, term: Term): Uint8Array {
    const room = Math.max(1, Math.floor((8 * MAX_HAVING_BYTES) / Math.max(1, reader.documents)));
    const make = (): Uint8Array => {
      const documents = noDeletions(reader.documents);
      runAtOnce(markDocuments(reader, [term], this.#postings, documents));
      return documents;
    };
    return keep(this.#of(reader).having, keyOf(term), make, room);
  }

  #of(reader: SegmentReader): OfSegment {
    let entry = this.#segments.get(reader);
    if (!entry) this.#segments.set(reader, (entry = { brief: new Map(), whole: new Map(), having: new Map() }));
    return entry;
  }
}
