import type { Clock } from '../base/clock.ts';
import { formatTime } from '../base/clock.ts';
import { unindexedWords } from '../engine/query/fallbacks.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import type { SourceRange } from '../engine/query/sourceRange.ts';
import { outputLength } from '../wire/contract.ts';
import { formatRetrieval } from '../wire/formatRetrieval.ts';
import {
  forgeUrl,
  isRepositoryPattern,
  matchesRepository,
  REPOSITORY_LIMITS,
  splitRepositoryQuery,
  type SearchAnswer,
  type WireRepository,
  type WireResult,
} from '../wire/repositories.ts';
import type { NewVersion } from '../wire/wireClient.ts';
import { contextErrors } from './errors.ts';
import { toRetrievedFile } from './retrieved.ts';
import type { ContextStore, FoundText, SetHit, StoredRepository } from './store/contextStore.ts';

/** Which repositories a caller may use, by name. */
export type MayUse = (name: string) => boolean;

/** Number of earlier versions that are kept by default. */
const KEEP = 3;
const RESULTS = 20;
/** Number of files that fill the longest retrieval. */
const RETRIEVED = 48;
/** Lines of a place in a result. */
const MAX_LINES = 60;
const MAX_LINE = 1_000;
const NONE_SEARCHED = 'No repository was searched: none was pushed that you may read, or none has such a name.';
/** Problems of one kind that are listed by name. */
const NAMED = 5;

/** Pushed repositories on a store, for callers who may use some of them. What a caller may not use does not exist for them. */
export class Repositories {
  readonly #store: ContextStore;
  readonly #clock: Clock;

  constructor(store: ContextStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async list(may: MayUse): Promise<WireRepository[]> {
    return (await this.#allowed(may)).map(toWire);
  }

  /** Moves a name to a set of files, in one step. Throws `CheckpointNotFound`, and `FilesMissing` for files never uploaded. */
  async put({ name, blobs, keep = KEEP, url, ...version }: NewVersion): Promise<WireRepository> {
    const checkpoint = await this.#store.checkpoint(blobs);
    const { unknown } = await this.#store.findMissing(blobs.added);
    if (unknown.length > 0) throw contextErrors.notUploaded(name, unknown.length);
    const files = await this.#store.sizeOf(checkpoint);
    const pushed = { ...version, checkpoint, files, pushedAt: this.#clock.now() };
    return toWire(await this.#store.repositories.put(name, url, pushed, keep));
  }

  /** Resolves to whether there was one. Its files are removed when they are unused for long. */
  remove(name: string): Promise<boolean> {
    return this.#store.repositories.remove(name);
  }

  async search(
    query: string,
    patterns: readonly string[] | undefined,
    limit: number | undefined,
    may: MayUse,
    signal?: AbortSignal,
  ): Promise<SearchAnswer> {
    const { hits, chosen, searched, problems } = await this.#search(query, patterns, limit ?? RESULTS, may, signal);
    return { results: hits.map((hit) => resultOf(hit, chosen)), searched, problems };
  }

  async #search(
    query: string,
    patterns: readonly string[] | undefined,
    limit: number,
    may: MayUse,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    const { words, chosen, problems } = await this.#choose(query, patterns, may);
    const { hits, missing } = await this.#store.searchSets(words, checkpointsOf(chosen), { limit, signal });
    const stale = missing.map((i) => chosen[i]!.name);
    if (stale.length > 0) problems.push(`The files of ${listed(stale)} are missing. Push again to find them.`);
    const parsed = parseQueryLanguage(words);
    const unindexed = hits.length === 0 ? unindexedWords(parsed) : [];
    for (const { message } of [...parsed.problems, ...unindexed]) problems.push(message);
    return { hits, chosen, searched: chosen.length - missing.length, problems };
  }

  /** As text for a prompt, below what may be missing; each path begins with the name of its repository. */
  async retrieve(
    query: string,
    patterns: readonly string[] | undefined,
    maxOutputLength: number | null | undefined,
    may: MayUse,
    signal?: AbortSignal,
  ): Promise<string> {
    const { hits, chosen, searched, problems } = await this.#search(query, patterns, RETRIEVED, may, signal);
    if (searched === 0 && problems.length === 0) problems.push(NONE_SEARCHED);
    const length = outputLength(maxOutputLength);
    const about = problems.map((problem) => `${problem}\n`).join('');
    const files = hits.map((hit) => toRetrievedFile({ ...hit, path: `${chosen[hit.sets[0]!]!.name}/${hit.path}` }));
    return about.slice(0, length) + formatRetrieval(files, Math.max(0, length - about.length));
  }

  /** A file of a repository, at its newest version or an earlier one that is kept. Throws `NoSuchFile`. */
  async file(name: string, blob: string, may: MayUse): Promise<FoundText> {
    const repository = may(name) ? await this.#store.repositories.get(name) : undefined;
    for (const { checkpoint } of repository?.versions ?? []) {
      const file = await this.#store.fileOf(checkpoint, blob);
      if (file) return file;
    }
    throw contextErrors.noSuchFile(name);
  }

  async #allowed(may: MayUse): Promise<StoredRepository[]> {
    return (await this.#store.repositories.list()).filter(({ name }) => may(name));
  }

  async #choose(
    query: string,
    patterns: readonly string[] | undefined,
    may: MayUse,
  ): Promise<{ readonly words: string; readonly chosen: StoredRepository[]; readonly problems: string[] }> {
    const { query: words, only, without } = splitRepositoryQuery(query);
    const allowed = await this.#allowed(may);
    const isChosen = (name: string): boolean =>
      (!patterns || patterns.length === 0 || matchesRepository(name, patterns)) &&
      (only.length === 0 || matchesRepository(name, only)) &&
      !matchesRepository(name, without);
    const isUnmatched = (pattern: string): boolean =>
      !isRepositoryPattern(pattern) || !allowed.some(({ name }) => matchesRepository(name, [pattern]));
    const unmatched = [
      ...only.filter(isUnmatched).map((pattern) => `repo:${pattern}`),
      ...without.filter(isUnmatched).map((pattern) => `-repo:${pattern}`),
    ];
    const problems = unmatched.map((filter) => `No repository that you may read matches ${filter}.`);
    return { words, chosen: allowed.filter(({ name }) => isChosen(name)), problems };
  }
}

interface Found {
  readonly hits: readonly SetHit[];
  readonly chosen: readonly StoredRepository[];
  readonly searched: number;
  readonly problems: string[];
}

function checkpointsOf(repositories: readonly StoredRepository[]): string[] {
  return repositories.map(({ versions }) => versions[0].checkpoint);
}

function toWire({ name, url, versions: [newest, ...older] }: StoredRepository): WireRepository {
  const { ref, commit, files, pushedAt } = newest;
  return {
    ...{ name, files, older: older.length, pushed_at: formatTime(pushedAt) },
    ...{ ref: ref ?? null, commit: commit ?? null, url: url ?? null },
  };
}

function resultOf(
  { id, path, language, score, text, sets, more, alike = 0, ...first }: SetHit,
  chosen: readonly StoredRepository[],
): WireResult {
  const lines = text.split(/\r\n|\r|\n/);
  const [{ url, versions }] = sets.map((i) => chosen[i]!) as [StoredRepository];
  const { ref, commit } = versions[0];
  const line = first.symbol?.line ?? first.startLine;
  const revision = commit ?? ref;
  return {
    ...{ blob_name: id, path, language, score, alike },
    repositories: sets.slice(0, REPOSITORY_LIMITS.namesPerResult).map((i) => chosen[i]!.name),
    repository_count: sets.length,
    places: [first, ...more].map((place) => placeOf(place, lines)),
    url:
      url === undefined || (revision === undefined && url.includes('{ref}'))
        ? null
        : forgeUrl(url, { ref: revision ?? '', path, line }),
  };
}

function placeOf({ startLine, endLine, symbol }: SourceRange, lines: readonly string[]): WireResult['places'][number] {
  const shown = lines.slice(startLine - 1, Math.min(endLine, startLine - 1 + MAX_LINES));
  return {
    ...{ start_line: startLine, end_line: endLine },
    symbol: symbol
      ? {
          ...{ name: symbol.name, kind: symbol.kind, line: symbol.line },
          ...{ start_line: symbol.startLine, end_line: symbol.endLine },
        }
      : null,
    text: shown.map((line) => line.slice(0, MAX_LINE)).join('\n'),
  };
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
