import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileFilters } from './filters.ts';
import { parseQueryLanguage } from './queryLanguage.ts';
import { formatFilter, unfinishedFilter } from './unfinished.ts';

describe('unfinishedFilter', () => {
  const cases: Record<string, [string, string, boolean, number] | undefined> = {
    'lang:': ['lang', '', false, 0],
    'retry lang:ty': ['lang', 'ty', false, 6],
    'retry -path:src/n': ['path', 'src/n', true, 6],
    'path:"my di': ['path', 'my di', false, 0],
    'lang:ts sym:parse': ['sym', 'parse', false, 8],
    '"a phrase" file:x': ['file', 'x', false, 11],
    'lang:ts ': undefined,
    'path:"my dir"': undefined,
    '"see lang:t': undefined,
    'xlang:ts': undefined,
    'lang::x y': undefined,
    retry: undefined,
  };
  for (const [query, expected] of Object.entries(cases)) {
    it(`finds the unfinished filter in ${query}`, () => {
      const found = unfinishedFilter(query);
      assert.deepEqual(found && [found.field, found.typed, found.exclude, found.start], expected);
    });
  }

  it('writes filters that match exactly their text', () => {
    const unit = fc.constantFrom('a', 'b', '/', ' ', '"', '*', '?', '[', ']', '{', '}', ',', '(', '.');
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 8 }), fc.boolean(), (units, exclude) => {
        const path = `x${units.join('')}x`;
        const parsed = parseQueryLanguage(`word ${formatFilter('path', path, exclude)}`);
        assert.deepEqual([parsed.problems, parsed.words, parsed.filters.length], [[], 'word', 1]);
        const { matchesDocument } = compileFilters(parsed.filters);
        assert.equal(matchesDocument(path, 'plaintext'), !exclude);
        assert.equal(matchesDocument('x', 'plaintext'), exclude);
      }),
    );
  });
});
