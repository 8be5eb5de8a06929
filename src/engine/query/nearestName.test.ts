import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { documentId } from '../documentId.ts';
import { MemorySegment } from '../index/memorySegment.ts';
import { nameKey } from '../index/names.ts';
import { nearestName } from './nearestName.ts';
import { editDistance } from './similar.ts';

function segmentOf(names: readonly string[]): MemorySegment {
  const text = Buffer.from(names.map((name) => `void ${name}(void)\n{\n}\n`).join('\n'));
  return new MemorySegment([{ id: documentId('a.c', text), path: 'a.c', text }]);
}

/** As {@link nearestName} finds it, by comparing all names. */
function naive(typed: string, names: readonly string[]): string | undefined {
  if (names.some((name) => nameKey(name).startsWith(typed))) return undefined;
  for (const length of [Math.max(5, typed.length >> 1), 5, 4, 3, 2]) {
    const near = names
      .filter((name) => nameKey(name).startsWith(typed.slice(0, length)))
      .map((name) => ({ name, edits: editDistance(nameKey(name), typed) }))
      .filter(({ edits }) => edits <= 2)
      .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
    if (near[0]) return near[0].name;
  }
  return undefined;
}

describe('the nearest defined name', () => {
  it('is the one with the fewest edits that begins alike, over all segments', () => {
    const part = fc.constantFrom('get', 'set', 'page', 'pages', 'a', 'ab', 'b');
    const name = fc.array(part, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('_'));
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(name, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 2 }),
        fc.array(fc.constantFrom('ge', 'tp', 'ag', 'e', 's', 'a', 'b', 'x'), { minLength: 4, maxLength: 8 }),
        (names, letters) => {
          const typed = letters.join('');
          if (typed.length < 6) return;
          const all = [...new Set(names.flat())];
          assert.equal(nearestName(typed, names.map(segmentOf)), naive(typed, all), typed);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it('is found by comparing a few of very many', () => {
    const names = Array.from({ length: 15_000 }, (_, i) => `field_${(i * 7919).toString(36)}_of_register`);
    const segment = segmentOf([...names, 'field_of_the_registry']);
    let compared = 0;
    const { reader } = segment;
    const namesOf = reader.names.bind(reader);
    reader.names = (prefix) => {
      const cursor = namesOf(prefix);
      const next = cursor.next.bind(cursor);
      cursor.next = () => {
        compared++;
        return next();
      };
      return cursor;
    };
    assert.equal(nearestName('fiedlofteregistry', [segment]), 'field_of_the_registry');
    assert.ok(compared < names.length / 5, `${compared}`);
  });
});
