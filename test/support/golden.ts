import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Compares text with a file under test/goldens; `UPDATE_GOLDENS=1 npm run unit` writes the new text, to be read in the diff. */
export function assertGolden(name: string, actual: string): void {
  const file = join(import.meta.dirname, '../goldens', name);
  if (process.env.UPDATE_GOLDENS) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, actual);
    return;
  }
  assert.ok(existsSync(file), `${name} is missing: UPDATE_GOLDENS=1 npm run unit`);
  assert.equal(actual, readFileSync(file, 'utf8'));
}
