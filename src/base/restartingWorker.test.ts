import assert from 'node:assert/strict';
import type { EchoMethods } from '../../test/support/echoWorker.ts';
import { until } from '../../test/support/until.ts';
import { silentLogger } from './log.ts';
import { RestartingWorker } from './restartingWorker.ts';

describe('a worker that restarts', () => {
  const open = (longMs?: number): RestartingWorker<EchoMethods, object> =>
    new RestartingWorker(new URL('../../test/support/echoWorker.ts', import.meta.url), silentLogger, {
      restarts: 2,
      ...(longMs !== undefined && { longMs }),
    });

  async function kill(worker: RestartingWorker<EchoMethods, object>): Promise<void> {
    const caller = worker.caller();
    await assert.rejects(caller.call('exit', 1), { code: 'ThreadDied' });
    await until('it has ended', () => !worker.isStarted || worker.caller() !== caller);
  }

  it('gives up after several deaths, and reports the last', async () => {
    const worker = open();
    for (let death = 1; death <= 3; death++) await kill(worker);
    assert.throws(() => worker.caller(), { code: 'ThreadDied', message: /It stopped too often/ });
    await worker.stop();
  });

  it('is started again for ever if it lives long each time', async () => {
    const worker = open(0);
    for (let death = 1; death <= 5; death++) await kill(worker);
    assert.equal(await worker.caller().call('echo', 'alive'), 'alive');
    await worker.stop();
    assert.throws(() => worker.caller(), { code: 'Stopped' });
  });
});
