import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import type { EditorRun, EditorResult } from '../../webhooks/editorWindows.ts';
import { AdminClient } from '../admin/adminClient.ts';
import { SextantServer } from '../server.ts';
import { makeRuns } from './editorWorker.ts';
import type { EventDetailView, NewWebhookView } from './views.ts';

const BODY = '{"a": "é",  "n": 1.0}';
const DONE: EditorResult = { ok: true, answer: 'done', retry: true };

/** A window of an editor that makes runs of the expert `fix`. */
class Window {
  readonly runs: EditorRun[] = [];
  readonly cancelled: string[] = [];
  readonly ended: Promise<unknown>;
  /** Begins each run that it has, where it `queues` them. */
  readonly begin: (() => void)[] = [];
  queues = false;
  isConnected = false;
  readonly #stop = new AbortController();

  constructor(
    client: AdminClient,
    make: (run: EditorRun) => Promise<EditorResult>,
    does = 'npm test',
    name = 'fix',
    window: string = randomUUID(),
  ) {
    const worker = {
      window,
      experts: [{ name, does }],
      run: (run: EditorRun, signal: AbortSignal, begin: () => void): Promise<EditorResult> => {
        this.runs.push(run);
        if (!this.queues) begin();
        this.begin.push(begin);
        signal.addEventListener('abort', () => this.cancelled.push(run.event_id));
        return make(run);
      },
      onConnected: (): void => void (this.isConnected = true),
    };
    this.ended = makeRuns(client, worker, this.#stop.signal).catch((error: unknown) => error);
  }

  close(): void {
    this.#stop.abort();
  }
}

/** A run that never ends. */
const never = (): Promise<never> => new Promise(() => undefined);

describe('experts of the editor', () => {
  const folder = temporaryFolder();
  let state: string;
  let server: SextantServer;
  let client: AdminClient;
  let webhook: NewWebhookView;
  let windows: Window[];

  beforeEach(async () => {
    windows = [];
    state = folder();
    await start();
    await client.ask('POST', 'experts', { name: 'fix', type: 'editor' });
    webhook = await client.ask<NewWebhookView>('POST', 'webhooks', { name: 'w', type: 'anything' });
    await client.ask('POST', 'triggers', { name: 't', webhook: 'w', expert: 'fix' });
  });
  afterEach(async () => {
    for (const window of windows) window.close();
    await server.close();
  });

  async function start(): Promise<void> {
    server = await SextantServer.start({ state });
    client = new AdminClient(server);
  }

  function open(...given: ConstructorParameters<typeof Window> extends [unknown, ...infer R] ? R : never): Window {
    const window = new Window(client, ...given);
    windows.push(window);
    return window;
  }

  async function deliver(): Promise<string> {
    const headers = { 'Content-Type': 'text/plain', Authorization: 'Bearer of-the-sender', 'X-Kept': 'yes' };
    const sent = await fetch(`${webhook.url}?q=1`, { method: 'PUT', body: BODY, headers });
    return ((await sent.json()) as { event_id: string }).event_id;
  }

  const detail = (id: string): Promise<EventDetailView> => client.ask('GET', `events/${id}`);
  const ended = (id: string): Promise<EventDetailView> =>
    until('the run', async () => {
      const event = await detail(id);
      return !['received', 'pending'].includes(event.status) && event;
    });

  it('wait for a window, which the event and the list show', async () => {
    const id = await deliver();
    const waiting = await until('it waits', async () => {
      const event = await detail(id);
      return event.runs.length > 0 && event;
    });
    assert.deepEqual(waiting.runs, [
      {
        trigger: 't',
        expert: 'fix',
        state: 'waiting',
        attempts: [],
        waits_for: 'a window of the editor that runs this expert',
      },
    ]);
    const { experts } = await client.ask<{ experts: { name: string; windows?: string[] }[] }>('GET', 'experts');
    assert.deepEqual(experts.find(({ name }) => name === 'fix')?.windows, []);
    const window = open(() => Promise.resolve(DONE));
    const { status, runs } = await ended(id);
    assert.deepEqual([status, runs[0]!.attempts.map(({ answer }) => answer)], ['succeeded', ['done']]);
    const [{ id: _, headers, ...run }] = window.runs as [EditorRun];
    assert.deepEqual(run, {
      ...{ event_id: id, webhook: 'w', trigger: 't', expert: 'fix', method: 'PUT', query: 'q=1', body: BODY },
    });
    const sent = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
    assert.deepEqual([sent.get('authorization'), sent.get('x-kept')], ['[redacted]', 'yes']);
    const after = await client.ask<{ experts: { name: string; windows?: string[] }[] }>('GET', 'experts');
    assert.deepEqual(after.experts.find(({ name }) => name === 'fix')?.windows, ['npm test']);
  });

  it('run again in another window if one is closed, which does not count as an attempt', async () => {
    await client.ask('PATCH', 'experts/fix', { max_attempts: 1 });
    const id = await deliver();
    for (let closed = 0; closed < 2; closed++) {
      const window = open(never);
      await until('it runs', () => window.runs.length === 1);
      window.close();
      await until('it waits again', async () => (await detail(id)).runs[0]!.attempts.length === closed + 1);
    }
    open(() => Promise.resolve(DONE));
    const { status, runs } = await ended(id);
    assert.deepEqual(
      [status, runs[0]!.attempts.map(({ error = 'none' }) => error)],
      ['succeeded', [...Array<string>(2).fill('the editor window was closed before it answered'), 'none']],
    );
  });

  it('run again after a restart of the server, which ends the connection', async () => {
    const window = open(never);
    const id = await deliver();
    await until('it runs', () => window.runs.length === 1);
    await server.close();
    await window.ended;
    assert.deepEqual(window.cancelled, [id], 'what is under way is given up');
    await start();
    open(() => Promise.resolve(DONE));
    assert.equal((await ended(id)).status, 'succeeded');
  });

  it('fail after their attempts, at once where the window reports that, and at their time limit', async () => {
    let wanted: EditorResult | undefined = {
      ok: false,
      error: 'exit code 2',
      answer: 'two tests failed',
      retry: false,
    };
    const window = open(() => (wanted ? Promise.resolve(wanted) : never()));
    const refused = await ended(await deliver());
    assert.deepEqual(
      refused.runs[0]!.attempts.map(({ error, answer }) => [error, answer]),
      [['exit code 2', 'two tests failed']],
    );
    await client.ask('PATCH', 'experts/fix', { timeout_ms: 20, max_attempts: 2 });
    wanted = undefined;
    const late = await ended(await deliver());
    assert.deepEqual(
      [late.status, late.runs[0]!.attempts.map(({ error }) => error)],
      ['failed', ['no end within 0.02 s', 'no end within 0.02 s']],
    );
    await until('the window gave them up', () => window.cancelled.length === 2);
  });

  it('have their time limit from when the window begins them, not while they wait there', async () => {
    await client.ask('PATCH', 'experts/fix', { timeout_ms: 20, max_attempts: 1, concurrency: 2 });
    const window = open(never);
    window.queues = true;
    const [first, second] = [await deliver(), await deliver()];
    await until('the window has both', () => window.runs.length === 2);
    const at = window.runs.findIndex(({ event_id: id }) => id === second);
    window.begin[at]!();
    // The limit of the first would have come before this one.
    assert.equal((await ended(second)).runs[0]!.attempts[0]?.error, 'no end within 0.02 s');
    assert.deepEqual((await detail(first)).runs[0]!.attempts, []);
    window.begin[1 - at]!();
    assert.equal((await ended(first)).runs[0]!.attempts[0]?.error, 'no end within 0.02 s');
  });

  it('go to the window with the fewest runs, no more at once than the expert allows', async () => {
    await client.ask('PATCH', 'experts/fix', { concurrency: 2 });
    const finish: (() => void)[] = [];
    const hold = (): Promise<EditorResult> => new Promise((resolve) => finish.push(() => resolve(DONE)));
    const [one, other] = [open(hold, 'one'), open(hold, 'other')];
    await until('both are there', () => one.isConnected && other.isConnected);
    const ids = await Promise.all(Array.from({ length: 6 }, deliver));
    for (let done = 0; done < 6; done++) {
      await until('a run', () => finish.length > done);
      assert.ok(finish.length <= done + 2);
      finish[done]!();
      await until('its result', async () => {
        const all = await Promise.all(ids.map(detail));
        return all.filter(({ status }) => status === 'succeeded').length === done + 1;
      });
    }
    assert.ok(one.runs.length >= 2 && other.runs.length >= 2, `${one.runs.length} and ${other.runs.length}`);
  });

  it('go to the window with the fewest runs of all its connections', async () => {
    await client.ask('POST', 'experts', { name: 'other', type: 'editor' });
    const { url } = await client.ask<NewWebhookView>('POST', 'webhooks', { name: 'v', type: 'anything' });
    await client.ask('POST', 'triggers', { name: 'to other', webhook: 'v', expert: 'other' });
    const busy = open(never, 'other', 'other', 'one');
    const [same, free] = [open(never, 'fix', 'fix', 'one'), open(never, 'fix', 'fix', 'two')];
    await until('all are there', () => [busy, same, free].every(({ isConnected }) => isConnected));
    await fetch(url, { method: 'POST', body: '{}' });
    await until('one runs', () => busy.runs.length === 1);
    await deliver();
    await until('the other runs', () => same.runs.length + free.runs.length > 0);
    assert.equal(free.runs.length, 1);
  });

  it('fail at once when the expert is deleted by force', async () => {
    const id = await deliver();
    await until('it waits', async () => (await detail(id)).status === 'pending');
    await assert.rejects(client.ask('DELETE', 'experts/fix'), { code: 'Conflict' });
    await client.ask('DELETE', 'experts/fix?force=true');
    assert.equal((await ended(id)).runs[0]!.attempts.at(-1)?.error, 'there is no such expert');
  });

  it('take a forward by name, so that all events of a new webhook go to one', async () => {
    const made = await client.ask<{ name: string }>('POST', 'forwards', { run: 'fix' });
    open(() => Promise.resolve(DONE));
    assert.equal(made.name, 'anything fix');
    const again = await client.ask<{ is_new: boolean }>('POST', 'forwards', { run: 'fix' });
    assert.equal(again.is_new, false);
  });

  it('are refused where a request is wrong, and results that are not waited for', async () => {
    for (const [experts, problem] of [
      [[], /Experts must not be empty/],
      [[{ name: 'none', does: '' }], /None is no expert of the type editor/],
      [[{ name: 'record', does: '' }], /Record is no expert of the type editor/],
      [[{ name: 'fix', does: 'a'.repeat(301) }], /at most 300 characters/],
      [[{ name: 'fix', does: '', more: 1 }], /[Mm]ore/],
    ] as const)
      await assert.rejects(client.ask('POST', 'editor', { experts }), problem);
    await assert.rejects(client.ask('POST', 'editor/runs/none', { ok: true }), { code: 'NotFound' });
    await assert.rejects(
      client.ask('POST', 'experts', { name: 'x', type: 'editor', url: 'http://a' }),
      /[Uu]rl is unknown/,
    );
    await assert.rejects(client.ask('POST', 'experts', { name: 'x', type: 'editor', secret: 'abcdefgh' }), /secret/);
    const answer = await fetch(`${server.url}/__admin/editor`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ experts: [{ name: 'fix', does: '' }] }),
    });
    assert.equal(answer.status, 401, 'only with the admin token');
  });
});
