import assert from 'node:assert/strict';
import { compileFilters } from '../engine/query/filters.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import { symbolQuery } from './symbolQuery.ts';

describe('symbolQuery', () => {
  const named = (typed: string, name: string): boolean =>
    compileFilters(parseQueryLanguage(symbolQuery(typed)).filters).matchesSymbol(name);

  it('searches names that contain the typed text', () => {
    for (const typed of ['retry', 'nextRetry', 'next delay', 'Next Delay', 'nextRetryDelay lang:ts']) {
      assert.ok(named(typed, 'nextRetryDelay'), typed);
      assert.equal(named(typed, 'other'), false, typed);
    }
    assert.equal(named('delay next', 'nextRetryDelay'), false);
    assert.ok(named('Policy.next', 'RetryPolicy.nextDelay'));
  });

  it('leaves a name filter and a query without words unchanged', () => {
    for (const typed of ['x sym:y', 'lang:ts', '', '->']) assert.equal(symbolQuery(typed), typed);
  });

  it('keeps the typed text at its offsets, for problems', () => {
    assert.ok(symbolQuery('path:[ retry').startsWith('path:[ retry '));
  });
});
