import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { readCheckedJson, writeCheckedJson } from './checkedJson.ts';

describe('checked JSON', () => {
  const folder = temporaryFolder();

  it('returns the written value, and leaves no temporary file', () => {
    const state = folder();
    const file = join(state, 'value.json');
    writeCheckedJson(file, { text: 'with\nlines and ünïcode' });
    assert.deepEqual(readCheckedJson(file), { value: { text: 'with\nlines and ünïcode' } });
    assert.deepEqual(readdirSync(state), ['value.json']);
  });

  it('distinguishes a missing file from a damaged one, whichever byte is damaged or missing', () => {
    const file = join(folder(), 'value.json');
    assert.equal(readCheckedJson(file), undefined);
    writeCheckedJson(file, { a: [1, 2, 3] });
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at++) {
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 1;
      writeFileSync(file, flipped);
      assert.equal(readCheckedJson(file), 'damaged', `byte ${at}`);
      writeFileSync(file, whole.subarray(0, at));
      assert.equal(readCheckedJson(file), 'damaged', `cut at ${at}`);
    }
  });
});
