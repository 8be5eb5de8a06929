import type { FaultEntry } from '../faults/faults.ts';
import type { AdminClient } from './adminClient.ts';

export interface Scenarios {
  /** The active scenario. */
  readonly active: string | null;
  readonly scenarios: readonly { readonly name: string; readonly description: string }[];
}

/** Time limit of a view's request. */
const TIMEOUT_MS = 10_000;

/** Scenarios and faults of a server, through its admin plane. Throws as {@link AdminClient.ask} does. */
export class FaultClient {
  readonly #admin: AdminClient;

  constructor(admin: AdminClient) {
    this.#admin = admin;
  }

  scenarios(): Promise<Scenarios> {
    return this.#ask('GET', 'scenario');
  }

  applyScenario(scenario: string): Promise<Scenarios> {
    return this.#ask('POST', 'scenario', { scenario });
  }

  clearScenario(): Promise<Scenarios> {
    return this.#ask('DELETE', 'scenario');
  }

  async faults(): Promise<readonly FaultEntry[]> {
    const { faults } = await this.#ask<{ readonly faults: readonly FaultEntry[] }>('GET', 'faults');
    return faults;
  }

  /** `rule` is checked by the server. */
  addFault(rule: unknown): Promise<FaultEntry> {
    return this.#ask('POST', 'faults', rule);
  }

  /** Puts a rule in the place of another: the order of rules counts. */
  replaceFault(id: string, rule: unknown): Promise<FaultEntry> {
    return this.#ask('PUT', `faults/${encodeURIComponent(id)}`, rule);
  }

  async removeFault(id: string): Promise<void> {
    await this.#ask('DELETE', `faults/${encodeURIComponent(id)}`);
  }

  async clearFaults(): Promise<void> {
    await this.#ask('DELETE', 'faults');
  }

  #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.#admin.ask(method, path, body, AbortSignal.timeout(TIMEOUT_MS));
  }
}
