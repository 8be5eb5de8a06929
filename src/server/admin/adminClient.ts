import { SextantError } from '../../base/errors.ts';
import type { FaultEntry } from '../faults/faults.ts';
import type { ServerInfo } from '../launch.ts';

export interface Scenarios {
  /** The one that is in force. */
  readonly active: string | null;
  readonly scenarios: readonly { readonly name: string; readonly description: string }[];
}

/** A client of the admin plane of a server, whichever process that is of. Throws `AdminRefused` with what the server says. */
export class AdminClient {
  readonly #url: string;
  readonly #token: string;

  constructor({ url, adminToken }: Pick<ServerInfo, 'url' | 'adminToken'>) {
    this.#url = url;
    this.#token = adminToken;
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

  async removeFault(id: string): Promise<void> {
    await this.#ask('DELETE', `faults/${encodeURIComponent(id)}`);
  }

  async clearFaults(): Promise<void> {
    await this.#ask('DELETE', 'faults');
  }

  async #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    let response: Response;
    try {
      response = await fetch(`${this.#url}/__admin/${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      });
    } catch (error) {
      throw new SextantError('NoServer', `The server at ${this.#url} does not answer. Is it still running?`, {
        cause: error,
      });
    }
    const answer = (await response.json()) as T & { readonly error?: { readonly message: string } };
    if (!response.ok)
      throw new SextantError('AdminRefused', answer.error?.message ?? `It answered ${response.status}.`);
    return answer;
  }
}
