import assert from 'node:assert/strict';
import { fileKey, personalOrder, type WorkContext } from './personalOrder.ts';

describe('The personal order of results', () => {
  const result = (path: string, score: number): { root: string; path: string; score: number } => ({
    root: '/w',
    path,
    score,
  });
  const key = (path: string): string => fileKey({ root: '/w', path });
  const order = (
    results: readonly ReturnType<typeof result>[],
    context: Partial<WorkContext>,
    limit = 50,
  ): string[] => {
    const work = { recent: new Set<string>(), changed: new Set<string>(), ...context };
    return personalOrder(results, { work, limit }).map(({ path }) => path);
  };
  const close = [result('a/x.ts', 5.1), result('b/y.ts', 5.0), result('c/z.ts', 4.95)];

  it('puts a recent, a changed or a near file before one with about the same score', () => {
    assert.deepEqual(order(close, { recent: new Set([key('c/z.ts')]) }), ['c/z.ts', 'a/x.ts', 'b/y.ts']);
    assert.deepEqual(order(close, { changed: new Set([key('c/z.ts')]) }), ['a/x.ts', 'c/z.ts', 'b/y.ts']);
    const active = { root: '/w', path: 'c/other.ts' };
    assert.deepEqual(order(close, { active }), ['a/x.ts', 'c/z.ts', 'b/y.ts']);
    assert.deepEqual(order(close, { active: { root: '/v', path: 'c/other.ts' } }), ['a/x.ts', 'b/y.ts', 'c/z.ts']);
  });

  it('leaves clearly better results first, and the order as it is without a context', () => {
    const results = [result('a.ts', 105), result('b.ts', 5.5), result('c.ts', 5)];
    const all = { recent: new Set([key('c.ts')]), changed: new Set([key('c.ts')]) };
    assert.deepEqual(order(results, all), ['a.ts', 'b.ts', 'c.ts']);
    assert.deepEqual(order(close, {}), ['a/x.ts', 'b/y.ts', 'c/z.ts']);
  });

  it('moves no result over the end of the first ones', () => {
    const recent = new Set([key('c/z.ts')]);
    assert.deepEqual(order(close, { recent }, 2), ['a/x.ts', 'b/y.ts', 'c/z.ts']);
  });
});
