import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs, times } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { isDamage } from './damage.ts';
import { damaged } from './format.ts';
import { mergeSegments } from './merge.ts';
import { SegmentBuilder } from './segmentBuilder.ts';
import { describeSegment } from './segmentEnd.ts';
import { SegmentReader } from './segmentReader.ts';
import { writeSegment } from './segmentWriter.ts';
import { Segment, setBit } from './snapshot.ts';
import { LETTERS, MAX_LETTERS, WordCursor, WordWriter } from './wordList.ts';

const word = fc.oneof(
  fc.stringMatching(/^[a-c]{1,3}[a-z]{2,21}$/),
  // These share up to 23 letters.
  fc.stringMatching(/^a{18,22}[ab]{1,2}$/),
);

interface Packed {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

function pack(words: readonly string[]): Packed {
  const parts: Uint8Array[] = [];
  const writer = new WordWriter((part) => parts.push(part.slice()));
  for (const [i, one] of words.entries()) writer.add(Buffer.from(one), i + 1);
  const offsets = writer.finish();
  return { bytes: Buffer.concat(parts), offsets };
}

function cursorOf({ bytes, offsets }: Packed, letter: number): WordCursor {
  return new WordCursor(bytes.subarray(offsets[letter], offsets[letter + 1]), (what) => damaged('words', what));
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

describe('Packed words', () => {
  it('come back by their first letter, with their frequencies', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word), (words) => {
        words.sort();
        const packed = pack(words);
        const found: [string, number][] = [];
        for (let letter = 0; letter < LETTERS; letter++) {
          const cursor = cursorOf(packed, letter);
          while (cursor.next() >= 0) {
            assert.equal(cursor.text().charCodeAt(0) - 97, letter);
            found.push([cursor.text(), cursor.frequency]);
          }
        }
        assert.deepEqual(
          found,
          words.map((one, i) => [one, i + 1]),
        );
      }),
    );
  });

  it('are skipped by the letters that they share', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word), fc.array(fc.nat({ max: 6 })), (any, steps) => {
        const words = any.filter((one) => one.startsWith('a')).sort();
        const cursor = cursorOf(pack(words), 0);
        let at = -1;
        for (const sharing of [0, ...steps]) {
          const current = words[at] ?? '';
          const next = words.findIndex((one, i) => i > at && (at < 0 || sharedLength(current, one) < sharing));
          const shared = cursor.next(at < 0 ? Infinity : sharing);
          if (next < 0) {
            assert.equal(shared, -1);
            break;
          }
          assert.equal(cursor.text(), words[next]);
          assert.equal(shared, sharedLength(current, words[next]!));
          at = next;
        }
      }),
    );
  });

  it('are damaged, or other words, where their bytes change', () => {
    const words = Array.from({ length: 300 }, (_, i) => `a${((i * 7919) % 1009).toString(26)}x`.replace(/\d/g, 'q'));
    const packed = pack([...new Set(words)].sort());
    const change = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const bytes = packed.bytes.slice();
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const cursor = cursorOf({ ...packed, bytes }, 0);
        try {
          for (let count = 0; cursor.next() >= 0; count++) assert.ok(count <= bytes.length);
        } catch (error) {
          assert.ok(isDamage(error), String(error));
        }
      }),
      { numRuns: times(500) },
    );
  });
});

describe('The words of a segment', () => {
  const folder = temporaryFolder();

  function segmentOf(file: string, number: number, texts: readonly string[], deleted?: Uint8Array): Segment {
    const builder = new SegmentBuilder();
    for (const [i, content] of texts.entries()) {
      const path = `${number}/paths/file${i}Named.txt`;
      const text = Buffer.from(content);
      builder.add({ id: Buffer.from(documentId(path, text), 'hex'), path, text });
    }
    writeSegment(file, (writer) => builder.write(writer));
    return new Segment({ segment: number, ...describeSegment(file) }, new SegmentReader(file), deleted);
  }

  function wordsOf(reader: SegmentReader): Map<string, number> {
    const found = new Map<string, number>();
    for (let letter = 0; letter < LETTERS; letter++) {
      const cursor = reader.words(letter);
      while (cursor.next() >= 0) found.set(cursor.text(), cursor.frequency);
    }
    assert.equal(found.size, reader.footer.words);
    return found;
  }

  function merge(file: string, among: readonly Segment[]): Map<string, number> {
    writeSegment(file, (writer) => {
      for (const _ of mergeSegments(among, writer));
    });
    const reader = new SegmentReader(file);
    const words = wordsOf(reader);
    reader.close();
    for (const segment of among) segment.reader.close();
    return words;
  }

  it('are those of names, prose and paths, unstemmed, in small letters, of 3 to 24 ASCII letters without their accents', () => {
    const text = 'const retryDelays = HTTPServer2; // Configures the größte x2 of ab0 retries\n';
    const { reader } = segmentOf(join(folder(), '0.sxs'), 0, [text, `retries ${'y'.repeat(MAX_LETTERS + 1)}`]);
    assert.deepEqual(Object.fromEntries(wordsOf(reader)), {
      ...{ configures: 1, const: 1, delays: 1, file: 2, grosste: 1, http: 1, named: 2, paths: 2 },
      ...{ retries: 2, retry: 2, server: 1 },
      // "txt" is a word of the files' names.
      txt: 2,
    });
    reader.close();
  });

  it('are the same after a merge with their frequencies added, without those of removed documents alone', () => {
    const text = fc.array(fc.constantFrom('alpha', 'beta', 'alphabet', 'gamma', 'retry', 'retries'), { maxLength: 6 });
    const document = fc.record({ text, isGone: fc.boolean() });
    const segments = fc.array(fc.array(document, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(segments, (parts) => {
        const state = folder();
        const textsOf = (documents: readonly { readonly text: readonly string[] }[]): string[] =>
          documents.map((one) => one.text.join(' '));
        const whole = parts.map((part, i) => segmentOf(join(state, `${i}.sxs`), i, textsOf(part)));
        const sums = new Map<string, number>();
        for (const { reader } of whole)
          for (const [one, frequency] of wordsOf(reader)) sums.set(one, (sums.get(one) ?? 0) + frequency);
        assert.deepEqual(merge(join(state, 'merged.sxs'), whole), new Map([...sums].sort()));

        const living = new Set(parts.flat().flatMap((one) => (one.isGone ? [] : one.text)));
        const state2 = folder();
        const thinned = parts.map((part, i) => {
          const deleted = new Uint8Array(1);
          for (const [j, { isGone }] of part.entries()) if (isGone) setBit(deleted, j);
          return segmentOf(join(state2, `${i}.sxs`), i, textsOf(part), deleted);
        });
        const left = new Set(merge(join(state2, 'merged.sxs'), thinned).keys());
        const stems = new Set([...living].map((one) => one.replace(/y$|ies$/, 'i')));
        for (const one of living) assert.ok(left.has(one), one);
        for (const one of left) {
          const isOfPath = ['file', 'named', 'paths', 'txt'].includes(one);
          assert.ok(isOfPath || stems.has(one.replace(/y$|ies$/, 'i')), one);
        }
      }),
      { numRuns: runs(15) },
    );
  });
});
