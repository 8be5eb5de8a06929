import {
  withVersion,
  type RepositoryRegistry,
  type RepositoryVersion,
  type StoredRepository,
} from '../store/contextStore.ts';
import type { Cluster, Stored } from './cluster.ts';
import { openSearchErrors } from './errors.ts';
import type { IndexNames } from './schema.ts';

interface RepositoryDocument {
  readonly name: string;
  readonly repository: StoredRepository;
}

const ATTEMPTS = 20;
/** Repositories in one request. */
const PAGE = 1_000;
/** How long a list may be old: each search needs it, and another server may push. */
const FRESH_MS = 1_000;

/** The repositories of a store on a cluster, a document each. Of two pushes at a time, both are kept as versions. */
export class RepositoryIndex implements RepositoryRegistry {
  readonly #cluster: Cluster;
  readonly #index: string;
  #list: { readonly until: number; readonly of: Promise<readonly StoredRepository[]> } | undefined;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#index = names.repositories;
  }

  list(): Promise<readonly StoredRepository[]> {
    if (!this.#list || this.#list.until < performance.now()) {
      const of = this.#read();
      const list = { until: performance.now() + FRESH_MS, of };
      this.#list = list;
      // The next call asks the cluster again.
      of.catch(() => {
        if (this.#list === list) this.#list = undefined;
      });
    }
    return this.#list.of;
  }

  async get(name: string): Promise<StoredRepository | undefined> {
    return (await this.#stored(name))?.source.repository;
  }

  async put(
    name: string,
    url: string | undefined,
    version: RepositoryVersion,
    keep: number,
  ): Promise<StoredRepository> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = await this.#stored(name);
      const repository = withVersion(old?.source.repository, name, url, version, keep);
      const at = old && { seqNo: old.seqNo, term: old.term };
      const action = old ? 'index' : 'create';
      const item = { action, index: this.#index, id: name, at, body: { name, repository } } as const;
      const [isWritten] = await this.#cluster.bulk([item], true);
      this.#list = undefined;
      if (isWritten) return repository;
    }
    throw openSearchErrors.busy();
  }

  async remove(name: string): Promise<boolean> {
    const [isRemoved = false] = await this.#cluster.bulk([{ action: 'delete', index: this.#index, id: name }], true);
    this.#list = undefined;
    return isRemoved;
  }

  async #stored(name: string): Promise<Stored<RepositoryDocument> | undefined> {
    return (await this.#cluster.get<RepositoryDocument>(this.#index, [name]))[0];
  }

  async #read(): Promise<readonly StoredRepository[]> {
    const found: StoredRepository[] = [];
    for (let after: readonly unknown[] | undefined; ;) {
      const sort = [{ name: 'asc' }];
      const body = { size: PAGE, sort, query: { match_all: {} }, ...(after && { search_after: after }) };
      const { hits } = (await this.#cluster.search(this.#index, body)).hits;
      found.push(...hits.map(({ _source }) => (_source as unknown as RepositoryDocument).repository));
      if (hits.length < PAGE) return found;
      after = hits.at(-1)!.sort;
    }
  }
}
