import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../conformance/client.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { folderOfTest } from '../support/temporary.ts';
import { makeHook, storedEvents, type Hook } from './deliveries.ts';

const ROUNDS = 3;
const EACH = 40;

describe('A server that is paused while another takes over its webhooks', () => {
  const folder = folderOfTest();
  // A second attempt starts from nothing.

  it('answers 503 when it resumes; no accepted event is lost, altered or given an id twice', async function () {
    this.timeout(ROUNDS * 120_000);
    const state = join(folder(), 'state');
    const args = ['--state', state, '--keep-megabytes', '100'];
    const accepted = new Map<string, string>();
    const running = new Set<ServeProcess>();
    const start = async (): Promise<ServeProcess> => {
      const server = await serve(args);
      running.add(server);
      return server;
    };
    let sent = 0;

    async function post(server: ServeProcess, hook: Hook): Promise<number> {
      const body = JSON.stringify({ n: sent++, text: 'x'.repeat(sent % 300) });
      const headers = { authorization: `Bearer ${hook.secret}`, 'content-type': 'application/json' };
      const answer = await fetch(`${server.info.url}${hook.path}`, { method: 'POST', headers, body });
      const { event_id: id } = (await answer.json()) as { event_id?: string };
      if (answer.status !== 202) return answer.status;
      assert.ok(id !== undefined && !accepted.has(id), `${id} is given twice`);
      accepted.set(id, body);
      return 202;
    }
    const many = (server: ServeProcess, hook: Hook): Promise<number[]> =>
      Promise.all(Array.from({ length: EACH }, () => post(server, hook)));

    try {
      let sleeper = await start();
      const hook = await makeHook(sleeper.info, 'http://127.0.0.1:9/');
      for (let round = 0; round < ROUNDS; round++) {
        assert.ok((await many(sleeper, hook)).every((status) => status === 202));
        const inFlight = many(sleeper, hook);
        const before = accepted.size;
        if (round > 0) await until('some are accepted', () => accepted.size > before + round);
        sleeper.child.kill('SIGSTOP');
        const long = new Date(Date.now() - 120_000);
        for (const name of readdirSync(state)) if (name.endsWith('.lock')) utimesSync(join(state, name), long, long);
        const heir = await start();
        assert.ok((await many(heir, hook)).every((status) => status === 202));
        sleeper.child.kill('SIGCONT');
        assert.ok((await inFlight).every((status) => status === 202 || status === 503));
        const late = await many(sleeper, hook);
        assert.ok(
          late.every((status) => status === 503),
          late.join(),
        );
        const { status } = await new Client(sleeper.info).admin('GET', 'events');
        assert.equal(status, 503);
        assert.ok((await many(heir, hook)).every((one) => one === 202));
        assert.match(sleeper.stderr(), /took over/);
        await stop(sleeper, 'SIGKILL');
        running.delete(sleeper);
        sleeper = heir;
      }
      await stop(sleeper);
      const last = await start();
      const there = new Map<string, string>();
      for await (const { event_id: id, body } of storedEvents(last.info)) {
        assert.ok(!there.has(id));
        there.set(id, body);
      }
      for (const [id, body] of accepted) assert.equal(there.get(id), body, id);
      const { body } = await new Client(last.info).admin('POST', 'journal/verify');
      assert.deepEqual(body.damage, []);
      assert.doesNotMatch(last.stderr(), /damaged/);
      console.log(`      ${accepted.size} of ${sent} accepted, ${there.size} there`);
    } finally {
      for (const { child } of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'close');
      }
    }
  });
});
