import assert from 'node:assert/strict';
import { readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterListing } from '../../test/support/betweenReads.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { writeCheckedJson } from './checkedJson.ts';
import { FencedJson, readFencedJson } from './fencedJson.ts';
import { Lease } from './lease.ts';

describe('fenced JSON', () => {
  const temporary = temporaryFolder();

  function acquired(folder: string): Lease {
    const lease = Lease.acquire(folder);
    assert.ok(lease instanceof Lease);
    return lease;
  }

  /** Simulates an owner without a heartbeat for an hour. */
  function silence(folder: string): void {
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of readdirSync(folder))
      if (name.endsWith('.lock')) utimesSync(join(folder, name), longAgo, longAgo);
  }

  it('survives damage to either of its two files, and reports it', () => {
    const folder = temporary();
    const lease = acquired(folder);
    const value = { a: [1, 2] };
    new FencedJson(lease, folder, 'value', 0o600).write(value);
    const names = readdirSync(folder).filter((name) => name.startsWith('value.'));
    assert.deepEqual(names, ['value.1.copy.json', 'value.1.json']);
    for (const name of names) {
      const whole = readFileSync(join(folder, name));
      for (let at = 0; at < whole.length; at++) {
        const flipped = Buffer.from(whole);
        flipped[at]! ^= 1;
        writeFileSync(join(folder, name), flipped);
        assert.deepEqual(readFencedJson(folder, 'value'), {
          found: { value, number: 1 },
          damaged: [name],
          isLost: false,
        });
      }
      writeFileSync(join(folder, name), whole);
    }
    for (const name of names) writeFileSync(join(folder, name), 'no');
    assert.deepEqual(readFencedJson(folder, 'value'), { found: undefined, damaged: names.reverse(), isLost: true });
    lease.release();
  });

  it('shows nothing that an owner writes after it lost the lease', () => {
    const folder = temporary();
    const sleeper = acquired(folder);
    const theirs = new FencedJson(sleeper, folder, 'value');
    theirs.write('before');
    silence(folder);
    const heir = acquired(folder);
    const ours = new FencedJson(heir, folder, 'value');
    ours.write(ours.read().found?.value);
    assert.throws(() => theirs.write('late'), { code: 'LeaseLost' });
    // Simulates an owner that slept between its check and its write.
    writeCheckedJson(join(folder, 'value.1.json'), 'late');
    assert.equal(readFencedJson(folder, 'value').found?.value, 'before');
    ours.write('after');
    assert.equal(readFencedJson(folder, 'value').found?.value, 'after');
    assert.deepEqual(readdirSync(folder), ['value.2.copy.json', 'value.2.json', 'writer.2.lock']);
    heir.release();
  });

  it('is read from the files of an heir that replaced those which were listed', () => {
    const folder = temporary();
    const first = acquired(folder);
    new FencedJson(first, folder, 'value').write('before');
    // Left over by an owner before.
    writeCheckedJson(join(folder, 'value.json'), 'oldest');
    silence(folder);
    const heir = acquired(folder);
    afterListing(2, () => new FencedJson(heir, folder, 'value').write('after'));
    assert.deepEqual(readFencedJson(folder, 'value').found, { value: 'after', number: 2 });
    heir.release();
  });

  it('reads the files of an earlier version of Sextant', () => {
    const folder = temporary();
    writeCheckedJson(join(folder, 'value.json'), 'old');
    assert.deepEqual(readFencedJson(folder, 'value').found, { value: 'old', number: 0 });
    writeFileSync(join(folder, 'value.json'), '');
    writeCheckedJson(join(folder, 'value.json.copy'), 'copy');
    assert.deepEqual(readFencedJson(folder, 'value').found, { value: 'copy', number: 0 });
  });
});
