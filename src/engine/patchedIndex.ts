import { MemorySegment, type MemoryDocument } from './index/memorySegment.ts';
import type { SegmentReader } from './index/segmentReader.ts';
import { Segment, noDeletions, setBit } from './index/snapshot.ts';
import type { SearchableIndex } from './query/searchIndexes.ts';

/**
 * An index in which some documents are hidden, and texts are searched in their place: those of files that changed since
 * they were indexed. The files on the disk stay as they are.
 */
export class PatchedIndex implements SearchableIndex {
  readonly #index: SearchableIndex;
  readonly #hidden = new Map<SegmentReader, Set<number>>();
  readonly #texts: MemoryDocument[] = [];
  #patched: { readonly under: readonly Segment[]; readonly all: readonly Segment[] } | undefined;
  #memory: MemorySegment | undefined;

  constructor(index: SearchableIndex) {
    this.#index = index;
  }

  /** Hides a document of the index, and searches `text` in its place, if there is one. Call it between searches. */
  replace(reader: SegmentReader, document: number, text?: MemoryDocument): void {
    const hidden = this.#hidden.get(reader) ?? new Set();
    this.#hidden.set(reader, hidden.add(document));
    if (text) this.#texts.push(text);
    this.close();
  }

  hold(): readonly Segment[] {
    const under = this.#index.hold();
    if (this.#hidden.size === 0) return under;
    if (this.#patched?.under !== under) this.#patched = { under, all: this.#patch(under) };
    return this.#patched.all;
  }

  release(): void {
    this.#index.release();
  }

  isolateDamaged(): boolean {
    return this.#index.isolateDamaged();
  }

  /** Frees the memory of the texts. */
  close(): void {
    this.#memory?.reader.close();
    this.#memory = this.#patched = undefined;
  }

  #patch(under: readonly Segment[]): readonly Segment[] {
    if (this.#texts.length > 0) this.#memory ??= new MemorySegment(this.#texts);
    const left = under.map((segment) => {
      const hidden = this.#hidden.get(segment.reader);
      if (!hidden) return segment;
      const bits = segment.deleted?.slice() ?? noDeletions(segment.reader.documents);
      for (const document of hidden) setBit(bits, document);
      return new Segment(segment.entry, segment.reader, bits, segment.lost);
    });
    return this.#memory ? [...left, this.#memory] : left;
  }
}
