import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { EchoMethods } from '../../test/support/echoWorker.ts';
import { isAlive } from '../../test/support/isAlive.ts';
import { until } from '../../test/support/until.ts';
import { silentLogger } from './log.ts';
import { RpcCaller } from './rpc.ts';
import { startProcess, startThread, type RunningWorker } from './worker.ts';

const ENTRY = new URL('../../test/support/echoWorker.ts', import.meta.url);

describe('a worker', () => {
  const running: RunningWorker[] = [];

  afterEach(async () => {
    for (const worker of running.splice(0)) await worker.end();
  });

  for (const start of [startThread, startProcess]) {
    const open = (entry = ENTRY): { worker: RunningWorker; caller: RpcCaller<EchoMethods, object> } => {
      const worker = start(entry, silentLogger);
      running.push(worker);
      return { worker, caller: new RpcCaller(worker.channel) };
    };

    describe(start === startThread ? 'in a thread' : 'in a process', () => {
      it('gets and returns what structured clone carries', async () => {
        const value = new Map<string, unknown>([
          ['bytes', new Uint8Array([1, 2, 255])],
          ['nothing', undefined],
          ['set', new Set([1.5, -0, 2n])],
        ]);
        assert.deepEqual(await open().caller.call('echo', value), value);
      });

      it('runs in this process only as a thread', async () => {
        assert.equal((await open().caller.call('pid', undefined)) === process.pid, start === startThread);
      });

      it('reports that it has ended, by itself or on request', async () => {
        const { worker, caller } = open();
        void caller.call('exit', 3).catch(() => undefined);
        assert.match(await worker.ended, start === startThread ? /^it ended$/ : /^it ended with code 3$/);
        await worker.end();
        const other = open();
        await other.caller.call('echo', 1);
        await other.worker.end();
        await other.worker.ended;
        // A message to it is lost without an error.
        other.worker.channel.send({});
      });

      it('reports that its entry is missing', async () => {
        const reason = await open(new URL('./noSuchModule.ts', ENTRY)).worker.ended;
        assert.match(
          reason,
          start === startThread ? /^A file of the program is missing: .*start it again/ : /^it ended/,
        );
      });
    });
  }

  it('in a process outlives Ctrl-C, which is meant for its parent, and ends when that is killed', async function () {
    // Windows has no signal for a single process.
    if (process.platform === 'win32') this.skip();
    const code = `
      import { silentLogger } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
      import { RpcCaller } from ${JSON.stringify(new URL('./rpc.ts', import.meta.url).href)};
      import { startProcess } from ${JSON.stringify(new URL('./worker.ts', import.meta.url).href)};
      const caller = new RpcCaller(startProcess(new URL(${JSON.stringify(ENTRY.href)}), silentLogger).channel);
      process.on('SIGUSR2', async () => console.log(await caller.call('echo', 'still there')));
      console.log(await caller.call('pid'));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = async (): Promise<string> => String(((await once(parent.stdout, 'data')) as [Buffer])[0]).trim();
    const pid = Number(await line());
    process.kill(pid, 'SIGINT');
    parent.kill('SIGUSR2');
    assert.equal(await line(), 'still there');
    parent.kill('SIGKILL');
    await until('it has ended', () => !isAlive(pid));
  });
});
