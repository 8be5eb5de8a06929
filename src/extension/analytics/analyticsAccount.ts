import type * as vscode from 'vscode';
import type { Connection } from '../../analytics/client/account.ts';
import { accountChoice, chooseAccount, type AccountChoice } from './accountChoice.ts';

/** A connected organization. */
export interface Organization {
  readonly name: string;
  readonly url: string;
}

/** Connection of an earlier version, which had one. */
const FORMER_CONNECTION = 'sextant.analytics.connection';
const ORGANIZATIONS = 'sextant.analytics.organizations';
/** The secret storage has an event in all windows, the state has none: each change of the choice is written here, too. */
const SIGNAL = 'sextant.analytics.choice';

/** The token with its address: kept apart, another window could send a new token to the old address. */
const secretOf = (name: string): string => `${FORMER_CONNECTION}:${name}`;

/** The organizations of all windows, and the one that is shown. */
export class AnalyticsAccount {
  readonly #state: vscode.Memento;
  readonly #secrets: vscode.SecretStorage;

  constructor({ globalState, secrets }: Pick<vscode.ExtensionContext, 'globalState' | 'secrets'>) {
    this.#state = globalState;
    this.#secrets = secrets;
  }

  get choice(): AccountChoice | undefined {
    return accountChoice(this.#state);
  }

  /** In the order in which they were connected. */
  get organizations(): readonly Organization[] {
    return this.#state.get<readonly Organization[]>(ORGANIZATIONS, []);
  }

  /** Name of what is shown; undefined without a choice, and for sample data. */
  get name(): string | undefined {
    const { choice } = this;
    return choice?.kind === 'service' ? (choice.name ?? new URL(choice.url).host) : undefined;
  }

  /** The connection to the organization that is shown; undefined if none is, or its token is missing. */
  async connection(): Promise<Connection | undefined> {
    await this.#migrate();
    const { name } = this;
    return name === undefined ? undefined : this.connectionTo(name);
  }

  async connectionTo(name: string): Promise<Connection | undefined> {
    const kept = await this.#secrets.get(secretOf(name));
    if (kept === undefined) return undefined;
    const { url, token } = JSON.parse(kept) as Connection;
    return { url, token };
  }

  /** Connects an organization, or replaces the connection of that name, and shows it. */
  async connect(connection: Connection, name: string): Promise<void> {
    await this.#migrate();
    const { url } = connection;
    await this.#secrets.store(secretOf(name), JSON.stringify(connection));
    const { organizations } = this;
    const isKnown = organizations.some((one) => one.name === name);
    const added = { name, url };
    const all = isKnown ? organizations.map((one) => (one.name === name ? added : one)) : [...organizations, added];
    await this.#state.update(ORGANIZATIONS, all);
    await this.#choose({ kind: 'service', url, name });
  }

  /** Shows a connected organization. Returns whether there is one of that name. */
  async show(name: string): Promise<boolean> {
    await this.#migrate();
    const found = this.organizations.find((one) => one.name === name);
    if (found) await this.#choose({ kind: 'service', ...found });
    return found !== undefined;
  }

  /** Shows sample data. The organizations stay connected. */
  async showSample(): Promise<void> {
    await this.#migrate();
    await this.#choose({ kind: 'sample' });
  }

  /** Removes the organization that is shown with its token, and shows another one if there is one. */
  async forget(): Promise<void> {
    await this.#migrate();
    const { name } = this;
    const others = this.organizations.filter((one) => one.name !== name);
    if (name !== undefined) await this.#secrets.delete(secretOf(name));
    await this.#state.update(ORGANIZATIONS, others);
    const [next] = others;
    await this.#choose(next && { kind: 'service', ...next });
  }

  async #choose(choice: AccountChoice | undefined): Promise<void> {
    await chooseAccount(this.#state, choice);
    await this.#secrets.store(SIGNAL, JSON.stringify(choice ?? null));
  }

  /** Names the connection of an earlier version after its host. */
  async #migrate(): Promise<void> {
    const kept = await this.#secrets.get(FORMER_CONNECTION);
    if (kept === undefined) return;
    const { url } = JSON.parse(kept) as Connection;
    const name = new URL(url).host;
    await this.#secrets.store(secretOf(name), kept);
    if (!this.organizations.some((one) => one.name === name))
      await this.#state.update(ORGANIZATIONS, [...this.organizations, { name, url }]);
    const { choice } = this;
    if (choice?.kind === 'service' && choice.name === undefined)
      await chooseAccount(this.#state, { kind: 'service', url, name });
    // Last: a window that ends before does it again.
    await this.#secrets.delete(FORMER_CONNECTION);
  }
}
