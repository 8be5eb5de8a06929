// One measurement of the engine's benchmark, in its own process, which measures its own peak memory.
//   node test/bench/engineJob.ts        (JSON of a Job on stdin)
// Prints a line of JSON at the end: {"result": …}; a job that commits in batches prints {"event":"committed"} after each.
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { growSources, listSources, readSources, sample, type SourceFile } from './corpus.ts';
import { listFiles } from './listing.mjs';
import { mean, median, percentile } from './metric.ts';
import { openFts5 } from './peers/fts5.ts';
import { openMiniSearch } from './peers/minisearch.ts';
import type { ChangedFile, OpenPeer, Peer } from './peers/peer.ts';
import { openSextant } from './peers/sextant.ts';
import { folderOf, questionsOf, repositories } from './questions.ts';
import { Numbers, Vocabulary, eachIdentifier } from './vocabulary.ts';

export const PEERS = {
  sextant: openSextant,
  fts5: (folder, mode) => openFts5(false, folder, mode),
  'fts5-lean': (folder, mode) => openFts5(true, folder, mode),
  minisearch: (folder) => openMiniSearch(folder),
} satisfies Record<string, OpenPeer>;
export type PeerName = keyof typeof PEERS;

interface Place {
  readonly peer: PeerName;
  /** The folder of sources. */
  readonly folder: string;
  /** The folder of the peer's index. */
  readonly state: string;
}

interface IndexLimits {
  readonly batchBytes?: number;
  readonly limitMs?: number;
  readonly files?: number;
}

export type Job =
  | { readonly kind: 'raw'; readonly folder: string }
  | { readonly kind: 'corpus'; readonly folder: string; readonly terms: number; readonly sampled: number }
  /** `batchBytes`: the size of a commit; `limitMs`: the time limit; `files`: as many as that, of the folder's and copies of them. */
  | ({ readonly kind: 'index' } & IndexLimits & Place)
  | ({ readonly kind: 'open'; readonly query: string } & Place)
  | ({ readonly kind: 'query'; readonly sets: Readonly<Record<string, readonly string[]>> } & Place)
  /** Runs queries one by one, until the parent sends a message. */
  | ({ readonly kind: 'queryUntilTold'; readonly queries: readonly string[] } & Place)
  | ({ readonly kind: 'change'; readonly changes: number } & Place)
  | ({ readonly kind: 'complete'; readonly names: readonly RareName[] } & Place)
  /** `data` is the benchmark's folder. */
  | { readonly kind: 'small'; readonly peer: PeerName; readonly data: string; readonly state: string };

export interface RareName {
  readonly path: string;
  readonly name: string;
  /** The number of files with the name. */
  readonly documents: number;
}

const LIMIT = 10;
const PASSES = 3;
/** The time after which no further pass over the queries starts. */
const ENOUGH_MS = 60_000;
const SINGLE_CHANGES = 7;
/** The number of results that are searched for the file. */
const FAR = 1000;

const job = JSON.parse(readFileSync(0, 'utf8')) as Job;
const result = await run(job);
console.log(JSON.stringify({ result: { ...result, peakMB: peakMegabytes() } }));

function run(job: Job): Promise<object> | object {
  switch (job.kind) {
    case 'raw':
      return measureRaw(job.folder);
    case 'corpus':
      return describeCorpus(job.folder, job.terms, job.sampled);
    case 'index':
      return index(job);
    case 'open':
      return open(job, job.query);
    case 'query':
      return query(job, job.sets);
    case 'queryUntilTold':
      return queryUntilTold(job, job.queries);
    case 'change':
      return change(job, job.changes);
    case 'complete':
      return complete(job, job.names);
    case 'small':
      return small(job.peer, job.data, job.state);
  }
}

/** The lower bound: one thread reads each file, and numbers each identifier. */
function measureRaw(folder: string): object {
  const began = performance.now();
  const numbers = new Numbers();
  let files = 0;
  let bytes = 0;
  let identifiers = 0;
  for (const { content } of readSources(folder, listSources(folder))) {
    files++;
    bytes += content.length;
    eachIdentifier(content, (_start, _end, hash1, hash2) => {
      identifiers++;
      numbers.of(hash1, hash2);
    });
  }
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage();
  return { ms, cpuMs: (user + system) / 1000, files, megabytes: bytes / 1e6, identifiers, distinct: numbers.size };
}

/** The queries: half words, half phrases; and the rarest name of sampled files. */
function describeCorpus(folder: string, terms: number, sampled: number): object {
  const paths = listSources(folder);
  const vocabulary = new Vocabulary();
  for (const { content } of readSources(folder, paths)) vocabulary.add(content);
  const texts = function* (): Generator<Uint8Array> {
    for (const { content } of readSources(folder, paths)) yield content;
  };
  const { words, pairs } = vocabulary.commonest(texts(), terms / 2);
  const names: RareName[] = [];
  for (const { path, content } of readSources(folder, sample(paths, sampled))) {
    const rarest = vocabulary.rarest(content);
    if (rarest) names.push({ path, ...rarest });
  }
  return { common: [...words, ...pairs.map((pair) => `"${pair}"`)], names };
}

async function index(job: IndexLimits & Place): Promise<object> {
  const { peer, folder, state, batchBytes = Infinity, limitMs = Infinity } = job;
  mkdirSync(state, { recursive: true });
  const opened = await PEERS[peer](state, 'write');
  const began = performance.now();
  const cpu = process.cpuUsage();
  let madeMs = 0;
  const sources =
    job.files === undefined
      ? readSources(folder, listSources(folder))
      : growSources(folder, job.files, (ms) => (madeMs += ms));
  let files = 0;
  let megabytes = 0;
  let next = sources.next();
  const batch = function* (): Generator<SourceFile> {
    for (let bytes = 0; !next.done && bytes < batchBytes; next = sources.next()) {
      files++;
      bytes += next.value.content.length;
      megabytes += next.value.content.length / 1e6;
      yield next.value;
    }
  };
  let commits = 0;
  for (; !next.done && performance.now() - began < limitMs; commits++) {
    await opened.add(batch());
    if (batchBytes < Infinity) console.log('{"event":"committed"}');
  }
  const indexMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  // This thread makes copies without a wait.
  const indexCpuMs = (user + system) / 1000 - madeMs;
  await opened.settle();
  const settledMs = performance.now() - began;
  await opened.close();
  return { files, megabytes, commits, indexMs, indexCpuMs, settledMs, diskMB: folderMegabytes(state) };
}

async function open({ peer, state }: Place, query: string): Promise<object> {
  const began = performance.now();
  const opened = await PEERS[peer](state, 'read');
  const openMs = performance.now() - began;
  const asked = performance.now();
  await opened.search(query, LIMIT);
  const firstMs = performance.now() - asked;
  await opened.close();
  return { openMs, firstMs };
}

/** The median time of each query over up to three passes; then the distribution of these medians. */
async function query({ peer, state }: Place, sets: Readonly<Record<string, readonly string[]>>): Promise<object> {
  const opened = await PEERS[peer](state, 'read');
  const figures: Record<string, Latency> = {};
  for (const [name, queries] of Object.entries(sets)) {
    const times = queries.map(() => [] as number[]);
    const began = performance.now();
    for (let pass = 0; pass < PASSES && (pass === 0 || performance.now() - began < ENOUGH_MS); pass++) {
      for (const [i, text] of queries.entries()) times[i]!.push(await timed(opened, text));
    }
    figures[name] = latency(times.map(median), queries);
  }
  await opened.close();
  return { sets: figures };
}

async function queryUntilTold({ peer, state }: Place, queries: readonly string[]): Promise<object> {
  const told = new AbortController();
  process.once('message', () => told.abort());
  const opened = await PEERS[peer](state, 'read');
  const times: number[] = [];
  const asked: string[] = [];
  for (let i = 0; !told.signal.aborted; i = (i + 1) % queries.length) {
    const began = performance.now();
    opened.refresh();
    await opened.search(queries[i]!, LIMIT);
    times.push(performance.now() - began);
    asked.push(queries[i]!);
    await setImmediate();
  }
  await opened.close();
  return { queries: times.length, ...latency(times, asked) };
}

/** Changes files one by one, each until a search for its new word finds it; then many at once. */
async function change({ peer, folder, state }: Place, changes: number): Promise<object> {
  const opening = performance.now();
  const opened = await PEERS[peer](state, 'write');
  const openMs = performance.now() - opening;
  const paths = listSources(folder);
  const single: number[] = [];
  for (const [i, file] of changed(opened, folder, sample(paths, SINGLE_CHANGES), 'zxqvkq').entries()) {
    const began = performance.now();
    await opened.replace([{ ...file, content: Buffer.concat([file.content, Buffer.from(` zxqvk${letters(i)}\n`)]) }]);
    const found = await opened.search(`zxqvk${letters(i)}`, LIMIT);
    single.push(performance.now() - began);
    if (!found.includes(file.path)) throw new Error(`${file.path} was not found by its new word.`);
  }
  // Other files than before, with the content of the folder.
  const alone = new Set(sample(paths, SINGLE_CHANGES));
  const others = paths.filter((path) => !alone.has(path));
  const many = changed(opened, folder, sample(others, changes), 'zxqvmanyq');
  const began = performance.now();
  await opened.replace(many);
  const found = await opened.search('zxqvmanyq', LIMIT);
  const manyMs = performance.now() - began;
  if (found.length === 0) throw new Error('None of the changed files was found by its new word.');
  const settling = performance.now();
  await opened.settle();
  const settleMs = performance.now() - settling;
  await opened.close();
  return { openMs, oneMs: median(single), oneMaxMs: Math.max(...single), changed: many.length, manyMs, settleMs };
}

/** Appends a new word to files. */
function changed(peer: Peer, folder: string, paths: readonly string[], word: string): ChangedFile[] {
  return [...readSources(folder, paths)].map((file) => ({
    path: file.path,
    before: peer.handleOf(file),
    content: Buffer.concat([file.content, Buffer.from(`\n${word}\n`)]),
  }));
}

/** A number as letters that form no word ending, since engines treat digits and endings differently. */
function letters(number: number): string {
  return String.fromCharCode(
    ...String(number)
      .split('')
      .map((digit) => 'bcfhjkmpqx'.charCodeAt(Number(digit))),
  );
}

/** Whether each file is found by its name, and whether it ranks with the other files that have the name. */
async function complete({ peer, state }: Place, names: readonly RareName[]): Promise<object> {
  const opened = await PEERS[peer](state, 'read');
  const missed: RareName[] = [];
  let low = 0;
  for (const rare of names) {
    const among = async (limit: number): Promise<boolean> =>
      (await opened.search(rare.name, limit)).includes(rare.path);
    if (await among(rare.documents)) continue;
    if (await among(Math.max(FAR, 2 * rare.documents))) low++;
    else missed.push(rare);
  }
  await opened.close();
  return { asked: names.length, missed, low };
}

/**
 * The benchmark's repositories, each with its questions, in one process like an editor's: indexed and searched twice, first
 * right after the start, then after V8 has optimized the code. bench:quality measures a new process for each.
 */
async function small(peer: PeerName, data: string, state: string): Promise<object> {
  const rounds: object[] = [];
  for (let round = 0; round < 2; round++) {
    const indexMs: number[] = [];
    const times: number[] = [];
    const asked: string[] = [];
    for (const repository of repositories(data)) {
      const folder = folderOf(data, repository, 'root');
      mkdirSync(state, { recursive: true });
      const opened = await PEERS[peer](state, 'write');
      const began = performance.now();
      await opened.add(readSources(folder, listFiles(folder, 'code')));
      indexMs.push(performance.now() - began);
      for (const { query: text } of questionsOf(data, repository.name)) {
        const passes: number[] = [];
        for (let pass = 0; pass < PASSES; pass++) passes.push(await timed(opened, text));
        times.push(median(passes));
        asked.push(text);
      }
      await opened.close();
      rmSync(state, { recursive: true });
    }
    rounds.push({ indexMs: mean(indexMs), ...latency(times, asked) });
  }
  return { rounds };
}

async function timed(peer: Peer, query: string): Promise<number> {
  const began = performance.now();
  await peer.search(query, LIMIT);
  return performance.now() - began;
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly slowest: string;
}

function latency(times: readonly number[], queries: readonly string[]): Latency {
  const max = Math.max(...times);
  return { p50: median(times), p95: percentile(times, 95), max, slowest: queries[times.indexOf(max)] ?? '' };
}

function folderMegabytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6;
}

/** The peak memory of this process. On systems other than Linux it is the system's count, which may include the parent's. */
function peakMegabytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1000;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1000;
}
