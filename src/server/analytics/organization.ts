import type { BudgetOverride, OverrideEntry } from '../../analytics/contract.ts';
import { identityFields, identityOf } from '../../analytics/identity.ts';
import type { Clock } from '../../base/clock.ts';
import type { Day } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { StateChange, KeptFile, SimulationOptions } from '../state/records.ts';
import type { ServerState } from '../state/serverState.ts';
import type { AnalyticsContext } from './context.ts';
import { Cursors } from './cursors.ts';
import { DataSet } from './data/dataSet.ts';
import { readData } from './data/readData.ts';
import type { FactSource } from './factSource.ts';
import { overrideKeyOf, OverrideList } from './overrides.ts';
import { Simulation } from './simulation/simulation.ts';

/**
 * The organization that the server stands for: the facts that it was started with, and on top of them what clients imported
 * and changed. Changes are durable before they are seen, and are seen in the order of the log. An import adds to facts that
 * came from a file; in place of a simulated organization it puts that of the file.
 */
export class Organization implements AnalyticsContext {
  readonly clock: Clock;
  readonly cursors: Cursors;
  readonly overrides: OverrideList;
  creditsLagMs = 0;
  readonly #initial: FactSource;
  readonly #state: ServerState;
  #facts: FactSource;
  /** Imports go one after the other: each adds to the facts that the one before left. */
  #importing: Promise<unknown> = Promise.resolve();
  /** Imports that could not be replayed: the file by the SHA-256 of its bytes. */
  readonly #lost = new Map<string, string>();

  constructor(initial: FactSource, state: ServerState, clock: Clock) {
    this.#initial = initial;
    this.#facts = initial;
    this.#state = state;
    this.clock = clock;
    this.cursors = new Cursors(state.cursorKey);
    this.overrides = new OverrideList(() => initial.overrides());
  }

  /** Makes what the first request would have to wait for. */
  async prepare(signal: AbortSignal): Promise<void> {
    await this.#facts.prepare?.(signal);
  }

  facts(): FactSource {
    return this.#facts;
  }

  /** Nothing was loaded, so that every answer is empty. */
  get isEmpty(): boolean {
    return this.#facts instanceof DataSet && this.#facts.isEmpty;
  }

  /** Repeats a change of before a restart. An import whose file is damaged is left out whole, and reported to `logger`. */
  async replay(change: StateChange, logger: Pick<Logger, 'error'>): Promise<void> {
    if (change.type === 'overrides') this.overrides.change(change.entries);
    else if (change.type === 'simulation') this.#replace(new Simulation(change, this.clock));
    else if (change.type === 'import' || change.type === 'facts') {
      const base = change.type === 'import' ? this.#base() : {};
      let data: DataSet;
      try {
        data = await readData(this.#state.read(change), base);
      } catch (error) {
        if (!(error instanceof SextantError) || !['StateDamaged', 'BadData'].includes(error.code)) throw error;
        logger.error(describeLost(change, this.#state.pathOf(change)));
        if (change.type === 'import' && change.sha256 !== undefined) this.#lost.set(change.sha256, change.file);
        return;
      }
      if (change.type === 'import') this.#load(data);
      else this.#replace(data);
    }
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
      let kept: KeptFile;
      try {
        data = await readData(incoming.bytes, { ...this.#base(), onProgress: (read) => (lines = read) });
        kept = await incoming.keep();
      } catch (error) {
        await incoming.discard();
        throw error;
      }
      const replaces = this.#lost.get(kept.sha256 ?? '');
      const change: StateChange = { type: 'import', ...kept, ...(replaces !== undefined && { replaces }) };
      await this.#state.append(change).then(() => this.#load(data));
      if (kept.sha256 !== undefined) this.#lost.delete(kept.sha256);
      return lines;
    });
  }

  /** A crowd of new people comes to a simulated organization on `day`, or goes again. Gives whether it is simulated. */
  flood(day: Day | undefined): boolean {
    if (!(this.#facts instanceof Simulation)) return false;
    const { options } = this.#facts;
    if (options.flood !== day) this.#facts = new Simulation({ ...options, flood: day }, this.clock);
    return true;
  }

  /** Forgets all that was imported and changed, once `forget` has made that durable. */
  reset(forget: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await forget();
      this.#facts = this.#initial;
      this.creditsLagMs = 0;
      this.overrides.restart(() => this.#initial.overrides());
    });
  }

  /** What a simulated organization is made of. */
  get simulation(): SimulationOptions | undefined {
    return this.#facts instanceof Simulation ? this.#facts.options : undefined;
  }

  /**
   * Puts other facts and overrides in place of all there are: a simulated organization, or else the data file `bytes`.
   * `others` are changes that are made durable with them. All of it or nothing. Throws `BadData`.
   */
  restore(
    simulation: SimulationOptions | undefined,
    bytes: AsyncIterable<Uint8Array>,
    others: readonly StateChange[],
  ): Promise<void> {
    return this.#inTurn(async () => {
      const incoming = this.#state.receive(bytes);
      let data: DataSet;
      let kept: KeptFile;
      try {
        data = await readData(incoming.bytes);
        kept = await incoming.keep();
      } catch (error) {
        await incoming.discard();
        throw error;
      }
      const facts = simulation ? new Simulation(simulation, this.clock) : data;
      const wanted = new Map([...data.overrides()].map((override) => [overrideKeyOf(override), override]));
      const gone = [...facts.overrides()].filter((override) => !wanted.has(overrideKeyOf(override)));
      const entries: OverrideEntry[] = [
        ...[...wanted.values()].map((override) => entryOf(override)),
        ...gone.map((override) => entryOf(override, '')),
      ];
      await this.#state.replace([
        simulation ? { type: 'simulation', ...simulation } : { type: 'facts', ...kept },
        ...(entries.length > 0 ? [{ type: 'overrides', entries } as const] : []),
        ...others,
      ]);
      this.#replace(facts);
      this.overrides.change(entries);
    });
  }

  /** The same state in fewer changes. */
  condensed(changes: readonly StateChange[]): StateChange[] {
    const replaced = changes.findLastIndex(({ type }) => type === 'facts' || type === 'simulation');
    const imports = changes.filter(
      ({ type }, at) => at >= replaced && ['import', 'facts', 'simulation'].includes(type),
    );
    const entries = this.overrides.changes();
    return entries.length === 0 ? imports : [...imports, { type: 'overrides', entries }];
  }

  /** As a data file, as all is now, however slowly it is read. */
  lines(): Iterable<string> {
    return both(this.#facts.lines(), this.overrideLines());
  }

  overrideLines(): Iterable<string> {
    return linesOf(this.overrides.all());
  }

  /** To what an import adds. */
  #base(): { readonly base?: DataSet } {
    return this.#facts instanceof DataSet ? { base: this.#facts } : {};
  }

  #replace(facts: FactSource): void {
    this.#facts = facts;
    this.overrides.restart(() => facts.overrides());
  }

  #load(data: DataSet): void {
    if (this.#facts instanceof DataSet) this.overrides.load(data.overrides());
    else this.overrides.restart(() => data.overrides());
    this.#facts = data;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#importing.then(work, work);
    this.#importing = turn.catch(() => undefined);
    return turn;
  }
}

function describeLost({ type }: StateChange, path: string): string {
  return type === 'facts'
    ? `${path}, the facts of a restored snapshot, is damaged or missing: the data of the start is served in its place. ` +
        'Restore the snapshot again, or POST /__admin/reset to forget it with all later changes.'
    : `${path}, an imported data file, is damaged or missing: none of its records is served. ` +
        'Import the same file again, or POST /__admin/reset to forget all imports and changes.';
}

function entryOf(override: BudgetOverride, limit = override.config.limit): OverrideEntry {
  const { resource, period } = override;
  return { ...identityFields(identityOf(override)), resource, period, config: { limit } };
}

function* both(facts: Iterable<string>, overrides: Iterable<string>): Generator<string> {
  yield* facts;
  yield* overrides;
}

function* linesOf(overrides: readonly BudgetOverride[]): Generator<string> {
  for (const override of overrides) yield JSON.stringify({ kind: 'override', ...override });
}
