import type { DocumentId } from '../documentId.ts';
import type { SegmentReader } from '../index/segmentReader.ts';

const UNKNOWN = 0;
const IN = 1;
const OUT = 2;
/** As many as the first two bytes of a name have values. */
const PREFIXES = 1 << 16;

/**
 * A set of documents that does not change, to search in again and again: whether it has a document of a segment is looked up
 * once. To write a document's name out for that takes several times as long as all else that a search does with it.
 */
export class DocumentSet {
  readonly ids: ReadonlySet<DocumentId>;
  readonly #known = new WeakMap<SegmentReader, Uint8Array>();

  constructor(ids: ReadonlySet<DocumentId>) {
    this.ids = ids;
  }

  hasIn(reader: SegmentReader, document: number): boolean {
    let known = this.#known.get(reader);
    if (!known) this.#known.set(reader, (known = new Uint8Array(reader.documents)));
    if (known[document] === UNKNOWN) known[document] = this.ids.has(reader.documentIdOf(document)) ? IN : OUT;
    return known[document] === IN;
  }
}

/** A set, some documents more and some fewer: those are few, and most others are told from them by two bytes. */
export class DocumentScope {
  readonly #base: DocumentSet;
  readonly #added: ReadonlySet<DocumentId>;
  readonly #deleted: ReadonlySet<DocumentId>;
  /** By the first two bytes of a name: whether a changed one begins so. */
  readonly #isChanged: Uint8Array | undefined;

  constructor(base: DocumentSet, added: ReadonlySet<DocumentId>, deleted: ReadonlySet<DocumentId>) {
    this.#base = base;
    this.#added = added;
    this.#deleted = deleted;
    if (added.size + deleted.size === 0) return;
    this.#isChanged = new Uint8Array(PREFIXES);
    for (const ids of [added, deleted]) for (const id of ids) this.#isChanged[parseInt(id.slice(0, 4), 16)] = 1;
  }

  has(id: DocumentId): boolean {
    return (this.#base.ids.has(id) || this.#added.has(id)) && !this.#deleted.has(id);
  }

  /** The same of a document of a segment. */
  hasIn(reader: SegmentReader, document: number): boolean {
    if (this.#isChanged) {
      const bytes = reader.idOf(document);
      if (this.#isChanged[(bytes[0]! << 8) | bytes[1]!] === 1) return this.has(reader.documentIdOf(document));
    }
    return this.#base.hasIn(reader, document);
  }
}
