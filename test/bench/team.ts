import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { ContextStore, SetHit } from '../../src/context/store/contextStore.ts';
import { documentId } from '../../src/engine/documentId.ts';
import { WIRE_LIMITS } from '../../src/wire/contract.ts';
import { listFiles } from './listing.mjs';
import { ndcg, targetRanks } from './metric.ts';
import { folderOf, questionsOf, type Question, type Repository, type Scope } from './questions.ts';
import type { RetrieverResult } from './retrieverClient.ts';

/* Measures many repositories in one store: see scripts/benchTeam.mjs. */

const K = 10;
/** Most files that the ranking gets of a store on a cluster. */
const CANDIDATES = 200;
const BATCH_BYTES = 2 << 20;
const BATCH_FILES = 500;
const MAX_BYTES = WIRE_LIMITS.maxBlobBytes;

export interface TeamFile {
  readonly path: string;
  readonly content: string;
}

export interface StoredRepository {
  readonly repository: Repository;
  readonly folder: string;
  readonly checkpoint: string;
}

/** The files of a repository; each is read when it is needed. */
export function* filesOf(folder: string, files: 'code' | 'all'): Generator<TeamFile> {
  for (const path of listFiles(folder, files)) {
    const content = readFileSync(join(folder, path), 'utf8');
    if (!content.includes('\0') && Buffer.byteLength(content) <= MAX_BYTES) yield { path, content };
  }
}

/** Groups of files as a push sends them. */
export function* batches(files: Iterable<TeamFile>): Generator<TeamFile[]> {
  let [batch, bytes]: [TeamFile[], number] = [[], 0];
  for (const file of files) {
    batch.push(file);
    bytes += file.content.length;
    if (bytes < BATCH_BYTES && batch.length < BATCH_FILES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** Uploads the benchmark's repositories, each as a set of its own. */
export async function storeAll(
  store: ContextStore,
  data: string,
  repositories: readonly Repository[],
  scope: Scope,
  files: 'code' | 'all',
): Promise<{ readonly stored: readonly StoredRepository[]; readonly files: number }> {
  const stored: StoredRepository[] = [];
  let count = 0;
  for (const repository of repositories) {
    const folder = folderOf(data, repository, scope);
    const added: string[] = [];
    for (const batch of batches(filesOf(folder, files))) added.push(...(await store.upload(batch)));
    count += added.length;
    const checkpoint = await store.checkpoint({ checkpointId: undefined, added, deleted: [] });
    stored.push({ repository, folder, checkpoint });
  }
  return { stored, files: count };
}

export interface TeamQuestion {
  readonly repository: string;
  readonly category: string;
  readonly query: string;
  /** Of a search of its repository, and of one of all. */
  readonly alone: number;
  readonly among: number;
  /** Whether a right file is in the first ten of all repositories. */
  readonly isFound: boolean;
  /** Whether it is in the first ten of its own. */
  readonly isFoundAlone: boolean;
  /** Whether any file of the question's repository is in the first ten of all. */
  readonly isOwnFound: boolean;
  /** Names of the first ten files of all repositories, and of as many as the store considers. */
  readonly first: readonly string[];
  readonly considered: readonly string[];
  readonly results: readonly string[];
  readonly ms: number;
}

/** Asks every n-th question, of all repositories as one, and of each alone: in the store that `aloneOf` opens, or in the same one. */
export async function askAll(
  store: ContextStore,
  data: string,
  stored: readonly StoredRepository[],
  every: number,
  aloneOf?: (repository: Repository) => Promise<{ readonly store: ContextStore; readonly checkpoint: string }>,
): Promise<TeamQuestion[]> {
  const asked: TeamQuestion[] = [];
  const checkpoints = stored.map(({ checkpoint }) => checkpoint);
  for (const [own, { repository, folder, checkpoint }] of stored.entries()) {
    const lone = (await aloneOf?.(repository)) ?? { store, checkpoint };
    for (const [i, question] of questionsOf(data, repository.name).entries()) {
      if (i % every !== 0) continue;
      const { query, category } = question;
      const one = await lone.store.searchSets(query, [lone.checkpoint], { limit: K });
      const began = performance.now();
      const all = await store.searchSets(query, checkpoints, { limit: CANDIDATES });
      const ms = performance.now() - began;
      const alone = judge(question, one.hits, () => folder);
      const among = judge(
        question,
        all.hits.slice(0, K),
        ({ sets }) => stored[sets.includes(own) ? own : sets[0]!]!.folder,
      );
      asked.push({
        ...{ repository: repository.name, category, query, ms },
        ...{ alone: alone.ndcg, among: among.ndcg, isFound: among.isFound, isFoundAlone: alone.isFound },
        first: all.hits.slice(0, K).map(({ id }) => id),
        considered: all.hits.map(({ id }) => id),
        results: all.hits.slice(0, K).map(({ path, sets }) => `${stored[sets[0]!]!.repository.name}/${path}`),
        isOwnFound: all.hits.slice(0, K).some(({ sets }) => sets.includes(own)),
      });
    }
    if (lone.store !== store) await lone.store.close();
  }
  return asked;
}

/** The share of the files of `wanted` that `given` has: question by question, of those with a result. */
export function recallOf(wanted: readonly TeamQuestion[], given: readonly TeamQuestion[]): number {
  let [found, all] = [0, 0];
  for (const [i, { first }] of wanted.entries()) {
    const considered = new Set(given[i]!.considered);
    all += first.length;
    found += first.filter((id) => considered.has(id)).length;
  }
  return all === 0 ? 0 : found / all;
}

function judge(
  { targets }: Question,
  hits: readonly SetHit[],
  folderOfHit: (hit: SetHit) => string,
): { readonly ndcg: number; readonly isFound: boolean } {
  const results = hits.map((hit): RetrieverResult => {
    const { path, startLine, endLine } = hit;
    const file = isAbsolute(path) ? path : join(folderOfHit(hit), path);
    return { path: file, start_line: startLine, end_line: endLine };
  });
  const ranks = targetRanks(results, targets);
  return { ndcg: ndcg(ranks, targets.length, K), isFound: ranks.length > 0 };
}

/** A copy of a file under another name: a file of its own for the store. */
export function copyOf({ path, content }: TeamFile, copy: number): TeamFile {
  return { path: `copy${copy}/${path}`, content };
}

/** The name of a blob, as clients compute it. */
export function blobName({ path, content }: TeamFile): string {
  return documentId(path, Buffer.from(content));
}
