import { constants, mkdirSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { join } from 'node:path';
import { syncFolderSync } from '../../base/atomicFile.ts';
import { describeError, explainWriteError, isWriteError, systemCode, throwIfCancelled } from '../../base/errors.ts';
import type { Fence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { openOwn, removeIfFreeSync, removeSync } from '../../base/removal.ts';
import { webhookErrors } from '../errors.ts';
import { describeJournalDamage, type JournalDamage } from './damage.ts';
import { HEADER_BYTES, readFrame, scanFrames, writeFrame } from './frames.ts';
import { HeadRows, type Head, type HeadedFrame } from './headsFile.ts';
import { MarkFile, removeMarksBelow } from './markFile.ts';
import { recover, reportGaps, type Recovered } from './recovery.ts';
import { headsFileOf, newSegmentName, type SegmentName } from './segmentFile.ts';

export interface SegmentLogOptions {
  readonly folder: string;
  /** The lease; each written file carries its number. */
  readonly fence: Fence;
  readonly maxSegmentBytes: number;
  readonly logger: Logger;
  /** Called for each frame when the log is opened, in order. */
  readonly onFrame: (frame: Written) => void;
  /** Head of a frame, from its payload. */
  readonly headOf: (kind: number, payload: Buffer) => Head;
}

export interface Written extends HeadedFrame {
  readonly segment: number;
}

/** Position of a frame, with its number if known. */
export type FramePosition = Pick<Written, 'segment' | 'offset' | 'length'> & { readonly number?: number };

interface WaitingFrame {
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

/** The most bytes of a write. */
const MAX_BATCH_BYTES = 4 << 20;
/** On Linux a write returns when its bytes are on the disk: one call for each commit instead of two. */
const SYNC = process.platform === 'linux' ? constants.O_DSYNC : 0;

interface LogSegment {
  readonly name: SegmentName;
  /** Length of its frames in bytes. */
  length: number;
  /** Names of files beside it. */
  besides: readonly string[];
}

/** The segment that is written to. */
interface Current extends LogSegment {
  readonly id: number;
  readonly handle: FileHandle;
  readonly heads: HeadRows;
}

/**
 * An append-only log over several files. Records that are appended during a write share the next write and its fsync ("group
 * commit"). An append resolves when the record is on the disk and the lease was still held after that, so an heir reads it.
 *
 * A process writes only to segments of its own lease. Others stay unchanged, so offsets that another process has read stay
 * valid.
 */
export class SegmentLog {
  readonly #options: SegmentLogOptions;
  /** By their number in memory, oldest first. */
  readonly #segments = new Map<number, LogSegment>();
  readonly #damage: JournalDamage[] = [];
  readonly #lease: number;
  #nextNumber: number;
  #nextSegment: number;
  #mark: MarkFile | undefined;
  #current: Current | undefined;
  /** Heads files to write before the first record, so that late writes of a predecessor are ignored. */
  #unlisted: Recovered['unlisted'];
  /** Whether bytes of a failed write may be left after the end of the current segment. */
  #hasRemains = false;
  #waiting: (WaitingFrame | Roll)[] = [];
  /** Records that are on the disk and not acknowledged yet. */
  #durable: { readonly batch: readonly WaitingFrame[]; readonly written: readonly Written[] } | undefined;
  #writing: Promise<void> | undefined;
  #buffer = Buffer.alloc(0);
  #isClosed = false;

  /**
   * Reads the log. A full or read-only disk fails only later appends. Throws `LeaseLost`, or the system's error.
   */
  constructor(options: SegmentLogOptions) {
    this.#options = options;
    const { folder, fence, logger, headOf, onFrame } = options;
    const recovered = recover({
      ...{ folder, logger, headOf },
      onFrame: (segment, frame) => onFrame({ ...frame, segment }),
      onDamage: (damage) => this.#report(damage),
    });
    for (const { id, ...segment } of recovered.segments) this.#segments.set(id, segment);
    this.#nextNumber = recovered.nextNumber;
    this.#nextSegment = recovered.nextSegment;
    // Above the files of a folder that was restored without its locks. If the files are an heir's, no check will pass.
    this.#lease = recovered.lease > fence.number ? recovered.lease + 1 : fence.number;
    this.#unlisted = recovered.unlisted;
    this.#tidy(recovered.leftovers);
  }

  /** Damage found since the log was opened. */
  get damage(): readonly JournalDamage[] {
    return this.#damage;
  }

  /** Segments by number, oldest first; the last one may still grow. */
  get segments(): readonly { readonly segment: number; readonly bytes: number }[] {
    return [...this.#segments].map(([segment, { length }]) => ({ segment, bytes: length }));
  }

  /**
   * Appends a record, and resolves when it is on the disk. Throws `LeaseLost`, `DiskFull`, `ReadOnly`, or the system's error:
   * then the log does not have it.
   */
  append(kind: number, head: Head, parts: readonly Uint8Array[]): Promise<Written> {
    if (this.#isClosed) return Promise.reject(webhookErrors.journalClosed());
    return new Promise((resolve, reject) => {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      this.#enqueue({ kind, head, parts, length, resolve, reject });
    });
  }

  /**
   * Call before an acknowledgement that writes no record. Writes heads files of earlier leases, so that later frames of a
   * predecessor are ignored. Throws `LeaseLost`, `DiskFull`, `ReadOnly`: then nothing may be acknowledged.
   */
  fence(): void {
    if (this.#unlisted.length === 0) return;
    const { folder, fence } = this.#options;
    fence.check();
    try {
      for (const { name, heads } of this.#unlisted) {
        const file = this.#writeHeads(name, new HeadRows(heads.frames), heads.end, heads.nextNumber);
        const listed = [...this.#segments].find(([, segment]) => segment.name.stem === name.stem);
        if (listed) this.#segments.set(listed[0], { ...listed[1], besides: [...listed[1].besides, file] });
      }
    } catch (error) {
      throw explainWriteError(error, folder);
    }
    this.#unlisted = [];
  }

  /** Waits for pending writes, and closes the log. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    try {
      await this.#seal();
    } catch (error) {
      if (!this.#options.fence.lost.aborted)
        this.#options.logger.warn(`The last segment is read again at the next start: ${describeError(error)}`);
    }
    const current = this.#current;
    this.#current = undefined;
    await current?.handle.close();
    this.#mark?.close();
    this.#mark = undefined;
  }

  /** The payload of a frame. Throws `JournalDamaged` and `RecordDropped`. */
  async read(frame: FramePosition): Promise<Buffer> {
    const end = frame.offset + HEADER_BYTES + frame.length;
    const bytes = await this.readRange(frame.segment, frame.offset, end);
    return this.payloadOf(frame, bytes, frame.offset);
  }

  /** Bytes of a segment with many frames, for {@link payloadOf}. Empty if they are missing or unreadable. */
  async readRange(segment: number, from: number, to: number): Promise<Buffer> {
    const file = this.#segments.get(segment)?.name.file;
    if (file === undefined) return Buffer.alloc(0);
    let handle: FileHandle | undefined;
    try {
      handle = await openOwn(join(this.#options.folder, file), 'r');
      const bytes = Buffer.allocUnsafe(to - from);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
      return bytes.subarray(0, bytesRead);
    } catch (error) {
      if (!['ENOENT', 'EIO'].includes(systemCode(error) ?? '')) throw error;
      return Buffer.alloc(0);
    } finally {
      await handle?.close();
    }
  }

  /** The payload of a frame, in `bytes` that begin at `from` in its segment. Throws `JournalDamaged` and `RecordDropped`. */
  payloadOf({ segment, offset, length, number }: FramePosition, bytes: Buffer, from: number): Buffer {
    const name = this.#segments.get(segment)?.name;
    if (!name) throw webhookErrors.dropped();
    const { salt } = name;
    const file = join(this.#options.folder, name.file);
    const at = offset - from;
    const frame = readFrame(bytes, at, salt);
    const isWhole = typeof frame === 'object' && frame.length === length && (number ?? frame.number) === frame.number;
    if (isWhole) return bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    this.#report({ file: name.file, from: offset, to: offset + HEADER_BYTES + length, records: 1 });
    throw webhookErrors.damaged(file, offset);
  }

  /**
   * Removes the oldest segment, and returns whether that was possible. The last one stays, since its name shows which numbers
   * were used.
   */
  dropOldest(): boolean {
    const { folder, fence, logger } = this.#options;
    const [[number, segment] = []] = this.#segments;
    if (number === undefined || !segment || this.#segments.size === 1 || this.#isLost()) return false;
    if (this.#unlisted.length > 0) return false;
    try {
      fence.check();
      for (const file of [...segment.besides, segment.name.file]) removeSync(join(folder, file));
    } catch (error) {
      const explained = explainWriteError(error, folder);
      if (!isWriteError(explained) && !this.#isLost()) throw error;
      if (!this.#isLost()) logger.warn(`${segment.name.file} stays for now: ${describeError(explained)}`);
      return false;
    }
    this.#segments.delete(number);
    return true;
  }

  /** Begins a new segment, so that the present one can be dropped. */
  roll(): Promise<void> {
    return new Promise((resolve, reject) => this.#enqueue({ resolve, reject }));
  }

  /** Reads everything, and reports damage. */
  async verify(signal?: AbortSignal): Promise<readonly JournalDamage[]> {
    for (const [number, { name, length }] of [...this.#segments]) {
      throwIfCancelled(signal);
      if (!this.#segments.has(number)) continue;
      const scan = scanFrames(await this.readRange(number, 0, length), name.salt);
      reportGaps(name, scan, (damage) => this.#report(damage));
      if (scan.end < length) this.#report({ file: name.file, from: scan.end, to: length });
    }
    return this.#damage;
  }

  #enqueue(item: WaitingFrame | Roll): void {
    this.#waiting.push(item);
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // Lets records that arrive at the same time join the batch.
    await turn();
    // Whether a commit has just checked the lease.
    let isChecked = false;
    while (this.#waiting.length > 0) {
      const [first] = this.#waiting;
      const batch = first && 'parts' in first ? this.#takeBatch() : this.#waiting.splice(0, 1);
      try {
        if (!isChecked) this.#options.fence.check();
        isChecked = true;
        this.fence();
        if (isRecords(batch)) this.#durable = { batch, written: await this.#commit(batch) };
        else {
          this.#answer();
          await this.#seal();
          this.#current ??= await this.#openSegment();
          for (const { resolve } of batch as Roll[]) resolve();
        }
      } catch (error) {
        isChecked = false;
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

  /** Acknowledges durable records, after the lease was checked. */
  #answer(): void {
    const { batch = [], written = [] } = this.#durable ?? {};
    this.#durable = undefined;
    batch.forEach(({ resolve }, i) => resolve(written[i]!));
  }

  /** Records up to {@link MAX_BATCH_BYTES}, one at the least. */
  #takeBatch(): (WaitingFrame | Roll)[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(
      (item, i) => !('parts' in item) || ((bytes += item.length) > MAX_BATCH_BYTES && i > 0),
    );
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #commit(batch: readonly WaitingFrame[]): Promise<Written[]> {
    const size = batch.reduce((sum, { length }) => sum + HEADER_BYTES + length, 0);
    const current = await this.#segmentFor(size);
    const { id, name, handle, length: start, heads } = current;
    const bytes = this.#bufferOf(size);
    const written: Written[] = [];
    let at = 0;
    for (const { kind, head, parts, length } of batch) {
      const number = this.#nextNumber + written.length;
      written.push({ ...head, kind, number, segment: id, offset: start + at, length });
      at = writeFrame(bytes, at, { kind, number }, parts, name.salt);
    }
    try {
      for (let done = 0; done < size;) {
        const writing = handle.write(bytes, done, size - done, start + done);
        // Acknowledges the commit before: the disk works while its senders send again.
        this.#answer();
        done += (await writing).bytesWritten;
      }
      if (SYNC === 0) await handle.datasync();
      this.#options.fence.check();
      this.#mark!.write({ ...name, length: start + size, nextNumber: this.#nextNumber + written.length });
    } catch (error) {
      // An heir may have read the segment.
      if (this.#options.fence.lost.aborted) throw error;
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

  /** Memory for one commit, used again by the next: a new one each time would wait for the collector of garbage. */
  #bufferOf(size: number): Buffer {
    if (size > MAX_BATCH_BYTES) return Buffer.allocUnsafeSlow(size);
    if (size > this.#buffer.length)
      this.#buffer = Buffer.allocUnsafeSlow(Math.min(Math.max(size, this.#buffer.length * 2), MAX_BATCH_BYTES));
    return this.#buffer;
  }

  /** Removes refused records, which must not be there after a restart, since their senders send them again. */
  async #cutRemains({ handle, length }: Current): Promise<void> {
    if (!this.#hasRemains) return;
    // The segment is of our lease: only a known loss of the lease, whose heir has read the file, forbids the cut.
    if (this.#options.fence.lost.aborted) throw this.#options.fence.lost.reason;
    await handle.truncate(length);
    await handle.datasync();
    this.#hasRemains = false;
  }

  async #segmentFor(size: number): Promise<Current> {
    const { maxSegmentBytes } = this.#options;
    const current = this.#current;
    if (current) await this.#cutRemains(current);
    if (current && (current.length === 0 || current.length + size <= maxSegmentBytes)) return current;
    await this.#seal();
    return (this.#current = await this.#openSegment());
  }

  async #openSegment(): Promise<Current> {
    const { folder, fence } = this.#options;
    const id = this.#nextSegment;
    const name = newSegmentName(id, this.#nextNumber, this.#lease);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    fence.check();
    // Before the segment: the mark of a missing segment counts no lost record.
    this.#mark ??= new MarkFile(folder, this.#lease);
    this.#mark.writeDurably({ ...name, length: 0, nextNumber: this.#nextNumber });
    const path = join(folder, name.file);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | SYNC;
    const handle = await openOwn(path, flags, 0o600);
    try {
      syncFolderSync(folder);
      fence.check();
      removeMarksBelow(folder, this.#lease);
    } catch (error) {
      await handle.close();
      removeIfFreeSync(path);
      throw error;
    }
    this.#nextSegment++;
    const current = { id, name, length: 0, besides: [], handle, heads: new HeadRows() };
    this.#segments.set(id, current);
    return current;
  }

  /** Ends the present segment, and writes its heads file. */
  async #seal(): Promise<void> {
    const current = this.#current;
    if (!current || current.length === 0) return;
    await this.#cutRemains(current);
    const { id, name, length, handle, heads } = current;
    this.#options.fence.check();
    const besides = [this.#writeHeads(name, heads, length, this.#nextNumber)];
    this.#current = undefined;
    this.#segments.set(id, { name, length, besides });
    await handle.close();
  }

  #writeHeads(name: SegmentName, heads: HeadRows, end: number, nextNumber: number): string {
    const file = headsFileOf(name, this.#lease);
    heads.write(join(this.#options.folder, file), { end, nextNumber });
    return file;
  }

  /** Fences predecessors and removes unused files; if the disk allows neither, the log is read-only. */
  #tidy(leftovers: readonly string[]): void {
    if (this.#unlisted.length + leftovers.length === 0) return;
    const { folder, fence, logger } = this.#options;
    try {
      fence.check();
      this.fence();
      for (const file of leftovers) removeIfFreeSync(join(folder, file));
    } catch (error) {
      const explained = explainWriteError(error, folder);
      if (!isWriteError(explained)) throw explained;
      logger.warn(`The journal in ${folder} is read-only until it can be written to: ${describeError(explained)}`);
    }
  }

  #isLost(): boolean {
    return this.#options.fence.lost.aborted;
  }

  #report(found: JournalDamage): void {
    const damage = { ...found, file: join(this.#options.folder, found.file) };
    if (this.#damage.some(({ file, from, to }) => file === damage.file && from < damage.to && damage.from < to)) return;
    this.#damage.push(damage);
    this.#options.logger.error(describeJournalDamage(damage));
  }
}

function isRecords(batch: readonly (WaitingFrame | Roll)[]): batch is readonly WaitingFrame[] {
  return batch.every((item) => 'parts' in item);
}
