import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { replaceFile, writeFileAtomic, writeFileAtomicSync } from './atomicFile.ts';

describe('a file that is replaced', () => {
  const folder = temporaryFolder();

  it('is named where a folder has its name, and nothing is left beside it', async () => {
    const place = folder();
    const file = join(place, 'files.json');
    mkdirSync(file);
    const message = `${file} is a folder, where Sextant writes a file. Move or delete the folder, then try again.`;
    const refusal = { code: 'NotAFile', message };
    const bytes = Buffer.from('new');
    assert.throws(() => writeFileAtomicSync(file, bytes), refusal);
    await assert.rejects(writeFileAtomic(file, bytes), refusal);
    await assert.rejects(replaceFile(file, bytes), refusal);
    assert.deepEqual(readdirSync(place), ['files.json']);
  });
});
