import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs, times } from '../../../test/support/runs.ts';
import { isDamage } from './damage.ts';
import { damaged } from './format.ts';
import { NameSet } from './nameSet.ts';
import { NameCursor, NameWriter, nameKey } from './names.ts';

/** Names as they are in code: some alike but for case and separators, some long, some of other scripts. */
const part = fc.constantFrom(
  'get',
  'Get',
  'GET',
  'set',
  '_',
  '$',
  '.',
  '2',
  'x',
  'größe',
  'ÄNDERN',
  '数据库',
  'İ',
  '𝒜',
);
const name = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '_', '0'), minLength: 1, maxLength: 8 }),
);

function pack(
  names: readonly string[],
  damage: (bytes: Buffer) => void = () => undefined,
): (prefix?: string) => NameCursor {
  const set = new NameSet();
  for (const one of names) set.add(one);
  const written: Uint8Array[] = [];
  const writer = new NameWriter((block) => written.push(block.slice()));
  set.write(writer);
  const blocks = writer.finish();
  const bytes = Buffer.concat(written);
  damage(bytes);
  const read = (from: number, length: number): Uint8Array => bytes.subarray(from, from + length);
  return (prefix) => new NameCursor({ blocks, read, damaged: (what) => damaged('names', what) }, prefix);
}

function rest(cursor: NameCursor): string[] {
  const names: string[] = [];
  while (cursor.next()) names.push(cursor.text());
  return names;
}

function ordered(names: readonly string[]): string[] {
  const entries = [...new Set(names)].map((one) => [nameKey(one), Buffer.from(one).toString('latin1'), one] as const);
  entries.sort((a, b) => (a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]) ? -1 : 1));
  return entries.filter(([key]) => key !== '').map(([, , one]) => one);
}

describe('nameKey', () => {
  it('is the same for all spellings of a name', () => {
    for (const spelling of ['indexHtml', 'index_html', 'INDEX_HTML', '_indexHtml$']) {
      assert.equal(nameKey(spelling), 'indexhtml');
    }
    assert.equal(nameKey('Größe_Ändern'), nameKey('GRÖSSE_ÄNDERN'.replace('SS', 'ß')));
    assert.equal(nameKey('<=>'), '');
  });
});

describe('names of a segment', () => {
  it('come back in the order of their keys, each once', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 60 }), (names) => {
        assert.deepEqual(rest(pack(names)()), ordered(names));
      }),
    );
  });

  it('are found by any prefix, over many blocks', () => {
    const many = Array.from(
      { length: 30_000 },
      (_, i) => `${['get', 'Get_', 'set', 'größe'][i % 4]}${(i * 7919) % 10007}`,
    );
    const all = ordered(many);
    const names = pack(many);
    assert.deepEqual(rest(names()), all);
    fc.assert(
      fc.property(fc.oneof(name, fc.constantFrom(...many)), fc.nat({ max: 8 }), (one, length) => {
        const prefix = nameKey(one.slice(0, length));
        assert.deepEqual(
          rest(names(prefix)),
          all.filter((other) => nameKey(other).startsWith(prefix)),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  it('may be left out by the beginning of the current one, over many blocks, and none besides', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `${['get', 'Get_', 'größe'][i % 3]}${(i * 7919) % 10007}`);
    const all = ordered(many);
    const names = pack(many);
    const rounds = runs(20);
    let read = 0;
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat({ max: 5 })), (lengths) => {
        const cursor = names('');
        const skipped: string[] = [];
        const found: string[] = [];
        let key = '';
        for (const length of lengths) {
          if (!cursor.next()) break;
          const next = Buffer.from(cursor.keyBytes()).toString('latin1');
          assert.ok(next.startsWith(key.slice(0, cursor.sharedKey)));
          key = next;
          found.push(cursor.text());
          if (length < 3) continue;
          cursor.skip(length);
          skipped.push(key.slice(0, length));
        }
        read += found.length;
        const isFound = new Set(found);
        const lost = all.filter((one) => !isFound.has(one));
        assert.ok(lost.every((one) => skipped.some((prefix) => nameKey(one).startsWith(prefix))));
        assert.deepEqual(
          found,
          all.filter((one) => isFound.has(one)),
        );
      }),
      { numRuns: rounds },
    );
    // A third of the names cannot be left out by their bytes.
    assert.ok(read < (rounds * all.length) / 2, `${read}`);
  });

  it('say which of them may contain a text', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 60 }), name, fc.nat({ max: 3 }), (names, one, length) => {
        const part = nameKey(one.slice(0, length));
        for (const cursor = pack(names)(); cursor.next();) {
          const expected = /[^\0-\x7f]/.test(cursor.text()) || nameKey(cursor.text()).includes(part);
          assert.equal(cursor.mayContain(Buffer.from(part, 'latin1')), expected, cursor.text());
        }
      }),
    );
  });

  it('are damaged, or other names, where their bytes change', () => {
    const many = Array.from({ length: 300 }, (_, i) => `${['get', 'größe', 'Set_'][i % 3]}${(i * 7919) % 1009}`);
    const change = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const cursor = pack(many, (bytes) => {
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        })();
        try {
          rest(cursor);
        } catch (error) {
          assert.ok(isDamage(error), String(error));
        }
      }),
      { numRuns: times(500) },
    );
  });

  it('leave out text that is too long for a name', () => {
    assert.deepEqual(rest(pack(['short', 'x'.repeat(5000), 'ß'.repeat(5000)])()), ['short']);
  });
});
