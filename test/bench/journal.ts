import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/log.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import type { EventPageView, SearchLineView } from '../../src/server/webhooks/views.ts';
import { Definitions } from '../../src/webhooks/definitions.ts';
import type { EventState } from '../../src/webhooks/event.ts';
import { EventJournal } from '../../src/webhooks/journal/eventJournal.ts';
import { takeOver } from '../support/lease.ts';
import { cpuSeconds } from './load.ts';

const WEBHOOKS = 20;
/** The number of days, up to now, of the events. */
const DAYS = 20;
const DAY_MS = 86_400_000;
const IN_FLIGHT = 2000;
const ASKED = 30;

/** Fills the journal of a server's state folder with events of several webhooks, statuses and days. */
export async function fillJournal(state: string, events: number): Promise<{ bytes: number; filled: number }> {
  const folder = join(state, 'webhooks');
  mkdirSync(folder, { recursive: true });
  const now = Date.now();
  let at = now - DAYS * DAY_MS;
  const clock = { now: () => at };
  const edges = { fence: takeOver(state), clock, logger: silentLogger };
  const definitions = new Definitions({ ...edges, folder });
  const webhooks = Array.from({ length: WEBHOOKS }, (_, i) => definitions.createWebhook({ name: `hook-${i}` }).webhook);
  const journal = new EventJournal({ ...edges, folder: join(folder, 'events') });
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(6);
  const state0 = (number: number): EventState => {
    const state = number % 50 === 0 ? 'failed' : 'succeeded';
    return {
      status: state,
      evaluations: [{ trigger: 't', fires: true, tree: { result: 'true', isTrue: true } }],
      runs: [{ trigger: 't', expert: 'record', state, attempts: [] }],
    };
  };
  for (let number = 0; number < events; number += IN_FLIGHT) {
    at += (DAYS * DAY_MS * IN_FLIGHT) / events;
    const count = Math.min(IN_FLIGHT, events - number);
    const accepted = await Promise.all(
      Array.from({ length: count }, (_, i) => {
        const value = { number: number + i, action: i % 3 === 0 ? 'opened' : 'closed', text };
        const { id: webhook } = webhooks[(number + i) % WEBHOOKS]!;
        const body = Buffer.from(JSON.stringify(value));
        const isUnmatched = i % 2 === 0;
        return journal.accept({ webhook, headers: [['Content-Type', 'application/json']], body, isUnmatched });
      }),
    );
    const matched = accepted.filter((_, i) => i % 2 === 1);
    await Promise.all(matched.map((one, i) => journal.setState(one.number, state0(number + i))));
  }
  const { bytes, size: filled } = journal;
  await journal.close();
  edges.fence.release();
  return { bytes, filled };
}

/** Rows of a table with the times of lists and searches over HTTP. */
export async function measureJournal(server: {
  readonly url: string;
  readonly adminToken: string;
  readonly pid: number;
}): Promise<string[][]> {
  const client = new AdminClient(server);
  const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
  const lists = {
    newest: {},
    'of a webhook': { webhook: 'hook-7' },
    'of a webhook that had none': { webhook: 'wh_none' },
    'that failed': { status: 'failed' },
    'with a status that none has': { status: 'pending' },
    'of one old day': { from: ago(19), to: ago(18) },
    'of before all': { to: ago(40) },
    'of a webhook, failed, of one old day': { webhook: 'hook-0', status: 'failed', from: ago(19), to: ago(18) },
  };
  const rows = [['list of 100', 'p50 ms', 'longest ms', 'found']];
  for (const [name, query] of Object.entries(lists)) {
    const times: number[] = [];
    let found = 0;
    for (let i = 0; i < ASKED; i++) {
      const began = performance.now();
      const path = AdminClient.path(['events'], { source: 'Webhook', limit: 100, ...query });
      found = (await client.ask<EventPageView>('GET', path)).events.length;
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    rows.push([name, times[ASKED >> 1]!.toFixed(1), times.at(-1)!.toFixed(1), String(found)]);
  }
  rows.push(['search', 'first ms', 'all ms', 'found'].map((cell) => cell));
  const searches = {
    'text that three have': { text: `"number":12345,` },
    'text that none has': { text: 'nowhere to be found' },
    JSONLogic: { filter: { '==': [{ '%': [{ var: 'number' }, 100_000] }, 7] } },
  };
  for (const [name, query] of Object.entries(searches)) {
    const began = performance.now();
    let [first, found, progress, longest, last] = [Number.NaN, 0, 0, 0, began];
    for await (const line of client.lines<SearchLineView>('POST', 'events/search', query)) {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
      if ('event' in line && ++found === 1) first = last - began;
      if ('progress' in line) progress++;
    }
    const all = performance.now() - began;
    rows.push([
      `${name} (${progress} times progress, ${longest.toFixed(0)} ms apart at most)`,
      first.toFixed(0),
      all.toFixed(0),
      String(found),
    ]);
  }
  rows.push(['cancelled', 'after ms', 'CPU s after', '']);
  const began = performance.now();
  for await (const _ of client.lines<SearchLineView>('POST', 'events/search', { text: 'nowhere' })) break;
  const took = performance.now() - began;
  await new Promise((resolve) => setTimeout(resolve, 100));
  const cpu = cpuSeconds(server.pid) ?? 0;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  rows.push(['at the first progress', took.toFixed(0), ((cpuSeconds(server.pid) ?? 0) - cpu).toFixed(2), '']);
  return rows;
}
