// Waiting for processes, and stopping them together with those that they started.
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Waits for the end of a process and of its output. One that stays for too long, as an open handle or a leftover process makes
 * it, is stopped with all that it started.
 * @param {import('node:child_process').ChildProcess} child
 * @param {object} limits
 * @param {() => boolean} limits.isDone whether its work is done
 * @param {number} limits.limitMs how long the work may take
 * @param {number} limits.lingerMs how long the process may live on after its work
 * @returns {Promise<'ended' | 'it did not end after its work' | 'its work took too long'>}
 */
export async function endOf(child, { isDone, limitMs, lingerMs }) {
  const closed = once(child, 'close').then(() => true);
  const limit = performance.now() + limitMs;
  let last = Infinity;
  for (;;) {
    if (await Promise.race([closed, wait(Math.min(1000, lingerMs), false)])) return 'ended';
    const now = performance.now();
    const isFinished = isDone() || child.exitCode !== null || child.signalCode !== null;
    if (isFinished) last = Math.min(last, now + lingerMs);
    if (now < Math.min(limit, last)) continue;
    if (child.pid !== undefined) stopTree(child.pid);
    // A process that outlives its parent may still hold the other end.
    child.stdout?.destroy();
    child.stderr?.destroy();
    return isFinished ? 'it did not end after its work' : 'its work took too long';
  }
}

/**
 * Waits for the exit of a process, whatever it leaves running, and throws unless it succeeded.
 * @param {import('node:child_process').ChildProcess} child
 */
export async function runToEnd(child) {
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${signal ?? code}.`);
}

/**
 * Kills a process and its descendants, those in other process groups included. Outside of Linux only the process itself.
 * @param {number} pid
 */
function stopTree(pid) {
  for (const each of [pid, ...descendants(pid)]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** @param {number} pid @returns {number[]} parents before their children */
function descendants(pid) {
  if (process.platform !== 'linux') return [];
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const found = [pid];
  for (const each of found) found.push(...[...parents].filter(([, parent]) => parent === each).map(([child]) => child));
  return found.slice(1);
}

/** @param {string} pid */
function parentOf(pid) {
  try {
    // The name in parentheses may have spaces and parentheses itself.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[1]);
  } catch {
    return undefined;
  }
}
