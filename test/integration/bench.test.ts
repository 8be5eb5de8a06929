import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { declares } from '../bench/declares.ts';
import { covers, meanOfMeans, ndcg, percentile, targetRanks } from '../bench/metric.ts';
import { Retriever } from '../bench/retrieverClient.ts';

describe('the benchmark of quality', () => {
  it("counts a result whose path ends in the target's path, and whose lines overlap if both have lines", () => {
    assert.ok(covers({ path: '/at/repo/src/a.ts' }, { path: 'src/a.ts' }));
    assert.ok(covers({ path: 'a.ts' }, { path: 'src/a.ts' }));
    assert.ok(!covers({ path: 'src/extra.ts' }, { path: 'a.ts' }));
    const target = { path: 'a.ts', start_line: 10, end_line: 20 };
    assert.ok(covers({ path: 'a.ts', start_line: 20, end_line: 30 }, target));
    assert.ok(!covers({ path: 'a.ts', start_line: 21, end_line: 30 }, target));
    assert.ok(covers({ path: 'a.ts' }, target));
    assert.ok(covers({ path: 'a.ts', start_line: 1, end_line: 2 }, { path: 'a.ts' }));
  });

  it('scores binary NDCG at 10, each position once', () => {
    assert.equal(ndcg([1], 1), 1);
    assert.equal(ndcg([2], 1), 1 / Math.log2(3));
    assert.equal(ndcg([1, 3], 2), (1 + 1 / 2) / (1 + 1 / Math.log2(3)));
    assert.equal(ndcg([1, 1], 2), 1 / (1 + 1 / Math.log2(3)));
    assert.equal(ndcg([11], 1), 0);
    assert.equal(ndcg([], 0), 0);
  });

  it('scores 1 exactly if all targets come first, and never more', () => {
    const paths = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 });
    fc.assert(
      fc.property(paths, paths, (found, wanted) => {
        const score = ndcg(targetRanks(found.map(toPath), wanted.map(toPath)), wanted.length);
        const best = found.slice(0, wanted.length).filter((path) => wanted.includes(path)).length === wanted.length;
        assert.ok(score >= 0 && score <= 1 + 1e-12);
        assert.equal(score > 1 - 1e-12, best);
      }),
    );
  });

  it('computes means over groups, and quantiles', () => {
    const rows = [...Array.from({ length: 9 }, () => ({ group: 'a', value: 1 })), { group: 'b', value: 0 }];
    const ofGroup = (row: { group: string }): string => row.group;
    assert.equal(
      meanOfMeans(rows, ofGroup, ({ value }) => value),
      0.5,
    );
    assert.equal(percentile([3, 1, 2], 50), 2);
    assert.equal(percentile([0, 10], 95), 9.5);
    assert.equal(percentile([], 95), 0);
  });

  it('separates lines that declare a name from lines that use it', () => {
    const declaring = [
      'export abstract class Pool<T> extends Base {',
      'defmodule App.Data.Pool do',
      'func (c *Client) Pool(size int) *Thing {',
      'pub(crate) trait Pool: Send {',
      'static struct inode *Pool(struct super_block *sb)',
      'export const Pool = /*@__PURE__*/ make(',
      '#define Pool(x) ((x) + 1)',
      'type Pool interface {',
      'class ATTRIBUTE(x) Pool {',
      'local Pool = {}',
    ];
    for (const line of declaring) assert.ok(declares(line, 'Pool'), line);
    const using = ['fn take() -> impl Pool {', 'const x: Pool = make();', '  return Pool(1)', 'Pool(1);', '// Pools'];
    for (const line of using) assert.ok(!declares(line, 'Pool'), line);
  });

  it('queries the built library through the protocol of the harness', async () => {
    const sample = join(import.meta.dirname, '../fixtures/sample');
    const script = join(import.meta.dirname, '../bench/retriever.mjs');
    const retriever = await Retriever.start(process.execPath, [script]);
    try {
      const { files, chunks } = await retriever.index(sample);
      assert.ok(files > 0 && chunks >= files);
      const results = await retriever.query(sample, 'verifyPassword', 3);
      assert.ok(results.length > 0 && results.length <= 3);
      const [first] = results;
      assert.equal(first?.path, 'src/auth/passwordHash.ts');
      assert.ok(first.start_line! >= 1 && first.end_line! >= first.start_line!);
    } finally {
      await retriever.stop();
    }
  });
});

function toPath(path: string): { path: string } {
  return { path };
}
