import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { attempt } from './attempt.ts';
import { request } from './undici.ts';

describe('an attempt', () => {
  const sockets: Socket[] = [];
  // It accepts connections and says nothing, so that those with TLS are never complete.
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  let url: string;
  before(async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  const begin = (timeoutMs: number, signal: AbortSignal): ReturnType<typeof attempt> =>
    attempt(url, { method: 'POST', headers: [], body: '{}', timeoutMs, signal });

  it('ends at its time limit, also while it connects', async () => {
    const outcome = await begin(50, new AbortController().signal);
    assert.deepEqual(outcome, { isDone: false, canRetry: true, error: 'no answer within 0.05 s' });
  });

  it('ends when it is cancelled, also while it connects', async () => {
    const controller = new AbortController();
    const connected = once(silent, 'connection');
    const cancelled = begin(60_000, controller.signal);
    await connected;
    controller.abort(new Error('cancelled by the test'));
    await assert.rejects(cancelled, /cancelled by the test/);
  });

  it('refuses a request that is cancelled before it begins', async () => {
    const signal = AbortSignal.abort(new Error('cancelled before'));
    await assert.rejects(request(url, { signal }), /cancelled before/);
  });
});
