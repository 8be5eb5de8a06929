import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endOf } from '../../scripts/lib/processes.mjs';
import { isAlive } from '../support/isAlive.ts';
import { until } from '../support/until.ts';

/** Starts a process in a group of its own that holds the output of its parent, prints its id, and stays. */
const GRANDCHILD = `
  const { spawn } = require('node:child_process');
  const stays = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true });
  stays.unref();
  console.log(stays.pid);
`;
const NEVER = { isDone: () => false, limitMs: 300_000, lingerMs: 300_000 };

describe('the end of a process of tests', () => {
  const start = (code: string): ChildProcess =>
    spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });

  it('is that of the process, if it ends by itself', async () => {
    assert.equal(await endOf(start(''), NEVER), 'ended');
  });

  it('comes for all that it started when its work takes too long', async function () {
    if (process.platform !== 'linux') this.skip();
    const child = start(`${GRANDCHILD} setInterval(() => {}, 1000)`);
    const [pid] = (await once(child.stdout!, 'data')) as [Buffer];
    assert.equal(await endOf(child, { ...NEVER, limitMs: 10 }), 'its work took too long');
    await until('both are gone', () => !isAlive(child.pid!) && !isAlive(Number(pid)));
  });

  it('comes a while after its work, also when another process holds its output', async () => {
    const child = start(GRANDCHILD);
    const [pid] = (await once(child.stdout!, 'data')) as [Buffer];
    try {
      assert.equal(await endOf(child, { ...NEVER, lingerMs: 100 }), 'it did not end after its work');
    } finally {
      process.kill(Number(pid), 'SIGKILL');
    }
  });
});
