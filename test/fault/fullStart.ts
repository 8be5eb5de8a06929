// Runs where mounting is allowed: a server that starts on a disk that is full, or read-only, and later is not.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer } from '../../src/server/state/published.ts';
import { Client, PATHS } from '../conformance/client.ts';
import { COMMAND } from '../support/command.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { Filler } from './smallDisk.ts';

const [how, disk] = process.argv.slice(2) as ['full' | 'ro', string];
const state = join(disk, 'state');
const args = ['--state', state, '--users', '5'];
const filler = new Filler(disk);
const create = (client: Client, name: string) => client.admin('POST', 'tokens', { scopes: ['analytics:read'], name });

execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]);
let server: ServeProcess | undefined;
try {
  server = await serve(args);
  const before = server.info;
  const { body } = await create(new Client(before), 'kept');
  await stop(server, 'SIGKILL');

  if (how === 'full') filler.leave(0);
  else execFileSync('mount', ['-o', 'remount,ro', disk]);
  server = await serve(args);
  const client = new Client(server.info);
  assert.equal(server.info.token, before.token);
  assert.equal((await client.get(PATHS.dau, {}, body.token as string)).status, 200);
  for (const refused of [await create(client, 'new'), await client.admin('DELETE', 'tokens/kept')]) {
    assert.equal(refused.status, 507);
    assert.match(JSON.stringify(refused.body), how === 'full' ? /no space left/ : /cannot be written to/);
  }
  assert.equal((await client.get(PATHS.dau, {}, body.token as string)).status, 200, 'what was refused was not done');
  assert.match(server.stderr(), /Until then the server answers 507 to changes, and no other process can find it\./);
  assert.equal(findServer(state), undefined);
  const listed = spawnSync(process.execPath, [COMMAND, 'webhooks', 'list', '--state', state], { encoding: 'utf8' });
  const none = 'sextant: No webhook found. Create one: sextant webhooks create.\n';
  assert.deepEqual([listed.status, listed.stderr], [1, none], 'commands find it all the same');

  if (how === 'full') filler.remove();
  else execFileSync('mount', ['-o', 'remount,rw', disk]);
  while (!findServer(state)) await sleep(50);
  assert.equal((await create(client, 'new')).status, 200);
  await stop(server, 'SIGKILL');
  server = await serve(args);
  assert.equal((await new Client(server.info).admin('DELETE', 'tokens/new')).status, 200);
  console.log('started, refused, recovered');
} catch (error) {
  throw new Error(`the server said: ${server?.stderr()}`, { cause: error });
} finally {
  if (server) await stop(server, 'SIGKILL');
}
