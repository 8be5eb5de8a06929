// Runs measurements of the engine, each in its own process: test/bench/engineJob.ts.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pinnedNode, root } from './dependencies.mjs';
import { fail } from './say.mjs';

/** @typedef {import('../../test/bench/engineJob.ts').Job} Job */

/** The result of a job, in a process of its own. @param {Job} job */
export function run(job) {
  return start(job).result;
}

/** @param {Job} job */
export function start(job) {
  // MiniSearch holds the index of a large folder as objects of several gigabytes.
  const heap = 'peer' in job && job.peer === 'minisearch' ? ['--max-old-space-size=20000'] : [];
  const script = join(root, 'test/bench/engineJob.ts');
  const child = spawn(pinnedNode(), [...heap, script], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
  child.stdin?.end(JSON.stringify(job));
  /** @type {() => void} */
  let onCommit = () => undefined;
  /** @type {Promise<void>} */
  const committed = new Promise((resolve) => (onCommit = resolve));
  /** @type {Promise<any>} */
  const result = new Promise((resolve) => {
    /** @type {unknown} */
    let last;
    const lines = createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) });
    lines.on('line', (line) => {
      const message = JSON.parse(line);
      if (message.event === 'committed') onCommit();
      else last = message.result;
    });
    lines.on('close', () => {
      if (last === undefined) fail(`The measurement "${job.kind}" failed; its output is above.`);
      resolve(last);
    });
  });
  return { committed, result, tell: () => child.send('stop') };
}
