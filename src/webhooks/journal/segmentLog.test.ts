import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { silentLogger } from '../../base/log.ts';
import { HEADER_BYTES, readFrame, scanFrames, writeFrame } from './frames.ts';
import { SegmentLog, type SegmentLogOptions, type Written } from './segmentLog.ts';

const HEAD = { time: 0, cameAt: 0, status: 0, webhook: 'w', key: 0, event: 0 };

interface Opened {
  readonly log: SegmentLog;
  readonly found: readonly Written[];
  readonly said: readonly string[];
}

function openLog(folder: string, options: Partial<SegmentLogOptions> = {}): Opened {
  const found: Written[] = [];
  const said: string[] = [];
  const log = SegmentLog.open({
    folder,
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

  it('are found again, whatever their payloads are', () => {
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

  it('inside the payload of a damaged one are not taken for real', () => {
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

  it('gives back what was appended, in order, over several segments, and numbers it', async () => {
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
    // Each segment but the last one has its heads beside it, and they say the same as the segment.
    for (const name of readdirSync(place)) if (name.endsWith('.heads')) rmSync(join(place, name));
    const third = openLog(place, { maxSegmentBytes: 500 });
    assert.deepEqual(await texts(third), [...many, 'more']);
    assert.deepEqual(third.found.slice(0, 60), written);
    await third.log.close();
  });

  it('knows after it was closed what a damaged record was of, and forgets that once it goes on', async () => {
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
    // Not closed, as where the process is killed.
    const killed = openLog(place);
    assert.deepEqual(await texts(killed), ['one', 'four']);
    await again.log.close();
    again = openLog(place);
    assert.deepEqual(await texts(again), ['one', 'damaged', 'damaged', 'four']);
    await again.log.close();
    await killed.log.close();
  });

  it('has after a cut at any byte what was whole, and goes on from there', async () => {
    const place = folder();
    const { log } = openLog(place);
    for (const text of ['one', 'two two', 'three']) await append(log, text);
    await log.close();
    const [name] = readdirSync(place);
    const whole = readFileSync(join(place, name!));
    const ends = [27, 58, 87];
    assert.equal(whole.length, ends[2]);
    for (let cut = 0; cut <= whole.length; cut++) {
      writeFileSync(join(place, name!), whole.subarray(0, cut));
      const opened = openLog(place);
      const left = ['one', 'two two', 'three'].slice(0, ends.filter((end) => end <= cut).length);
      assert.deepEqual(await texts(opened), left, `cut at ${cut}`);
      assert.deepEqual(opened.said, []);
      await append(opened.log, 'more');
      await opened.log.close();
      const again = openLog(place);
      assert.deepEqual(await texts(again), [...left, 'more']);
      await again.log.close();
    }
  });

  for (const sealed of [false, true]) {
    it(`loses no more than one record by any flipped byte, and says so (${sealed ? 'sealed' : 'open'} segment)`, async () => {
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
        assert.match(opened.said[0]!, /^The journal is damaged: segment-1-1-\w+\.log, bytes \d+ to \d+\. /);
        assert.equal(opened.log.damage.length, 1);
        await opened.log.verify();
        assert.equal(opened.log.damage.length, 1, 'no damage is told twice');
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

  it('reads a segment itself where what is written beside it is damaged', async () => {
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
      assert.deepEqual(readFileSync(name), whole);
      await opened.log.close();
    }
  });

  it('tells a segment that is gone, and how many records went with it', async () => {
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
    assert.deepEqual(opened.log.damage, [{ file: 'segment-2', from: 0, to: 0, records: 2 }]);
    await opened.log.close();
  });

  it('drops the oldest segments, and never uses a number again', async () => {
    const place = folder();
    const { log } = openLog(place);
    await append(log, 'one');
    log.dropOldest();
    assert.equal(log.segments.length, 1, 'what is written to stays');
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

  it('tells a disk that cannot be read from a whole one', async () => {
    const place = folder();
    const opened = openLog(place);
    const written = await append(opened.log, 'one');
    truncateSync(join(place, readdirSync(place)[0]!), 20);
    await assert.rejects(opened.log.read(written), { code: 'JournalDamaged' });
    assert.equal(opened.said.length, 1);
    await opened.log.close();
  });

  it('answers each with its own record and in order, whenever they come', async () => {
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
      { numRuns: 30 },
    );
  });

  it('answers for what is on the disk also where the next cannot be written', async () => {
    const where = folder();
    const { log } = openLog(where, { maxSegmentBytes: 100 });
    await append(log, 'one');
    const second = append(log, 'two');
    // It is on its way to the disk by then; the next needs a file of its own.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
    const third = assert.rejects(append(log, 'three'.repeat(20)));
    rmSync(where, { recursive: true });
    assert.equal((await second).number, 2);
    await third;
    await log.close();
  });
});
