import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND } from '../support/command.ts';
import { killed } from '../support/processes.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { folderOfTest } from '../support/temporary.ts';
import { checkRuns, checkStored, makeHook, Receiver, Sender, type Hook } from './deliveries.ts';
import { chooseSeed, keepForInspection, seeded } from './truth.ts';

const KILLS = Math.max(5, Number(process.env.SEXTANT_FAULT_KILLS ?? 7));
/** The largest number of events before a kill, whatever the speed of the machine, and the delay of the kill. */
const MOST_EVENTS = 120;
const LATER_MS = 30;
/** The longest life of a server that is killed during its start. */
const START_MS = 400;

describe('A server that is killed with SIGKILL while it accepts webhooks', () => {
  const folder = folderOfTest();
  // A second attempt starts from nothing.

  it('has each acknowledged event exactly once, byte for byte, and ran its trigger', async function () {
    this.timeout(KILLS * 30_000 + 600_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    console.log(`      ${KILLS} kills from seed ${seed}`);
    const state = join(folder(), 'state');
    // Segments of 1.6 MB, so that some kills hit the end of a segment.
    const args = ['--state', state, '--keep-megabytes', '100'];
    const sender = new Sender(random);
    const receiver = new Receiver(random);
    const receiverUrl = await receiver.start();
    let [hook, server] = [undefined as Hook | undefined, undefined as ServeProcess | undefined];
    let [newest, checked] = ['', new Map<number, string>()];
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        if (kill > 0 && random() < 0.15) {
          const child = spawn(process.execPath, [COMMAND, 'serve', ...args], { stdio: 'ignore' });
          await sleep(random() * START_MS);
          await killed(child);
          continue;
        }
        server = await serve(args);
        hook ??= await makeHook(server.info, receiverUrl);
        newest = await checkStored(server.info, checked, newest);
        checked = new Map([...sender.answered].filter(([, id]) => id > newest));
        const work = sender.run(`${server.info.url}${hook.path}`, hook.secret, () => false);
        const enough = sender.answered.size + Math.floor(random() * MOST_EVENTS);
        await until('it took some events', () => sender.answered.size >= enough);
        await sleep(random() * LATER_MS);
        await stop(server, 'SIGKILL');
        await work;
        checked = new Map([...sender.answered].filter(([, id]) => id > newest));
      }
      server = await serve(args);
      await sender.finish(`${server.info.url}${hook!.path}`, hook!.secret);
      await checkStored(server.info, sender.answered);
      await checkRuns(server.info, sender, receiver);
      assert.equal(await stop(server), 0);
    } catch (error) {
      if (server?.child.exitCode === null) await stop(server, 'SIGKILL');
      const kept = keepForInspection(state, 'webhooks');
      throw new Error(`SEXTANT_FAULT_SEED=${seed}; the state is in ${kept}`, { cause: error });
    } finally {
      receiver.close();
    }
    const segments = readdirSync(join(state, 'webhooks/events')).filter((name) => name.endsWith('.log')).length;
    const { answered, sent, repeated } = sender;
    console.log(`      ${sent} events in ${segments} segments, ${repeated} sent again after they were answered`);
    assert.ok(answered.size === sent && repeated > 0 && sent > KILLS);
  });
});
