import { MemorySegment, type MemoryDocument } from './memorySegment.ts';
import type { SegmentReader } from './segmentReader.ts';
import { Segment, clearBit, noDeletions, setBit } from './snapshot.ts';

/** Texts in memory that are searched in place of the documents of the same paths. */
export class Overlay {
  readonly #segment: Segment;
  /** The number of each text, by its path. */
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #hidden = new WeakMap<Segment, Hidden>();
  /** One list per commit: results for a commit are cached by its list of segments. */
  #over: { readonly under: readonly Segment[]; readonly all: readonly Segment[] } | undefined;

  /** There is at least one document, and no two have one path. */
  constructor(documents: readonly MemoryDocument[]) {
    this.#segment = new MemorySegment(documents);
    this.#numbers = new Map(documents.map(({ path }, number) => [path, number]));
  }

  /**
   * The segments for a search. A text counts only where the index has a document of its path: a file that is left out of the
   * index must not be found because it is edited.
   */
  over(segments: readonly Segment[]): readonly Segment[] {
    if (this.#over?.under !== segments) this.#over = { under: segments, all: this.#putOver(segments) };
    return this.#over.all;
  }

  /** Frees the memory when it is closed. */
  get reader(): SegmentReader {
    return this.#segment.reader;
  }

  #putOver(segments: readonly Segment[]): readonly Segment[] {
    const isUnknown = noDeletions(this.#numbers.size);
    for (const number of this.#numbers.values()) setBit(isUnknown, number);
    const under = segments.map((segment) => {
      const { hidden, numbers } = this.#hiddenIn(segment);
      for (const number of numbers) clearBit(isUnknown, number);
      return hidden;
    });
    const { entry, reader } = this.#segment;
    return [...under, new Segment(entry, reader, isUnknown)];
  }

  /** Cached for each segment: comparing 80,000 paths takes some milliseconds. */
  #hiddenIn(segment: Segment): Hidden {
    const known = this.#hidden.get(segment);
    if (known) return known;
    const { entry, reader, deleted, lost } = segment;
    const numbers: number[] = [];
    const bits = deleted?.slice() ?? noDeletions(reader.documents);
    for (let document = 0; document < reader.documents; document++) {
      if (segment.isDeleted(document)) continue;
      const number = this.#numbers.get(reader.pathOf(document));
      if (number === undefined) continue;
      numbers.push(number);
      setBit(bits, document);
    }
    const found = { numbers, hidden: numbers.length === 0 ? segment : new Segment(entry, reader, bits, lost) };
    this.#hidden.set(segment, found);
    return found;
  }
}

interface Hidden {
  /** The texts that replace documents of a segment. */
  readonly numbers: readonly number[];
  /** The segment without these documents. */
  readonly hidden: Segment;
}
