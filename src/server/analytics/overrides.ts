import type { BudgetOverride, OverrideEntry } from '../../analytics/contract.ts';
import { identityKey, identityOf, type Identity } from '../../analytics/identity.ts';

/** Equal for overrides of the same identity, resource and period, of which there is one; ordered as answers are. */
export function overrideKey(identity: Identity, resource: string, period: string): string {
  return `${identityKey(identity)}\0${resource}\0${period}`;
}

export function overrideKeyOf(override: BudgetOverride | OverrideEntry): string {
  return overrideKey(identityOf(override), override.resource, override.period);
}

/** The present overrides: those of the data, read when first needed, with the changes applied. */
export class OverrideList {
  #ofData: () => Iterable<BudgetOverride>;
  #current: Map<string, BudgetOverride> | undefined;
  /** The last change of each; empty limits are those that were cleared. */
  readonly #changes = new Map<string, OverrideEntry>();
  #sorted: readonly BudgetOverride[] | undefined;

  constructor(ofData: () => Iterable<BudgetOverride>) {
    this.#ofData = ofData;
  }

  /** In the order of answers. */
  all(): readonly BudgetOverride[] {
    return (this.#sorted ??= [...this.#known()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, override]) => override));
  }

  /** What clients changed, as it would have to be changed again. */
  changes(): readonly OverrideEntry[] {
    return [...this.#changes.values()];
  }

  /** Those of data that is added: newer than all changes before. An empty limit clears what was there. */
  load(overrides: Iterable<BudgetOverride>): void {
    const current = this.#known();
    for (const override of overrides) {
      this.#changes.delete(overrideKeyOf(override));
      apply(current, override);
    }
    this.#sorted = undefined;
  }

  change(entries: Iterable<OverrideEntry>): void {
    for (const entry of entries) {
      this.#changes.set(overrideKeyOf(entry), entry);
      if (this.#current) apply(this.#current, entry);
    }
    this.#sorted = undefined;
  }

  /** Forgets all of them; there are those of other data now. */
  restart(ofData: () => Iterable<BudgetOverride>): void {
    this.#ofData = ofData;
    this.#current = undefined;
    this.#changes.clear();
    this.#sorted = undefined;
  }

  #known(): Map<string, BudgetOverride> {
    if (!this.#current) {
      this.#current = new Map();
      for (const override of this.#ofData()) apply(this.#current, override);
      for (const entry of this.#changes.values()) apply(this.#current, entry);
    }
    return this.#current;
  }
}

function apply(current: Map<string, BudgetOverride>, entry: BudgetOverride): void {
  if (entry.config.limit === '') current.delete(overrideKeyOf(entry));
  else current.set(overrideKeyOf(entry), entry);
}
