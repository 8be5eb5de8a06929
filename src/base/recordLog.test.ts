import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { afterListing } from '../../test/support/betweenReads.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { Lease } from './lease.ts';
import { describeRecordDamage, RecordLog, type RecordDamage } from './recordLog.ts';

describe('a record log', () => {
  const temporary = temporaryFolder();
  const never = ({ file }: RecordDamage): void => assert.fail(`${file} is damaged`);

  function acquired(folder: string): Lease {
    const lease = Lease.acquire(folder);
    assert.ok(lease instanceof Lease);
    return lease;
  }

  /** The records that a new owner reads. */
  async function read(folder: string, onDamage = never): Promise<readonly unknown[]> {
    const lease = acquired(folder);
    const { log, records } = await RecordLog.open(lease, { folder, stem: 'log' }, onDamage);
    await log.close();
    lease.release();
    return records;
  }

  async function write(folder: string, values: readonly unknown[]): Promise<void> {
    const lease = acquired(folder);
    const { log } = await RecordLog.open(lease, { folder, stem: 'log' }, never);
    for (const value of values) await log.append(value);
    await log.close();
    lease.release();
  }

  const filesOf = (folder: string): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .map((name) => join(folder, name));

  it('returns what was appended, in order, also by many at once', async () => {
    const folder = temporary();
    const lease = acquired(folder);
    const { log, records } = await RecordLog.open(lease, { folder, stem: 'log' }, never);
    assert.deepEqual(records, []);
    await Promise.all(Array.from({ length: 50 }, (_, i) => log.append({ i, text: 'ünï\ncode' })));
    await log.append('last');
    await log.close();
    lease.release();
    assert.deepEqual(await read(folder), [...Array.from({ length: 50 }, (_, i) => ({ i, text: 'ünï\ncode' })), 'last']);
    for (const file of filesOf(folder))
      if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('is read from the files of an heir that replaced those which were listed', async () => {
    const folder = temporary();
    await write(folder, ['one']);
    const heir = acquired(folder);
    // Left over by an owner before.
    for (const file of filesOf(folder)) copyFileSync(file, file.replace('.1.', '.0.'));
    let opened: Promise<{ readonly log: RecordLog }> | undefined;
    afterListing(3, () => void (opened = RecordLog.open(heir, { folder, stem: 'log' }, never)));
    assert.deepEqual(RecordLog.read({ folder, stem: 'log' }, never), ['one']);
    await (await opened!).log.close();
    heir.release();
  });

  it('reports its file and the copy as lost where both were deleted', async () => {
    const folder = temporary();
    await write(folder, ['one']);
    for (const file of filesOf(folder)) rmSync(file);
    const damages: RecordDamage[] = [];
    assert.deepEqual(await read(folder, (damage) => damages.push(damage)), []);
    assert.deepEqual(damages, [{ file: join(folder, 'log.1.log'), isLost: true, isMissing: true }]);
    assert.match(describeRecordDamage(damages[0]!), /^.*log\.1\.log and its copy are missing: all records/);
    assert.deepEqual(await read(folder), [], 'it is reported once');
  });

  it('loses nothing by a cut or a flipped bit anywhere in one of its files', async () => {
    const folder = temporary();
    const values = [{ a: 1 }, 'two', [3]];
    await write(folder, values);
    for (let which = 0; which < 2; which++) {
      const size = statSync(filesOf(folder)[which]!).size;
      for (let at = 0; at < size; at++) {
        const file = filesOf(folder)[which]!;
        const whole = readFileSync(file);
        writeFileSync(file, whole.subarray(0, at));
        assert.deepEqual(await read(folder, (damage) => assert.equal(damage.isLost, false)), values, `cut at ${at}`);
        const flipped = Buffer.from(readFileSync(filesOf(folder)[which]!));
        flipped[at]! ^= 1 << (at % 8);
        writeFileSync(filesOf(folder)[which]!, flipped);
        const damage: RecordDamage[] = [];
        assert.deepEqual(await read(folder, (one) => damage.push(one)), values, `flip at ${at}`);
        assert.deepEqual(
          damage.map(({ isLost }) => isLost),
          [false],
          `flip at ${at} is reported`,
        );
      }
    }
  });

  it('reports what both files have lost, and keeps all else', async () => {
    const folder = temporary();
    await write(folder, ['one', 'two', 'three', 'four']);
    for (const file of filesOf(folder)) {
      const bytes = readFileSync(file);
      bytes[bytes.indexOf('"two"') + 1]! ^= 1;
      bytes[bytes.indexOf('"four"') + 1]! ^= 1;
      writeFileSync(file, bytes);
    }
    const damage: RecordDamage[] = [];
    assert.deepEqual(await read(folder, (one) => damage.push(one)), ['one', 'three']);
    assert.deepEqual(
      damage.map(({ isLost }) => isLost),
      [true],
    );
    assert.deepEqual(await read(folder), ['one', 'three'], 'reported once');
  });

  it('skips the unfinished write of a killed process without a report', async () => {
    const folder = temporary();
    await write(folder, ['one']);
    const [first] = filesOf(folder);
    appendFileSync(first!, '12345678 {"torn":');
    assert.deepEqual(await read(folder, ({ isLost }) => assert.equal(isLost, false)), ['one']);
    for (const file of filesOf(folder)) appendFileSync(file, '12345678 {"torn":');
    assert.deepEqual(await read(folder), ['one']);
  });

  it('replaces all records as one step, whichever file a crash left behind', async () => {
    const folder = temporary();
    await write(folder, ['old', 'older']);
    const before = filesOf(folder).map((file) => readFileSync(file));
    const lease = acquired(folder);
    const { log } = await RecordLog.open(lease, { folder, stem: 'log' }, never);
    await log.replace(['new']);
    await log.append('newer');
    await log.close();
    lease.release();
    assert.deepEqual(await read(folder), ['new', 'newer']);
    // The copy is replaced first: a crash in between leaves the old first file.
    writeFileSync(
      filesOf(folder).find((file) => !file.includes('copy'))!,
      before[1]!,
    );
    assert.deepEqual(await read(folder), ['old', 'older']);
  });

  it('reads the file of an earlier version of Sextant, and a log that another process writes', async () => {
    const folder = temporary();
    await write(folder, [{ kept: true }]);
    const [first] = filesOf(folder).filter((file) => !file.includes('copy'));
    copyFileSync(first!, join(folder, 'old.log'));
    assert.deepEqual(RecordLog.read({ folder, stem: 'old' }, never), [{ kept: true }]);
    assert.equal(RecordLog.read({ folder, stem: 'none' }, never), undefined);
  });

  it('neither acknowledges nor shows what an owner writes after it lost the lease', async () => {
    const folder = temporary();
    const place = { folder, stem: 'log' };
    const sleeper = acquired(folder);
    const { log } = await RecordLog.open(sleeper, place, never);
    await log.append('before');
    sleeper.release();
    const heir = acquired(folder);
    const { log: theirs, records } = await RecordLog.open(heir, place, never);
    assert.deepEqual(records, ['before']);
    await assert.rejects(log.append('late'), { code: 'LeaseLost' });
    await assert.rejects(log.replace(['late']), { code: 'LeaseLost' });
    await theirs.append('after');
    assert.deepEqual(RecordLog.read(place, never), ['before', 'after']);
    await log.close();
    await theirs.close();
    heir.release();
    assert.deepEqual(await read(folder), ['before', 'after']);
  });

  it('returns any values, whatever is appended and replaced', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.json().map((text) => JSON.parse(text) as unknown))), async (rounds) => {
        const folder = temporary();
        const lease = acquired(folder);
        const { log } = await RecordLog.open(lease, { folder, stem: 'log' }, never);
        for (const values of rounds) {
          await log.replace([]);
          await Promise.all(values.map((value) => log.append(value)));
        }
        await log.close();
        lease.release();
        assert.deepEqual(await read(folder), rounds.at(-1) ?? []);
      }),
      { numRuns: times(20) },
    ));

  it('reports a loss at the end of both files, and not what was never acknowledged', async () => {
    const folder = temporary();
    await write(folder, ['one', 'two']);
    for (const file of filesOf(folder)) {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.subarray(0, bytes.lastIndexOf(0x0a, bytes.length - 2) + 1));
    }
    const damage: RecordDamage[] = [];
    assert.deepEqual(await read(folder, (one) => damage.push(one)), ['one']);
    assert.deepEqual(
      damage.map(({ isLost }) => isLost),
      [true],
    );
    assert.deepEqual(await read(folder), ['one'], 'reported once');
  });
});
