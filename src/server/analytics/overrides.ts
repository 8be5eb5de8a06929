import type { BudgetOverride, OverrideEntry } from '../../analytics/contract.ts';
import { identityKey, type Identity } from '../../analytics/identity.ts';

/** Equal for overrides of the same identity, resource and period, of which there is one; ordered as answers are. */
export function overrideKey(identity: Identity, resource: string, period: string): string {
  return `${identityKey(identity)}\0${resource}\0${period}`;
}

export function identityOf(record: BudgetOverride | OverrideEntry): Identity {
  return record.user_email === undefined
    ? { kind: 'service_account_name', name: record.service_account_name }
    : { kind: 'user_email', name: record.user_email };
}

export function keyOf(override: BudgetOverride | OverrideEntry): string {
  return overrideKey(identityOf(override), override.resource, override.period);
}

/** The overrides as they are now: those of the data, and what was changed since. */
export class OverrideList {
  readonly #current = new Map<string, BudgetOverride>();
  /** The last change of each; empty limits are those that were cleared. */
  readonly #changes = new Map<string, OverrideEntry>();
  #sorted: readonly BudgetOverride[] | undefined;

  /** In the order of answers. */
  all(): readonly BudgetOverride[] {
    return (this.#sorted ??= [...this.#current].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, override]) => override));
  }

  /** What clients changed, as it would have to be changed again. */
  changes(): readonly OverrideEntry[] {
    return [...this.#changes.values()];
  }

  /** Those of data that is loaded: newer than all changes before. */
  load(overrides: Iterable<BudgetOverride>): void {
    for (const override of overrides) {
      this.#changes.delete(keyOf(override));
      this.#current.set(keyOf(override), override);
    }
    this.#sorted = undefined;
  }

  change(entries: Iterable<OverrideEntry>): void {
    for (const entry of entries) {
      const key = keyOf(entry);
      this.#changes.set(key, entry);
      if (entry.config.limit === '') this.#current.delete(key);
      else this.#current.set(key, entry);
    }
    this.#sorted = undefined;
  }

  clear(): void {
    this.#current.clear();
    this.#changes.clear();
    this.#sorted = undefined;
  }
}
