import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { writeWhole } from './writeWhole.ts';

describe('writeWhole', () => {
  const newFolder = temporaryFolder();

  it('is cancelled on Ctrl-C before and while it writes, and leaves no file', async () => {
    const folder = newFolder();
    for (const output of [join(folder, 'out.txt'), undefined])
      for (const isBegun of [false, true]) {
        const stdout = new PassThrough() as unknown as NodeJS.WriteStream;
        const stopping = new AbortController();
        if (!isBegun) stopping.abort();
        const bytes = new Readable({ read: () => undefined });
        bytes.push('begun');
        const written = writeWhole(bytes, { output }, { stdout, signal: stopping.signal });
        stopping.abort();
        await assert.rejects(written, { code: 'Cancelled' });
      }
    assert.deepEqual(readdirSync(folder), []);
  });
});
