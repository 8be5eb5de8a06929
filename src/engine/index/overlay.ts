import type { DocumentId } from '../documentId.ts';
import { SegmentBuilder } from './segmentBuilder.ts';
import { describeSegment } from './segmentEnd.ts';
import { SegmentReader } from './segmentReader.ts';
import { memoryFile, rmSync } from './segmentStorage.ts';
import { writeSegment } from './segmentWriter.ts';
import { Segment, clearBit, noDeletions, setBit } from './snapshot.ts';

/** A text that stands in for the document of its path. `text` is UTF-8. */
export interface OverlayDocument {
  readonly id: DocumentId;
  readonly path: string;
  readonly text: Uint8Array;
}

/** Texts that are searched in place of the documents of the same paths, and are in memory only. */
export class Overlay {
  readonly #segment: Segment;
  /** Their paths, by which they are found again among the documents of a segment. */
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #hidden = new WeakMap<Segment, Hidden>();
  /** What is worked out once per commit is remembered by its list of segments, so a commit has one list here too. */
  #over: { readonly under: readonly Segment[]; readonly all: readonly Segment[] } | undefined;

  /** There is at least one document, and no two have one path. */
  constructor(documents: readonly OverlayDocument[]) {
    const file = memoryFile();
    const builder = new SegmentBuilder();
    for (const { id, path, text } of documents) builder.add({ id: Buffer.from(id, 'hex'), path, text });
    writeSegment(file, (writer) => builder.write(writer));
    const entry = { segment: 0, ...describeSegment(file) };
    this.#segment = new Segment(entry, new SegmentReader(file), undefined);
    this.#numbers = new Map(documents.map(({ path }, number) => [path, number]));
    rmSync(file, { force: true });
  }

  /**
   * The segments as a search is to see them. A text counts only where the index has a document of its path: what is left
   * out of an index is not to be found because somebody edits it.
   */
  over(segments: readonly Segment[]): readonly Segment[] {
    if (this.#over?.under !== segments) this.#over = { under: segments, all: this.#putOver(segments) };
    return this.#over.all;
  }

  close(): void {
    this.#segment.reader.close();
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

  /** Looking at all paths takes some milliseconds for 80,000, so once for a segment. */
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
  /** Which of the texts stand in for documents of a segment. */
  readonly numbers: readonly number[];
  /** The segment without these documents. */
  readonly hidden: Segment;
}
