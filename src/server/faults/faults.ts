import { hash, seedKey } from '../analytics/simulation/random.ts';
import type { FaultRule } from './faultRules.ts';

/** A rule in force, and how often it applied. */
export interface FaultEntry {
  readonly id: string;
  readonly rule: FaultRule;
  /** The scenario that brought it, where one did. */
  readonly scenario?: string | undefined;
  /** Requests that its method and path fit, and those that it hit. */
  readonly matches: number;
  readonly hits: number;
}

/** The fault for one request. */
export interface Fault {
  readonly id: string;
  readonly rule: FaultRule;
  readonly delayMs: number;
}

const RANGE = 2 ** 32;

/** The rules of faults. Which requests a rule hits follows from the rule and the order of requests alone. */
export class Faults {
  #entries: (FaultEntry & { matches: number; hits: number })[] = [];
  #lastId = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  list(): readonly FaultEntry[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }

  add(rule: FaultRule, scenario?: string): FaultEntry {
    const entry = { id: `fault-${++this.#lastId}`, rule, scenario, matches: 0, hits: 0 };
    this.#entries.push(entry);
    return { ...entry };
  }

  /** Puts a rule in the place of another, with its id and no hits; undefined if there is none of that id. */
  replace(id: string, rule: FaultRule): FaultEntry | undefined {
    const at = this.#entries.findIndex((entry) => entry.id === id);
    if (at === -1) return undefined;
    const entry = { id, rule, matches: 0, hits: 0 };
    this.#entries[at] = entry;
    return { ...entry };
  }

  /** Whether there was one of that id. */
  remove(id: string): boolean {
    const before = this.#entries.length;
    this.#entries = this.#entries.filter((entry) => entry.id !== id);
    return this.#entries.length < before;
  }

  /** All, or those of any scenario. */
  clear(only: 'all' | 'scenarios' = 'all'): void {
    this.#entries = only === 'all' ? [] : this.#entries.filter(({ scenario }) => scenario === undefined);
  }

  /** Puts back what {@link list} gave. */
  restore(entries: readonly FaultEntry[]): void {
    this.#entries = entries.map((entry) => ({ ...entry }));
    this.#lastId = Math.max(this.#lastId, ...entries.map(({ id }) => Number(/\d+$/.exec(id)?.[0] ?? 0)));
  }

  /** Counts a request, and returns its fault, if any. */
  take(method: string, path: string): Fault | undefined {
    for (const entry of this.#entries) {
      const { rule } = entry;
      if (!fits(rule, method, path)) continue;
      const n = entry.matches++;
      const key = seedKey(Math.abs(rule.seed ?? 0));
      const isHit =
        rule.every !== undefined
          ? (n + 1) % rule.every === 0
          : rule.probability === undefined || hash(key, n) < rule.probability * RANGE;
      if (!isHit || entry.hits >= (rule.times ?? Infinity)) continue;
      entry.hits++;
      return { id: entry.id, rule, delayMs: delay(rule, hash(key, n + 0.5 * RANGE), hash(key, n + 0.75 * RANGE)) };
    }
    return undefined;
  }
}

function fits(rule: FaultRule, method: string, path: string): boolean {
  if (rule.method !== undefined && rule.method.toUpperCase() !== method) return false;
  if (rule.path === undefined) return true;
  return rule.path.endsWith('*') ? path.startsWith(rule.path.slice(0, -1)) : path === rule.path;
}

/** Lognormal by G. Box and M. Muller, from two random numbers; at most ten minutes. */
function delay({ latency }: FaultRule, a: number, b: number): number {
  if (latency === undefined) return 0;
  if ('ms' in latency) return latency.ms;
  const normal = Math.sqrt(-2 * Math.log((a + 1) / (RANGE + 1))) * Math.cos((2 * Math.PI * b) / RANGE);
  return Math.min(600_000, latency.medianMs * Math.exp(latency.sigma * normal));
}
