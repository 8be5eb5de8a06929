import assert from 'node:assert/strict';
import { chmodSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { LogFile } from './logFile.ts';

describe('LogFile', () => {
  const folder = temporaryFolder();
  const now = (): Date => new Date(Date.UTC(2026, 10, 21, 19, 30));

  it('keeps lines of several writers, readable by the owner alone', () => {
    const state = folder();
    const [one, other] = [new LogFile(state, now), new LogFile(state, now)];
    one.write('info', 'first');
    other.write('warn', 'second\nof two lines');
    assert.deepEqual(LogFile.read(state, 10), [
      '2026-11-21T19:30:00.000Z info first',
      '2026-11-21T19:30:00.000Z warn second of two lines',
    ]);
    assert.deepEqual(LogFile.read(state, 1).length, 1);
    if (process.platform !== 'win32') assert.equal(statSync(join(state, 'log.txt')).mode & 0o777, 0o600);
  });

  it('keeps at most two files of limited size', () => {
    const state = folder();
    const log = new LogFile(state, now);
    const message = 'x'.repeat(10_000);
    for (let i = 0; i < 100; i++) log.write('info', `${i} ${message}`);
    assert.deepEqual(readdirSync(state).sort(), ['log.txt', 'log.txt.old']);
    for (const name of readdirSync(state)) assert.ok(readFileSync(join(state, name)).length < 270_000);
    assert.match(LogFile.read(state, 3)[0]!, /info 97 /);
  });

  it('loses only lines if it cannot be written or read', () => {
    const missing = join(folder(), 'nowhere');
    new LogFile(missing, now).write('error', 'lost');
    assert.deepEqual(LogFile.read(missing, 10), []);
    const state = folder();
    chmodSync(state, 0o500);
    new LogFile(state, now).write('error', 'perhaps lost');
    chmodSync(state, 0o700);
  });
});
