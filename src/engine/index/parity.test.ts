import assert from 'node:assert/strict';
import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { BLOCK_BYTES } from './format.ts';
import { BlockLayout, BlockSum, ParityWriter } from './parity.ts';

/** Bytes that differ from block to block and from seed to seed, made again whenever they are wanted. */
function contentOf(block: number, length: number, seed: number): Uint8Array {
  const words = new Int32Array(BLOCK_BYTES / 4);
  let state = Math.imul(block + 1, 0x9e3779b1) ^ seed;
  for (let i = 0; i < words.length; i++) words[i] = state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + i;
  return new Uint8Array(words.buffer, 0, length);
}

/** The content of each block, parity included, after all were written in pieces of so many bytes. */
function written(cold: number, resident: number, seed: number, piece: number) {
  const layout = new BlockLayout(cold, resident, cold + resident);
  const writer = new ParityWriter();
  for (let block = 0; block < layout.data; block++) {
    if (block === layout.cold) writer.endBlock();
    const bytes = contentOf(block, layout.rangeOf(block)[1], seed);
    for (let at = 0; at < bytes.length; at += piece) writer.add(bytes.subarray(at, at + piece));
  }
  writer.endBlock();
  const parity = writer.finish(layout);
  const blockAt = (block: number): Uint8Array =>
    parity[block - layout.data] ?? contentOf(block, layout.rangeOf(block)[1], seed);
  return { layout, blockAt, parity, sums: writer.sums };
}

function restored(block: number, { layout, blockAt }: ReturnType<typeof written>): Uint8Array {
  const total = new BlockSum();
  for (const other of layout.othersOf(block)) {
    const one = new BlockSum();
    one.bytes.set(blockAt(other));
    total.add(one);
  }
  return total.bytes.subarray(0, layout.rangeOf(block)[1]);
}

const bytes = (blocks: number): fc.Arbitrary<number> =>
  fc.tuple(fc.integer({ min: 0, max: blocks }), fc.integer({ min: 1, max: BLOCK_BYTES })).map(([whole, rest]) => {
    return whole * BLOCK_BYTES + rest;
  });

describe('Parity', () => {
  it('restores any block from the others of its group, byte for byte', () => {
    const small = fc.tuple(bytes(3), bytes(3));
    const sizes = fc.oneof(small, fc.tuple(bytes(400), bytes(30)));
    fc.assert(
      fc.property(
        sizes,
        fc.integer(),
        fc.integer({ min: 900, max: 200_000 }),
        fc.nat(),
        (size, seed, piece, choice) => {
          const all = written(...size, seed, piece);
          const { layout, blockAt, sums } = all;
          assert.equal(sums.length, layout.count);
          for (const block of [choice % layout.count, layout.data - 1, layout.cold - 1, layout.count - 1]) {
            const bytes = restored(block, all);
            assert.equal(crc32(bytes), sums[block]);
            assert.ok(Buffer.from(blockAt(block)).equals(bytes), `block ${block} of ${layout.count}`);
          }
        },
      ),
      { numRuns: 40 },
    );
  }).timeout(120_000);

  it('does so beyond the first stripe, whose groups are more', () => {
    const all = written(2_190 * BLOCK_BYTES + 17, 5, 3, 1 << 20);
    assert.equal(all.parity.length, 18);
    for (const block of [0, 16, 2047, 2048, 2189, 2190, 2191, 2192, 2207, 2208, 2209]) {
      assert.ok(Buffer.from(all.blockAt(block)).equals(restored(block, all)), `block ${block}`);
    }
  }).timeout(120_000);

  it('has neighbours in different groups, and takes less than 2 % of what is larger than a group', () => {
    const sizes = fc.tuple(bytes(6_000), bytes(300));
    fc.assert(
      fc.property(sizes, ([cold, resident]) => {
        const layout = new BlockLayout(cold, resident, cold + resident);
        for (let block = 0; block + 16 < layout.cold; block++) {
          const group = layout.othersOf(block);
          assert.ok(group.length <= 128);
          const isLast = Math.floor(block / 2048) === Math.floor((layout.data - 1) / 2048);
          const apart = isLast ? (layout.data % 2048 > 128 ? 2 : 1) : 16;
          for (let next = 1; next < apart; next++) assert.ok(!group.includes(block + next));
        }
        const parity = layout.end - cold - resident;
        assert.ok(parity <= 65_536 || parity < 0.02 * (cold + resident), `${parity} of ${cold + resident}`);
      }),
      { numRuns: 15 },
    );
  }).timeout(120_000);

  it('of a small segment is one block, no longer than its longest', () => {
    assert.equal(new BlockLayout(900, 1_000, 1_900).end, 2_900);
    assert.equal(new BlockLayout(100 * BLOCK_BYTES, 10, 0).end, BLOCK_BYTES);
  });
});
