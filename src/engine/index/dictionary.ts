/** The columns of the dictionary as bytes, each with the bytes of one term: all of a bucket's keys, then its values, … */
export function columnsOf(
  keys: Uint32Array,
  values: Uint32Array,
  highBits: Uint16Array,
  bucketBits: number,
): [Uint8Array, number][] {
  const columns: [Uint8Array, number][] = [
    [bytesOf(keys), 4],
    [bytesOf(values), 4],
  ];
  // All 16 bits are the bucket's number.
  if (bucketBits < 16) columns.push([bytesOf(highBits), 2]);
  return columns;
}

export function bytesPerTerm(bucketBits: number): number {
  return bucketBits < 16 ? 10 : 8;
}

/** The bytes of a typed array. */
export function bytesOf(array: Uint8Array | Uint16Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
