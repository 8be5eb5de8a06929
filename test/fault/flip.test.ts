import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastFolder, filesOf, keepForInspection, restore, smallIndex, type Truth } from './truth.ts';

/** The distance between flipped bytes; flipping each byte takes about a minute. */
const EVERY = Number(process.env.SEXTANT_FAULT_EVERY ?? 53);

describe('An index with a flipped byte', () => {
  const folder = fastFolder();
  let truth: Truth;
  let files: Map<string, Buffer>;

  before(async () => {
    truth = await smallIndex(folder);
    files = filesOf(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('reports the damage, loses nothing by its manifest, and is as before when the lost documents are added again', async function () {
    this.timeout(600_000);
    let flips = 0;
    for (const [name, whole] of files) {
      for (let at = flips % EVERY; at < whole.length; at += EVERY, flips++) {
        restore(folder, files);
        const flipped = Buffer.from(whole);
        const bit = (at + flips) & 7;
        flipped[at]! ^= 1 << bit;
        writeFileSync(join(folder, name), flipped);
        try {
          const damage = await truth.check(folder, true, !name.startsWith('manifest'));
          const lost = damage.map(({ documents }) => documents ?? Infinity);
          assert.ok(Math.max(...lost) <= 6 && damage.length === 1, JSON.stringify(damage));
        } catch (error) {
          restore(folder, files);
          writeFileSync(join(folder, name), flipped);
          const kept = keepForInspection(folder, 'flip');
          throw new Error(`${name}, byte ${at}, bit ${bit}; the index is in ${kept}`, { cause: error });
        }
      }
    }
    const bytes = [...files.values()].reduce((total, { length }) => total + length, 0);
    console.log(`      ${flips} of ${bytes} bytes in ${files.size} files`);
  });
});
