import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import { destinationSchema, type Destination } from '../../analytics/alerts/destination.ts';

const KEY = 'sextant.alerts.destinations';
const schema = z.array(destinationSchema);

/** The destinations of alerts of all windows, in the editor's secret storage. */
export class AlertDestinations {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  /** Those of a later version that this one cannot read are left out. */
  async read(): Promise<readonly Destination[]> {
    const kept = await this.#secrets.get(KEY);
    if (kept === undefined) return [];
    const parsed = schema.safeParse(JSON.parse(kept));
    return parsed.success ? parsed.data : [];
  }

  /** Replaces the one with the same name or URL. */
  async add(destination: Destination): Promise<void> {
    const others = (await this.read()).filter(({ name, url }) => name !== destination.name && url !== destination.url);
    await this.#secrets.store(KEY, JSON.stringify([...others, destination]));
  }

  async remove(name: string): Promise<void> {
    const others = (await this.read()).filter((one) => one.name !== name);
    if (others.length === 0) await this.#secrets.delete(KEY);
    else await this.#secrets.store(KEY, JSON.stringify(others));
  }
}
