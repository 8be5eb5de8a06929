import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { readOwnSync } from '../../base/removal.ts';
import type { JournalDamage } from './damage.ts';
import { endOf, HEADER_BYTES, scanFrames, type FrameScan } from './frames.ts';
import { readHeads, type Head, type HeadedFrame, type SegmentHeads } from './headsFile.ts';
import { markFileOf, readMark } from './markFile.ts';
import { isHeadsFile, listSegments, type SegmentName } from './segmentFile.ts';

export interface RecoveryOptions {
  readonly folder: string;
  readonly logger: Logger;
  readonly headOf: (kind: number, payload: Buffer) => Head;
  readonly onFrame: (segment: number, frame: HeadedFrame) => void;
  readonly onDamage: (damage: JournalDamage) => void;
}

export interface RecoveredSegment {
  readonly name: SegmentName;
  /** Number in memory: the one in its name, unless another segment has that. */
  readonly id: number;
  /** Length of its whole frames in bytes. */
  readonly length: number;
  /** Names of files beside it. */
  readonly besides: readonly string[];
}

export interface Recovered {
  readonly segments: readonly RecoveredSegment[];
  /** Heads of segments without a heads file, to be written beside them. */
  readonly unlisted: readonly { readonly name: SegmentName; readonly heads: SegmentHeads }[];
  /** Names of files that no reader uses. */
  readonly leftovers: readonly string[];
  readonly nextNumber: number;
  readonly nextSegment: number;
  /** The highest lease that wrote here. */
  readonly lease: number;
}

/** More than the records of any segment, for one whose end is unknown. */
const SKIPPED = 1_000_000;

/**
 * Reads a log and changes nothing. The order is that of leases, then of segments. Frames whose numbers a higher lease gives,
 * now or later, were written by a process that had lost its lease: they are ignored.
 */
export function recover(options: RecoveryOptions): Recovered {
  const { folder, onFrame, onDamage } = options;
  const { segments: all, besides } = listSegments(folder);
  const { mark, markLease, lease: highestMark, damaged } = readMark(folder);
  const counting = countingSegments(all);
  const lastLease = counting.at(-1)?.name.lease ?? 0;
  // A segment of an earlier version, without a lease, has no mark.
  const isMarkLost = markLease < lastLease;
  if (isMarkLost) onDamage({ file: damaged[0] ?? markFileOf(lastLease), from: 0, to: 0, isMark: true });
  else for (const file of damaged) onDamage({ file, from: 0, to: statSync(join(folder, file)).size, records: 0 });
  const segments: RecoveredSegment[] = [];
  const unlisted: Recovered['unlisted'][number][] = [];
  let nextNumber = 1;
  for (const [i, { name, limit }] of counting.entries()) {
    const isMarked = mark !== undefined && mark.segment >= name.segment;
    const next = counting[i + 1]?.name ?? (isMarked ? { ...mark, first: mark.nextNumber } : undefined);
    const reader = new JournalSegmentReader(options, name, besides.get(name.stem) ?? [], limit);
    // The last one is read in any case: no later start of a segment shows what its end has lost.
    const found = reader.read(next, i === counting.length - 1);
    const id = Math.max(name.segment, (segments.at(-1)?.id ?? 0) + 1);
    segments.push({ name, id, length: found.end, besides: besides.get(name.stem) ?? [] });
    nextNumber = Math.max(nextNumber, name.first);
    for (const frame of found.frames) {
      if (frame.number < nextNumber || frame.number >= limit) continue;
      nextNumber = frame.number + 1;
      onFrame(id, frame);
    }
    // Acknowledged numbers of lost records must not be given again.
    const skipped = isMarkLost && i === counting.length - 1 ? SKIPPED : 0;
    nextNumber = Math.max(nextNumber, Math.min(found.nextNumber, limit)) + skipped;
    if (!found.isListed || skipped > 0) unlisted.push({ name, heads: { ...found, nextNumber } });
  }
  if (counting.length === 0 && mark && mark.nextNumber > mark.first)
    onDamage({ file: `segment-${mark.segment}`, from: 0, to: mark.length, records: mark.nextNumber - mark.first });
  const names = new Set(counting.map(({ name }) => name.stem));
  const dead = all.filter(({ stem }) => !names.has(stem)).map(({ file }) => file);
  const orphans = [...besides].flatMap(([stem, files]) => (names.has(stem) ? [] : files));
  return {
    segments,
    unlisted,
    leftovers: [...dead, ...orphans],
    nextNumber: Math.max(nextNumber, mark?.nextNumber ?? 0),
    nextSegment: Math.max(0, mark?.segment ?? 0, segments.at(-1)?.id ?? 0, ...all.map(({ segment }) => segment)) + 1,
    lease: Math.max(highestMark, ...all.map(({ lease }) => lease)),
  };
}

/** Valid segments, each with the number from which its frames are ignored. */
function countingSegments(all: readonly SegmentName[]): { readonly name: SegmentName; readonly limit: number }[] {
  const counting: { name: SegmentName; limit: number }[] = [];
  let [limit, lowest, lease] = [Infinity, Infinity, Infinity];
  for (const name of all.toReversed()) {
    if (name.lease < lease) limit = lowest;
    lease = name.lease;
    lowest = Math.min(lowest, name.first);
    if (name.first < limit) counting.push({ name, limit });
  }
  return counting.reverse();
}

/** The next segment and its first number, which show the end of the segment before. */
type Successor = Pick<SegmentName, 'segment' | 'first'> & { readonly length?: number };

class JournalSegmentReader {
  readonly #options: RecoveryOptions;
  readonly #name: SegmentName;
  readonly #besides: readonly string[];
  readonly #limit: number;

  constructor(options: RecoveryOptions, name: SegmentName, besides: readonly string[], limit: number) {
    this.#options = options;
    this.#name = name;
    this.#besides = besides;
    this.#limit = limit;
  }

  read(next: Successor | undefined, isLast: boolean): SegmentHeads & { readonly isListed: boolean } {
    const listed = this.#listed();
    const found = isLast || !listed ? this.#scanned(listed, next) : this.#checked(listed);
    if (next && next.first > found.nextNumber) this.#reportEnd(found, next);
    return { ...found, nextNumber: Math.max(found.nextNumber, next?.first ?? 0), isListed: listed !== undefined };
  }

  #listed(): SegmentHeads | undefined {
    for (const file of this.#besides) {
      const heads = isHeadsFile(file) ? readHeads(join(this.#options.folder, file)) : undefined;
      if (heads) return heads;
    }
    return undefined;
  }

  /** Checks the length of a segment whose heads file is used instead. */
  #checked(listed: SegmentHeads): SegmentHeads {
    const { size } = statSync(join(this.#options.folder, this.#name.file));
    if (size < listed.end) this.#reportCut(listed, size);
    return listed;
  }

  #scanned(listed: SegmentHeads | undefined, next: Successor | undefined): SegmentHeads {
    const { folder, headOf, logger } = this.#options;
    const { file, salt, first } = this.#name;
    const bytes = bytesOf(join(folder, file));
    const scan = scanFrames(bytes, salt);
    reportGaps(this.#name, scan, this.#options.onDamage);
    if (listed) {
      if (scan.end < listed.end) this.#reportCut(listed, scan.end);
      return listed;
    }
    const counting = scan.frames.filter(({ number }) => number < this.#limit);
    const frames = counting.map((frame) => ({
      ...frame,
      ...headOf(frame.kind, bytes.subarray(frame.offset + HEADER_BYTES, endOf(frame))),
    }));
    const last = frames.at(-1);
    const isUnknown = next === undefined && scan.isTailDamaged;
    if (isUnknown) this.#options.onDamage({ file, from: scan.end, to: bytes.length });
    else if (scan.end < bytes.length) logger.info(`${file}: ${bytes.length - scan.end} unfinished bytes are not read`);
    // Lost numbers at the end may have been acknowledged.
    const lost = isUnknown ? Math.ceil((bytes.length - scan.end) / HEADER_BYTES) : 0;
    return { frames, end: last ? endOf(last) : 0, nextNumber: (last ? last.number + 1 : first) + lost };
  }

  #reportCut({ frames, end }: SegmentHeads, from: number): void {
    const records = frames.filter((frame) => endOf(frame) > from).length;
    this.#options.onDamage({ file: this.#name.file, from, to: end, records });
  }

  /** Reports records that are missing at the end of this segment. */
  #reportEnd({ end, nextNumber }: SegmentHeads, { segment, first, length }: Successor): void {
    const { file, segment: own } = this.#name;
    const records = first - nextNumber;
    const isMark = length !== undefined;
    const missing = isMark ? segment : own + 1;
    if (isMark ? segment > own : segment > own + 1)
      this.#options.onDamage({ file: `segment-${missing}`, from: 0, to: length ?? 0, records });
    else {
      const size = statSync(join(this.#options.folder, file)).size;
      this.#options.onDamage({ file, from: end, to: Math.max(size, length ?? 0), records });
    }
  }
}

/** The bytes of a file; zeroes, which are no frames, if the disk cannot read it. */
function bytesOf(file: string): Buffer {
  try {
    return readOwnSync(file);
  } catch (error) {
    if (systemCode(error) !== 'EIO') throw error;
    return Buffer.alloc(statSync(file).size);
  }
}

/** Reports damage between whole frames. */
export function reportGaps(
  { file, first }: SegmentName,
  { frames, damage }: FrameScan,
  onDamage: (damage: JournalDamage) => void,
): void {
  for (const { from, to } of damage) {
    const before = frames.findLast(({ offset }) => offset < from)?.number ?? first - 1;
    const after = frames.find(({ offset }) => offset >= to)!;
    onDamage({ file, from, to, records: after.number - before - 1 });
  }
}
