import { crc32 } from 'node:zlib';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { systemCode } from '../../base/errors.ts';
import { readOwnSync } from '../../base/removal.ts';
import type { FrameHeader } from './frames.ts';

/** Data on a frame that the journal keeps in memory. */
export interface Head {
  /** Shown arrival of an event, in milliseconds since 1970. */
  readonly time: number;
  /** Arrival by the system clock, for its age. */
  readonly cameAt: number;
  readonly status: number;
  readonly webhook: string;
  /** Hash of the idempotency key; 0 if there is none. */
  readonly key: number;
  /** In the record of a state: the number of the event. */
  readonly event: number;
  /** Length of an event's body. */
  readonly bodyBytes: number;
}

export type HeadedFrame = FrameHeader & Head;

export interface SegmentHeads {
  readonly frames: readonly HeadedFrame[];
  /** Number of scanned bytes of the segment. */
  readonly end: number;
  /** The lowest number that no frame was given. */
  readonly nextNumber: number;
}

const MAGIC = 'sextant-heads-3';
const ROW = 56;

/**
 * The heads of a segment as they will be written: a row of numbers for each frame. Heads as objects would move through all
 * generations of the heap, which costs a delivery as much as its checksums.
 */
export class HeadRows {
  #bytes = Buffer.allocUnsafe(256 * ROW);
  #length = 0;
  readonly #webhooks = new Map<string, number>();

  constructor(frames: Iterable<HeadedFrame> = []) {
    for (const frame of frames) this.add(frame);
  }

  add(frame: HeadedFrame): void {
    if (this.#length === this.#bytes.length) {
      const longer = Buffer.allocUnsafe(this.#length * 2);
      this.#bytes.copy(longer);
      this.#bytes = longer;
    }
    let webhook = this.#webhooks.get(frame.webhook);
    if (webhook === undefined) this.#webhooks.set(frame.webhook, (webhook = this.#webhooks.size));
    const bytes = this.#bytes;
    const at = this.#length;
    bytes.writeUIntLE(frame.number, at, 6);
    bytes.writeUInt8(frame.kind, at + 6);
    bytes.writeUInt8(frame.status, at + 7);
    bytes.writeUInt32LE(frame.offset, at + 8);
    bytes.writeUInt32LE(frame.length, at + 12);
    bytes.writeDoubleLE(frame.time, at + 16);
    bytes.writeUInt32LE(webhook, at + 24);
    bytes.writeDoubleLE(frame.key, at + 28);
    bytes.writeDoubleLE(frame.event, at + 36);
    bytes.writeDoubleLE(frame.cameAt, at + 44);
    bytes.writeUInt32LE(frame.bodyBytes, at + 52);
    this.#length += ROW;
  }

  /** Writes JSON with long or rare values, then the rows and a checksum of both. */
  write(file: string, { end, nextNumber }: Pick<SegmentHeads, 'end' | 'nextNumber'>): void {
    const webhooks = [...this.#webhooks.keys()];
    const top = { magic: MAGIC, count: this.#length / ROW, end, nextNumber, webhooks };
    const bytes = Buffer.concat([
      Buffer.from(`${JSON.stringify(top)}\n`),
      this.#bytes.subarray(0, this.#length),
      Buffer.alloc(4),
    ]);
    const body = bytes.length - 4;
    bytes.writeUInt32LE(crc32(bytes.subarray(0, body)), body);
    writeFileAtomicSync(file, bytes, 0o600);
  }
}

/** Reads a file of {@link HeadRows}; `undefined` if missing, damaged or of an older version: then the segment is read. */
export function readHeads(file: string): SegmentHeads | undefined {
  let bytes: Buffer;
  try {
    bytes = readOwnSync(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'EIO') return undefined;
    throw error;
  }
  const body = bytes.subarray(0, Math.max(0, bytes.length - 4));
  if (bytes.length < 4 || crc32(body) !== bytes.readUInt32LE(body.length)) return undefined;
  let at = body.indexOf(0x0a) + 1;
  const { magic, count, end, nextNumber, webhooks } = JSON.parse(body.toString('utf8', 0, at)) as {
    magic: string;
    count: number;
    end: number;
    nextNumber: number;
    webhooks: string[];
  };
  if (magic !== MAGIC) return undefined;
  const frames: HeadedFrame[] = [];
  for (let i = 0; i < count; i++, at += ROW) {
    frames.push({
      number: body.readUIntLE(at, 6),
      kind: body.readUInt8(at + 6),
      status: body.readUInt8(at + 7),
      offset: body.readUInt32LE(at + 8),
      length: body.readUInt32LE(at + 12),
      time: body.readDoubleLE(at + 16),
      webhook: webhooks[body.readUInt32LE(at + 24)]!,
      key: body.readDoubleLE(at + 28),
      event: body.readDoubleLE(at + 36),
      cameAt: body.readDoubleLE(at + 44),
      bodyBytes: body.readUInt32LE(at + 52),
    });
  }
  return { frames, end, nextNumber };
}
