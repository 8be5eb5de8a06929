import { crc32 } from 'node:zlib';

/*
 * A frame is one record of a segment:
 *
 *   0  u32  magic
 *   4  u32  length of the payload
 *   8  u48  number; grows by one from frame to frame, so that a gap shows how many are lost
 *  14  u8   kind
 *  15  u8   0
 *  16  u32  checksum of the payload
 *  20  u32  checksum of the 20 bytes before
 *  24       payload
 *
 * After damage the next frame is found by its magic and checksums. A sender could put a frame inside a payload, so the
 * checksums of each segment begin with a salt that no sender knows.
 */
export const HEADER_BYTES = 24;
const MAGIC = 0x314a5853;
const MAGIC_BYTES = Buffer.from([0x53, 0x58, 0x4a, 0x31]);

export interface Salt {
  readonly header: number;
  readonly payload: number;
}

export interface FrameHeader {
  readonly kind: number;
  readonly number: number;
  /** Start of the frame and length of its payload, in bytes. */
  readonly offset: number;
  readonly length: number;
}

/** Writes a frame with the payload `parts`, and returns its end. */
export function writeFrame(
  target: Buffer,
  at: number,
  { kind, number }: Pick<FrameHeader, 'kind' | 'number'>,
  parts: readonly Uint8Array[],
  salt: Salt,
): number {
  const start = at + HEADER_BYTES;
  let end = start;
  for (const part of parts) {
    target.set(part, end);
    end += part.length;
  }
  target.writeUInt32LE(MAGIC, at);
  target.writeUInt32LE(end - start, at + 4);
  target.writeUIntLE(number, at + 8, 6);
  target.writeUInt8(kind, at + 14);
  target.writeUInt8(0, at + 15);
  target.writeUInt32LE(crc32(target.subarray(start, end), salt.payload), at + 16);
  target.writeUInt32LE(crc32(target.subarray(at, at + 20), salt.header), at + 20);
  return end;
}

/** Reads the frame at `at`: `'cut'` if the bytes end within it, `undefined` if there is none. */
export function readFrame(bytes: Buffer, at: number, salt: Salt): FrameHeader | 'cut' | undefined {
  if (at + HEADER_BYTES > bytes.length) return 'cut';
  if (bytes.readUInt32LE(at) !== MAGIC) return undefined;
  if (crc32(bytes.subarray(at, at + 20), salt.header) !== bytes.readUInt32LE(at + 20)) return undefined;
  const length = bytes.readUInt32LE(at + 4);
  const payload = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
  if (payload.length < length) return 'cut';
  if (crc32(payload, salt.payload) !== bytes.readUInt32LE(at + 16)) return undefined;
  return { kind: bytes.readUInt8(at + 14), number: bytes.readUIntLE(at + 8, 6), offset: at, length };
}

export interface FrameScan {
  readonly frames: readonly FrameHeader[];
  /** Ranges before the last whole frame that hold no frame. */
  readonly damage: readonly { readonly from: number; readonly to: number }[];
  /** End of the last whole frame. */
  readonly end: number;
  /** Whether the bytes after `end` cannot be an unfinished frame. */
  readonly isTailDamaged: boolean;
}

/** All frames of a segment. */
export function scanFrames(bytes: Buffer, salt: Salt): FrameScan {
  const frames: FrameHeader[] = [];
  const damage: { from: number; to: number }[] = [];
  let at = 0;
  while (at < bytes.length) {
    const frame = readFrame(bytes, at, salt);
    if (typeof frame === 'object') {
      frames.push(frame);
      at = endOf(frame);
      continue;
    }
    const next = nextFrame(bytes, at + 1, salt);
    // A killed process leaves the beginning of a frame; all else is damage.
    if (next === undefined) return { frames, damage, end: at, isTailDamaged: frame !== 'cut' };
    damage.push({ from: at, to: next });
    at = next;
  }
  return { frames, damage, end: at, isTailDamaged: false };
}

export function endOf({ offset, length }: Pick<FrameHeader, 'offset' | 'length'>): number {
  return offset + HEADER_BYTES + length;
}

function nextFrame(bytes: Buffer, from: number, salt: Salt): number | undefined {
  for (let at = bytes.indexOf(MAGIC_BYTES, from); at >= 0; at = bytes.indexOf(MAGIC_BYTES, at + 1))
    if (typeof readFrame(bytes, at, salt) === 'object') return at;
  return undefined;
}
