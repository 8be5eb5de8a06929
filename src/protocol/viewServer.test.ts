import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { RpcCaller } from '../base/rpc.ts';
import { pageChannel } from './pageChannel.ts';
import type { ViewContract } from './viewContract.ts';
import { ViewServer } from './viewServer.ts';

interface Methods {
  ready(nothing: undefined): string;
  half(request: { readonly of: number }): number;
  wait(nothing: undefined): string;
}
interface Events {
  readonly tick: number;
}

const contract: ViewContract<Methods, Events> = {
  name: 'test',
  requests: { ready: z.undefined(), half: z.strictObject({ of: z.number() }), wait: z.undefined() },
};

/** One panel and any number of pages in it. Messages pass as JSON, as between the editor's processes. */
class Panel {
  readonly invalid: string[] = [];
  readonly aborted: string[] = [];
  #hear: (raw: unknown) => void = () => undefined;
  #release: (() => void)[] = [];
  readonly server = new ViewServer<Methods, Events>(
    contract,
    {
      ready: () => 'shown',
      half: ({ of }) => of / 2,
      wait: (_nothing, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => this.aborted.push('wait'));
          this.#release.push(() => resolve('done'));
        }),
    },
    (message) => this.#hear(JSON.parse(JSON.stringify(message))),
    (problem) => this.invalid.push(problem),
  );

  load(name: string): RpcCaller<Methods, Events> {
    const channel = pageChannel(
      name,
      (message) => this.server.receive(JSON.parse(JSON.stringify(message))),
      (receive) => (this.#hear = receive),
    );
    return new RpcCaller(channel);
  }

  /** Answers all waiting requests. */
  release(): void {
    for (const answer of this.#release.splice(0)) answer();
  }
}

describe('ViewServer', () => {
  it('answers a page, and sends events to it', async () => {
    const panel = new Panel();
    const page = panel.load('a');
    const ticks: number[] = [];
    page.on('tick', (value) => ticks.push(value));
    panel.server.emit('tick', 1); // no page listens yet
    assert.equal(await page.call('ready', undefined), 'shown');
    panel.server.emit('tick', 2);
    assert.equal(await page.call('half', { of: 8 }), 4);
    assert.deepEqual(ticks, [2]);
  });

  it('refuses an invalid argument, and names the problem in it', async () => {
    const page = new Panel().load('a');
    const half = (argument: unknown): Promise<number> => page.call('half', argument as { of: number });
    await assert.rejects(half({ of: '8' }), { code: 'InvalidRequest', message: /argument "of"/ });
    await assert.rejects(half({ of: 8, more: 1 }), { code: 'InvalidRequest' });
    await assert.rejects(half(undefined), { code: 'InvalidRequest' });
    assert.equal(await half({ of: 8 }), 4);
  });

  it('refuses a request that the view does not have', async () => {
    const page = new Panel().load('a') as unknown as RpcCaller<{ valueOf(argument: null): unknown }, Events>;
    await assert.rejects(page.call('valueOf', null), { code: 'UnknownMethod' });
  });

  it('ignores invalid messages, and continues', () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        const panel = new Panel();
        panel.server.receive(raw);
        panel.server.receive({ page: 'a', message: raw });
        assert.equal(panel.invalid.length, 2);
      }),
    );
  });

  it('cancels a request that the page cancels', async () => {
    const panel = new Panel();
    const controller = new AbortController();
    const waiting = panel.load('a').call('wait', undefined, controller.signal);
    controller.abort();
    await assert.rejects(waiting, { code: 'Cancelled' });
    assert.deepEqual(panel.aborted, ['wait']);
  });

  it('does not answer a page with a request of the previous one', async () => {
    const panel = new Panel();
    void panel.load('a').call('wait', undefined);
    // Both requests have the number 1.
    const second = panel.load('b').call('ready', undefined);
    assert.deepEqual(panel.aborted, ['wait']);
    panel.release();
    assert.equal(await second, 'shown');
  });

  it('aborts running work when the panel is closed, and sends nothing more', async () => {
    const panel = new Panel();
    const page = panel.load('a');
    const answers: unknown[] = [];
    void page.call('wait', undefined).then((answer) => answers.push(answer));
    panel.server.close();
    panel.release();
    await new Promise(setImmediate);
    assert.deepEqual(panel.aborted, ['wait']);
    assert.deepEqual(answers, []);
  });
});
