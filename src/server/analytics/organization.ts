import type { OverrideEntry } from '../../analytics/contract.ts';
import type { Clock } from '../../base/clock.ts';
import type { Change, ServerState } from '../state/serverState.ts';
import type { AnalyticsContext } from './context.ts';
import { Cursors } from './cursors.ts';
import type { DataSet } from './data/dataSet.ts';
import { readData } from './data/readData.ts';
import type { FactSource } from './factSource.ts';
import { OverrideList } from './overrides.ts';

/**
 * The organization that the server stands for: the facts that it was started with, and on top of them what clients imported
 * and changed. Changes are durable before they are seen, and are seen in the order of the log.
 */
export class Organization implements AnalyticsContext {
  readonly clock: Clock;
  readonly cursors: Cursors;
  readonly overrides = new OverrideList();
  readonly #initial: DataSet;
  readonly #state: ServerState;
  #facts: DataSet;
  /** Imports go one after the other: each adds to the facts that the one before left. */
  #importing: Promise<unknown> = Promise.resolve();

  constructor(initial: DataSet, state: ServerState, clock: Clock) {
    this.#initial = initial;
    this.#facts = initial;
    this.#state = state;
    this.clock = clock;
    this.cursors = new Cursors(state.cursorKey);
    this.overrides.load(initial.overrides());
  }

  facts(): FactSource {
    return this.#facts;
  }

  /** Nothing was loaded, so that every answer is empty. */
  get isEmpty(): boolean {
    return this.#facts.isEmpty;
  }

  /** Does again what was done before a restart. */
  async replay(change: Change): Promise<void> {
    if (change.type === 'overrides') this.overrides.change(change.entries);
    else if (change.type === 'import') this.#load(await readData(this.#state.read(change.file), { base: this.#facts }));
  }

  async changeOverrides(entries: readonly OverrideEntry[]): Promise<void> {
    await this.#state.append({ type: 'overrides', entries }).then(() => this.overrides.change(entries));
  }

  /** Adds a data file; all of it or nothing. Gives the number of its lines. Throws `BadData`. */
  import(bytes: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#inTurn(async () => {
      const incoming = this.#state.receive(bytes);
      let lines = 0;
      let data: DataSet;
      let file: string;
      try {
        data = await readData(incoming.bytes, { base: this.#facts, onProgress: (read) => (lines = read) });
        file = await incoming.keep();
      } catch (error) {
        await incoming.discard();
        throw error;
      }
      await this.#state.append({ type: 'import', file }).then(() => this.#load(data));
      return lines;
    });
  }

  /** Forgets all that was imported and changed, once `forget` has made that durable. */
  reset(forget: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await forget();
      this.#facts = this.#initial;
      this.overrides.clear();
      this.overrides.load(this.#initial.overrides());
    });
  }

  /** The same state in fewer changes. */
  condensed(changes: readonly Change[]): Change[] {
    const imports = changes.filter(({ type }) => type === 'import');
    const entries = this.overrides.changes();
    return entries.length === 0 ? imports : [...imports, { type: 'overrides', entries }];
  }

  /** As a data file. */
  *lines(): Generator<string> {
    yield* this.#facts.lines();
    for (const override of this.overrides.all()) yield JSON.stringify({ kind: 'override', ...override });
  }

  #load(data: DataSet): void {
    this.#facts = data;
    this.overrides.load(data.overrides());
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#importing.then(work, work);
    this.#importing = turn.catch(() => undefined);
    return turn;
  }
}
