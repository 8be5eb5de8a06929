import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import type { EventDetailView, EventPageView, NewWebhookView } from '../../src/server/webhooks/views.ts';
import { killed } from '../support/processes.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { folderOfTest } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { chooseSeed, seeded } from './truth.ts';

const KILLS = Math.max(6, Number(process.env.SEXTANT_FAULT_KILLS ?? 8));
const EVENTS_BETWEEN = 6;
const WINDOW = join(import.meta.dirname, 'editorWindow.ts');

describe('Windows of an editor and a server that are killed with SIGKILL, or stopped, while experts of the editor run', () => {
  const folder = folderOfTest();

  it('run each event at least once with its own body, and show each result', async function () {
    this.timeout(KILLS * 30_000 + 300_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    const place = folder();
    const file = join(place, 'runs.txt');
    const args = ['--state', join(place, 'state')];
    let server: ServeProcess = await serve(args);
    let client = new AdminClient(server.info);
    const windows = new Set<ChildProcess>();
    const open = (): void => {
      const { url, adminToken } = server.info;
      windows.add(spawn(process.execPath, [WINDOW, url, adminToken, file], { stdio: ['ignore', 'ignore', 'inherit'] }));
    };
    const closeAll = async (): Promise<void> => {
      const those = [...windows];
      windows.clear();
      for (const child of those) child.kill('SIGCONT');
      await Promise.all(those.map((child) => killed(child)));
    };
    const sent = new Map<string, string>();
    let kills = { window: 0, server: 0, stopped: 0 };
    try {
      await client.ask('POST', 'experts', { name: 'fix', type: 'editor', concurrency: 3, timeout_ms: 3_000 });
      const { url } = await client.ask<NewWebhookView>('POST', 'webhooks', { name: 'w', type: 'anything' });
      await client.ask('POST', 'triggers', { name: 't', webhook: 'w', expert: 'fix' });
      const path = new URL(url).pathname;
      for (let kill = 0; kill < KILLS; kill++) {
        while (windows.size < 2) open();
        for (let n = 0; n < EVENTS_BETWEEN; n++) {
          const body = JSON.stringify({ kill, n, word: 'é'.repeat(Math.floor(random() * 50)) });
          const response = await fetch(`${server.info.url}${path}`, { method: 'POST', body });
          assert.equal(response.status, 202);
          sent.set(((await response.json()) as { event_id: string }).event_id, body);
        }
        await sleep(random() * 300);
        const [first] = windows;
        const dice = random();
        if (dice < 0.3) {
          kills = { ...kills, server: kills.server + 1 };
          await stop(server, 'SIGKILL');
          await closeAll();
          server = await serve(args);
          client = new AdminClient(server.info);
        } else if (first && dice < 0.5) {
          // Its connection stays, so that only the time limit of its runs ends them.
          kills = { ...kills, stopped: kills.stopped + 1 };
          first.kill('SIGSTOP');
        } else if (first) {
          kills = { ...kills, window: kills.window + 1 };
          windows.delete(first);
          first.kill('SIGCONT');
          await killed(first);
        }
      }
      await closeAll();
      open();
      await until('all have run', async () => {
        const { events } = await client.ask<EventPageView>('GET', 'events?status=pending');
        const received = await client.ask<EventPageView>('GET', 'events?status=received');
        return events.length + received.events.length === 0;
      });
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      const runs = lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
      for (const [id, body] of runs) assert.equal(body, sent.get(id), `${id} has its own body`);
      assert.deepEqual(new Set(runs.map(([id]) => id)), new Set(sent.keys()), 'each ran');
      let interrupted = 0;
      for (const id of sent.keys()) {
        const { status, runs: shown } = await client.ask<EventDetailView>('GET', `events/${id}`);
        const attempts = shown[0]!.attempts;
        // The time limit ends an attempt of a stopped window, and three of those end a run.
        if (status === 'failed') assert.ok(attempts.every(({ error }) => error !== undefined) && kills.stopped > 0);
        else assert.deepEqual([status, attempts.at(-1)?.answer], ['succeeded', id]);
        interrupted += attempts.filter(({ error }) => error?.includes('was closed')).length;
      }
      console.log(
        `      seed ${seed}: ${sent.size} events, ${runs.length} runs; killed ${kills.window} windows and the server ${kills.server} times, stopped ${kills.stopped} windows; ${interrupted} runs interrupted`,
      );
    } finally {
      await closeAll();
      if (server.child.exitCode === null) await stop(server, 'SIGKILL');
    }
  });
});
