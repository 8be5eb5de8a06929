// npm run bench:server [-- --seconds N] [--users N] [--rounds N] [--steady SECONDS] [--lines N] [--no-peers]
// The embedded server compared with a bare node:http server that answers the same number of bytes: requests per second, alternating
// in several rounds of one run. Token, dates and cursor differ from request to request. Compare figures of one run only.
// Beside servers that people use to mock an API: Prism with our OpenAPI document, json-server, and WireMock where there is Java.
// Then its memory under load for --steady seconds, and its times to start and to load a file of --lines lines.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { build } from './lib/package.mjs';
import { fail, say } from './lib/say.mjs';
import { report } from './lib/report.mjs';
import { withServerPeers } from './lib/serverPeers.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    users: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    steady: { type: 'string', default: '60' },
    lines: { type: 'string', default: '1000000' },
    peers: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const [seconds, users, rounds] = [Number(values.seconds), Number(values.users), Number(values.rounds)];
const [steady, manyLines] = [Number(values.steady), Number(values.lines)];
if (!(seconds > 0 && users > 0 && rounds > 0 && steady >= 0 && manyLines >= 0))
  fail(
    'Usage: npm run bench:server [-- --seconds N] [--users N] [--rounds N] [--steady SECONDS] [--lines N] [--no-peers]',
  );

await ensureDependencies();
build();
const { cpuSeconds, load, residentMegabytes } = await import('../test/bench/load.ts');

const DAYS = 365;
const NOW = Date.UTC(2026, 10, 21, 12);
const TOKENS = 50;
const REQUESTS = 2000;
/** Of an answer. */
const HEAD_BYTES = 184;
const folder = mkdtempSync(join(tmpdir(), 'sextant-bench-'));

/** @param {number} offset */
const day = (offset) => new Date(NOW + offset * 86_400_000).toISOString().slice(0, 10);
/** @param {number} limit */
const integer = (limit) => Math.floor(Math.random() * limit);

const METRICS = [
  ...['total_modified_lines_of_code', 'total_messages', 'total_tool_calls', 'completions_count'],
  ...['completions_accepted', 'completions_lines_of_code', 'completions_suggested_lines_of_code', 'chat_messages'],
  ...['ide_agent_messages', 'ide_agent_lines_of_code', 'cli_agent_interactive_messages'],
];

/**
 * Measures each run of `work`; a function that it returns runs after the measurement.
 * @param {number} count
 * @param {(i: number) => Promise<(() => void) | void>} work
 */
async function timesOf(count, work) {
  const times = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    const after = await work(i);
    times.push(performance.now() - began);
    after?.();
  }
  const sorted = times.sort((a, b) => a - b).map((ms) => ms.toFixed(0));
  return `${sorted[0]}–${sorted.at(-1)} ms`;
}

/** Records of many accounts: a third each of activity, credits and costs. */
function writeManyLines() {
  const file = join(folder, 'many.ndjson');
  const pick = (/** @type {string[]} */ names) => names[integer(names.length)];
  const target = openSync(file, 'w');
  for (let from = 0; from < manyLines; from += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, manyLines - from) }, (_, i) => {
      const [date, user_email] = [day(-1 - integer(700)), `person-${integer(5000)}@example.com`];
      const model = pick(['sonnet', 'haiku', 'opus']);
      if (i % 3 === 0) {
        const metrics = Object.fromEntries(METRICS.map((metric) => [metric, integer(400)]));
        return { kind: 'activity', date, user_email, language: pick(['Go', 'Rust', 'C']), editor: 'CLI', metrics };
      }
      if (i % 3 === 1) return { kind: 'credits', date, user_email, model_name: model, credits_consumed: integer(900) };
      return {
        ...{ kind: 'cost', date, product_display_name: pick(['Chat', 'Agent']), resource_display_name: model },
        ...{ resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL', user_info: { user_email } },
        byok_status: `COST_ANALYTICS_BYOK_STATUS_${pick(['', 'NON_'])}BYOK`,
        cost_metrics: {
          billed_amount_usd: `0.${1 + integer(1e6)}`,
          input_tokens: integer(1e5),
          output_tokens: integer(1e4),
        },
      };
    });
    writeSync(target, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }
  closeSync(target);
  return file;
}

function writeData() {
  const lines = [];
  for (let user = 0; user < users; user++) {
    const user_email = `person-${user}@example.com`;
    lines.push({ kind: 'user', user_email });
    for (let at = 1; at <= DAYS; at++) {
      if (Math.random() < 0.4) continue;
      const metrics = Object.fromEntries(METRICS.map((metric) => [metric, integer(400)]));
      lines.push({ kind: 'activity', date: day(-at), user_email, language: 'TypeScript', editor: 'VS Code', metrics });
    }
  }
  const file = join(folder, 'facts.ndjson');
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  say(`${lines.length} lines of ${users} users and ${DAYS} days`);
  return file;
}

/**
 * Starts a server in its own process; its first line has the address.
 * @param {string[]} args
 */
async function start(args) {
  const child = spawn(pinnedNode(), args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout)) {
    /** @type {{ url: string, token: string, adminToken: string }} */
    const info = JSON.parse(line);
    return { ...info, pid: /** @type {number} */ (child.pid), stop: () => void child.kill() };
  }
  return fail(`${args.join(' ')} ended.`);
}

/**
 * @param {string} path
 * @param {string} token
 */
function bytes(path, token) {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
}

/** A range of 1 to 90 days within the last year. */
function range() {
  const last = -1 - integer(DAYS - 91);
  return `start_date=${day(last - integer(90))}&end_date=${day(last)}`;
}

/** Sends the same headers as ours, and as many bytes. */
const BARE = `
import { createServer } from 'node:http';
const body = Buffer.alloc(Number(process.argv[1]), 0x20);
const server = createServer((request, response) => {
  response.writeHead(200, {
    'Content-Type': 'application/json', 'Content-Length': body.length, 'Cache-Control': 'no-store',
  });
  response.end(body);
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })));
`;

const command = join(root, 'dist/cli/sextant.js');
const library = join(root, 'dist/lib/testing.js');
/** Of starting, loading and memory. */
const figures = [['', 'figure']];
const { startServer } = /** @type {typeof import('../src/server/testing.ts')} */ (await import(library));
for (const options of [{}, { users: 50 }, { users: 10_000 }]) {
  const times = await timesOf(10, async () => (await startServer(options)).close());
  figures.push([`\`startServer(${JSON.stringify(options)})\` and close`, times]);
}
for (const args of [[], ['--users', '10000']]) {
  const times = await timesOf(5, async (i) => {
    const server = await start([
      command,
      'serve',
      '--json',
      ...args,
      '--state',
      join(folder, `empty-${args.length}-${i}`),
    ]);
    return () => server.stop();
  });
  figures.push([`\`${['sextant serve', ...args].join(' ')}\` until it is ready`, times]);
}
const answered = await timesOf(5, async (i) => {
  const server = await start([
    command,
    'serve',
    '--json',
    '--users',
    '10000',
    '--state',
    join(folder, `answered-${i}`),
  ]);
  const headers = { authorization: `Bearer ${server.token}` };
  for (const endpoint of ['dau-count', 'user-activity']) {
    const response = await fetch(`${server.url}/analytics/v0/${endpoint}?start_date=${day(-80)}&end_date=${day(-1)}`, {
      headers,
    });
    if (!response.ok || (await response.text()).length < 1000) fail(`${endpoint} has no facts: ${response.status}`);
  }
  return () => server.stop();
});
figures.push(['the same until it has answered dau-count and a page of user-activity', answered]);

if (manyLines > 0) {
  const file = writeManyLines();
  const cpu = /** @type {string[]} */ ([]);
  const times = await timesOf(3, async (i) => {
    const server = await start([command, 'serve', '--json', '--data', file, '--state', join(folder, `many-${i}`)]);
    cpu.push(cpuSeconds(server.pid)?.toFixed(1) ?? '?');
    return () => server.stop();
  });
  figures.push(
    [`the same with ${manyLines} lines of all kinds of facts`, times],
    ['of it, processor time', `${cpu.join(', ')} s`],
  );
  rmSync(file);
}
const data = writeData();
const ours = await start([
  ...[command, 'serve', '--json', '--no-rate-limit', '--state', join(folder, 'state')],
  ...['--data', data, '--now', new Date(NOW).toISOString()],
]);
try {
  const tokens = [ours.token];
  for (let i = 1; i < TOKENS; i++) {
    const response = await fetch(`${ours.url}/__admin/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ours.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['analytics:read'] }),
    });
    tokens.push(/** @type {{ token: string }} */ (await response.json()).token);
  }
  const token = () => /** @type {string} */ (tokens[integer(TOKENS)]);
  /** @type {{ name: string, goal: number, requests: Buffer[] }[]} */
  const jobs = [
    {
      name: 'dau-count',
      goal: 0.7,
      requests: Array.from({ length: REQUESTS }, () => bytes(`/analytics/v0/dau-count?${range()}`, token())),
    },
    { name: 'user-activity, pages of 100', goal: 0.4, requests: await pages(token) },
  ];
  const rows = [['', 'ours/s', 'bare/s', 'share', 'goal', 'per CPU s', 'bare', 'share', 'kB', 'p50 ms', 'p99 ms']];
  /** @type {(number | undefined)[]} */
  const memory = [];
  for (const { name, goal, requests } of jobs) {
    const warm = await load(ours.url, ours.pid, requests, { seconds: 2 });
    const bare = await start([
      '--input-type=module',
      '-e',
      BARE,
      '--',
      String(Math.round(warm.bytesPerAnswer) - HEAD_BYTES),
    ]);
    await load(bare.url, bare.pid, requests, { seconds: 2 });
    memory.push(residentMegabytes(ours.pid));
    const results = [];
    for (let round = 0; round < rounds; round++) {
      const one = await load(ours.url, ours.pid, requests, { seconds });
      const other = await load(bare.url, bare.pid, requests, { seconds });
      results.push({ one, other, share: one.requestsPerSecond / other.requestsPerSecond });
      memory.push(residentMegabytes(ours.pid));
    }
    bare.stop();
    results.sort((a, b) => a.share - b.share);
    const { one, other, share } = /** @type {typeof results[number]} */ (results[Math.floor(results.length / 2)]);
    const cpuShare = (one.requestsPerCpuSecond ?? 0) / (other.requestsPerCpuSecond ?? 1);
    rows.push([
      ...[name, one.requestsPerSecond.toFixed(0), other.requestsPerSecond.toFixed(0)],
      ...[`${(share * 100).toFixed(0)} %`, `${goal * 100} %`],
      ...[one.requestsPerCpuSecond?.toFixed(0) ?? '', other.requestsPerCpuSecond?.toFixed(0) ?? ''],
      `${(cpuShare * 100).toFixed(0)} %`,
      ...[(one.bytesPerAnswer / 1000).toFixed(1), one.p50Ms.toFixed(1), one.p99Ms.toFixed(1)],
    ]);
  }
  report('server', rows);
  if (values.peers) await comparePeers(jobs);
  for (let passed = 0; passed < steady; passed += 10) {
    for (const { requests } of jobs) await load(ours.url, ours.pid, requests, { seconds: 5 });
    memory.push(residentMegabytes(ours.pid));
  }
  const [least, most] = [Math.min, Math.max].map((of) => of(...memory.map((one) => one ?? NaN)).toFixed(0));
  figures.push(['memory between rounds, least and most', `${least}, ${most} MB`]);
  figures.push([`after ${steady} s more`, `${memory.at(-1)?.toFixed(0)} MB`]);
  report('server/times', figures);
} finally {
  ours.stop();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Requests per second and memory of other servers, one after the other. Prism makes up an answer by our contract and sums nothing,
 * json-server filters stored rows by its own parameters, and WireMock answers any query with the same bytes.
 * @param {{ requests: Buffer[] }[]} jobs
 */
async function comparePeers([counts, activity]) {
  const get = async (/** @type {string} */ path) => {
    const response = await fetch(`${ours.url}${path}`, { headers: { authorization: `Bearer ${ours.token}` } });
    return response.text();
  };
  const quarter = `start_date=${day(-90)}&end_date=${day(-1)}`;
  const [dau, users] = ['/analytics/v0/dau-count', '/analytics/v0/user-activity'];
  const answers = [
    { path: dau, body: await get(`${dau}?start_date=${day(-45)}&end_date=${day(-1)}`) },
    { path: users, body: await get(`${users}?page_size=100&${quarter}`) },
  ];
  const people = /** @type {{ user_email: string }[]} */ ([]);
  for (let cursor = ''; people.length < 1000;) {
    const page = JSON.parse(await get(`${users}?page_size=100&${quarter}&cursor=${cursor}`));
    people.push(...page.users);
    cursor = page.pagination.next_cursor;
    if (cursor === '') break;
  }
  const days = JSON.parse(await get(`${dau}?${quarter}`)).daily_active_user_counts;
  const own = { counts: counts?.requests ?? [], activity: activity?.requests ?? [] };
  const filtered = Array.from({ length: REQUESTS }, () => {
    const last = -1 - integer(45);
    return bytes(`${dau}?date_gte=${day(last - integer(45))}&date_lte=${day(last)}`, ours.token);
  });
  const numbered = Array.from({ length: REQUESTS }, () =>
    bytes(`${users}?_limit=100&_page=${1 + integer(people.length / 100)}`, ours.token),
  );
  const rows = [['', 'dau-count/s', 'per CPU s', 'kB', 'pages/s', 'per CPU s', 'kB', 'memory']];
  const measure = async (/** @type {import('./lib/serverPeers.mjs').Peer} */ { name, url, pid }) => {
    const requests = name === 'json-server' ? { counts: filtered, activity: numbered } : own;
    const row = [name];
    for (const some of [requests.counts, requests.activity]) {
      await load(url, pid, some, { seconds: 4 });
      const { requestsPerSecond, requestsPerCpuSecond, bytesPerAnswer } = await load(url, pid, some, { seconds: 2 });
      row.push(
        requestsPerSecond.toFixed(0),
        requestsPerCpuSecond?.toFixed(0) ?? '',
        (bytesPerAnswer / 1000).toFixed(1),
      );
    }
    rows.push([...row, `${residentMegabytes(pid)?.toFixed(0) ?? '?'} MB`]);
  };
  await measure({ name: 'ours', url: ours.url, pid: ours.pid });
  await withServerPeers({ folder, openapi: await get('/openapi.json'), answers, days, users: people }, measure);
  report('server/peers', rows);
}

/**
 * Requests for pages at random positions, with cursors of different ranges.
 * @param {() => string} token
 */
async function pages(token) {
  const requests = [];
  while (requests.length < REQUESTS) {
    const path = `/analytics/v0/user-activity?page_size=100&${range()}`;
    let cursor = '';
    do {
      const one = `${path}&cursor=${cursor}`;
      requests.push(bytes(one, token()));
      const response = await fetch(`${ours.url}${one}`, { headers: { authorization: `Bearer ${ours.token}` } });
      const { pagination } = /** @type {{ pagination: { next_cursor: string } }} */ (await response.json());
      cursor = pagination.next_cursor;
    } while (cursor !== '');
  }
  // Random order: one client alone would read page by page.
  return requests.sort(() => Math.random() - 0.5).slice(0, REQUESTS);
}
