import assert from 'node:assert/strict';
import { takeOver } from '../../../test/support/lease.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/log.ts';
import { RefusalLog } from './refusalLog.ts';

describe('the log of refusals', () => {
  const folder = temporaryFolder();

  it('counts the refusals of each webhook and keeps the last over a restart', async () => {
    const place = folder();
    let log = new RefusalLog(takeOver(place), place, systemClock, silentLogger);
    const add = (webhook: string, reason: string): void => log.add({ webhook, status: 401, code: 'X', reason });
    add('a', '1');
    add('b', '2');
    add('a', '3');
    add('c', '4');
    for (let i = 0; i < 2; i++) {
      const all = await log.latest(3);
      assert.deepEqual(
        all.map(({ reason }) => reason),
        ['4', '3', '2'],
      );
      const ofA = await log.latest(10_000, (webhook) => webhook === 'a');
      assert.deepEqual(
        ofA.map(({ reason }) => reason),
        ['3', '1'],
      );
      const groups = await log.summary((webhook) => (webhook === 'a' ? 'a' : 'others'));
      assert.deepEqual(
        groups.map(({ group, count, last }) => [group, count, last.reason]),
        [
          ['a', 2, '3'],
          ['others', 2, '4'],
        ],
      );
      await log.close();
      log = new RefusalLog(takeOver(place), place, systemClock, silentLogger);
    }
    await log.close();
  });
});
