import { setImmediate } from 'node:timers/promises';
import { cancelled, describeError, explainWriteError, isCancelled } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { DocumentSlot } from './documentSlots.ts';
import type { IndexWriter } from './indexWriter.ts';
import { isDamage } from './index/damage.ts';
import { mergeSegments } from './index/merge.ts';
import { chooseMerge } from './index/mergePolicy.ts';
import { SegmentWriter } from './index/segmentWriter.ts';
import { Segment, clearBit, noDeletions, setBit } from './index/snapshot.ts';

/** Delay of merges after a large apply, which another one may follow; with this number of segments searches get slow. */
const QUIET_MS = 1_000;
const MANY_SEGMENTS = 40;

/** Merges segments in the background. */
export class Merger {
  readonly #writer: IndexWriter;
  readonly #logger: Logger;
  readonly #exclusive: (work: () => void) => Promise<void>;
  #merging: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `exclusive` runs its argument while no other change is made to the index, and after a repair. */
  constructor(writer: IndexWriter, logger: Logger, exclusive: (work: () => void) => Promise<void>) {
    this.#writer = writer;
    this.#logger = logger;
    this.#exclusive = exclusive;
  }

  /** Puts off a merge that is due but has not begun. */
  postpone(): void {
    clearTimeout(this.#timer);
  }

  /** For after a large apply: another one is likely to follow, and memory for analysis and for a merge is too much at once. */
  mergeLater(): void {
    if (this.#writer.reader.segments.length >= MANY_SEGMENTS) this.mergeIfDue();
    else this.#timer = setTimeout(() => this.mergeIfDue(), QUIET_MS).unref();
  }

  mergeIfDue(): void {
    clearTimeout(this.#timer);
    if (this.#merging || this.#isClosed) return;
    const kept = this.#writer.slots.removedBySegment();
    const sources = chooseMerge(
      this.#writer.reader.segments,
      ({ entry, deletedCount }) => deletedCount - (kept.get(entry.segment)?.length ?? 0),
    );
    if (sources.length === 0) return;
    this.#merging = this.#tryMerge(sources).then((goOn) => {
      this.#merging = undefined;
      if (goOn) this.mergeIfDue();
    });
  }

  /** Begins a merge if one is due, and waits until none is. */
  async settle(): Promise<void> {
    this.mergeIfDue();
    while (this.#merging) await this.#merging;
  }

  /** Begins no more merges, and gives up the one under way: {@link closed} waits for that. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async closed(): Promise<void> {
    await this.#merging;
  }

  /** Returns whether to try the next. The index is whole without the merge, and the next apply tries again. */
  async #tryMerge(sources: readonly Segment[]): Promise<boolean> {
    try {
      try {
        await this.#merge(sources);
      } catch (error) {
        if (!isDamage(error) || !this.#writer.reader.isolateDamaged()) throw error;
        await this.#exclusive(() => undefined);
      }
      return true;
    } catch (error) {
      if (!isCancelled(error) && !this.#isClosed)
        this.#logger.warn(`A merge of the index failed: ${describeError(error)}`);
      return false;
    }
  }

  async #merge(segments: readonly Segment[]): Promise<void> {
    const writer = this.#writer;
    const number = writer.reserve();
    const kept = writer.slots.removedBySegment();
    const sources = segments.map((segment) => {
      const slots = kept.get(segment.entry.segment) ?? [];
      return withoutDeletions(
        segment,
        slots.filter((slot) => writer.isReadable(slot)),
      );
    });
    try {
      const output = writer.writing(() => new SegmentWriter(writer.pathOf(number)));
      try {
        for (const _ of mergeSegments(sources, output)) {
          await setImmediate();
          // Segments that were found damaged meanwhile are closed.
          if (this.#isClosed || !writer.hasAll(sources)) throw cancelled();
        }
        output.finish();
      } catch (error) {
        output.abort();
        throw explainWriteError(error, writer.folder);
      }
      await this.#exclusive(() => this.#publish(sources, number));
    } finally {
      writer.release(number);
      writer.removeUnused();
    }
  }

  /** Replaces the sources by the merged segment; documents that were removed meanwhile are marked in it. */
  #publish(sources: readonly Segment[], merged: number): void {
    const writer = this.#writer;
    if (!writer.hasAll(sources)) throw cancelled();
    const replaced = new Set(sources.map(({ entry }) => entry.segment));
    const removed: number[] = [];
    let document = 0;
    for (const source of sources) {
      const now = writer.segment(source.entry.segment)!;
      for (let old = 0; old < source.reader.documents; old++) {
        if (source.isDeleted(old)) continue;
        if (now.isDeleted(old)) removed.push(document);
        document++;
      }
    }
    let entry = writer.entryOf(merged);
    if (removed.length > 0) {
      const bits = noDeletions(document);
      for (const number of removed) setBit(bits, number);
      entry = writer.withDeletions(entry, document, bits);
    }
    const others = writer.entries().filter(({ segment }) => !replaced.has(segment));
    writer.publish(document === 0 ? others : [...others, entry]);
    if (document > 0) writer.enter(merged);
  }
}

/** A segment without the deletions of some documents, which a merge then takes along. */
function withoutDeletions(segment: Segment, slots: readonly DocumentSlot[]): Segment {
  if (!segment.deleted || slots.length === 0) return segment;
  const bits = segment.deleted.slice();
  for (const { document } of slots) clearBit(bits, document);
  return new Segment(segment.entry, segment.reader, bits, segment.lost);
}
