import assert from 'node:assert/strict';
import { withoutQuotes } from './fallbacks.ts';
import { parseQueryLanguage } from './queryLanguage.ts';

describe('fallbacks of a query', () => {
  it('turns required phrases into words, with a problem for each', () => {
    const parsed = parseQueryLanguage('open "page fault" -"not used" path:"a b" "x');
    const { words, phrases, filters, problems } = withoutQuotes(parsed);
    assert.equal(words, 'open page fault x');
    assert.deepEqual(
      phrases.map(({ text }) => text),
      ['not used'],
    );
    assert.deepEqual(filters, parsed.filters);
    assert.deepEqual(
      problems.map(({ code, message }) => [code, message]),
      [
        ['PhraseNotFound', 'No file that matches the rest contains “page fault” exactly; searched for its words.'],
        ['UnclosedQuote', 'This quote reaches to the end of the query: close it with another.'],
        ['PhraseNotFound', 'No file that matches the rest contains “x” exactly; searched for its words.'],
      ],
    );
    const [alone] = withoutQuotes(parseQueryLanguage('open "x"')).problems;
    assert.equal(alone?.message, 'Nothing contains “x” exactly; searched for its words.');
    const [partial] = withoutQuotes(parseQueryLanguage('"x"'), true).problems;
    assert.equal(partial?.message, 'No file read so far contains “x” exactly; searched for its words.');
    const plain = parseQueryLanguage('open -"not used"');
    assert.equal(withoutQuotes(plain), plain);
  });
});
