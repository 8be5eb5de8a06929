// npm run bench:webhooks [-- --seconds N] [--rounds N] [--events N]
// The intake of webhooks compared with a bare node:http server that answers 202 without storing the body, and with a bare one that is as
// durable: it stores nothing but the body before it answers, as fast as Node can: all that wait share a write to the disk. 64 connections, bodies of
// 2 KB, alternating in several rounds of one run. Then lists and searches in a journal of --events events.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { build } from './lib/package.mjs';
import { fail, say } from './lib/say.mjs';
import { report } from './lib/report.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    events: { type: 'string', default: '1000000' },
    built: { type: 'boolean', default: false },
  },
});
const [seconds, rounds, events] = [Number(values.seconds), Number(values.rounds), Number(values.events)];
if (!(seconds > 0 && rounds > 0 && events >= 0))
  fail('Usage: npm run bench:webhooks [-- --seconds N] [--rounds N] [--events N]');

await ensureDependencies();
if (!values.built) build();
const { delivery, load, residentMegabytes, openDescriptors } = await import('../test/bench/load.ts');
const { fillJournal, measureJournal } = await import('../test/bench/journal.ts');

/** The headers of ours. */
const HEAD = `const HEAD = { 'Content-Type': 'application/json', 'Content-Length': 29, 'Cache-Control': 'no-store' };`;
const BARE = `
import { createServer } from 'node:http';
${HEAD}
const server = createServer((request, response) => {
  let length = 0;
  request.on('data', (chunk) => (length += chunk.length));
  request.on('end', () => {
    response.writeHead(202, HEAD);
    response.end('{"event_id":"evt_0000000000"}');
  });
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })));
`;
/** What an intake has to do at the least: the bodies of all requests that wait are one write with O_DSYNC. */
const STORING = `
import { createServer } from 'node:http';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
const { O_CREAT, O_WRONLY, O_DSYNC } = constants;
${HEAD}
const file = await open(process.argv[1], O_CREAT | O_WRONLY | O_DSYNC);
let [waiting, at, isWriting] = [[], 0, false];
async function write() {
  isWriting = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    const bytes = Buffer.concat(batch.map(({ body }) => body));
    await file.write(bytes, 0, bytes.length, at);
    at += bytes.length;
    for (const { response } of batch) {
      response.writeHead(202, HEAD);
      response.end('{"event_id":"evt_0000000000"}');
    }
  }
  isWriting = false;
}
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    waiting.push({ body: Buffer.concat(chunks), response });
    if (!isWriting) setImmediate(() => isWriting || write());
  });
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })));
`;
const folder = mkdtempSync(join(process.env.BENCH_TMP ?? tmpdir(), 'sextant-bench-'));

/**
 * Starts a server in its own process; its first line has the address.
 * @param {string[]} args
 */
async function start(args) {
  const child = spawn(pinnedNode(), args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout)) {
    /** @type {{ url: string, adminToken: string }} */
    const info = JSON.parse(line);
    const stop = () => {
      const ended = once(child, 'exit');
      child.kill();
      return ended;
    };
    return { ...info, pid: /** @type {number} */ (child.pid), stop };
  }
  return fail(`${args.join(' ')} ended.`);
}

/** @param {string} state */
const serve = (state) => start(['dist/cli/sextant.js', 'serve', '--json', '--state', join(folder, state)]);

try {
  await intake();
  if (events > 0) await journal();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function intake() {
  const ours = await serve('intake');
  const bare = await start(['--input-type=module', '-e', BARE]);
  const storing = await start(['--input-type=module', '-e', STORING, '--', join(folder, 'bodies')]);
  /** @param {string} path @param {object} body */
  const admin = async (path, body) => {
    const headers = { authorization: `Bearer ${ours.adminToken}`, 'content-type': 'application/json' };
    const response = await fetch(`${ours.url}/__admin/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return /** @type {Promise<{ url: string, secret: string }>} */ (response.json());
  };
  const jobs = [
    { name: 'no trigger', hook: await admin('webhooks', { name: 'plain' }), isKeyed: false },
    {
      name: 'webhook-id, a trigger that does not fire',
      hook: await admin('webhooks', { name: 'rare' }),
      isKeyed: true,
    },
    { name: 'webhook-id, a trigger that records', hook: await admin('webhooks', { name: 'all' }), isKeyed: true },
    { name: 'webhook-id, a trigger that forwards', hook: await admin('webhooks', { name: 'sent' }), isKeyed: true },
  ];
  await admin('experts', { name: 'bare', type: 'forward', url: bare.url });
  await admin('triggers', { name: 'sent', webhook: 'sent', expert: 'bare' });
  await admin('triggers', { name: 'rare', webhook: 'rare', filter: { '==': [{ var: 'action' }, 'never'] } });
  await admin('triggers', { name: 'all', webhook: 'all', filter: { in: [{ var: 'action' }, ['opened', 'closed']] } });
  const rows = [
    [
      '',
      'ours/s',
      'bare/s',
      'share',
      'CPU share',
      'lowest',
      'highest',
      'p50 ms',
      'p99 ms',
      'storing/s',
      'share of it',
      'CPU share',
    ],
  ];
  /** @type {(number | undefined)[]} */
  const memory = [residentMegabytes(ours.pid)];
  for (const { name, hook, isKeyed } of jobs) {
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const requests = deliveries(hook, isKeyed);
      const one = await load(ours.url, ours.pid, requests, { seconds, status: 202 });
      const other = await load(bare.url, bare.pid, requests, { seconds, status: 202 });
      const third = await load(storing.url, storing.pid, requests, { seconds, status: 202 });
      // The first round warms both up.
      if (round > 0) results.push({ one, other, third, share: one.requestsPerSecond / other.requestsPerSecond });
      memory.push(residentMegabytes(ours.pid));
    }
    results.sort((a, b) => a.share - b.share);
    const { one, other, third, share } = /** @type {typeof results[number]} */ (
      results[Math.floor(results.length / 2)]
    );
    const cpuShareOf = (/** @type {typeof other} */ peer) =>
      (one.requestsPerCpuSecond ?? 0) / (peer.requestsPerCpuSecond ?? 1);
    rows.push([
      ...[name, one.requestsPerSecond.toFixed(0), other.requestsPerSecond.toFixed(0)],
      ...[percent(share), percent(cpuShareOf(other))],
      ...[percent(results[0]?.share), percent(results.at(-1)?.share), one.p50Ms.toFixed(1), one.p99Ms.toFixed(1)],
      ...[third.requestsPerSecond.toFixed(0), percent(one.requestsPerSecond / third.requestsPerSecond)],
      percent(cpuShareOf(third)),
    ]);
  }
  report('webhooks', rows);
  console.log(`memory of the server between rounds, MB: ${memory.map((one) => one?.toFixed(0) ?? '?').join(' ')}`);
  console.log(`files and sockets open at the end: ${openDescriptors(ours.pid)}`);
  await Promise.all([ours.stop(), bare.stop(), storing.stop()]);
}

/** @param {number} [share] */
function percent(share = 0) {
  return `${(share * 100).toFixed(0)} %`;
}

/**
 * Deliveries of one webhook, as bytes of whole requests. With keys, each request uses the next key until none is left.
 * @param {{ url: string, secret: string }} hook
 * @param {boolean} isKeyed
 */
function deliveries(hook, isKeyed) {
  const run = Math.random().toString(36).slice(2);
  const count = isKeyed ? 60_000 : 2000;
  return Array.from({ length: count }, (_, i) => delivery(hook, i, isKeyed ? `${run}-${i}` : undefined));
}

async function journal() {
  const state = join(folder, 'journal');
  let began = performance.now();
  const { bytes, filled } = await fillJournal(state, events);
  say(`${filled} events, ${(bytes / 1e6).toFixed(0)} MB, in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  began = performance.now();
  const server = await serve('journal');
  console.log(`start with ${filled} events: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  report('webhooks/journal', await measureJournal(server));
  console.log(`memory: ${residentMegabytes(server.pid)?.toFixed(0)} MB`);
  await server.stop();
}
