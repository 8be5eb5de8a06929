import type { Memento } from 'vscode';

const KEY = 'sextant.keptSearches';

/** Queries of this workspace that the user keeps, the latest first. Outlive the window. */
export class KeptSearches {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  get all(): readonly string[] {
    const kept = this.#memento.get<unknown>(KEY);
    return Array.isArray(kept) ? kept.filter((query) => typeof query === 'string') : [];
  }

  /** Keeps a query, or removes it. */
  async set(query: string, isKept: boolean): Promise<void> {
    const others = this.all.filter((other) => other !== query);
    await this.#memento.update(KEY, isKept && query !== '' ? [query, ...others] : others);
  }
}
