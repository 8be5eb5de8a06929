import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { takeOver } from '../../../test/support/lease.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { SextantError } from '../../base/errors.ts';
import { silentLogger } from '../../base/log.ts';
import { HEADER_BYTES, readFrame, scanFrames, writeFrame } from './frames.ts';
import { SegmentLog, type SegmentLogOptions, type Written } from './segmentLog.ts';

const HEAD = { time: 0, cameAt: 0, status: 0, webhook: 'w', key: 0, event: 0, bodyBytes: 0 };

interface Opened {
  readonly log: SegmentLog;
  readonly found: readonly Written[];
  readonly said: readonly string[];
}

const leases = temporaryFolder();
const leaseFolders = new Map<string, string>();

/** Opens the log as an heir of the process that had it before. */
function openLog(folder: string, options: Partial<SegmentLogOptions> = {}): Opened {
  const leaseFolder = leaseFolders.get(folder) ?? leases();
  leaseFolders.set(folder, leaseFolder);
  const found: Written[] = [];
  const said: string[] = [];
  const log = new SegmentLog({
    folder,
    fence: options.fence ?? takeOver(leaseFolder),
    maxSegmentBytes: 1 << 20,
    logger: { ...silentLogger, error: (message) => void said.push(message) },
    headOf: (_kind, payload) => ({ ...HEAD, time: payload.length }),
    onFrame: (frame) => void found.push(frame),
    ...options,
  });
  return { log, found, said };
}

async function texts({ log, found }: Opened): Promise<string[]> {
  const payloads = await Promise.all(found.map((frame) => log.read(frame).catch(() => Buffer.from('damaged'))));
  return payloads.map((payload) => payload.toString());
}

function append(log: SegmentLog, text: string): Promise<Written> {
  return log.append(1, { ...HEAD, time: text.length }, [Buffer.from(text.slice(0, 3)), Buffer.from(text.slice(3))]);
}

describe('frames', () => {
  const salt = { header: 17, payload: 23 };

  function framed(payloads: readonly Uint8Array[]): Buffer {
    const bytes = Buffer.alloc(payloads.reduce((sum, { length }) => sum + HEADER_BYTES + length, 0));
    let at = 0;
    payloads.forEach((payload, i) => (at = writeFrame(bytes, at, { kind: 1, number: i + 1 }, [payload], salt)));
    return bytes;
  }

  it('are found again with any payload', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), (payloads) => {
        const { frames, damage, end } = scanFrames(framed(payloads), salt);
        assert.deepEqual([damage, end], [[], framed(payloads).length]);
        assert.deepEqual(
          frames.map(({ number, length }) => [number, length]),
          payloads.map(({ length }, i) => [i + 1, length]),
        );
      }),
    );
  });

  it('inside the payload of a damaged frame are ignored', () => {
    const forged = framed([Buffer.from('forged')]);
    const [stranger] = [Buffer.alloc(30)];
    writeFrame(stranger, 0, { kind: 1, number: 9 }, [Buffer.from('forged')], { header: 1, payload: 1 });
    const bytes = framed([stranger, Buffer.from('real')]);
    bytes[3]! ^= 1;
    const { frames, damage } = scanFrames(bytes, salt);
    assert.deepEqual(
      frames.map(({ number }) => number),
      [2],
    );
    assert.deepEqual(damage, [{ from: 0, to: HEADER_BYTES + 30 }]);
    assert.equal(typeof readFrame(forged, 0, salt), 'object');
  });
});

describe('a segment log', () => {
  const folder = temporaryFolder();

  it('returns appended records with numbers, in order, over several segments', async () => {
    const place = folder();
    const first = openLog(place, { maxSegmentBytes: 500 });
    const many = Array.from({ length: 60 }, (_, i) => `record ${i} ${'x'.repeat(i)}`);
    const written = await Promise.all(many.slice(0, 30).map((text) => append(first.log, text)));
    for (const text of many.slice(30)) written.push(await append(first.log, text));
    assert.deepEqual(
      written.map(({ number }) => number),
      many.map((_, i) => i + 1),
    );
    await first.log.close();
    await assert.rejects(append(first.log, 'late'), { code: 'JournalClosed' });

    const second = openLog(place, { maxSegmentBytes: 500 });
    assert.deepEqual(await texts(second), many);
    assert.deepEqual(second.found, written);
    assert.ok(second.log.segments.length > 5);
    assert.equal((await append(second.log, 'more')).number, 61);
    await second.log.close();
    // Each segment but the last has a heads file, with the heads that a scan finds.
    for (const name of readdirSync(place)) if (name.endsWith('.heads')) rmSync(join(place, name));
    const third = openLog(place, { maxSegmentBytes: 500 });
    assert.deepEqual(await texts(third), [...many, 'more']);
    assert.deepEqual(third.found.slice(0, 60), written);
    await third.log.close();
  });

  it('keeps the heads of damaged records after it was closed', async () => {
    const place = folder();
    const first = openLog(place);
    const written = [await append(first.log, 'one'), await append(first.log, 'two'), await append(first.log, 'three')];
    await first.log.close();
    const file = join(
      place,
      readdirSync(place).find((name) => name.endsWith('.log'))!,
    );
    const flip = (text: string): void => {
      const bytes = readFileSync(file);
      bytes[bytes.indexOf(text)]! ^= 1;
      writeFileSync(file, bytes);
    };
    flip('two');
    flip('three');
    let again = openLog(place);
    assert.equal(again.log.damage.length, 1);
    assert.deepEqual(again.found, written);
    assert.deepEqual(await texts(again), ['one', 'damaged', 'damaged']);
    assert.equal((await append(again.log, 'four')).number, 4);
    const killed = again.log;
    again = openLog(place);
    await killed.close();
    assert.deepEqual(await texts(again), ['one', 'damaged', 'damaged', 'four']);
    await again.log.close();
  });

  /** Writes three records in a process that is then closed or killed. */
  async function written(isClosed: boolean): Promise<{ place: string; name: string; whole: Buffer }> {
    const place = folder();
    const { log } = openLog(place);
    for (const text of ['one', 'two two', 'three']) await append(log, text);
    // A takeover stops all writes, as a kill does.
    if (!isClosed) takeOver(leaseFolders.get(place)!);
    await log.close();
    const name = readdirSync(place).find((one) => one.endsWith('.log'))!;
    const whole = readFileSync(join(place, name));
    assert.equal(whole.length, 87);
    return { place, name, whole };
  }
  const ENDS = [27, 58, 87];

  function copied(place: string): string {
    const copy = join(folder(), 'copy');
    mkdirSync(copy);
    for (const file of readdirSync(place)) copyFileSync(join(place, file), join(copy, file));
    return copy;
  }

  for (const isClosed of [false, true]) {
    for (const isZeroed of [false, true]) {
      it(`reports acknowledged records that are missing after its end was ${isZeroed ? 'zeroed' : 'cut'} (${isClosed ? 'closed' : 'killed'})`, async () => {
        const { place, name, whole } = await written(isClosed);
        for (const at of [0, 1, 20, 26, 27, 28, 50, 57, 58, 59, 75, 85, 86]) {
          const copy = copied(place);
          const rest = Buffer.alloc(isZeroed ? whole.length - at : 0);
          writeFileSync(join(copy, name), Buffer.concat([whole.subarray(0, at), rest]));
          const opened = openLog(copy);
          const left = ['one', 'two two', 'three'].slice(0, ENDS.filter((end) => end <= at).length);
          assert.deepEqual(
            (await texts(opened)).filter((text) => text !== 'damaged'),
            left,
            `at ${at}`,
          );
          const lost = 3 - left.length;
          assert.equal(opened.said.length, 1, opened.said.join());
          const are = lost === 1 ? '1 record is' : `${lost} records are`;
          assert.ok(opened.said[0]!.includes(`${name}, bytes ${[0, ...ENDS][left.length]} to 87. ${are} lost`));
          assert.match(opened.said[0]!, /Restore the file from a backup, or have the deliveries sent again\.$/);
          assert.equal((await append(opened.log, 'more')).number, 4);
          await opened.log.close();
          const again = openLog(copy);
          assert.deepEqual(
            (await texts(again)).filter((text) => text !== 'damaged'),
            [...left, 'more'],
          );
          if (!isClosed) assert.deepEqual(again.said, [], 'the loss is not reported again');
          await again.log.close();
        }
      });
    }

    it(`reports its last segment where that is missing (${isClosed ? 'closed' : 'killed'})`, async () => {
      const { place, name } = await written(isClosed);
      rmSync(join(place, name));
      const opened = openLog(place);
      assert.deepEqual(opened.log.damage, [{ file: join(place, 'segment-1'), from: 0, to: 87, records: 3 }]);
      assert.equal((await append(opened.log, 'more')).number, 4);
      await opened.log.close();
      const again = openLog(place);
      assert.deepEqual([await texts(again), again.said], [['more'], []]);
      await again.log.close();
    });
  }

  it('ignores any part of an unfinished frame', async () => {
    const { place, name, whole } = await written(false);
    const next = Buffer.from(whole.subarray(58));
    for (const length of [1, 4, 23, 24, 25, next.length - 1])
      for (const rest of [next.subarray(0, length), Buffer.alloc(length)]) {
        const copy = copied(place);
        writeFileSync(join(copy, name), Buffer.concat([whole, rest]));
        const opened = openLog(copy);
        assert.deepEqual([await texts(opened), opened.said], [['one', 'two two', 'three'], []]);
        assert.equal((await append(opened.log, 'four')).number, 4);
        await opened.log.close();
        assert.equal(readFileSync(join(copy, name)).length, whole.length + length, 'the file is unchanged');
      }
  });

  it('of an earlier version keeps whole records after a cut at any byte', async () => {
    const { name, whole } = await written(false);
    for (let cut = 0; cut <= whole.length; cut += 3) {
      const copy = join(folder(), 'copy');
      mkdirSync(copy);
      writeFileSync(join(copy, name.replace(/\.\d+\.log$/, '.log')), whole.subarray(0, cut));
      const opened = openLog(copy);
      const left = ['one', 'two two', 'three'].slice(0, ENDS.filter((end) => end <= cut).length);
      assert.deepEqual([await texts(opened), opened.said], [left, []], `cut at ${cut}`);
      await append(opened.log, 'more');
      await opened.log.close();
      const again = openLog(copy);
      assert.deepEqual([await texts(again), again.said], [[...left, 'more'], []]);
      await again.log.close();
    }
  });

  it('loses nothing by a damaged mark, and reports that its end is unknown', async () => {
    const { place } = await written(false);
    const mark = readdirSync(place).find((one) => one.endsWith('.mark'))!;
    const whole = readFileSync(join(place, mark));
    for (let at = 0; at < whole.length; at += 3) {
      const copy = copied(place);
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1 << (at & 7);
      writeFileSync(join(copy, mark), bytes);
      const opened = openLog(copy);
      assert.deepEqual(await texts(opened), ['one', 'two two', 'three']);
      assert.deepEqual(opened.said, [
        `The journal is damaged: ${join(copy, mark)}, which notes its end, is missing or unreadable. Its newest records may ` +
          'be lost; all others are whole. Restore the file from a backup, or have the deliveries sent again.',
      ]);
      await opened.log.close();
    }
  });

  for (const isClosed of [false, true])
    it(`reports a possible loss where the mark is missing or zeroed and the end is cut (${isClosed ? 'closed' : 'killed'})`, async () => {
      const { place, name, whole } = await written(isClosed);
      const mark = readdirSync(place).find((one) => one.endsWith('.mark'))!;
      for (const bytes of [undefined, Buffer.alloc(0), Buffer.alloc(28)])
        for (const end of ENDS) {
          const copy = copied(place);
          writeFileSync(join(copy, name), whole.subarray(0, end));
          if (bytes) writeFileSync(join(copy, mark), bytes);
          else rmSync(join(copy, mark));
          const opened = openLog(copy);
          assert.ok(opened.said[0]?.includes('Its newest records may be lost'), `cut at ${end}`);
          const { number } = await append(opened.log, 'more');
          assert.ok(number > 3, 'no number is given twice');
          await opened.log.close();
          const again = openLog(copy);
          assert.equal((await append(again.log, 'still more')).number, number + 1);
          if (!isClosed) assert.deepEqual(again.said, [], 'the loss is reported once');
          await again.log.close();
        }
    });

  it('ignores an unfinished mark of a process that wrote no segment', async () => {
    const { place } = await written(false);
    writeFileSync(join(place, 'acknowledged.7.mark'), '');
    const opened = openLog(place);
    assert.deepEqual([await texts(opened), opened.said], [['one', 'two two', 'three'], []]);
    await opened.log.close();
  });

  for (const sealed of [false, true]) {
    it(`loses no more than one record by any flipped byte, and reports it (${sealed ? 'sealed' : 'open'} segment)`, async () => {
      const place = folder();
      const { log } = openLog(place);
      const all = ['one', 'two two', 'three'];
      for (const text of all) await append(log, text);
      if (sealed) await log.roll();
      await log.close();
      const name = readdirSync(place).find((one) => one.startsWith('segment-1-') && one.endsWith('.log'))!;
      const whole = readFileSync(join(place, name));
      for (let at = 0; at < whole.length; at++) {
        const copy = join(folder(), 'copy');
        mkdirSync(copy);
        for (const file of readdirSync(place)) copyFileSync(join(place, file), join(copy, file));
        const flipped = Buffer.from(whole);
        flipped[at]! ^= 1 << (at & 7);
        writeFileSync(join(copy, name), flipped);

        const opened = openLog(copy);
        await append(opened.log, 'more');
        const left = (await texts(opened)).filter((text) => text !== 'damaged');
        assert.equal(left.length, 2, `byte ${at}`);
        assert.ok(left.every((text) => all.includes(text)));
        assert.equal(opened.said.length, 1);
        assert.match(
          opened.said[0]!,
          /^The journal is damaged: (?:\/|[A-Z]:).*segment-1-1-\w+\.\d+\.log, bytes \d+ to \d+\. /,
        );
        assert.equal(opened.log.damage.length, 1);
        await opened.log.verify();
        assert.equal(opened.log.damage.length, 1, 'no damage is reported twice');
        await opened.log.close();

        const again = openLog(copy);
        assert.deepEqual(
          (await texts(again)).filter((text) => text !== 'damaged'),
          [...left, 'more'],
        );
        assert.ok(again.found.every(({ number }, i) => i === 0 || number > again.found[i - 1]!.number));
        await again.log.close();
      }
    });
  }

  it('reads a segment if its heads file is damaged', async () => {
    const place = folder();
    const { log } = openLog(place);
    for (const text of ['one', 'two']) await append(log, text);
    await log.roll();
    await log.close();
    const name = join(
      place,
      readdirSync(place).find((one) => one.endsWith('.heads'))!,
    );
    const whole = readFileSync(name);
    for (let at = 0; at < whole.length; at += 7) {
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 4;
      writeFileSync(name, flipped);
      const opened = openLog(place);
      assert.deepEqual(await texts(opened), ['one', 'two'], `byte ${at}`);
      assert.deepEqual(opened.said, []);
      await opened.log.close();
      for (const one of readdirSync(place)) if (one.endsWith('.heads')) rmSync(join(place, one));
    }
  });

  it('reports a missing segment, and the number of its records', async () => {
    const place = folder();
    const { log } = openLog(place);
    for (const text of ['one', 'two', 'three', 'four']) {
      await append(log, text);
      if (text !== 'two') await log.roll();
    }
    await log.close();
    for (const name of readdirSync(place)) if (name.startsWith('segment-2-')) rmSync(join(place, name));
    const opened = openLog(place);
    assert.deepEqual(await texts(opened), ['one', 'four']);
    assert.deepEqual(opened.log.damage, [{ file: join(place, 'segment-2'), from: 0, to: 0, records: 2 }]);
    await opened.log.close();
  });

  it('drops the oldest segments, and never uses a number again', async () => {
    const place = folder();
    const { log } = openLog(place);
    await append(log, 'one');
    log.dropOldest();
    assert.equal(log.segments.length, 1, 'the current segment stays');
    await log.roll();
    await log.roll();
    log.dropOldest();
    assert.deepEqual(log.segments, [{ segment: 2, bytes: 0 }]);
    await log.close();
    const opened = openLog(place);
    assert.deepEqual(await texts(opened), []);
    assert.equal((await append(opened.log, 'two')).number, 2);
    await opened.log.close();
  });

  it('reports a disk that cannot be read as damage', async () => {
    const place = folder();
    const opened = openLog(place);
    const written = await append(opened.log, 'one');
    truncateSync(
      join(
        place,
        readdirSync(place).find((name) => name.endsWith('.log'))!,
      ),
      20,
    );
    await assert.rejects(opened.log.read(written), { code: 'JournalDamaged' });
    assert.equal(opened.said.length, 1);
    await opened.log.close();
  });

  it('answers each append with its record, in order', async () => {
    const pause = fc.integer({ min: 0, max: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), pause), { maxLength: 12 }), async (bursts) => {
        const { log } = openLog(folder(), { maxSegmentBytes: 400 });
        const answered: number[] = [];
        const all: Promise<void>[] = [];
        let count = 0;
        for (const [size, turns] of bursts) {
          for (let i = 0; i < size; i++) {
            const text = `record ${count++}`;
            const done = append(log, text).then(async (written) => {
              answered.push(written.number);
              assert.equal((await log.read(written)).toString(), text);
            });
            all.push(done);
          }
          for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(all);
        await log.close();
        assert.deepEqual(
          answered,
          Array.from({ length: count }, (_, i) => i + 1),
        );
      }),
      { numRuns: times(30) },
    );
  });

  it('acknowledges durable records even if the next write fails', async function () {
    // The folder of an open file cannot be removed there.
    if (process.platform === 'win32') this.skip();
    const where = folder();
    const { log } = openLog(where, { maxSegmentBytes: 100 });
    await append(log, 'one');
    const second = append(log, 'two');
    // The first record is being written by then; the next needs a new file.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
    const third = assert.rejects(append(log, 'three'.repeat(20)));
    rmSync(where, { recursive: true });
    assert.equal((await second).number, 2);
    await third;
    await log.close();
  });

  /** Opens a log whose process sleeps through a takeover, right after its lease check passed. */
  function sleeper(place: string, options: Partial<SegmentLogOptions> = {}) {
    const leaseFolder = leases();
    leaseFolders.set(place, leaseFolder);
    const lease = takeOver(leaseFolder);
    let checks = Infinity;
    const heirs: Opened[] = [];
    const check = (): void => {
      lease.check();
      if (--checks === 0) heirs.push(openLog(place));
    };
    const fence = { number: lease.number, lost: lease.lost, check };
    /** Counts lease checks from when the log is idle. */
    const sleepAfter = async (passed: number): Promise<void> => {
      for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
      checks = passed;
    };
    return { ...openLog(place, { ...options, fence }), sleepAfter, heir: () => heirs[0]! };
  }

  for (const isOpen of [true, false])
    it(`of a process that lost its lease takes nothing, and its late writes are ignored (${isOpen ? 'open' : 'new'} segment)`, async () => {
      const place = folder();
      const { log, sleepAfter, heir } = sleeper(place, { maxSegmentBytes: isOpen ? 1000 : 30 });
      await append(log, 'one');
      await sleepAfter(1);
      await assert.rejects(Promise.all([append(log, 'late'), append(log, 'later')]), { code: 'LeaseLost' });
      assert.deepEqual(await texts(heir()), ['one']);
      const [before] = heir().found;
      assert.equal((await append(heir().log, 'two')).number, 2);
      await assert.rejects(append(log, 'too late'), { code: 'LeaseLost' });
      assert.equal(log.dropOldest(), false);
      await log.close();
      assert.equal((await append(heir().log, 'three')).number, 3);
      assert.equal((await heir().log.read(before!)).toString(), 'one', 'records that the heir read stay in place');
      assert.deepEqual([await heir().log.verify(), heir().said], [[], []]);
      for (let start = 0; start < 3; start++) {
        const opened = openLog(place);
        assert.deepEqual([await texts(opened), opened.said], [['one', 'two', 'three'], []]);
        assert.equal(new Set(opened.log.segments.map(({ segment }) => segment)).size, opened.log.segments.length);
        await opened.log.close();
      }
      await heir().log.close();
    });

  it('of an heir has records acknowledged just before the lease was lost', async () => {
    const place = folder();
    const { log, sleepAfter, heir } = sleeper(place);
    await append(log, 'one');
    await sleepAfter(2);
    await append(log, 'two');
    assert.deepEqual(await texts(heir()), ['one', 'two']);
    await log.close();
    await append(heir().log, 'three');
    await heir().log.close();
    const again = openLog(place);
    assert.deepEqual(await texts(again), ['one', 'two', 'three']);
    await again.log.close();
  });

  it('ignores a segment or a heads file that a process wrote after it lost its lease', async () => {
    const place = folder();
    const first = openLog(place);
    await append(first.log, 'one');
    const late = copied(place);
    const second = openLog(place);
    await append(second.log, 'two');
    await append(second.log, 'three');
    // The first process goes on in a copy, and its files then appear beside those of its heir.
    const elsewhere = openLog(late, {
      fence: { number: 1, lost: new AbortController().signal, check: () => undefined },
    });
    for (const text of ['x', 'y', 'z']) await append(elsewhere.log, text);
    await elsewhere.log.close();
    for (const file of readdirSync(late)) copyFileSync(join(late, file), join(place, file));
    const opened = openLog(place);
    for (const { log } of [first, second]) await log.close();
    assert.deepEqual([await texts(opened), opened.said], [['one', 'two', 'three'], []]);
    await append(opened.log, 'more');
    await opened.log.close();
    const again = openLog(place);
    assert.deepEqual([await texts(again), again.said], [['one', 'two', 'three', 'more'], []]);
    await again.log.close();
  });

  it('opens on a full or read-only disk, and takes records once there is room', async () => {
    const place = folder();
    const first = openLog(place);
    await append(first.log, 'one');
    let isFull = true;
    const lease = takeOver(leaseFolders.get(place)!);
    const check = (): void => {
      if (isFull) throw new SextantError('DiskFull', 'There is no space left.');
      lease.check();
    };
    const before = readdirSync(place);
    const opened = openLog(place, { fence: { number: lease.number, lost: lease.lost, check } });
    assert.deepEqual(await texts(opened), ['one']);
    await assert.rejects(append(opened.log, 'two'), { code: 'DiskFull' });
    assert.deepEqual(readdirSync(place), before);
    isFull = false;
    assert.equal((await append(opened.log, 'two')).number, 2);
    for (const { log } of [first, opened]) await log.close();
  });

  it('refuses the payload of a frame that was not requested', async () => {
    const { log } = openLog(folder());
    const [one, two] = [await append(log, 'one'), await append(log, 'two')];
    for (const wrong of [
      { ...one, number: two.number },
      { ...one, length: 2 },
      { ...one, length: 4 },
    ])
      await assert.rejects(log.read(wrong), { code: 'JournalDamaged' });
    assert.equal((await log.read(one)).toString(), 'one');
    await log.close();
  });
});
