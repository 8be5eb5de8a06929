import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, type Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { documentId } from '../../engine/documentId.ts';
import { ANALYSIS_VERSION } from '../../engine/index/format.ts';
import type { Hit } from '../../engine/query/hits.ts';
import { parseQueryLanguage } from '../../engine/query/queryLanguage.ts';
import type { BlobScope, Missing } from '../../wire/scope.ts';
import { outputLength } from '../../wire/contract.ts';
import { formatRetrieval } from '../../wire/formatRetrieval.ts';
import { contextErrors } from '../errors.ts';
import { toRetrievedFile } from '../retrieved.ts';
import { otherName } from '../store/contentStore.ts';
import type { ContextStore, FoundText, SetSearchOptions, SetSearchOutcome } from '../store/contextStore.ts';
import { BlobRegistry } from './blobRegistry.ts';
import { CandidateSearch } from './candidateSearch.ts';
import { collectUnused } from './collector.ts';
import { Cluster, type BulkItem, type ClusterOptions } from './cluster.ts';
import { DocumentIndexes } from './documentIndexes.ts';
import { DocumentMaker } from './documents.ts';
import { isFull, openSearchErrors } from './errors.ts';
import { encodeRoaring, unionOf } from './roaring.ts';
import { indexBodies, indexNames, type IndexNames, type IndexSettings } from './schema.ts';
import type { Clause } from './candidateQuery.ts';
import { RepositoryIndex } from './repositoryIndex.ts';
import { BlobSets } from './sets.ts';

export interface OpenSearchStoreOptions extends IndexSettings {
  readonly cluster: ClusterOptions;
  /** Begins the names of the indexes; `sextant` by default. */
  readonly prefix?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Milliseconds after which unused files and checkpoints may be removed; 30 days by default. */
  readonly keepMs?: number | undefined;
  /** For tests: a version of the analysis, and times of the change to a new one. @internal */
  readonly analysis?: number | undefined;
  readonly settleMs?: number | undefined;
  readonly leaseMs?: number | undefined;
}

/** Number of files that fill the longest answer. */
const FILES = 48;
/** The first version with filters by bitmap. */
const LEAST_VERSION = [2, 17] as const;
/** Documents that are analysed before other requests get a turn. */
const DOCUMENTS_PER_TURN = 8;
const REMEMBERED_UNIONS = 100;
const DAY_MS = 86_400_000;
const KEEP_MS = 30 * DAY_MS;

/** Time after which a server looks again whether the index of its version is to be filled. */
const LOOK_MS = 30_000;

interface StoreParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly documents: DocumentIndexes;
  readonly maker: DocumentMaker;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keepMs: number;
}

interface FoundHit {
  readonly hit: Hit;
  readonly text: string;
}

/** The clause for the documents of a set, and a key that equal sets have. */
interface Filter {
  readonly clause: Clause;
  readonly key: string;
}

interface NewBlob {
  readonly path: string;
  readonly content: Buffer;
}

/**
 * The store of contexts on a cluster of OpenSearch, for any number of servers, which keep no state:
 *
 * - `<prefix>-documents`: the text of each blob, and its terms as our analyzer makes them; an index for each version of it
 * - `<prefix>-blobs`: the number of each name, and whether it was uploaded; see {@link BlobRegistry}
 * - `<prefix>-sets`: the checkpoints, as bitmaps of numbers
 * - `<prefix>-counters`: the next number
 * - `<prefix>-repositories`: the names of checkpoints
 *
 * A search filters by a bitmap, so a document is stored once, however many sets have it, and a set costs some kilobytes. Rejected:
 * the names of its contexts in each document. A new checkpoint of 200,000 files would write all of them again.
 */
export class OpenSearchStore implements ContextStore {
  readonly repositories: RepositoryIndex;
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #registry: BlobRegistry;
  readonly #sets: BlobSets;
  readonly #search: CandidateSearch;
  readonly #documents: DocumentIndexes;
  readonly #maker: DocumentMaker;
  /** Ids of unions by the ids of their sets; the last used at the end. */
  readonly #unions = new Map<string, string>();

  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #keepMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  readonly #upgraded: Promise<void>;

  private constructor({ cluster, names, documents, maker, clock, logger, keepMs }: StoreParts) {
    this.#documents = documents;
    this.#maker = maker;
    this.#clock = clock;
    this.#logger = logger;
    this.#keepMs = keepMs;
    this.#timer = setInterval(() => this.#collectInBackground(), DAY_MS).unref();
    this.#cluster = cluster;
    this.#names = names;
    this.#registry = new BlobRegistry(cluster, names, clock);
    this.#sets = new BlobSets(cluster, names, clock);
    this.#search = new CandidateSearch(cluster, names);
    this.repositories = new RepositoryIndex(cluster, names);
    this.#upgraded = this.#upgradeInBackground();
  }

  /** Connects to a cluster, and creates what it lacks. Throws `StoreUnavailable`, `StoreDenied` and `StoreTooOld`. */
  static async open(options: OpenSearchStoreOptions): Promise<OpenSearchStore> {
    const { prefix = 'sextant', clock = systemClock, logger = silentLogger, keepMs = KEEP_MS } = options;
    const cluster = new Cluster(options.cluster);
    try {
      const version = await cluster.version();
      const [major = 0, minor = 0] = version;
      if (major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]))
        throw openSearchErrors.tooOld(version.join('.'));
      const { analysis = ANALYSIS_VERSION, settleMs, leaseMs } = options;
      const names = indexNames(prefix, analysis);
      const { [names.documentsOfVersion]: body, ...others } = indexBodies(names, options);
      for (const [index, body] of Object.entries(others)) await cluster.createIndex(index, body);
      const maker = new DocumentMaker(analysis);
      const upgrade = { analysis, maker, clock, logger, settleMs, leaseMs };
      const documents = await DocumentIndexes.open(cluster, names, body!, upgrade);
      logger.info(`Contexts are stored in ${names.documents} on OpenSearch ${version.join('.')}.`);
      return new OpenSearchStore({ cluster, names, documents, maker, clock, logger, keepMs });
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  async findMissing(names: readonly string[]): Promise<Missing> {
    const entries = await this.#registry.get(names);
    const isReady = (i: number): boolean => entries[i]?.source.state === 'ready';
    await this.#registry.touch(names.filter((_, i) => isReady(i)));
    return { unknown: names.filter((_, i) => !isReady(i)), nonindexed: [] };
  }

  /** Stores blobs, and returns their names; they can be searched then. May be repeated, also by several servers at a time. */
  async upload(blobs: readonly { readonly path: string; readonly content: string }[]): Promise<string[]> {
    const uploads = blobs.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
    const simple = uploads.map(({ path, content }) => documentId(path, content));
    const known = await this.#registry.get(simple);
    const fresh = new Map<string, NewBlob>();
    const ready: string[] = [];
    const paths = new Map<string, string>();
    const names = uploads.map((blob, i) => {
      const entry = known[i]?.source;
      const path = paths.get(simple[i]!) ?? entry?.path ?? blob.path;
      const name = path === blob.path ? simple[i]! : otherName(blob.path, blob.content);
      paths.set(name, blob.path);
      if (name === simple[i] && entry?.state === 'ready') ready.push(name);
      else fresh.set(name, blob);
      return name;
    });
    await this.#registry.touch(ready);
    await this.#store(fresh);
    return names;
  }

  async checkpoint(scope: BlobScope): Promise<string> {
    const numbers = new Set(await this.#numbersOf(scope.checkpointId));
    const added = await this.#registry.reserve(
      scope.added.map((name) => ({ name })),
      'expected',
    );
    for (const { number } of added.values()) numbers.add(number);
    for (const entry of await this.#registry.get(scope.deleted)) if (entry) numbers.delete(entry.source.number);
    return this.#sets.add(Uint32Array.from(numbers).sort());
  }

  async retrieve(
    query: string,
    scope: BlobScope,
    maxOutputLength?: number | null,
    signal?: AbortSignal,
  ): Promise<string> {
    const found = await this.search(query, scope, { limit: FILES, signal });
    const files = found.map(({ hit, text }) => toRetrievedFile({ ...hit, text }));
    return formatRetrieval(files, outputLength(maxOutputLength));
  }

  /** The documents of a set that answer best, with their texts. Throws `CheckpointNotFound`. */
  async search(query: string, scope: BlobScope, options: SetSearchOptions): Promise<readonly FoundHit[]> {
    return this.#searchWithin(query, await this.#filterOf(scope), options);
  }

  async searchSets(
    query: string,
    checkpoints: readonly string[],
    options: SetSearchOptions,
  ): Promise<SetSearchOutcome> {
    const sets = await Promise.all(checkpoints.map((id) => this.#sets.get(id)));
    const missing = [...sets.keys()].filter((i) => !sets[i]);
    const there = sets.flatMap((numbers) => (numbers ? [numbers] : []));
    if (there.length === 0) return { hits: [], missing };
    const filter = await this.#filterOfUnion(
      checkpoints.filter((_, i) => sets[i]),
      there,
    );
    const found = await this.#searchWithin(query, filter, options);
    const entries = await this.#registry.get(found.map(({ hit }) => hit.id));
    const setsOf = (number: number): number[] => [...sets.keys()].filter((i) => sets[i] && includes(sets[i], number));
    const hits = found.map(({ hit, text }, i) => ({ ...hit, text, sets: setsOf(entries[i]!.source.number) }));
    // A set may have changed hands since the cluster answered.
    return { hits: hits.filter(({ sets }) => sets.length > 0), missing };
  }

  async fileOf(checkpoint: string, name: string): Promise<FoundText | undefined> {
    const numbers = await this.#numbersOf(checkpoint);
    const [entry] = await this.#registry.get([name]);
    if (!entry || !includes(numbers, entry.source.number)) return undefined;
    const [stored] = await this.#cluster.get<FoundText>(this.#names.documents, [name], { fields: ['path', 'text'] });
    return stored && { path: stored.source.path, text: stored.source.text };
  }

  async sizeOf(checkpoint: string): Promise<number> {
    return (await this.#numbersOf(checkpoint)).length;
  }

  /** Removes checkpoints and files that no client used for long. Each server does so daily; several at a time may. */
  async collect(): Promise<{ readonly blobs: number }> {
    await this.#documents.removeOlder(this.#closing.signal);
    // A document that is copied meanwhile would remain.
    if (!(await this.#documents.isAlone())) return { blobs: 0 };
    // What was written a moment ago counts as well.
    await this.#cluster.refresh(`${this.#names.blobs},${this.#names.sets},${this.#names.repositories}`);
    const repositories = await this.repositories.list();
    const needed = new Set(repositories.flatMap(({ versions }) => versions.map(({ checkpoint }) => checkpoint)));
    const cutoff = this.#clock.now() - this.#keepMs;
    const blobs = await collectUnused(this.#cluster, this.#names, cutoff, needed);
    if (blobs > 0) this.#logger.info(`${blobs} unused files were removed.`);
    return { blobs };
  }

  /** Makes all that was written searchable. */
  async refresh(): Promise<void> {
    await this.#cluster.refresh(this.#names.documents);
  }

  /** Settles when the index of this version answers, or the store is closed. */
  get upgraded(): Promise<void> {
    return this.#upgraded;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#upgraded;
    await this.#cluster.close();
  }

  async #upgradeInBackground(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      try {
        if (await this.#documents.upgrade(signal)) return;
        await sleep(LOOK_MS, undefined, { signal, ref: false });
      } catch (error) {
        if (signal.aborted) return;
        this.#logger.warn(`The index of the new analysis is not complete yet: ${describeError(error)}`);
        await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  #collectInBackground(): void {
    this.collect().catch((error: unknown) =>
      this.#logger.warn(`Old files could not be removed: ${describeError(error)}`),
    );
  }

  async #store(fresh: ReadonlyMap<string, NewBlob>): Promise<void> {
    if (fresh.size === 0) return;
    const wanted = Array.from(fresh, ([name, { path }]) => ({ name, path }));
    const entries = await this.#registry.reserve(wanted, 'pending');
    const items: BulkItem[] = [];
    let made = 0;
    for (const [name, { path, content }] of fresh) {
      const { number } = entries.get(name)!;
      items.push(...this.#documents.writesOf(name, this.#maker.documentOf({ name, path, content, number })));
      if (++made % DOCUMENTS_PER_TURN === 0) await new Promise((done) => setImmediate(done));
    }
    const written = await this.#cluster.bulk(items, true);
    if (written.includes(false)) throw openSearchErrors.busy();
    await this.#registry.setReady(
      new Map([...entries].map(([name, one]) => [name, { ...one, path: fresh.get(name)!.path }])),
    );
  }

  /** The id of the union of sets. It is stored as a set: a query that names it is short, and most searches have the same one. */
  async #unionOf(checkpoints: readonly string[], sets: readonly Uint32Array[]): Promise<string> {
    if (sets.length === 1) return checkpoints[0]!;
    const key = checkpoints.join();
    const known = this.#unions.get(key);
    const id = known !== undefined && (await this.#sets.get(known)) ? known : await this.#sets.add(unionOf(sets));
    this.#unions.delete(key);
    this.#unions.set(key, id);
    for (const oldest of this.#unions.keys()) {
      if (this.#unions.size <= REMEMBERED_UNIONS) break;
      this.#unions.delete(oldest);
    }
    return id;
  }

  /** Where the cluster takes no set, the query has it. */
  async #filterOfUnion(checkpoints: readonly string[], sets: readonly Uint32Array[]): Promise<Filter> {
    let checkpointId: string;
    try {
      checkpointId = await this.#unionOf(checkpoints, sets);
    } catch (error) {
      if (!isFull(error)) throw error;
      return filterOf(bitmapClause(unionOf(sets)));
    }
    return this.#filterOf({ checkpointId, added: [], deleted: [] });
  }

  #searchWithin(query: string, filter: Filter, options: SetSearchOptions): Promise<readonly FoundHit[]> {
    return this.#search.search(parseQueryLanguage(query), { ...filter, ...options });
  }

  async #numbersOf(checkpoint: string | undefined): Promise<Uint32Array> {
    if (checkpoint === undefined) return new Uint32Array();
    const numbers = await this.#sets.get(checkpoint);
    if (!numbers) throw contextErrors.noCheckpoint(checkpoint);
    return numbers;
  }

  async #filterOf({ checkpointId, added, deleted }: BlobScope): Promise<Filter> {
    await this.#numbersOf(checkpointId);
    const should: Clause[] = [];
    if (checkpointId !== undefined) {
      const lookup = { index: this.#names.sets, id: checkpointId, path: 'bitmap', store: true };
      should.push({ terms: { number: lookup, value_type: 'bitmap' } });
    }
    const bitmapOf = async (names: readonly string[]): Promise<Clause> => {
      const entries = await this.#registry.get(names);
      return bitmapClause(Uint32Array.from(entries.flatMap((one) => (one ? [one.source.number] : []))).sort());
    };
    if (added.length > 0) should.push(await bitmapOf(added));
    const clause: Clause =
      should.length === 0
        ? { match_none: {} }
        : {
            bool: {
              should,
              minimum_should_match: 1,
              ...(deleted.length > 0 && { must_not: [await bitmapOf(deleted)] }),
            },
          };
    await this.#registry.touch(added);
    return filterOf(clause);
  }
}

function filterOf(clause: Clause): Filter {
  return { clause, key: createHash('sha256').update(JSON.stringify(clause)).digest('hex') };
}

function bitmapClause(ascending: Uint32Array): Clause {
  return { terms: { number: [encodeRoaring(ascending).toString('base64')], value_type: 'bitmap' } };
}

/** Whether ascending numbers have one. */
function includes(numbers: Uint32Array, wanted: number): boolean {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < wanted) from = middle + 1;
    else to = middle;
  }
  return numbers[from] === wanted;
}
