import * as vscode from 'vscode';
import { readConnection, type Connection } from '../../analytics/client/account.ts';
import { describeError } from '../../base/errors.ts';
import { accountChoice, chooseAccount, type AccountChoice } from './accountChoice.ts';

/** The token with its address: kept apart, another window could send a new token to the old address. */
const CONNECTION = 'sextant.analytics.connection';

/** The chosen account of all windows. */
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

  /** The connection to a service; undefined if none was chosen, or its token is missing. */
  async connection(): Promise<Connection | undefined> {
    if (this.choice?.kind !== 'service') return undefined;
    const kept = await this.#secrets.get(CONNECTION);
    if (kept === undefined) return undefined;
    const { url, token } = JSON.parse(kept) as Connection;
    return { url, token };
  }

  async choose(connection: Connection | 'sample'): Promise<void> {
    if (connection === 'sample') {
      await this.#secrets.delete(CONNECTION);
      await chooseAccount(this.#state, { kind: 'sample' });
    } else {
      await this.#secrets.store(CONNECTION, JSON.stringify(connection));
      await chooseAccount(this.#state, { kind: 'service', url: connection.url });
    }
  }

  async forget(): Promise<void> {
    await this.#secrets.delete(CONNECTION);
    await chooseAccount(this.#state, undefined);
  }
}

/** Asks for the address and the token; undefined if the user cancels. */
export async function askConnection(before: string | undefined): Promise<Connection | undefined> {
  const title = vscode.l10n.t('Connect to Usage and Cost');
  const url = await vscode.window.showInputBox({
    title: `${title} (1/2)`,
    prompt: vscode.l10n.t('URL of the service'),
    placeHolder: 'https://example.com',
    value: before ?? '',
    ignoreFocusOut: true,
    validateInput: (text) => problemWith(() => readConnection(text, 'token')),
  });
  if (url === undefined) return undefined;
  const token = await vscode.window.showInputBox({
    title: `${title} (2/2)`,
    prompt: vscode.l10n.t("API token, kept in the editor's secret storage and sent to that URL only"),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => problemWith(() => readConnection(url, text)),
  });
  return token === undefined ? undefined : readConnection(url, token);
}

function problemWith(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
