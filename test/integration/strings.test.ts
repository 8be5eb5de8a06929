import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportBundle, moveStrings, type Manifest } from '../../scripts/lib/strings.mjs';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

describe('strings for translation', () => {
  it('of package.json equal those of package.nls.json', () => {
    const manifest = read('package.json') as Manifest;
    const strings = read('package.nls.json') as Record<string, string>;
    assert.deepEqual({ manifest, strings }, moveStrings(manifest, strings), 'npm run strings brings them up to date');
    for (const [key, text] of Object.entries(strings)) assert.doesNotMatch(text, /^(%.*%)?$/, key);
    const used = [...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(strings).sort());
  });

  it('of the source equal those of the bundle', async () => {
    const bundle = read('l10n/bundle.l10n.json') as object;
    assert.deepEqual(bundle, await exportBundle(), 'npm run strings brings it up to date');
    const shared = 'All is well: nothing needs attention.';
    assert.ok(Object.hasOwn(bundle, shared), 'sentences that the command shares are in it');
  });
});
