// Runs with mounts: a server that accepts webhooks on a disk that fills up repeatedly.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { checkRuns, checkStored, makeHook, Receiver, Sender } from './deliveries.ts';
import { Filler } from './smallDisk.ts';
import { chooseSeed, seeded } from './truth.ts';

const [disk] = process.argv.slice(2) as [string];
const PAGE = 4096;
const FILLS = Number(process.env.SEXTANT_FAULT_FILLS ?? 25);
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk]);
const seed = chooseSeed();
const random = seeded(seed);
const filler = new Filler(disk);
const sender = new Sender(random);
const receiver = new Receiver(random);
const args = ['--state', join(disk, 'state'), '--keep-megabytes', '60'];
let server: ServeProcess | undefined;

try {
  server = await serve(args);
  const hook = await makeHook(server.info, await receiver.start());
  const target = (): string => `${server!.info.url}${hook.path}`;
  for (let fill = 0; fill < FILLS; fill++) {
    filler.leave(Math.floor(random() * 20) * PAGE);
    const { refused, sent } = sender;
    await sender.run(target(), hook.secret, () => sender.refused > refused + 3 || sender.sent > sent + 60);
    assert.equal((await fetch(`${server.info.url}/healthz`)).status, 200, 'it stays up');
    if (random() < 0.3) {
      // Killed on a full disk, the server starts there, and accepts deliveries again once there is space.
      filler.leave(0);
      await stop(server, 'SIGKILL');
      filler.leave(0);
      server = await serve(args);
      assert.equal((await fetch(`${server.info.url}/healthz`)).status, 200, 'it starts');
      filler.remove();
    }
  }
  filler.remove();
  await sender.finish(target(), hook.secret);
  await checkStored(server.info, sender.answered);
  await checkRuns(server.info, sender, receiver);
  await stop(server, 'SIGKILL');
  server = await serve(args);
  await checkStored(server.info, sender.answered);
  assert.ok(sender.refused > FILLS);
  console.log(`${sender.answered.size} events, ${sender.refused} refused`);
} catch (error) {
  throw new Error(`SEXTANT_FAULT_SEED=${seed}; the server said: ${server?.stderr()}`, { cause: error });
} finally {
  receiver.close();
  if (server) await stop(server, 'SIGKILL');
}
