import type { DocumentId } from '../documentId.ts';
import { SegmentBuilder } from './segmentBuilder.ts';
import type { BatchedDocument, SegmentThread, SegmentThreads } from './segmentThreads.ts';
import { writeSegment } from './segmentWriter.ts';

const BATCH_BYTES = 1 << 20;

/** A document of an apply. `text` is UTF-8, and may be overwritten once it was added. */
export interface TextDocument {
  readonly id: DocumentId;
  readonly path: string;
  readonly text: Uint8Array;
}

export interface SegmentPaths {
  /** Reserves a number that no other segment has. */
  reserve(): number;
  pathOf(segment: number): string;
}

/**
 * Writes segments of one apply's documents: alone, and once there are many, together with threads. Documents for which the
 * threads have no room are analysed here, so that neither waits for the other.
 */
export class SegmentMaker {
  readonly #files: SegmentPaths;
  readonly #threads: SegmentThreads | undefined;
  #workers: readonly SegmentThread[] | undefined;
  readonly #builder = new SegmentBuilder();
  #bytes = 0;

  #batch: SharedBytes = new Uint8Array(new SharedArrayBuffer(0));
  #batchBytes = 0;
  #batchDocuments: BatchedDocument[] = [];
  readonly #spareBatches: SharedBytes[] = [];

  /** Numbers that a thread did not need for a segment. */
  readonly #spareNumbers: number[] = [];
  readonly #written: number[] = [];
  /** Work that the threads have. */
  readonly #pending = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(files: SegmentPaths, threads: SegmentThreads | undefined) {
    this.#files = files;
    this.#threads = threads;
  }

  /** Throws `ThreadDied`, and the system's error where a segment cannot be written. */
  add(document: TextDocument): void {
    if (this.#failure) throw this.#failure.error;
    this.#bytes += document.text.length;
    if (!this.#workers && this.#threads?.isWorthwhile(this.#bytes)) this.#workers = this.#threads.acquire();
    if (this.#workers && this.#workers.length > 0) this.#addToBatch(document);
    else this.#analyze(document);
  }

  /** Writes the rest and waits for the threads. Returns the segments' numbers. Throws the errors of {@link add}. */
  async finish(): Promise<readonly number[]> {
    this.#sendBatch();
    for (const thread of this.#workers ?? []) {
      this.#track(this.#writing((file) => thread.write(file)));
    }
    this.#write();
    await this.#release();
    if (this.#failure) throw this.#failure.error;
    return this.#written;
  }

  /** Gives up, and waits until no thread works for it any more. Written segments are left to the caller. */
  async abandon(): Promise<void> {
    for (const thread of this.#workers ?? []) this.#track(thread.drop());
    await this.#release();
  }

  async #release(): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#workers && this.#workers.length > 0) this.#threads?.release();
    this.#workers = [];
  }

  #analyze({ id, path, text }: TextDocument): void {
    this.#builder.add({ id: Buffer.from(id, 'hex'), path, text });
    if (this.#builder.isFull) this.#write();
  }

  #write(): void {
    if (this.#builder.documents === 0) return;
    const segment = this.#files.reserve();
    writeSegment(this.#files.pathOf(segment), (writer) => this.#builder.write(writer));
    this.#builder.clear();
    this.#written.push(segment);
  }

  #addToBatch({ id, path, text }: TextDocument): void {
    if (this.#batchBytes + text.length > this.#batch.length) {
      this.#sendBatch();
      this.#batch = this.#newBatch(text.length);
    }
    const start = this.#batchBytes;
    this.#batch.set(text, start);
    this.#batchBytes += text.length;
    this.#batchDocuments.push({ id, path, start, end: this.#batchBytes });
  }

  #newBatch(atLeast: number): SharedBytes {
    const spare = atLeast <= BATCH_BYTES ? this.#spareBatches.pop() : undefined;
    return spare ?? new Uint8Array(new SharedArrayBuffer(Math.max(atLeast, BATCH_BYTES)));
  }

  #sendBatch(): void {
    const batch = this.#batch;
    const documents = this.#batchDocuments;
    this.#batchDocuments = [];
    this.#batchBytes = 0;
    if (documents.length === 0) return;
    const thread = this.#workers?.find((one) => one.hasRoom);
    if (thread) this.#track(this.#send(thread, batch, documents));
    else {
      for (const { id, path, start, end } of documents) this.#analyze({ id, path, text: batch.subarray(start, end) });
      this.#keep(batch);
    }
  }

  async #send(thread: SegmentThread, batch: SharedBytes, documents: readonly BatchedDocument[]): Promise<void> {
    await this.#writing((file) => thread.add({ text: batch.buffer, documents, file }));
    this.#keep(batch);
  }

  #keep(batch: SharedBytes): void {
    if (batch.length === BATCH_BYTES) this.#spareBatches.push(batch);
  }

  /** Takes the segment that a thread reports to have written, if there is one. */
  async #writing(call: (file: string) => Promise<boolean>): Promise<void> {
    const segment = this.#spareNumbers.pop() ?? this.#files.reserve();
    const isWritten = await call(this.#files.pathOf(segment));
    (isWritten ? this.#written : this.#spareNumbers).push(segment);
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }
}

type SharedBytes = Uint8Array<SharedArrayBuffer>;
