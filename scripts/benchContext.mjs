// npm run bench:context -- FOLDER [--files N] [--rounds N] [--embedded]
// The first N files of a folder through the library, the server and the engine: how fast they are uploaded and can be found, how
// long the program's event loop waits meanwhile, searches over HTTP beside those in this process, memory, and what a scope costs a
// search. Fails if that is more than 2 times. With --embedded only the context in this process.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { ensureDependencies, root } from './lib/dependencies.mjs';
import { build } from './lib/package.mjs';
import { fail, say } from './lib/say.mjs';
import { report } from './lib/report.mjs';

const MOST = 2;
/** Questions in plain words that have matches in any large code base. */
const QUERIES = [
  'read a file into a buffer',
  'parse the header of a packet',
  'retry after a timeout',
  'allocate memory for the list',
  'handle an error from the device',
  'register a callback',
  'lock before the update',
  'compare two versions',
  'convert bytes to a string',
  'close the connection',
  'where is the configuration loaded',
  'open_file',
  'get_config',
  'init',
  'free the resources when it is removed',
  'table of supported devices',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '8' },
    built: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
  },
});
const [count, rounds] = [Number(values.files), Number(values.rounds)];
const named = positionals[0];
if (named === undefined || !(count > 0 && rounds > 0))
  fail('Usage: npm run bench:context -- FOLDER [--files N] [--rounds N] [--embedded]');

await ensureDependencies();
if (!values.built) build();
const { listFiles } = await import('../test/bench/listing.mjs');
const { percentile } = await import('../test/bench/metric.ts');
const { serve, stop } = await import('../test/support/servers.ts');
const { documentId } = await import('../src/engine/documentId.ts');
const { Engine } = await import('../src/engine/engine.ts');
const { DocumentScope, DocumentSet } = await import('../src/engine/query/documentScope.ts');
/** @type {typeof import('../src/index.ts')} */
const { DirectContext } = await import(join(root, 'dist/lib/index.js'));

const from = resolve(process.env.INIT_CWD ?? '.', named);
const files = listFiles(from, 'all')
  .slice(0, count)
  .map((path) => ({ path, contents: readFileSync(join(from, path), 'utf8') }))
  .filter(({ contents }) => Buffer.byteLength(contents) <= 1_048_576);
const megabytes = files.reduce((sum, { contents }) => sum + Buffer.byteLength(contents), 0) / 1e6;
say(`${files.length} files, ${megabytes.toFixed(1)} MB, of ${from}.`);
const folder = mkdtempSync(join(process.env.BENCH_TMP ?? tmpdir(), 'sextant-bench-'));

/** @param {number} value */
const ms = (value) => `${value.toFixed(1)} ms`;
/** @param {readonly number[]} times */
const both = (times) => `${ms(percentile(times, 50))}, ${ms(percentile(times, 95))}`;

/** @param {number} added */
const rate = (added) => `${((megabytes * 1000) / added).toFixed(1)} MB/s`;

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/**
 * Measures the gaps between the turns of this process while it works: by the clock, and the processor time of its own that is in
 * them, since on a busy machine other programs make gaps, too.
 * @param {() => Promise<unknown>} work
 */
async function gapsDuring(work) {
  const own = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  /** @type {number[]} */
  const used = [];
  let last = own();
  const timer = setInterval(() => {
    const now = own();
    used.push((now - last) / 1000);
    last = now;
  }, 1);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const took = await timed(work);
  loop.disable();
  clearInterval(timer);
  return { took, gaps: `${ms(loop.percentile(99) / 1e6)}, ${ms(loop.max / 1e6)}`, used: ms(percentile(used, 99)) };
}

/**
 * Measures the time of a context to add everything, and of each query in each round after the first.
 * @param {import('../src/index.ts').DirectContext} context
 */
async function measure(context) {
  const { took: added, gaps, used } = await gapsDuring(() => context.addToIndex(files));
  const times = [];
  for (let round = 0; round <= rounds; round++)
    for (const query of QUERIES) {
      const time = await timed(() => context.search(query));
      if (round > 0) times.push(time);
    }
  const again = await timed(() => context.addToIndex(files));
  await context.close();
  return { added, gaps, used, times, again };
}

/** Peak memory of a process, in megabytes. @param {number | 'self'} pid */
function peak(pid) {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return found === undefined ? '–' : `${(Number(found) / 1000).toFixed(0)} MB`;
}

try {
  // Runs first: memory of another context in this process would slow it down, and the service has its own process.
  const embedded = await measure(await DirectContext.create({ backend: 'embedded', folder: join(folder, 'embedded') }));
  const memoryHere = peak('self');
  report('context/added', [
    ['embedded, while files are added', 'gaps of the event loop: p99, longest', 'own processor time in a gap, p99'],
    [rate(embedded.added), embedded.gaps, embedded.used],
  ]);
  if (!values.embedded) await compareWithServer(embedded, memoryHere);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {Awaited<ReturnType<typeof measure>>} embedded
 * @param {string} memoryHere
 */
async function compareWithServer(embedded, memoryHere) {
  const server = await serve(['--port', '0', '--state', join(folder, 'state'), '--users', '5']);
  const { url: apiUrl, token: apiKey } = server.info;
  const http = await measure(await DirectContext.create({ apiUrl, apiKey }));
  const memory = peak(server.child.pid ?? 0);
  await stop(server);
  report('context', [
    ['context', 'added, found', 'the same again', 'search p50, p95', 'peak memory'],
    ['over HTTP', rate(http.added), ms(http.again), both(http.times), `${memory} (server)`],
    ['embedded', rate(embedded.added), ms(embedded.again), both(embedded.times), `${memoryHere} (all of this)`],
  ]);

  const engine = Engine.open(join(folder, 'engine'));
  const documents = files.map(({ path, contents }) => {
    const content = Buffer.from(contents);
    return { id: documentId(path, content), path, content };
  });
  await engine.apply({ add: documents });
  await engine.settle();
  const ids = documents.map(({ id }) => id);
  const nothing = new Set();
  const whole = new DocumentSet(new Set(ids));
  const half = new DocumentSet(new Set(ids.slice(0, ids.length / 2)));
  /** @type {Record<string, () => import('../src/index.ts').SearchOptions['within']>} */
  const scopes = {
    'no scope': () => undefined,
    'a checkpoint of all': () => new DocumentScope(whole, nothing, nothing),
    '… and 500 added and 500 deleted': () =>
      new DocumentScope(whole, new Set(ids.slice(0, 500)), new Set(ids.slice(500, 1000))),
    'a checkpoint of half': () => new DocumentScope(half, nothing, nothing),
    'names, looked up one by one': () => ({ has: (id) => whole.ids.has(id) }),
    'a checkpoint that is new': () => new DocumentScope(new DocumentSet(whole.ids), nothing, nothing),
  };
  /** @type {Map<string, number[]>} */
  const times = new Map(Object.keys(scopes).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++)
    for (const query of QUERIES)
      for (const [name, make] of Object.entries(scopes)) {
        const within = make();
        const time = await timed(() => engine.search(query, { limit: 48, ...(within && { within }) }));
        if (round > 0) times.get(name)?.push(time);
      }
  await engine.close();
  const p50 = (/** @type {string} */ name) => percentile(times.get(name) ?? [], 50);
  const ratio = (/** @type {string} */ name) => p50(name) / p50('no scope');
  report('context/scopes', [
    ['engine, within', 'search p50, p95', 'of one without'],
    ...[...times].map(([name, all]) => [name, both(all), ratio(name).toFixed(2)]),
  ]);
  const worst = Math.max(
    ...['a checkpoint of all', '… and 500 added and 500 deleted', 'a checkpoint of half'].map(ratio),
  );
  if (worst > MOST) fail(`A scope makes a search ${worst.toFixed(2)} times as long, more than ${MOST}.`);
}
