import assert from 'node:assert/strict';
import { threadMs } from '../base/timeSlice.ts';
import { DirectContext } from './directContext.ts';

/** Number of files, and the largest 99th percentile of the thread's own work between two turns of the program. */
const FILES = 20_000;
const MOST_MS = 50;

describe('an embedded context', () => {
  it('leaves turns to the program while it indexes many files', async function () {
    this.timeout(300_000);
    const files = Array.from({ length: FILES }, (_, i) => ({
      path: `src/folder${i % 200}/file${i}.ts`,
      contents: `export function name${i}(a: number) { return compute(a + ${i}); }\n`.repeat(20),
    }));
    await using context = await DirectContext.create({ backend: 'embedded' });
    // By processor time: other processes of the machine make gaps, too.
    const gaps: number[] = [];
    let last = threadMs();
    const timer = setInterval(() => {
      const now = threadMs();
      gaps.push(now - last);
      last = now;
    }, 5);
    await context.addToIndex(files);
    clearInterval(timer);
    gaps.sort((a, b) => a - b);
    assert.ok(gaps.length > 100, `${gaps.length} turns`);
    const p99 = gaps[Math.floor(gaps.length * 0.99)]!;
    assert.ok(p99 <= MOST_MS, `${p99} ms, at most ${gaps.at(-1)} ms`);
    assert.match(await context.search('name19999'), /Path: src\/folder199\/file19999\.ts/);
  });
});
