import type * as vscode from 'vscode';
import { destinationSchema, type Destination } from '../../analytics/alerts/destination.ts';

const KEY = 'sextant.alerts.destinations';

/** What is kept: a destination, or one of another version that this one may be unable to read. */
type Kept = Partial<Pick<Destination, 'name' | 'url'>>;

/** The destinations of alerts of all windows, in the editor's secret storage. */
export class AlertDestinations {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  /** Those of a later version that this one cannot read are left out, and stay kept. */
  async read(): Promise<readonly Destination[]> {
    return (await this.#kept()).flatMap((one) => destinationSchema.safeParse(one).data ?? []);
  }

  /** Replaces the one with the same name or URL. */
  async add(destination: Destination): Promise<void> {
    const others = (await this.#kept()).filter(({ name, url }) => name !== destination.name && url !== destination.url);
    await this.#secrets.store(KEY, JSON.stringify([...others, destination]));
  }

  async remove(name: string): Promise<void> {
    const others = (await this.#kept()).filter((one) => one.name !== name);
    if (others.length === 0) await this.#secrets.delete(KEY);
    else await this.#secrets.store(KEY, JSON.stringify(others));
  }

  async #kept(): Promise<readonly Kept[]> {
    return JSON.parse((await this.#secrets.get(KEY)) ?? '[]') as readonly Kept[];
  }
}
