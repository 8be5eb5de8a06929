import assert from 'node:assert/strict';
import { DirectContext } from './directContext.ts';

const FILES = 20_000;
/** More than by accident; a context that keeps the thread for each of its batches gives ten or twenty turns. */
const LEAST_TURNS = 100;

describe('an embedded context', () => {
  it('leaves turns to the program while it indexes many files', async function () {
    this.timeout(300_000);
    const files = Array.from({ length: FILES }, (_, i) => ({
      path: `src/folder${i % 200}/file${i}.ts`,
      contents: `export function name${i}(a: number) { return compute(a + ${i}); }\n`.repeat(20),
    }));
    await using context = await DirectContext.create({ backend: 'embedded' });
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await context.addToIndex(files);
    clearInterval(timer);
    assert.ok(turns > LEAST_TURNS, `${turns} turns`);
    assert.match(await context.search('name19999'), /Path: src\/folder199\/file19999\.ts/);
  });
});
