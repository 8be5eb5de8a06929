import type { Memento } from 'vscode';

/** Queries of this workspace, the latest first. Outlives the window. */
export class QueryList {
  readonly #memento: Memento;
  readonly #key: string;
  readonly #most: number;

  /** `most` is the number of queries that are kept. */
  constructor(memento: Memento, key: string, most = Infinity) {
    this.#memento = memento;
    this.#key = key;
    this.#most = most;
  }

  get all(): readonly string[] {
    const kept = this.#memento.get<unknown>(this.#key);
    return Array.isArray(kept) ? kept.filter((query) => typeof query === 'string') : [];
  }

  /** Puts a query first. */
  async add(typed: string): Promise<void> {
    const query = typed.trim();
    if (query === '') return;
    await this.#memento.update(this.#key, [query, ...this.#without(query)].slice(0, this.#most));
  }

  async remove(query: string): Promise<void> {
    await this.#memento.update(this.#key, this.#without(query));
  }

  #without(query: string): string[] {
    return this.all.filter((other) => other !== query);
  }
}
