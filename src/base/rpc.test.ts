import assert from 'node:assert/strict';
import { MessageChannel } from 'node:worker_threads';
import { SextantError } from './errors.ts';
import { RpcCaller, serve } from './rpc.ts';
import { workerChannel } from './worker.ts';

interface Methods {
  double(value: number): number;
  fail(code: string): never;
  wait(nothing: undefined): string;
  countTo(last: number): number;
}
interface Events {
  readonly tick: number;
}

describe('rpc', () => {
  function connect(): { caller: RpcCaller<Methods, Events>; emit: (value: number) => void; aborted: Promise<void> } {
    const { port1, port2 } = new MessageChannel();
    after(() => {
      port1.close();
    });
    let onAbort = (): void => undefined;
    const aborted = new Promise<void>((resolve) => (onAbort = resolve));
    const emit = serve<Methods, Events>(workerChannel(port1), {
      double: (value) => value * 2,
      fail(code) {
        throw new SextantError(code, 'It failed.', { cause: new Error('the reason') });
      },
      wait: (_nothing, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            onAbort();
            resolve('given up');
          }),
        ),
      countTo: (last, _signal, report) => {
        for (let i = 1; i < last; i++) report(i);
        return last;
      },
    });
    return { caller: new RpcCaller(workerChannel(port2)), emit: (value) => emit('tick', value), aborted };
  }

  it('answers', async () => {
    const { caller } = connect();
    assert.deepEqual(await Promise.all([caller.call('double', 4), caller.call('double', 5)]), [8, 10]);
  });

  it('carries an error with its code and its cause', async () => {
    const { caller } = connect();
    await assert.rejects(caller.call('fail', 'TooBad'), { code: 'TooBad', message: 'It failed. (the reason)' });
  });

  it('answers an unknown method with an error, even one that every object has', async () => {
    const { caller } = connect();
    const anything = caller as unknown as RpcCaller<{ toString(argument: null): string }, Events>;
    await assert.rejects(anything.call('toString', null), { code: 'UnknownMethod' });
  });

  it('cancels on both sides', async () => {
    const { caller, aborted } = connect();
    const controller = new AbortController();
    const call = caller.call('wait', undefined, controller.signal);
    controller.abort();
    await assert.rejects(call, { code: 'Cancelled' });
    await aborted;
  });

  it('delivers the parts of a result before it, to its own caller', async () => {
    const { caller } = connect();
    const parts: number[][] = [[], []];
    const calls = parts.map((own, i) => caller.call('countTo', 3 + i, undefined, (part) => own.push(part)));
    assert.deepEqual(await Promise.all([...calls, caller.call('countTo', 2)]), [3, 4, 2]);
    assert.deepEqual(parts, [
      [1, 2],
      [1, 2, 3],
    ]);
  });

  it('delivers events', async () => {
    const { caller, emit } = connect();
    const seen = new Promise((resolve) => caller.on('tick', resolve));
    emit(3);
    assert.equal(await seen, 3);
  });

  it('fails pending calls when the other end is closed', async () => {
    const { caller } = connect();
    const call = caller.call('wait', undefined);
    caller.close(new SextantError('ThreadDied', 'gone'));
    await assert.rejects(call, { code: 'ThreadDied' });
    await assert.rejects(caller.call('double', 1), { code: 'ThreadDied' });
  });
});
