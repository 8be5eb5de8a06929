import type { DocumentId } from '../documentId.ts';
import type { SegmentReader } from '../index/segmentReader.ts';

const UNKNOWN = 0;
const IN = 1;
const OUT = 2;
/** Number of values of a name's first two bytes. */
const PREFIXES = 1 << 16;

/**
 * A constant set of documents for repeated searches. Membership is looked up once for each document of a segment. To
 * write out a document's name takes several times as long as the rest of a search's work on it.
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

/**
 * A set with some documents added and some deleted. Those are few, and two bytes distinguish most other documents from
 * them.
 */
export class DocumentScope {
  readonly #base: DocumentSet;
  readonly #added: ReadonlySet<DocumentId>;
  readonly #deleted: ReadonlySet<DocumentId>;
  /** By the first two bytes of a name: whether a changed name begins with them. */
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

  /** Whether the scope contains a document of a segment. */
  hasIn(reader: SegmentReader, document: number): boolean {
    if (this.#isChanged) {
      const bytes = reader.idOf(document);
      if (this.#isChanged[(bytes[0]! << 8) | bytes[1]!] === 1) return this.has(reader.documentIdOf(document));
    }
    return this.#base.hasIn(reader, document);
  }
}
