// npm run bench:team -- DATA [--part quality|load] [--scope root|repo] [--files code|all] [--every N] [--json FILE]
//                    [--upto FILES] [--minutes N] [--heap MB] [--queries N] [--also FOLDER]
// Measures all repositories of the benchmark in one store on OpenSearch, which Maven brings. DATA (or BENCH_DIR) as for bench:quality.
//
// quality: asks each question of its own repository and of all as one, here and in the store of a folder; which of the folder's first
//   ten files are among the files that OpenSearch offers to the ranking; and beside them a plain multi_match of the same cluster.
// load: a server on OpenSearch gets copies of the repositories, and of the folders in --also (the kernel's), each as a repository, until it has --upto files or --minutes are over. At each doubling:
//   uploads per second, times of searches with 1, 2, 4 and 8 clients, the disk space, and the memory of both processes.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './lib/dependencies.mjs';
import { missingForOpenSearch, startCluster } from './lib/opensearch.mjs';
import { fail, say, sinceStart } from './lib/say.mjs';
import { draw, report } from './lib/report.mjs';

const USAGE =
  'Usage: npm run bench:team -- DATA [--part quality|load] …; DATA or BENCH_DIR names the data of bench:quality.';
const CLIENTS = [1, 2, 4, 8];
const FIRST_STEP = 5_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string', default: 'quality' },
    scope: { type: 'string', default: 'root' },
    files: { type: 'string', default: 'code' },
    every: { type: 'string', default: '1' },
    json: { type: 'string' },
    upto: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '4' },
    heap: { type: 'string', default: '1024' },
    queries: { type: 'string', default: '60' },
    also: { type: 'string' },
  },
});
const at = (/** @type {string} */ path) => resolve(process.env.INIT_CWD ?? '.', path);
const named = positionals[0] ?? process.env.BENCH_DIR;
if (named === undefined || !['quality', 'load'].includes(values.part)) fail(USAGE);
const data = at(named);
if (!existsSync(join(data, 'data/manifest.json'))) fail(`There is no data/manifest.json in ${data}. ${USAGE}`);
await ensureDependencies();
const lacking = missingForOpenSearch();
if (lacking !== undefined) fail(`This machine lacks ${lacking}.`);

const { systemClock } = await import('../src/base/clock.ts');
const { silentLogger } = await import('../src/base/log.ts');
const { ContentStore } = await import('../src/context/store/contentStore.ts');
const { OpenSearchStore } = await import('../src/context/opensearch/openSearchStore.ts');
const { Cluster } = await import('../src/context/opensearch/cluster.ts');
const { openSearchOf } = await import('../src/cli/server/openSearchOptions.ts');
const { SextantServer } = await import('../src/server/server.ts');
const { WireClient } = await import('../src/wire/wireClient.ts');
const { meanOfMeans, mean, ndcg, percentile, targetRanks } = await import('../test/bench/metric.ts');
const { folderOf, missingRepositories, questionsOf, repositories } = await import('../test/bench/questions.ts');
const { askAll, batches, blobName, copyOf, filesOf, recallOf, storeAll } = await import('../test/bench/team.ts');

const scope = values.scope === 'repo' ? 'repo' : 'root';
const files = values.files === 'all' ? 'all' : 'code';
const wanted = repositories(data);
const missing = missingRepositories(data, [scope]);
if (missing.length > 0) fail(`Repositories are missing: ${missing.join(', ')}.`);

const folder = mkdtempSync(join(tmpdir(), 'sextant-bench-team-'));
// Ends the node as well.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const cluster = await startCluster({ heapMb: Number(values.heap) });
const url = cluster.urls[0] ?? '';
try {
  const report = values.part === 'load' ? await load() : await quality();
  if (values.json !== undefined) writeFileSync(at(values.json), `${JSON.stringify(report, null, 1)}\n`);
} finally {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}
say(`It took ${sinceStart()}.`);

async function quality() {
  /** @typedef {import('../test/bench/team.ts').TeamQuestion} TeamQuestion */
  /** @type {Record<string, TeamQuestion[]>} */
  const answers = {};
  const stores = {
    folder: () => ContentStore.open(folder, { clock: systemClock, logger: silentLogger }),
    OpenSearch: () => OpenSearchStore.open({ cluster: { urls: [url] }, shards: 1, refreshMs: 200 }),
  };
  let total = 0;
  for (const [name, open] of Object.entries(stores)) {
    const store = await open();
    const stored = await storeAll(store, data, wanted, scope, files);
    total = stored.files;
    say(`${name}: ${total} files of ${wanted.length} repositories are stored.`);
    answers[name] = await askAll(store, data, stored.stored, Number(values.every));
    await store.close();
  }
  const { folder: local = [], OpenSearch: remote = [] } = answers;
  const plain = await askPlainly();
  const score = (/** @type {TeamQuestion[]} */ rows, /** @type {(row: TeamQuestion) => number} */ of) =>
    meanOfMeans(rows, ({ repository }) => repository, of).toFixed(4);
  const share = (/** @type {TeamQuestion[]} */ rows, /** @type {'isFound' | 'isFoundAlone'} */ of) =>
    `${(100 * mean(rows.map((row) => (row[of] ? 1 : 0)))).toFixed(1)} %`;
  const row = (/** @type {string} */ name, /** @type {TeamQuestion[]} */ rows) => [
    name,
    score(rows, ({ alone }) => alone),
    score(rows, ({ among }) => among),
    share(rows, 'isFoundAlone'),
    share(rows, 'isFound'),
    percentile(
      rows.map(({ ms }) => ms),
      50,
    ).toFixed(0),
  ];
  const heads = [
    `${total} files, ${scope} scope`,
    'alone',
    'all as one',
    'found alone',
    'found in all',
    'p50 ms in all',
  ];
  report('team', [heads, row('folder', local), row('OpenSearch', remote), row('plain multi_match', plain)]);
  for (const name of wanted.map((one) => one.name)) {
    const [a, b] = [local, remote].map((rows) => rows.filter(({ repository }) => repository === name));
    const figures = [a ?? [], b ?? []].map((rows) => mean(rows.map(({ alone }) => alone)).toFixed(4));
    if (figures[0] !== figures[1]) console.log(`${name} alone: ${figures[0]} in a folder, ${figures[1]} on OpenSearch`);
  }
  const recall = recallOf(local, remote);
  console.log(
    `Of the folder's first ten files of all, OpenSearch offers ${(100 * recall).toFixed(2)} % to the ranking.`,
  );
  const lost = remote.filter(({ isFound, isFoundAlone }) => isFoundAlone && !isFound);
  const both = lost.filter((one) => local.some(({ query, isFound }) => query === one.query && !isFound));
  console.log(
    `${lost.length} questions are answered alone and not in all; ${both.length} of them in a folder neither:`,
  );
  for (const { repository, query, results } of lost.slice(0, 25))
    console.log(`  ${repository}: ${query}\n    ${results.slice(0, 3).join(', ')}`);
  return { files: total, recall, folder: local, OpenSearch: remote, plain };
}

/** Text and path as the cluster's own analyzer sees them. @returns {Promise<import('../test/bench/team.ts').TeamQuestion[]>} */
async function askPlainly() {
  const plain = new Cluster({ urls: [url] });
  const properties = { repository: { type: 'keyword' }, path: { type: 'text' }, text: { type: 'text' } };
  await plain.createIndex('plain', {
    settings: { number_of_shards: 1, number_of_replicas: 0 },
    mappings: { properties },
  });
  for (const repository of wanted)
    for (const batch of batches(filesOf(folderOf(data, repository, scope), files)))
      await plain.bulk(
        batch.map(({ path, content }, i) => ({
          action: 'index',
          index: 'plain',
          id: `${repository.name}/${path}`,
          body: { repository: repository.name, path, text: content, number: i },
        })),
      );
  await plain.refresh('plain');
  const ask = async (/** @type {string} */ query, /** @type {string | undefined} */ only) => {
    const { hits } = await plain.search('plain', {
      size: 10,
      _source: ['path', 'repository'],
      query: {
        bool: {
          must: [{ multi_match: { query, fields: ['text', 'path'] } }],
          filter: only === undefined ? [] : [{ term: { repository: only } }],
        },
      },
    });
    return hits.hits.map(({ _source }) => ({
      path: join(folderOf(data, byName(String(_source?.repository)), scope), String(_source?.path)),
    }));
  };
  /** @type {import('../test/bench/team.ts').TeamQuestion[]} */
  const asked = [];
  for (const repository of wanted)
    for (const [i, { query, category, targets }] of questionsOf(data, repository.name).entries()) {
      if (i % Number(values.every) !== 0) continue;
      const alone = targetRanks(await ask(query, repository.name), targets);
      const began = performance.now();
      const among = targetRanks(await ask(query, undefined), targets);
      asked.push({
        ...{ repository: repository.name, category, query, ms: performance.now() - began },
        ...{ alone: ndcg(alone, targets.length), among: ndcg(among, targets.length) },
        ...{ isFoundAlone: alone.length > 0, isFound: among.length > 0, first: [], considered: [], results: [] },
      });
    }
  await plain.close();
  return asked;
}

function byName(/** @type {string} */ name) {
  const found = wanted.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
}

async function load() {
  const options = /** @type {const} */ ({ store: 'opensearch', opensearchUrl: [url], opensearchShards: 1 });
  const server = await SextantServer.start({ rateLimit: false, context: { openStore: openSearchOf(options, {}) } });
  const client = new WireClient({ url: server.url, token: server.token, userAgent: 'bench', timeoutMs: 900_000 });
  const until = performance.now() + Number(values.minutes) * 60_000;
  const upto = Number(values.upto);
  const asked = Number(values.queries);
  const questions = wanted.flatMap((one) => questionsOf(data, one.name).map(({ query }) => query));
  const pushed = wanted.map((one) => ({ name: one.name, folder: folderOf(data, one, scope) }));
  if (values.also !== undefined)
    for (const entry of readdirSync(at(values.also), { withFileTypes: true }))
      if (entry.isDirectory()) pushed.push({ name: entry.name, folder: join(at(values.also), entry.name) });
  const queries = Array.from({ length: asked }, (_, i) => questions[Math.floor((i * questions.length) / asked)] ?? '');
  const heads = ['files', 'MB of code', 'files/s', 'MB/s', 'index MB', 'index/code'];
  for (const count of CLIENTS) heads.push(`p50, ${count}`, 'p95', '/s');
  const rows = [[...heads, 'server MB', 'node MB']];
  /** @type {object[]} */
  const steps = [];
  /** @type {{ files: number, p50: number, p95: number }[]} */
  const growth = [];
  let [count, bytes, spent, step] = [0, 0, 0, FIRST_STEP];
  let [lastCount, lastBytes, lastSpent] = [0, 0, 0];
  measuring: for (let copy = 0; ; copy++)
    for (const { name, folder } of pushed) {
      const began = performance.now();
      /** @type {string[]} */
      const added = [];
      for (const batch of batches(filesOf(folder, files))) {
        const copies = batch.map((file) => copyOf(file, copy));
        await client.upload(
          copies.map((file) => ({ ...file, name: blobName(file), size: Buffer.byteLength(file.content) })),
        );
        for (const file of copies) {
          added.push(blobName(file));
          bytes += file.content.length;
        }
        if (performance.now() > until) break;
      }
      const checkpoint = await client.checkpoint({ checkpointId: undefined, added, deleted: [] });
      const blobs = { checkpointId: checkpoint, added: [], deleted: [] };
      await client.putRepository({ name: `copy${copy}/${name}`, blobs });
      count += added.length;
      spent += performance.now() - began;
      const isLast = count >= upto || performance.now() > until;
      if (count < step && !isLast) continue;
      const figures = await measure();
      const seconds = (spent - lastSpent) / 1000;
      const uploaded = { files: (count - lastCount) / seconds, mb: (bytes - lastBytes) / 1e6 / seconds };
      steps.push({ files: count, bytes, uploaded, ...figures });
      growth.push({ files: count, ...(figures.searches[0] ?? { p50: 0, p95: 0 }) });
      rows.push([
        ...[String(count), (bytes / 1e6).toFixed(0), uploaded.files.toFixed(0), uploaded.mb.toFixed(1)],
        ...[(figures.index / 1e6).toFixed(0), (figures.index / bytes).toFixed(2)],
        ...figures.searches.flatMap(({ p50, p95, perSecond }) => [
          p50.toFixed(0),
          p95.toFixed(0),
          perSecond.toFixed(1),
        ]),
        ...[figures.serverMb.toFixed(0), figures.nodeMb.toFixed(0)],
      ]);
      console.log(rows.at(-1)?.join('  '));
      [lastCount, lastBytes, lastSpent, step] = [count, bytes, spent, step * 2];
      if (isLast) break measuring;
    }
  report('load', rows);
  draw('team-growth', {
    title: 'Search in a team’s code, one client',
    ...{ x: 'files', y: 'ms' },
    at: growth.map(({ files }) => files),
    series: [
      { name: 'p50', y: growth.map(({ p50 }) => p50) },
      { name: 'p95', y: growth.map(({ p95 }) => p95) },
    ],
  });
  await client.close();
  await server.close();
  return steps;

  async function measure() {
    const searches = [];
    for (const clients of CLIENTS) {
      /** @type {number[]} */
      const times = [];
      const waiting = [...queries];
      const began = performance.now();
      const work = async () => {
        for (let query = waiting.pop(); query !== undefined; query = waiting.pop()) {
          const sent = performance.now();
          await client.searchRepositories(query, { limit: 20 });
          times.push(performance.now() - sent);
        }
      };
      await Promise.all(Array.from({ length: clients }, work));
      const perSecond = times.length / ((performance.now() - began) / 1000);
      searches.push({ clients, p50: percentile(times, 50), p95: percentile(times, 95), perSecond });
    }
    const stats = /** @type {any} */ (await (await fetch(`${url}/sextant-*/_stats/store`)).json());
    const index = Number(stats._all.primaries.store.size_in_bytes);
    return { searches, index, serverMb: process.memoryUsage().rss / 1e6, nodeMb: cluster.nodes[0]?.residentMb() ?? 0 };
  }
}
