import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { isIndexable, splitIdentifier, stem } from '../analyze/words.ts';
import { WordMatcher } from './wordMatch.ts';

describe('WordMatcher', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../node_modules/typescript/lib/lib.dom.d.ts'), 'utf8');
  const names = [...new Set(source.match(/\w+/g))];
  const words = [...new Set(names.flatMap(splitIdentifier))].filter(isIndexable);

  it('treats words with the same beginning as alike', () => {
    const matcher = new WordMatcher([stem('configuration'), stem('valid'), stem('key')]);
    const value = (part: string): number => matcher.compare(stem(part)).value;
    assert.equal(value('configure'), 1);
    assert.equal(value('validity'), 1);
    assert.equal(value('configurable'), 1);
    assert.equal(value('conf'), 0.8);
    assert.equal(value('keys'), 1);
    assert.equal(value('lock'), 0);
  });

  it('compares names like their parts, though few are decoded to strings', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...words), { maxLength: 4 }), (query) => {
        const matcher = new WordMatcher(query.map(stem));
        for (const name of [
          ...names,
          ...query,
          'größeÄndern',
          '漢字',
          'key',
          'fly_to',
          'isOfA',
          `x${'y'.repeat(60)}`,
        ]) {
          const parts = splitIdentifier(name).filter(isIndexable);
          const matches = parts.map((part) => matcher.compare(stem(part)));
          const bytes = Buffer.from(`>${name}<`);
          const isAlike = matcher.compareName(bytes, 1, bytes.length - 1);
          assert.equal(
            isAlike,
            matches.some(({ value }) => value > 0),
            `${name} for ${String(query)}`,
          );
          if (!isAlike) continue;
          assert.equal(matcher.parts, parts.length, name);
          assert.ok(Math.abs(matcher.like - matches.reduce((sum, { value }) => sum + value, 0)) < 1e-9);
          const best = query.map((_, i) =>
            Math.max(0, ...matches.filter(({ word }) => word === i).map(({ value }) => value)),
          );
          assert.deepEqual([...matcher.values], best, `${name} for ${String(query)}`);
        }
      }),
      { numRuns: runs(60) },
    );
    const bytesOf = (name: string): Buffer => Buffer.from(name);
    for (const word of ['key', 'fly', 'größe', '漢字', 'ip', 'x']) {
      const bytes = bytesOf(`_${word}_`);
      assert.ok(new WordMatcher([stem(word)]).mayMatch(bytes, 1, bytes.length - 1), word);
    }
  });

  it('rejects at once most names without a word of the query', () => {
    const matcher = new WordMatcher(['scheduler', 'priority'].map(stem));
    const seen = names.filter((name) => matcher.mayMatch(Buffer.from(name), 0, name.length));
    assert.ok(seen.length < names.length / 40, `${seen.length} of ${names.length}`);
  });
});
