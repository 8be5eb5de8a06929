import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { Cursors, type PagePosition } from './cursors.ts';

describe('cursors', () => {
  const cursors = new Cursors(randomBytes(32));
  const position = fc
    .tuple(fc.nat(), fc.string(), fc.array(fc.string({ unit: 'binary' }), { maxLength: 6 }))
    .map(([asOf, days, after]): PagePosition => ({ asOf, days, after }));

  it('lead back to where a page ended, by the same text each time', () => {
    fc.assert(
      fc.property(fc.string(), position, (query, at) => {
        const cursor = cursors.seal(query, at);
        assert.match(cursor, /^[\w-]+$/);
        assert.deepEqual(cursors.open(query, cursor), at);
        assert.equal(cursors.seal(query, at), cursor);
      }),
    );
  });

  it('are good for no other query, no other server, and not where any character is altered, added or left out', () => {
    const others = new Cursors(randomBytes(32));
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        position,
        fc.nat(),
        fc.constantFrom('A', '_', '=', ' '),
        (query, other, at, n, to) => {
          const cursor = cursors.seal(query, at);
          if (other !== query) assert.equal(cursors.open(other, cursor), undefined);
          assert.equal(others.open(query, cursor), undefined);
          const place = n % cursor.length;
          const altered = [
            `${cursor.slice(0, place)}${to}${cursor.slice(place + 1)}`,
            `${cursor.slice(0, place)}${to}${cursor.slice(place)}`,
            `${cursor.slice(0, place)}${cursor.slice(place + 1)}`,
          ];
          for (const wrong of altered) if (wrong !== cursor) assert.equal(cursors.open(query, wrong), undefined, wrong);
        },
      ),
      { numRuns: times(300) },
    );
    for (const wrong of ['', 'A', 'x'.repeat(5000), '\0']) assert.equal(cursors.open('', wrong), undefined);
  });
});
