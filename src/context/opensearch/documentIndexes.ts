import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { throwIfCancelled } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { BulkItem, Cluster } from './cluster.ts';
import type { DocumentMaker } from './documents.ts';
import type { IndexNames } from './schema.ts';

export interface DocumentIndexesOptions {
  /** The version of our analysis. */
  readonly analysis: number;
  readonly maker: DocumentMaker;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds in which requests end that began before the alias moved. */
  readonly settleMs?: number | undefined;
  /** Milliseconds for which a server fills the index without another one beginning as well. */
  readonly leaseMs?: number | undefined;
}

interface StoredText {
  readonly path: string;
  readonly text: string;
  readonly number: number;
}

/** Documents that are looked at together, and those that are written together. */
const PAGE = 500;
const WRITTEN = 50;
const LEASE_MS = 60_000;
const SETTLE_MS = 60_000;
/** Milliseconds for which the index that the alias was moved from remains. */
const KEEP_MS = 86_400_000;

/**
 * The indexes of the documents: one for each version of the analysis, and an alias on the one that answers. A server with a newer analysis
 * creates its index and fills it from the texts that are stored, while the one before answers; then it moves the alias, in one step.
 *
 * Servers of both versions may work meanwhile. All write to the alias, a newer one to its own index as well. What an older server writes
 * around the move is found by passes after it: a pass copies what the newer index lacks, and may be interrupted, or run twice.
 */
export class DocumentIndexes {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #options: DocumentIndexesOptions;
  /** Whether the index of this version, or a newer one, answers. */
  #isOwn: boolean;

  private constructor(cluster: Cluster, names: IndexNames, options: DocumentIndexesOptions, isOwn: boolean) {
    this.#cluster = cluster;
    this.#names = names;
    this.#options = options;
    this.#isOwn = isOwn;
  }

  /** Creates the index of this version unless a newer one answers, and the alias where there is none. */
  static async open(
    cluster: Cluster,
    names: IndexNames,
    body: object,
    options: DocumentIndexesOptions,
  ): Promise<DocumentIndexes> {
    const { documents, documentsOfVersion: own } = names;
    const answering = await cluster.indexesOf(documents);
    const isNewer = answering.some((index) => versionOf(index) > options.analysis);
    if (isNewer)
      options.logger.warn(`${documents} has a newer analysis than this server, whose results may differ. Update it.`);
    else await cluster.createIndex(own, answering.length === 0 ? { ...body, aliases: { [documents]: {} } } : body);
    return new DocumentIndexes(cluster, names, options, isNewer || answering.length === 0 || answering.includes(own));
  }

  /** The writes that store a document. */
  writesOf(id: string, body: BulkItem['body']): BulkItem[] {
    const write = { action: 'index', id, body } as const;
    const { documents, documentsOfVersion: own } = this.#names;
    const toAlias = { ...write, index: documents, isAlias: true };
    return this.#isOwn ? [toAlias] : [toAlias, { ...write, index: own }];
  }

  /**
   * Fills the index of this version and moves the alias to it, if it does not answer yet. Does nothing while another server does so; it may be
   * called again at any time. Rejects with `Cancelled` when `signal` aborts.
   */
  async upgrade(signal: AbortSignal): Promise<boolean> {
    if (this.#isOwn) return true;
    const { documents, documentsOfVersion: own } = this.#names;
    const answering = await this.#cluster.indexesOf(documents);
    if (answering.includes(own)) this.#isOwn = true;
    if (this.#isOwn || !(await this.#lease())) return this.#isOwn;
    const { logger, settleMs = SETTLE_MS } = this.#options;
    logger.info(`${own} is filled from ${answering.join(', ')}, which answers meanwhile.`);
    while ((await this.#pass(answering, signal)) > 0);
    await this.#cluster.refresh(own);
    await this.#cluster.moveAlias(documents, answering, own);
    this.#isOwn = true;
    logger.info(`${own} answers now.`);
    await this.#note('moved', this.#options.clock.now());
    // Servers that were writing may have found the alias before it moved.
    await sleep(settleMs, undefined, { signal, ref: false });
    await this.#pass(answering, signal);
    return true;
  }

  /** Resolves to whether there is only the index that answers: then documents may be removed. */
  async isAlone(): Promise<boolean> {
    return (await this.#others()).length === 0;
  }

  /** Copies once more what an index of an older version has alone, and removes it, a day after the alias was moved. */
  async removeOlder(signal: AbortSignal): Promise<void> {
    const { documents, documentsOfVersion: own } = this.#names;
    if (!(await this.#cluster.indexesOf(documents)).includes(own)) return;
    const older = (await this.#others()).filter((index) => versionOf(index) < this.#options.analysis);
    if (older.length === 0) return;
    await this.#pass([...older, own], signal);
    if ((await this.#noted('moved')) > this.#options.clock.now() - KEEP_MS) return;
    for (const index of older) await this.#cluster.deleteIndexes(index);
    this.#options.logger.info(`${older.join(', ')} was removed.`);
  }

  async #others(): Promise<readonly string[]> {
    const answering = await this.#cluster.indexesOf(this.#names.documents);
    const all = await this.#cluster.indexesOf(`${this.#names.documents}-v*`);
    return all.filter((index) => !answering.includes(index));
  }

  /** Copies the documents that the index of this version lacks, or has with an older analysis. Returns how many. */
  async #pass(sources: readonly string[], signal: AbortSignal): Promise<number> {
    let [copied, seen] = [0, 0];
    for (const source of sources) {
      await this.#cluster.refresh(source);
      for (let after: readonly unknown[] | undefined; ;) {
        throwIfCancelled(signal);
        const query = { bool: { must_not: [{ term: { analysis: this.#options.analysis } }] } };
        const body = {
          size: PAGE,
          _source: false,
          query,
          sort: [{ number: 'asc' }],
          ...(after && { search_after: after }),
        };
        const { hits } = (await this.#cluster.search(source, body, '', signal)).hits;
        const ids = hits.map(({ _id }) => _id);
        const present = await this.#cluster.get<{ readonly analysis: number }>(this.#names.documentsOfVersion, ids, {
          ...{ fields: ['analysis'], signal },
        });
        const lacking = ids.filter((_, i) => present[i]?.source.analysis !== this.#options.analysis);
        for (let i = 0; i < lacking.length; i += WRITTEN) {
          copied += await this.#copy(source, lacking.slice(i, i + WRITTEN), signal);
          await this.#extend();
        }
        seen += ids.length;
        if (ids.length < PAGE) break;
        after = hits.at(-1)!.sort;
        this.#options.logger.info(`${seen} files of ${source} are in ${this.#names.documentsOfVersion}.`);
      }
    }
    return copied;
  }

  async #copy(source: string, ids: readonly string[], signal: AbortSignal): Promise<number> {
    const own = this.#names.documentsOfVersion;
    const fields = ['path', 'text', 'number'];
    const items: BulkItem[] = [];
    for (const stored of await this.#cluster.get<StoredText>(source, ids, { fields, signal })) {
      if (!stored) continue;
      const { path, text, number } = stored.source;
      const body = this.#options.maker.documentOf({ name: stored.id, path, number, content: Buffer.from(text) });
      const { seqNo, term } = stored;
      // What was uploaded meanwhile stays.
      const isHere = source === own;
      items.push({
        action: isHere ? 'index' : 'create',
        index: own,
        id: stored.id,
        body,
        ...(isHere && { at: { seqNo, term } }),
      });
      await new Promise((done) => setImmediate(done));
    }
    return (await this.#cluster.bulk(items)).filter(Boolean).length;
  }

  /** Resolves to whether this server is the one that fills the index. If two are by chance, both do the same work. */
  async #lease(): Promise<boolean> {
    if ((await this.#noted('filled')) > this.#options.clock.now()) return false;
    await this.#extend();
    return true;
  }

  #extend(): Promise<void> {
    return this.#note('filled', this.#options.clock.now() + (this.#options.leaseMs ?? LEASE_MS));
  }

  async #noted(what: string): Promise<number> {
    const [found] = await this.#cluster.get<{ next: number }>(this.#names.counters, [this.#noteId(what)]);
    return found?.source.next ?? 0;
  }

  async #note(what: string, next: number): Promise<void> {
    const id = this.#noteId(what);
    await this.#cluster.bulk([{ action: 'index', index: this.#names.counters, id, body: { next } }]);
  }

  #noteId(what: string): string {
    return `${what}-v${this.#options.analysis}`;
  }
}

function versionOf(index: string): number {
  return Number(/-v(\d+)$/.exec(index)?.[1] ?? 0);
}
