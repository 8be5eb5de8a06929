import { closeSync, constants, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { join } from 'node:path';
import { syncFolderSync } from '../../base/atomicFile.ts';
import { describeError, explainWriteError, throwIfCancelled } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { webhookErrors } from '../errors.ts';
import { HEADER_BYTES, readFrame, scanFrames, writeFrame, type Scan } from './frames.ts';
import { HeadRows, readHeads, type Head, type HeadedFrame, type SegmentHeads } from './headsFile.ts';
import { closedHeadsFileOf, headsFileOf, listSegments, newSegmentName, type SegmentName } from './segmentFile.ts';

/** A stretch of a segment that is not as it was written. */
export interface JournalDamage {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  /** How many records are lost; missing where it cannot be told. */
  readonly records?: number;
}

export interface SegmentLogOptions {
  readonly folder: string;
  readonly maxSegmentBytes: number;
  readonly logger: Logger;
  /** Told of every frame that is found when the log is opened, in order. */
  readonly onFrame: (frame: Written) => void;
  /** What to know of a frame, from its payload. */
  readonly headOf: (kind: number, payload: Buffer) => Head;
}

export interface Written extends HeadedFrame {
  readonly segment: number;
}

/** Where a frame is. */
export type Place = Pick<Written, 'segment' | 'offset' | 'length'>;

interface Waiting {
  readonly kind: number;
  readonly head: Head;
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

interface Roll {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** So much is written at once, if so much is waiting. */
const MAX_BATCH_BYTES = 4 << 20;
/** On Linux a write comes back when its bytes are on the disk: one call for each commit, where elsewhere it takes two. */
const SYNC = process.platform === 'linux' ? constants.O_DSYNC : 0;

interface Segment {
  readonly name: SegmentName;
  /** How many bytes of it are frames. */
  length: number;
}

/** The segment that is written to. */
interface Current extends Segment {
  readonly handle: FileHandle;
  readonly heads: HeadRows;
}

/**
 * Records that are appended to a row of files, and never changed. Those that are appended while a write is under way share
 * the next one and its fsync ("group commit"): the more come at once, the more share. An append is answered when the
 * record is on the disk.
 */
export class SegmentLog {
  readonly #options: SegmentLogOptions;
  readonly #segments = new Map<number, Segment>();
  readonly #damage: JournalDamage[] = [];
  #nextNumber = 1;
  #nextSegment = 1;
  /** The last segment, where it goes on; until the first append opens it. */
  #resumable: { readonly segment: Segment; readonly heads: HeadRows } | undefined;
  #current: Current | undefined;
  /** Whether bytes of a write that failed may be left behind the end of the current segment. */
  #hasRemains = false;
  #waiting: (Waiting | Roll)[] = [];
  /** What is on the disk, and nobody was told yet. */
  #durable: { readonly batch: readonly Waiting[]; readonly written: readonly Written[] } | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  /** Throws `DiskFull` and `ReadOnly`. */
  static open(options: SegmentLogOptions): SegmentLog {
    const log = new SegmentLog(options);
    try {
      log.#recover();
    } catch (error) {
      throw explainWriteError(error, options.folder);
    }
    return log;
  }

  private constructor(options: SegmentLogOptions) {
    this.#options = options;
  }

  /** What was found to be damaged since the log was opened. */
  get damage(): readonly JournalDamage[] {
    return this.#damage;
  }

  /** Segments by number, oldest first; the last one may still grow. */
  get segments(): readonly { readonly segment: number; readonly bytes: number }[] {
    return [...this.#segments].map(([segment, { length }]) => ({ segment, bytes: length }));
  }

  /** Resolves when the record is on the disk. Throws `DiskFull`, `ReadOnly`, or the system's error: then it is not there. */
  append(kind: number, head: Head, parts: readonly Uint8Array[]): Promise<Written> {
    if (this.#isClosed) return Promise.reject(webhookErrors.journalClosed());
    return new Promise((resolve, reject) => {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      this.#enqueue({ kind, head, parts, length, resolve, reject });
    });
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    const current = this.#current;
    if (!current) return;
    this.#current = undefined;
    await current.handle.close();
    try {
      this.#writeHeads(current, closedHeadsFileOf);
    } catch (error) {
      this.#options.logger.warn(`What is in ${current.name.file} is not written beside it: ${describeError(error)}`);
    }
  }

  /** The payload of a frame. Throws `JournalDamaged`. */
  async read(frame: Place): Promise<Buffer> {
    const bytes = await this.readRange(frame.segment, frame.offset, frame.offset + HEADER_BYTES + frame.length);
    return this.payloadOf(frame, bytes, frame.offset);
  }

  /** Bytes of a segment, for {@link payloadOf}: to read many frames at once. */
  async readRange(segment: number, from: number, to: number): Promise<Buffer> {
    const handle = await open(this.#path(segment), 'r');
    try {
      const bytes = Buffer.allocUnsafe(to - from);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /** The payload of a frame, in `bytes` that begin at `from` in its segment. Throws `JournalDamaged`. */
  payloadOf({ segment, offset, length }: Place, bytes: Buffer, from: number): Buffer {
    const { file, salt } = this.#segments.get(segment)!.name;
    const at = offset - from;
    if (typeof readFrame(bytes, at, salt) === 'object')
      return bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    this.#report({ file, from: offset, to: offset + HEADER_BYTES + length, records: 1 });
    throw webhookErrors.damaged(file, offset);
  }

  /** Removes the oldest segment. The last one stays: it is written to, and its name says how far numbers were used. */
  dropOldest(): void {
    const [[number, segment] = []] = this.#segments;
    if (number === undefined || !segment || this.#segments.size === 1) return;
    const { file: log } = segment.name;
    for (const file of [headsFileOf(log), closedHeadsFileOf(log), log])
      rmSync(join(this.#options.folder, file), { force: true });
    this.#segments.delete(number);
  }

  /** Goes on in a new segment, so that the present one can be dropped. */
  roll(): Promise<void> {
    return new Promise((resolve, reject) => this.#enqueue({ resolve, reject }));
  }

  /** Reads everything, and reports what is damaged. */
  async verify(signal?: AbortSignal): Promise<readonly JournalDamage[]> {
    for (const [number, { name, length }] of [...this.#segments]) {
      throwIfCancelled(signal);
      if (!this.#segments.has(number)) continue;
      this.#reportScan(name, scanFrames(await this.readRange(number, 0, length), name.salt));
    }
    return this.#damage;
  }

  #enqueue(item: Waiting | Roll): void {
    this.#waiting.push(item);
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // Those whose records are on their way in at this moment shall come along.
    await turn();
    while (this.#waiting.length > 0) {
      const [first] = this.#waiting;
      const batch = first && 'parts' in first ? this.#takeBatch() : this.#waiting.splice(0, 1);
      try {
        if (isRecords(batch)) this.#durable = { batch, written: await this.#commit(batch) };
        else {
          this.#answer();
          await this.#seal();
          this.#current ??= await this.#openSegment();
          for (const { resolve } of batch as Roll[]) resolve();
        }
      } catch (error) {
        this.#answer();
        const explained = explainWriteError(error, this.#options.folder);
        for (const { reject } of batch) reject(explained);
      }
      if (this.#waiting.length > 0) continue;
      this.#answer();
      await turn();
    }
    this.#writing = undefined;
  }

  /** Tells those whose records are on the disk. */
  #answer(): void {
    const { batch = [], written = [] } = this.#durable ?? {};
    this.#durable = undefined;
    batch.forEach(({ resolve }, i) => resolve(written[i]!));
  }

  /** Records up to {@link MAX_BATCH_BYTES}, one at the least. */
  #takeBatch(): (Waiting | Roll)[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(
      (item, i) => !('parts' in item) || ((bytes += item.length) > MAX_BATCH_BYTES && i > 0),
    );
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #commit(batch: readonly Waiting[]): Promise<Written[]> {
    const size = batch.reduce((sum, { length }) => sum + HEADER_BYTES + length, 0);
    const current = await this.#segmentFor(size);
    const { name, handle, length: start, heads } = current;
    const bytes = Buffer.allocUnsafe(size);
    const written: Written[] = [];
    let at = 0;
    for (const { kind, head, parts, length } of batch) {
      const number = this.#nextNumber + written.length;
      written.push({ ...head, kind, number, segment: name.segment, offset: start + at, length });
      at = writeFrame(bytes, at, { kind, number }, parts, name.salt);
    }
    try {
      for (let done = 0; done < size;) {
        const writing = handle.write(bytes, done, size - done, start + done);
        // Those of the commit before: the disk works while they are answered and send again.
        this.#answer();
        done += (await writing).bytesWritten;
      }
      if (SYNC === 0) await handle.datasync();
    } catch (error) {
      this.#hasRemains = true;
      await this.#cutRemains(current).catch((failed: unknown) =>
        this.#options.logger.warn(`${name.file} cannot be cut back after a failed write: ${describeError(failed)}`),
      );
      throw error;
    }
    current.length += size;
    this.#nextNumber += written.length;
    for (const frame of written) heads.add(frame);
    return written;
  }

  /** What was refused must not be there after a restart, since whoever sent it will send it again. */
  async #cutRemains({ handle, length }: Current): Promise<void> {
    if (!this.#hasRemains) return;
    await handle.truncate(length);
    await handle.datasync();
    this.#hasRemains = false;
  }

  async #segmentFor(size: number): Promise<Current> {
    const { maxSegmentBytes } = this.#options;
    let current = this.#current;
    if (current) await this.#cutRemains(current);
    const length = current?.length ?? this.#resumable?.segment.length ?? 0;
    if (length > 0 && length + size > maxSegmentBytes) {
      await this.#seal();
      current = undefined;
    }
    return current ?? (this.#current = await this.#openSegment());
  }

  async #openSegment(): Promise<Current> {
    const { folder } = this.#options;
    if (this.#resumable) {
      const { segment, heads } = this.#resumable;
      rmSync(join(folder, closedHeadsFileOf(segment.name.file)), { force: true });
      const handle = await open(join(folder, segment.name.file), constants.O_RDWR | SYNC);
      this.#resumable = undefined;
      const current = { name: segment.name, length: segment.length, handle, heads };
      this.#segments.set(segment.name.segment, current);
      return current;
    }
    const name = newSegmentName(this.#nextSegment, this.#nextNumber);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | SYNC;
    const handle = await open(join(folder, name.file), flags, 0o600);
    try {
      syncFolderSync(folder);
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#nextSegment++;
    const current = { name, length: 0, handle, heads: new HeadRows() };
    this.#segments.set(name.segment, current);
    return current;
  }

  /** Nothing more comes into the present segment; what is in it is written beside it. */
  async #seal(): Promise<void> {
    const current = this.#current ?? (this.#resumable && (await this.#openSegment()));
    if (!current || current.length === 0) return;
    this.#current = current;
    await this.#cutRemains(current);
    const { name, length, handle } = current;
    this.#writeHeads(current, headsFileOf);
    this.#current = undefined;
    this.#segments.set(name.segment, { name, length });
    await handle.close();
  }

  #writeHeads({ name, length, heads }: Current, fileOf: (file: string) => string): void {
    heads.write(join(this.#options.folder, fileOf(name.file)), { end: length, nextNumber: this.#nextNumber });
  }

  #recover(): void {
    const { folder, onFrame } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = listSegments(folder);
    this.#nextSegment = (names.at(-1)?.segment ?? 0) + 1;
    for (const [i, name] of names.entries()) {
      const isLast = name === names.at(-1);
      const found = readHeads(join(folder, headsFileOf(name.file))) ?? this.#rebuildHeads(name, isLast);
      const segment = { name, length: found.end };
      this.#segments.set(name.segment, segment);
      for (let missing = (names[i - 1]?.segment ?? name.segment - 1) + 1; missing < name.segment; missing++)
        this.#report({ file: `segment-${missing}`, from: 0, to: 0, records: name.first - this.#nextNumber });
      this.#nextNumber = Math.max(this.#nextNumber, name.first);
      if (isLast && !found.isSealed) this.#resumable = { segment, heads: new HeadRows(found.frames) };
      for (const frame of found.frames) {
        if (frame.number < this.#nextNumber) continue;
        this.#nextNumber = frame.number + 1;
        onFrame({ ...frame, segment: name.segment });
      }
      this.#nextNumber = Math.max(this.#nextNumber, found.nextNumber);
    }
  }

  /** What is in a segment that was not sealed, or whose heads are lost. */
  #rebuildHeads(name: SegmentName, isLast: boolean): SegmentHeads & { readonly isSealed: boolean } {
    const { folder, headOf, logger } = this.#options;
    const path = join(folder, name.file);
    const bytes = readFileSync(path);
    const scan = scanFrames(bytes, name.salt);
    this.#reportScan(name, scan);
    const closed = scan.damage.length > 0 && readHeads(join(folder, closedHeadsFileOf(name.file)));
    if (isLast && closed && closed.end === bytes.length) return { ...closed, isSealed: false };
    const frames = scan.frames.map((frame) => ({
      ...frame,
      ...headOf(frame.kind, bytes.subarray(frame.offset + HEADER_BYTES, frame.offset + HEADER_BYTES + frame.length)),
    }));
    const hasBadEnd = scan.damage.at(-1)?.to === bytes.length;
    if (scan.end < bytes.length) {
      logger.info(`${name.file}: ${bytes.length - scan.end} bytes that were being written are cut off`);
      cutFile(path, scan.end);
    }
    // Numbers that were lost at the end may have been told to somebody.
    const lost = hasBadEnd ? Math.ceil((bytes.length - scan.damage.at(-1)!.from) / HEADER_BYTES) : 0;
    const heads = { frames, end: scan.end, nextNumber: (frames.at(-1)?.number ?? 0) + 1 + lost };
    if (isLast && !hasBadEnd) return { ...heads, isSealed: false };
    new HeadRows(frames).write(join(folder, headsFileOf(name.file)), heads);
    return { ...heads, isSealed: true };
  }

  #reportScan({ file }: SegmentName, { frames, damage }: Scan): void {
    for (const { from, to } of damage) {
      const before = frames.findLast(({ offset }) => offset < from);
      const after = frames.find(({ offset }) => offset >= to);
      const records = before && after ? after.number - before.number - 1 : undefined;
      this.#report({ file, from, to, ...(records !== undefined && { records }) });
    }
  }

  #report(damage: JournalDamage): void {
    if (this.#damage.some(({ file, from, to }) => file === damage.file && from < damage.to && damage.from < to)) return;
    this.#damage.push(damage);
    this.#options.logger.error(describeDamage(damage));
  }

  #path(segment: number): string {
    return join(this.#options.folder, this.#segments.get(segment)!.name.file);
  }
}

function isRecords(batch: readonly (Waiting | Roll)[]): batch is readonly Waiting[] {
  return batch.every((item) => 'parts' in item);
}

function cutFile(path: string, length: number): void {
  const fd = openSync(path, 'r+');
  try {
    ftruncateSync(fd, length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** One line for a log. */
export function describeDamage({ file, from, to, records }: JournalDamage): string {
  const lost =
    records === undefined
      ? 'An unknown number of records is'
      : records === 1
        ? '1 record is'
        : `${records} records are`;
  return `The journal is damaged: ${file}, bytes ${from} to ${to}. ${lost} lost; all others are whole.`;
}
