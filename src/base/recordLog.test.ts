import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { RecordLog } from './recordLog.ts';

describe('a record log', () => {
  const folder = temporaryFolder();
  const never = (line: number): void => assert.fail(`line ${line} is damaged`);

  async function read(file: string, onDamage = never): Promise<readonly unknown[]> {
    const { log, records } = await RecordLog.open(file, onDamage);
    await log.close();
    return records;
  }

  it('gives back what was appended, in order, also by many at once', async () => {
    const file = join(folder(), 'log');
    const { log, records } = await RecordLog.open(file, never);
    assert.deepEqual(records, []);
    await Promise.all(Array.from({ length: 50 }, (_, i) => log.append({ i, text: 'ünï\ncode' })));
    await log.append('last');
    await log.close();
    assert.deepEqual(await read(file), [...Array.from({ length: 50 }, (_, i) => ({ i, text: 'ünï\ncode' })), 'last']);
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('has after a cut at any byte the values that were whole, and goes on from there', async () => {
    const place = folder();
    const file = join(place, 'log');
    RecordLog.replace(file, [{ a: 1 }, 'two', [3]]);
    const whole = readFileSync(file);
    const ends = [...whole].flatMap((byte, at) => (byte === 0x0a ? [at + 1] : []));
    for (let cut = 0; cut <= whole.length; cut++) {
      writeFileSync(file, whole.subarray(0, cut));
      const complete = ends.filter((end) => end <= cut).length;
      assert.deepEqual(await read(file), [{ a: 1 }, 'two', [3]].slice(0, complete), `cut at ${cut}`);
      const { log } = await RecordLog.open(file, never);
      await log.append('more');
      await log.close();
      assert.deepEqual(await read(file), [...[{ a: 1 }, 'two', [3]].slice(0, complete), 'more']);
    }
  });

  it('tells damage before whole values, and leaves out only what is damaged', async () => {
    const file = join(folder(), 'log');
    RecordLog.replace(file, ['one', 'two', 'three']);
    const bytes = readFileSync(file);
    bytes[20]! ^= 1;
    writeFileSync(file, bytes);
    const damaged: number[] = [];
    assert.deepEqual(await read(file, (line) => damaged.push(line)), ['one', 'three']);
    assert.deepEqual(damaged, [2]);
  });

  it('cuts off garbage at the end, also with line ends', async () => {
    const file = join(folder(), 'log');
    RecordLog.replace(file, ['one']);
    appendFileSync(file, 'garbage\n\n\nmore');
    assert.deepEqual(await read(file), ['one']);
    assert.equal(readFileSync(file, 'utf8').split('\n').length, 2);
  });
});
