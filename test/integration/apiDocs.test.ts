import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_DOCS, makeApiDocs } from '../../scripts/lib/apiDocs.mjs';

describe('the API reference', () => {
  it('documents every public name, and is up to date', async () => {
    const { files, warnings } = await makeApiDocs();
    assert.deepEqual(warnings, []);
    assert.deepEqual(readdirSync(API_DOCS).sort(), [...files.keys()].sort(), 'npm run docs brings it up to date');
    for (const [name, text] of files) {
      assert.equal(readFileSync(join(API_DOCS, name), 'utf8'), text, `npm run docs brings ${name} up to date`);
      assert.doesNotMatch(text, /\.ts:\d|#property-|__/, name);
    }
  });
});
