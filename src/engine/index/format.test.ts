import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AsciiParts, splitIdentifier } from '../analyze/words.ts';
import { ByteReader, ByteWriter, Field, hashParts, hashTerm, type TermHash } from './format.ts';

describe('varints', () => {
  it('encode every number up to 2^32 - 1', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2 ** 32 - 1 })), (numbers) => {
        const writer = new ByteWriter();
        for (const number of numbers) writer.varint(number);
        const reader = new ByteReader(writer.view());
        assert.deepEqual(
          numbers.map(() => reader.varint()),
          numbers,
        );
        assert.equal(reader.at, writer.length);
      }),
    );
  });
});

describe('hashTerm', () => {
  const hash = (field: Field, text: string): string => {
    const out: TermHash = { bucket: 0, key: 0 };
    hashTerm(field, text, out);
    return `${out.bucket}:${out.key}`;
  };

  it('never changes: it is part of the format', () => {
    assert.equal(hash(Field.body, 'fault'), '61742:805759760');
    assert.equal(hash(Field.symbol, 'handlemmfault'), '8993:2713538792');
  });

  it('distinguishes fields and terms: no two of a million collide', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 250_000; i++) {
      for (const field of [Field.body, Field.symbol])
        for (const stem of ['term', 'x']) seen.add(hash(field, `${stem}${i}`));
    }
    assert.equal(seen.size, 1_000_000);
  });

  it('fills buckets evenly', () => {
    const counts = new Uint32Array(256);
    for (let i = 0; i < 100_000; i++) counts[Number(hash(Field.body, `word${i}`).split(':')[0]) >>> 8]!++;
    // 390 expected; six standard deviations.
    assert.ok(Math.max(...counts) < 390 + 120 && Math.min(...counts) > 390 - 120);
  });

  it('equals hashParts of the bytes', () => {
    const parts = new AsciiParts();
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_./-]{0,40}$/),
        fc.constantFrom(...Object.values(Field)),
        (text, field) => {
          const bytes = Buffer.from(text);
          parts.split(bytes, 0, bytes.length);
          const out: TermHash = { bucket: 0, key: 0 };
          hashParts(field, bytes, parts, out);
          assert.equal(`${out.bucket}:${out.key}`, hash(field, splitIdentifier(text).join('')));
        },
      ),
    );
  });
});
