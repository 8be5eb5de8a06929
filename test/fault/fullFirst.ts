// Runs where mounting is allowed: the first start of a server is on a full disk, which has room later.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer } from '../../src/server/state/published.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { Filler } from './smallDisk.ts';

const [disk] = process.argv.slice(2) as [string];
const filler = new Filler(disk);
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]);
let server: ServeProcess | undefined;
try {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const state = join(disk, signal);
    const args = ['--state', state, '--users', '5'];
    filler.leave(0);
    server = await serve(args);
    const { info } = server;
    assert.match(server.stderr(), /no space left for .* Until then the server answers 507 to changes/);
    filler.remove();
    while (!findServer(state)) await sleep(50);
    await stop(server, signal);
    server = await serve(args);
    assert.equal(server.info.token, info.token);
    assert.doesNotMatch(server.stderr(), /missing|lost|damaged/);
    await stop(server);
  }
  console.log('started first on a full disk');
} catch (error) {
  throw new Error(`the server said: ${server?.stderr()}`, { cause: error });
} finally {
  if (server) await stop(server, 'SIGKILL');
}
