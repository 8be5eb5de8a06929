/*
 * Sets of numbers in the portable format of Roaring bitmaps, which OpenSearch reads in a filter. Of its containers only arrays
 * and bitmaps are written, so only these are read. A library of WebAssembly would add 250 kB to the npm package for this; it is
 * the tests' oracle.
 */

/** Begins a set without containers of runs. */
const COOKIE = 12_346;
/** The most members of a container that is an array. */
const MAX_ARRAY = 4_096;
const BITMAP_BYTES = 8_192;

/** Encodes ascending, different numbers of 32 bits. */
export function encodeRoaring(numbers: Uint32Array): Buffer {
  const containers: Uint32Array[] = [];
  for (let from = 0, to = 0; from < numbers.length; from = to) {
    const high = numbers[from]! >>> 16;
    while (to < numbers.length && numbers[to]! >>> 16 === high) to++;
    containers.push(numbers.subarray(from, to));
  }
  const sizes = containers.map(({ length }) => (length > MAX_ARRAY ? BITMAP_BYTES : 2 * length));
  const header = 8 + 8 * containers.length;
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + size, header));
  bytes.writeUInt32LE(COOKIE, 0);
  bytes.writeUInt32LE(containers.length, 4);
  let at = header;
  for (const [i, members] of containers.entries()) {
    bytes.writeUInt16LE(members[0]! >>> 16, 8 + 4 * i);
    bytes.writeUInt16LE(members.length - 1, 10 + 4 * i);
    bytes.writeUInt32LE(at, 8 + 4 * containers.length + 4 * i);
    for (const [j, member] of members.entries()) {
      const low = member & 0xffff;
      if (members.length > MAX_ARRAY) bytes[at + (low >>> 3)]! |= 1 << (low & 7);
      else bytes.writeUInt16LE(low, at + 2 * j);
    }
    at += sizes[i]!;
  }
  return bytes;
}

/** Decodes what {@link encodeRoaring} wrote. */
export function decodeRoaring(bytes: Buffer): Uint32Array {
  if (bytes.readUInt32LE(0) !== COOKIE) throw new RangeError('The set is not in the format that is written here.');
  const count = bytes.readUInt32LE(4);
  const lengths = Array.from({ length: count }, (_, i) => bytes.readUInt16LE(10 + 4 * i) + 1);
  const numbers = new Uint32Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 8 + 8 * count;
  let next = 0;
  for (const [i, length] of lengths.entries()) {
    const high = bytes.readUInt16LE(8 + 4 * i) << 16;
    if (length <= MAX_ARRAY) {
      for (let j = 0; j < length; j++) numbers[next++] = (high | bytes.readUInt16LE(at + 2 * j)) >>> 0;
      at += 2 * length;
    } else {
      for (let low = 0; low < 8 * BITMAP_BYTES; low++)
        if ((bytes[at + (low >>> 3)]! & (1 << (low & 7))) !== 0) numbers[next++] = (high | low) >>> 0;
      at += BITMAP_BYTES;
    }
  }
  return numbers;
}

/** The ascending numbers that any of the sets has. A `Set` holds at most 16.7 million. */
export function unionOf(sets: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(sets.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const set of sets) {
    all.set(set, length);
    length += set.length;
  }
  all.sort();
  let distinct = 0;
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) all[distinct++] = all[i]!;
  return all.subarray(0, distinct);
}
