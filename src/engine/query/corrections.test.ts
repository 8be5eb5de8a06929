import assert from 'node:assert/strict';
import { documentId } from '../documentId.ts';
import { MemorySegment } from '../index/memorySegment.ts';
import { correctionsOf } from './corrections.ts';
import { MAX_WORDS } from './query.ts';
import { parseQueryLanguage } from './queryLanguage.ts';

describe('corrections', () => {
  const text = Buffer.from('function lightLantern() {}\n');
  const segment = new MemorySegment([{ id: documentId('a.js', text), path: 'a.js', text }]);

  it('are computed for the words of a query that count', () => {
    let names = 0;
    const segments = [Object.assign(Object.create(segment) as MemorySegment, { reader: counting() })];
    const before = 'harbour '.repeat(MAX_WORDS - 1);
    const query = `${before}lightLantren ${'lightLantrem '.repeat(10_000)}`;
    assert.deepEqual(correctionsOf(new Set(), parseQueryLanguage(query), segments), [
      { typed: 'lightLantren', word: 'lightLantern' },
    ]);
    assert.equal(names, 1);

    /** The segment's reader, which counts the names that are compared. */
    function counting(): typeof segment.reader {
      const { reader } = segment;
      return new Proxy(reader, {
        get: (_, key) => {
          if (key === 'names') names++;
          const value: unknown = Reflect.get(reader, key);
          return typeof value === 'function'
            ? (...given: unknown[]): unknown => Reflect.apply(value, reader, given)
            : value;
        },
      });
    }
  });
});
