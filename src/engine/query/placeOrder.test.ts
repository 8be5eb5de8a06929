import assert from 'node:assert/strict';
import { orderByPlaces, PLACE_SHARE, type Placeable } from './placeOrder.ts';
import type { BestPlaces } from './placeRanker.ts';

interface File extends Placeable {
  readonly name: string;
  readonly best: number;
}

const file = (name: string, score: number, best: number, line?: number): File => ({
  name,
  score,
  best,
  ...(line !== undefined && { line }),
});
const placesOf = ({ best }: File): BestPlaces => ({ ranges: [{ startLine: 1, endLine: 2 }], worth: best });
const order = (files: readonly (File | undefined)[]): [string, number][] =>
  [...orderByPlaces(files, placesOf)].flatMap((one) => (one ? [[one.name, one.score]] : []));

describe('orderByPlaces', () => {
  it('adds a share of the best place to the scores, and explains it', () => {
    const files = [file('a', 1.1, 0), undefined, file('b', 1, 3)];
    assert.deepEqual(order(files), [
      ['b', 1],
      ['a', 1.1 - 3 * PLACE_SHARE],
    ]);
    const [, a] = [...orderByPlaces(files, placesOf)].filter((one) => one !== undefined);
    assert.deepEqual(a?.rules, [{ feature: 'place', value: -3, share: -3 * PLACE_SHARE }]);
  });

  it('leaves a line that the query names, and limits how much a place counts', () => {
    const files = [file('prose', 9, -50), file('pasted', 5, -50, 7), file('code', 4, 0)];
    assert.deepEqual(
      order(files).map(([name]) => name),
      ['prose', 'pasted', 'code'],
    );
  });

  it('keeps the files behind the first ten in their order, below all of them', () => {
    const files = Array.from({ length: 12 }, (_, i) => file(String(i), 12 - i, i === 9 ? -4 : 0));
    const ordered = order(files);
    assert.deepEqual(
      ordered.map(([name]) => name),
      files.map(({ name }) => name),
    );
    assert.ok(
      ordered.every(([, score], i) => i === 0 || score <= ordered[i - 1]![1]),
      JSON.stringify(ordered),
    );
  });
});
