import { loadavg } from 'node:os';
import type { WireClient } from '../../src/wire/wireClient.ts';
import { percentile } from './metric.ts';
import { batches, blobName, copyOf, filesOf, type TeamFile } from './team.ts';

/* Measures a service by number of files and of contexts: see scripts/benchTeam.mjs. */

/** Uploads under way at once, as of several jobs of CI: each waits until its files can be searched. */
const UPLOADS = 4;
const CLIENTS = [1, 2, 4, 8];
const RESULTS = 20;
/** Files that a context has besides the common ones, and lacks of them. */
const CHANGED = 20;

export interface NamedFile extends TeamFile {
  readonly name: string;
}

export interface Pushed {
  readonly names: readonly string[];
  readonly bytes: number;
  /** Of those that the service lacked. */
  readonly uploaded: { readonly files: number; readonly bytes: number; readonly ms: number };
}

/** Pushes copies of a folder's files as a repository. Calls `each` with each group of them. */
export async function pushCopy(
  client: WireClient,
  { name, folder, files }: { readonly name: string; readonly folder: string; readonly files: 'code' | 'all' },
  copy: number,
  each: (files: readonly NamedFile[]) => Promise<void>,
): Promise<Pushed> {
  const began = performance.now();
  const names: string[] = [];
  let bytes = 0;
  const uploaded = { files: 0, bytes: 0 };
  const groups = batches(filesOf(folder, files));
  let apartMs = 0;
  const upload = async (): Promise<void> => {
    for (const group of groups) {
      const copies = group.map((file) => {
        const made = copyOf(file, copy);
        return { ...made, name: blobName(made), size: Buffer.byteLength(made.content) };
      });
      const unknown = new Set((await client.findMissing(copies.map((one) => one.name))).unknown);
      const lacking = copies.filter((one) => unknown.has(one.name));
      if (lacking.length > 0) await client.upload(lacking);
      uploaded.files += lacking.length;
      for (const one of lacking) uploaded.bytes += one.size;
      for (const one of copies) {
        names.push(one.name);
        bytes += one.size;
      }
      const paused = performance.now();
      await each(copies);
      apartMs += performance.now() - paused;
    }
  };
  await Promise.all(Array.from({ length: UPLOADS }, upload));
  const checkpoint = await client.checkpoint({ checkpointId: undefined, added: names, deleted: [] });
  await client.putRepository({
    name: `copy${copy}/${name}`,
    blobs: { checkpointId: checkpoint, added: [], deleted: [] },
  });
  const ms = performance.now() - began - apartMs / UPLOADS;
  return { names, bytes, uploaded: { ...uploaded, ms } };
}

export interface Times {
  readonly p50: number;
  readonly p95: number;
  readonly perSecond: number;
}

export interface Searches extends Times {
  readonly clients: number;
}

/** Searches all repositories with more and more clients, each with the same queries. */
export async function timeSearches(client: WireClient, queries: readonly string[]): Promise<Searches[]> {
  const searches: Searches[] = [];
  for (const clients of CLIENTS) {
    const times = await timeEach(queries, clients, (query) => client.searchRepositories(query, { limit: RESULTS }));
    searches.push({ clients, ...times });
  }
  return searches;
}

/** Times of a call for each item, several at once. */
export async function timeEach<T>(
  items: readonly T[],
  atOnce: number,
  call: (item: T) => Promise<unknown>,
): Promise<Times> {
  const times: number[] = [];
  const waiting = [...items].reverse();
  const began = performance.now();
  const work = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      const sent = performance.now();
      await call(item);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const perSecond = times.length / ((performance.now() - began) / 1000);
  return { p50: percentile(times, 50), p95: percentile(times, 95), perSecond };
}

export interface ContextCost {
  readonly files: number;
  readonly contexts: number;
  /** Of the first context, all of whose names are sent. */
  readonly firstMs: number;
  /** Of each further one, with some files more and some less. */
  readonly further: Times;
  readonly bytesEach: number;
  readonly bytesOfAll: number;
  /** A search of one context, again and again; and the first search of another one each time, and the second. */
  readonly same: Times;
  readonly first: Times;
  readonly second: Times;
  readonly load: number;
}

/** Makes contexts of a number of files, spread over all, and searches them. `sizeOf` resolves to the bytes of an index. */
export async function measureContexts(
  client: WireClient,
  names: readonly string[],
  {
    files,
    contexts,
    queries,
  }: { readonly files: number; readonly contexts: number; readonly queries: readonly string[] },
  sizeOf: () => Promise<number>,
): Promise<ContextCost> {
  const every = names.length / files;
  const common = Array.from({ length: files }, (_, i) => names[Math.floor(i * every)]!);
  const isCommon = new Set(common);
  const others = names.filter((name) => !isCommon.has(name));
  const began = performance.now();
  const base = await client.checkpoint({ checkpointId: undefined, added: common, deleted: [] });
  const firstMs = performance.now() - began;
  const before = await sizeOf();
  const made: string[] = [];
  const further = await timeEach([...Array(contexts).keys()], 1, async (i) => {
    const some = (of: readonly string[]): string[] =>
      Array.from({ length: CHANGED }, (_, j) => of[(i * 7919 + j * 104_729) % of.length]!);
    made.push(await client.checkpoint({ checkpointId: base, added: some(others), deleted: some(common) }));
  });
  const bytesOfAll = (await sizeOf()) - before;
  const search = (query: string, id: string): Promise<string> =>
    client.retrieve(query, { checkpointId: id, added: [], deleted: [] });
  const step = Math.max(1, Math.floor(made.length / queries.length));
  const asked = queries.map((query, i) => ({ query, id: made[(i * step) % made.length]! }));
  for (const query of queries) await search(query, base);
  const same = await timeEach(queries, 1, (query) => search(query, base));
  const first = await timeEach(asked, 1, ({ query, id }) => search(query, id));
  const second = await timeEach(asked, 1, ({ query, id }) => search(query, id));
  const bytesEach = bytesOfAll / contexts;
  return { files, contexts, firstMs, further, bytesEach, bytesOfAll, same, first, second, load: loadavg()[0]! };
}
