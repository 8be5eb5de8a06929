import assert from 'node:assert/strict';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { AccessLog } from './accessLog.ts';

describe('the access log', () => {
  const folder = temporaryFolder();

  it('goes on once the disk has room again, and reports only that it had none', async function () {
    if (process.platform !== 'linux') return this.skip();
    const file = join(folder(), 'access.log');
    symlinkSync('/dev/full', file);
    const reported: string[] = [];
    const note = (message: string): void => void reported.push(message);
    const log = new AccessLog(file, { debug: note, info: note, warn: note, error: note });
    const add = (path: string): void =>
      log.add({
        at: 0,
        method: 'GET',
        path,
        query: '',
        rawHeaders: [],
        durationMs: 1,
        caller: 'ci',
        status: 200,
        warnings: [],
      });
    add('/lost');
    await until('the error is reported', () => reported.length > 0);
    add('/lost-too');
    rmSync(file);
    const lines = (): string[] => {
      try {
        return readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '');
      } catch {
        return [];
      }
    };
    await until('the log goes on', () => {
      add('/kept');
      return lines().length > 0;
    });
    await log.close();
    assert.deepEqual([...new Set(lines().map((line) => (JSON.parse(line) as { path: string }).path))], ['/kept']);
    assert.equal(reported.length, 1, reported.join('\n'));
    assert.match(reported[0]!, /no space left on device.*Requests are not recorded until it can\.$/);
  });
});
