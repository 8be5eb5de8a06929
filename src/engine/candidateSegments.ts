import type { DocumentId } from './documentId.ts';
import { MemorySegment, type MemoryDocument } from './index/memorySegment.ts';
import { Segment, noDeletions, setBit, clearBit } from './index/snapshot.ts';

interface Kept {
  readonly segment: Segment;
  /** Numbers of its documents. */
  readonly numbers: ReadonlyMap<DocumentId, number>;
  readonly bytes: number;
  users: number;
}

/** Documents of a search that a segment has at least if it is used again: each segment costs a search some time. */
const LEAST_SHARED = 10;

/**
 * Segments in memory of documents that were candidates lately, so that a text is not analysed for each search: while a person types,
 * most candidates remain. A text is known by its id, which is of its path and content.
 */
export class CandidateSegments {
  readonly #maxBytes: number;
  /** The last used at the end. */
  readonly #kept = new Set<Kept>();
  #bytes = 0;

  /** `maxBytes` of texts. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Calls `use` with segments that have exactly these documents. */
  async with<T>(documents: readonly MemoryDocument[], use: (segments: readonly Segment[]) => Promise<T>): Promise<T> {
    const used = this.#take(documents);
    try {
      return await use(used.map(({ kept, wanted }) => only(kept, wanted)));
    } finally {
      for (const { kept } of used) kept.users--;
      this.#makeRoom();
    }
  }

  close(): void {
    for (const kept of this.#kept) kept.segment.reader.close();
    this.#kept.clear();
    this.#bytes = 0;
  }

  #take(documents: readonly MemoryDocument[]): { readonly kept: Kept; readonly wanted: readonly DocumentId[] }[] {
    const left = new Map(documents.map((one) => [one.id, one]));
    const used: { readonly kept: Kept; readonly wanted: readonly DocumentId[] }[] = [];
    for (const kept of [...this.#kept].reverse()) {
      const wanted = [...left.keys()].filter((id) => kept.numbers.has(id));
      if (wanted.length < Math.min(LEAST_SHARED, documents.length)) continue;
      for (const id of wanted) left.delete(id);
      used.push({ kept, wanted });
    }
    if (left.size > 0) {
      const fresh = keep([...left.values()]);
      this.#bytes += fresh.bytes;
      used.push({ kept: fresh, wanted: [...left.keys()] });
    }
    for (const { kept } of used) {
      kept.users++;
      this.#kept.delete(kept);
      this.#kept.add(kept);
    }
    return used;
  }

  #makeRoom(): void {
    for (const kept of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break;
      if (kept.users > 0) continue;
      this.#kept.delete(kept);
      this.#bytes -= kept.bytes;
      kept.segment.reader.close();
    }
  }
}

function keep(documents: readonly MemoryDocument[]): Kept {
  const segment = new MemorySegment(documents);
  const { reader } = segment;
  const numbers = new Map(Array.from({ length: reader.documents }, (_, i) => [reader.documentIdOf(i), i]));
  const bytes = documents.reduce((sum, { text }) => sum + text.length, 0);
  return { segment, numbers, bytes, users: 0 };
}

/** A segment as if it had only the wanted documents. */
function only({ segment, numbers }: Kept, wanted: readonly DocumentId[]): Segment {
  if (wanted.length === numbers.size) return segment;
  const deleted = noDeletions(segment.reader.documents);
  for (const number of numbers.values()) setBit(deleted, number);
  for (const id of wanted) clearBit(deleted, numbers.get(id)!);
  return new Segment(segment.entry, segment.reader, deleted);
}
