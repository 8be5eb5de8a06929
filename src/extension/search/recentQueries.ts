import type { Memento } from 'vscode';

const KEY = 'sextant.recentQueries';
const MAX_QUERIES = 20;

/** Queries of this workspace whose results were opened, the latest first. Outlives the window. */
export class RecentQueries {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  get all(): readonly string[] {
    const kept = this.#memento.get<unknown>(KEY);
    return Array.isArray(kept) ? kept.filter((query) => typeof query === 'string') : [];
  }

  async add(typed: string): Promise<void> {
    const query = typed.trim();
    if (query === '') return;
    await this.#memento.update(KEY, [query, ...this.all.filter((other) => other !== query)].slice(0, MAX_QUERIES));
  }

  async remove(query: string): Promise<void> {
    const left = this.all.filter((other) => other !== query);
    await this.#memento.update(KEY, left);
  }
}
