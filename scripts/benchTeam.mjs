// npm run bench:team -- DATA [--part quality|load] [--scope root|repo] [--files code|all] [--every N] [--json FILE]
//                    [--upto FILES] [--minutes N] [--heap MB] [--queries N] [--also FOLDER] [--plain] [--index FOLDER]
//                    [--contexts N] [--context-files N]
// Measures all repositories of the benchmark in one store on OpenSearch, which Maven brings. DATA (or BENCH_DIR) as for bench:quality.
//
// quality: asks each question of its own repository and of all as one, here and in the store of a folder; which of the folder's first
//   ten files are among the files that OpenSearch offers to the ranking; and beside them a plain multi_match of the same cluster.
// load: a server on OpenSearch gets the repositories and the folders in --also (the kernel's), each as a repository, and then copies of the repositories with
//   other paths, until it has --upto files or --minutes are over. At each doubling: uploads per second, times of searches with 1, 2, 4 and
//   8 clients, the disk space, the memory of both processes and the machine's load; with --plain also a multi_match over the same files. At the end
//   --contexts of --context-files, spread over all files: the cost of each. With --index the cluster's files remain, and a later run continues.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './lib/dependencies.mjs';
import { missingForOpenSearch, startCluster } from './lib/opensearch.mjs';
import { fail, say, sinceStart } from './lib/say.mjs';
import { draw, report } from './lib/report.mjs';

const USAGE =
  'Usage: npm run bench:team -- DATA [--part quality|load] …; DATA or BENCH_DIR names the data of bench:quality.';
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
    plain: { type: 'boolean', default: false },
    index: { type: 'string' },
    contexts: { type: 'string', default: '0' },
    'context-files': { type: 'string', default: '200000' },
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
const { askAll, batches, filesOf, recallOf, storeAll } = await import('../test/bench/team.ts');
const { measureContexts, pushCopy, timeEach, timeSearches } = await import('../test/bench/teamLoad.ts');

const scope = values.scope === 'repo' ? 'repo' : 'root';
const files = values.files === 'all' ? 'all' : 'code';
const wanted = repositories(data);
const missing = missingRepositories(data, [scope]);
if (missing.length > 0) fail(`Repositories are missing: ${missing.join(', ')}.`);

const folder = mkdtempSync(join(tmpdir(), 'sextant-bench-team-'));
// Ends the node as well.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const cluster = await startCluster({ heapMb: Number(values.heap), folder: values.index && at(values.index) });
const url = cluster.urls[0] ?? '';
try {
  const report = values.part === 'load' ? await load() : await quality();
  write(report);
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
    folder: () => ContentStore.open(join(folder, 'all'), { clock: systemClock, logger: silentLogger }),
    OpenSearch: () => OpenSearchStore.open({ cluster: { urls: [url] }, shards: 1, refreshMs: 200 }),
  };
  let total = 0;
  for (const [name, open] of Object.entries(stores)) {
    const store = await open();
    const stored = await storeAll(store, data, wanted, scope, files);
    total = stored.files;
    say(`${name}: ${total} files of ${wanted.length} repositories are stored.`);
    // In a folder a set is ranked with the counts of all its files, so one repository needs a folder of its own.
    const aloneOf = name === 'folder' ? storeAlone : undefined;
    answers[name] = await askAll(store, data, stored.stored, Number(values.every), aloneOf);
    await store.close();
  }
  const { folder: local = [], OpenSearch: remote = [] } = answers;
  const plain = await askPlainly();
  const score = (/** @type {TeamQuestion[]} */ rows, /** @type {(row: TeamQuestion) => number} */ of) =>
    meanOfMeans(rows, ({ repository }) => repository, of).toFixed(4);
  const share = (/** @type {TeamQuestion[]} */ rows, /** @type {'isFound' | 'isFoundAlone' | 'isOwnFound'} */ of) =>
    `${(100 * mean(rows.map((row) => (row[of] ? 1 : 0)))).toFixed(1)} %`;
  const row = (/** @type {string} */ name, /** @type {TeamQuestion[]} */ rows) => [
    name,
    score(rows, ({ alone }) => alone),
    score(rows, ({ among }) => among),
    share(rows, 'isFoundAlone'),
    share(rows, 'isFound'),
    share(
      rows.filter(({ isFoundAlone }) => isFoundAlone),
      'isFound',
    ),
    share(rows, 'isOwnFound'),
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
    'still found of those',
    'own repository',
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

/** The store of a folder with one repository. @param {import('../test/bench/questions.ts').Repository} repository */
async function storeAlone(repository) {
  const store = await ContentStore.open(join(folder, 'alone', repository.name), {
    clock: systemClock,
    logger: silentLogger,
  });
  const { stored } = await storeAll(store, data, [repository], scope, files);
  return { store, checkpoint: stored[0]?.checkpoint ?? '' };
}

/** An index of text and path as the cluster's own analyzer sees them. */
async function createPlain() {
  const plain = new Cluster({ urls: [url] });
  const properties = { repository: { type: 'keyword' }, path: { type: 'text' }, text: { type: 'text' } };
  await plain.createIndex('plain', {
    settings: { number_of_shards: 1, number_of_replicas: 0 },
    mappings: { properties },
  });
  return plain;
}

/** @param {InstanceType<typeof Cluster>} plain @param {string} query @param {string | undefined} only a repository */
async function searchPlainly(plain, query, only) {
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
  return hits.hits;
}

/** @returns {Promise<import('../test/bench/team.ts').TeamQuestion[]>} */
async function askPlainly() {
  const plain = await createPlain();
  for (const repository of wanted)
    for (const batch of batches(filesOf(folderOf(data, repository, scope), files)))
      await plain.bulk(
        batch.map(({ path, content }) => ({
          action: 'index',
          index: 'plain',
          id: `${repository.name}/${path}`,
          body: { repository: repository.name, path, text: content },
        })),
      );
  await plain.refresh('plain');
  const ask = async (/** @type {string} */ query, /** @type {string | undefined} */ only) =>
    (await searchPlainly(plain, query, only)).map(({ _source }) => ({
      repository: _source?.repository,
      path: join(folderOf(data, byName(String(_source?.repository)), scope), String(_source?.path)),
    }));
  /** @type {import('../test/bench/team.ts').TeamQuestion[]} */
  const asked = [];
  for (const repository of wanted)
    for (const [i, { query, category, targets }] of questionsOf(data, repository.name).entries()) {
      if (i % Number(values.every) !== 0) continue;
      const alone = targetRanks(await ask(query, repository.name), targets);
      const began = performance.now();
      const all = await ask(query, undefined);
      const ms = performance.now() - began;
      const among = targetRanks(all, targets);
      asked.push({
        ...{ repository: repository.name, category, query, ms },
        ...{ alone: ndcg(alone, targets.length), among: ndcg(among, targets.length) },
        ...{
          isFoundAlone: alone.length > 0,
          isFound: among.length > 0,
          isOwnFound: all.some((one) => one.repository === repository.name),
          first: [],
          considered: [],
          results: [],
        },
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
  const plain = values.plain ? await createPlain() : undefined;
  const until = performance.now() + Number(values.minutes) * 60_000;
  const upto = Number(values.upto);
  const asked = Number(values.queries);
  const questions = wanted.flatMap((one) => questionsOf(data, one.name).map(({ query }) => query));
  const queries = Array.from({ length: asked }, (_, i) => questions[Math.floor((i * questions.length) / asked)] ?? '');
  const benchmark = wanted.map((one) => ({ name: one.name, folder: folderOf(data, one, scope) }));
  const also = values.also === undefined ? [] : foldersOf(at(values.also));
  const heads = ['files', 'MB of code', 'files/s', 'MB/s', 'index MB', 'index/code'];
  for (const count of [1, 2, 4, 8]) heads.push(`p50, ${count}`, 'p95', '/s');
  const rows = [[...heads, 'plain MB', 'p50', 'p95', 'server MB', 'node MB', 'load']];
  /** @type {{ steps: object[], contexts?: import('../test/bench/teamLoad.ts').ContextCost }} */
  const results = { steps: [] };
  /** @type {{ files: number, p50: number, p95: number }[]} */
  const growth = [];
  /** @type {string[]} */
  const names = [];
  let [bytes, step] = [0, FIRST_STEP];
  let since = { files: 0, bytes: 0, ms: 0 };
  measuring: for (let copy = 0; ; copy++)
    // The folders of --also once: they are large, and different from each other.
    for (const pushed of copy === 0 ? [...benchmark, ...also] : benchmark) {
      const done = await pushCopy(client, { ...pushed, files }, copy, async (copies) => {
        await plain?.bulk(
          copies.map(({ name, path, content }) => ({
            action: 'create',
            index: 'plain',
            id: name,
            body: { path, text: content },
          })),
        );
      });
      for (const name of done.names) names.push(name);
      bytes += done.bytes;
      const { uploaded } = done;
      since = {
        files: since.files + uploaded.files,
        bytes: since.bytes + uploaded.bytes,
        ms: since.ms + (uploaded.files > 0 ? uploaded.ms : 0),
      };
      const isLast = names.length >= upto || performance.now() > until;
      if (names.length < step && !isLast) continue;
      while (step <= names.length) step *= 2;
      // An earlier run measured what it stored.
      if (since.files === 0 && !isLast) continue;
      const figures = await measure();
      const seconds = since.ms / 1000;
      const pushRate = { files: since.files / seconds, mb: since.bytes / 1e6 / seconds };
      results.steps.push({ files: names.length, bytes, pushRate, ...figures });
      growth.push({ files: names.length, ...(figures.searches[0] ?? { p50: 0, p95: 0 }) });
      rows.push([
        ...[String(names.length), (bytes / 1e6).toFixed(0), pushRate.files.toFixed(0), pushRate.mb.toFixed(1)],
        ...[(figures.index / 1e6).toFixed(0), (figures.index / bytes).toFixed(2)],
        ...figures.searches.flatMap(({ p50, p95, perSecond }) => [
          p50.toFixed(0),
          p95.toFixed(0),
          perSecond.toFixed(1),
        ]),
        ...[(figures.plainIndex / 1e6).toFixed(0), (figures.plain?.p50 ?? 0).toFixed(0)],
        ...[(figures.plain?.p95 ?? 0).toFixed(0), figures.serverMb.toFixed(0), figures.nodeMb.toFixed(0)],
        figures.load.toFixed(1),
      ]);
      console.log(rows.at(-1)?.join('  '));
      write(results);
      since = { files: 0, bytes: 0, ms: 0 };
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
  const contexts = Number(values.contexts);
  const contextFiles = Math.min(Number(values['context-files']), Math.floor(0.9 * names.length));
  if (contexts > 0) {
    results.contexts = await measureContexts(client, names, { files: contextFiles, contexts, queries }, () =>
      sizeOf('sextant-sets'),
    );
    report('contexts', contextRows(results.contexts));
  }
  await plain?.close();
  await client.close();
  await server.close();
  return results;

  async function measure() {
    const searches = await timeSearches(client, queries);
    return {
      searches,
      index: await sizeOf('sextant-*'),
      plainIndex: plain ? await sizeOf('plain') : 0,
      plain: plain && (await timeEach(queries, 1, (query) => searchPlainly(plain, query, undefined))),
      serverMb: process.memoryUsage().rss / 1e6,
      nodeMb: cluster.nodes[0]?.residentMb() ?? 0,
      load: loadavg()[0] ?? 0,
    };
  }
}

/** Bytes of indexes, after what is in memory was written. @param {string} indexes */
async function sizeOf(indexes) {
  await fetch(`${url}/${indexes}/_flush`, { method: 'POST' });
  const answer = await fetch(`${url}/_cat/segments/${indexes}?format=json&bytes=b&h=size`);
  const segments = /** @type {{ size: string }[]} */ (await answer.json());
  return segments.reduce((sum, { size }) => sum + Number(size), 0);
}

/** @param {import('../test/bench/teamLoad.ts').ContextCost} cost */
function contextRows(cost) {
  const times = (/** @type {{ p50: number, p95: number }} */ { p50, p95 }) => `${p50.toFixed(0)}, ${p95.toFixed(0)} ms`;
  return [
    [`${cost.contexts} contexts of ${cost.files} files`, 'figure'],
    ['the first one, by all its names', `${(cost.firstMs / 1000).toFixed(1)} s`],
    ['each further one, p50, p95', times(cost.further)],
    ['disk of each', `${(cost.bytesEach / 1000).toFixed(1)} kB`],
    ['disk of all', `${(cost.bytesOfAll / 1e6).toFixed(0)} MB`],
    ['search of the same context each time, p50, p95', times(cost.same)],
    ['first search of another context each time', times(cost.first)],
    ['second search of each of them', times(cost.second)],
  ];
}

/** The folders in a folder, each a repository. @param {string} folder */
function foldersOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, folder: join(folder, name) }));
}

/** @param {object} report */
function write(report) {
  if (values.json !== undefined) writeFileSync(at(values.json), `${JSON.stringify(report, null, 1)}\n`);
}
