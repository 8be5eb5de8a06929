import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { isIndexable, splitIdentifier, stem } from '../analyze/words.ts';
import { WordMatcher, wordsOfName } from './wordMatch.ts';

describe('WordMatcher', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../node_modules/typescript/lib/lib.dom.d.ts'), 'utf8');
  const names = [...new Set(source.match(/\w+/g))];
  const words = [...new Set(names.flatMap(splitIdentifier))].filter(isIndexable);

  it('takes words for alike that begin alike', () => {
    const matcher = new WordMatcher([stem('configuration'), stem('valid'), stem('key')]);
    const value = (part: string): number | undefined =>
      wordsOfName(part).stems.map((stem) => matcher.compare(stem).value)[0];
    assert.equal(value('configure'), 1);
    assert.equal(value('validity'), 1);
    assert.equal(value('configurable'), 1);
    assert.equal(value('conf'), 0.8);
    assert.equal(value('keys'), 1);
    assert.equal(value('lock'), 0);
    assert.equal(value('a'), undefined);
  });

  it('never misses a match by its first letters', () => {
    const bytesOf = (name: string): Uint8Array => Buffer.from(name);
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...words), { maxLength: 4 }), (query) => {
        const matcher = new WordMatcher(query.map(stem));
        for (const name of [...names, ...query, 'größeÄndern', '漢字', 'key', 'fly_to']) {
          const matches = wordsOfName(name).stems.some((stem) => matcher.compare(stem).value > 0);
          const bytes = bytesOf(name);
          if (matches) assert.ok(matcher.mayMatch(bytes, 0, bytes.length), `${name} for ${String(query)}`);
        }
      }),
      { numRuns: 60 },
    );
    for (const word of ['key', 'fly', 'größe', '漢字', 'ip', 'x']) {
      const bytes = bytesOf(`_${word}_`);
      assert.ok(new WordMatcher([stem(word)]).mayMatch(bytes, 1, bytes.length - 1), word);
    }
  });

  it('sees at once that most names have nothing of the query', () => {
    const matcher = new WordMatcher(['scheduler', 'priority'].map(stem));
    const seen = names.filter((name) => matcher.mayMatch(Buffer.from(name), 0, name.length));
    assert.ok(seen.length < names.length / 20, `${seen.length} of ${names.length}`);
  });
});
