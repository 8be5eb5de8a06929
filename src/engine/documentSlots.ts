import { groupBy } from '../base/collections.ts';
import type { DocumentId } from './documentId.ts';
import type { Segment } from './index/snapshot.ts';

/** Place of a document in an index: the number of its segment, and its own number in it. */
export interface DocumentSlot {
  readonly segment: number;
  readonly document: number;
}

/** Removed documents are kept up to the number of the others, and at least this many; more are of no use. */
const KEPT_REMOVED = 1_000;
const MOST_REMOVED = 50_000;

/** The slots of all documents of a commit, and of removed ones that are still in their segments. */
export class DocumentSlots {
  readonly #live = new Map<DocumentId, DocumentSlot>();
  /**
   * Removed documents, the latest last. A switch to another branch and back removes and adds the same ones; merges take them
   * along as long as they are here.
   */
  readonly #removed = new Map<DocumentId, DocumentSlot>();

  has(id: DocumentId): boolean {
    return this.#live.has(id);
  }

  ids(): MapIterator<DocumentId> {
    return this.#live.keys();
  }

  /** The slot of a document that is there. */
  of(id: DocumentId): DocumentSlot {
    return this.#live.get(id)!;
  }

  removed(id: DocumentId): DocumentSlot | undefined {
    return this.#removed.get(id);
  }

  /** The removed documents, by segment. */
  removedBySegment(): Map<number, DocumentSlot[]> {
    return groupBy(this.#removed.values(), ({ segment }) => segment);
  }

  /** Forgets everything, and enters the documents of all segments. */
  enterAll(segments: readonly Segment[]): void {
    this.#live.clear();
    this.#removed.clear();
    for (const segment of segments) {
      for (const [id, slot, isDeleted] of slotsOf(segment)) (isDeleted ? this.#removed : this.#live).set(id, slot);
    }
    this.forgetOldest();
  }

  /** Enters the documents of a new segment. A removed one moves only where it is known, and so was kept for coming back. */
  enter(segment: Segment): void {
    for (const [id, slot, isDeleted] of slotsOf(segment)) {
      if (!isDeleted) this.#live.set(id, slot);
      else if (this.#removed.has(id)) this.#removed.set(id, slot);
    }
  }

  /** Counts a document as removed. */
  remove(id: DocumentId): void {
    move(id, this.#live, this.#removed);
  }

  /** Counts a removed document as added again. */
  bringBack(id: DocumentId): void {
    move(id, this.#removed, this.#live);
  }

  /** Forgets the removed documents above the limit, the oldest first. */
  forgetOldest(): void {
    const half = (this.#live.size + this.#removed.size) / 2;
    const limit = Math.min(MOST_REMOVED, Math.max(KEPT_REMOVED, half));
    for (const id of this.#removed.keys()) {
      if (this.#removed.size <= limit) break;
      this.#removed.delete(id);
    }
  }
}

function* slotsOf(segment: Segment): Generator<[id: DocumentId, slot: DocumentSlot, isDeleted: boolean]> {
  const { entry, reader } = segment;
  for (let document = 0; document < reader.documents; document++) {
    yield [reader.documentIdOf(document), { segment: entry.segment, document }, segment.isDeleted(document)];
  }
}

function move<K, V>(key: K, from: Map<K, V>, to: Map<K, V>): void {
  const value = from.get(key);
  // Already moved if a commit reloaded the slots.
  if (value === undefined) return;
  to.set(key, value);
  from.delete(key);
}
