import * as vscode from 'vscode';
import { describeError } from '../../base/errors.ts';
import { EDITOR_ADVICE } from '../../wire/explained.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import { proxySettings } from '../settings.ts';
import { isServiceUrl, TEAM_SETTING, tokenName, urlOfTeam } from './teamSetting.ts';

/** These take less than a second: a person waits, and can try again. */
const RETRIES = 3;

/**
 * The service with a team's code: its URL is a setting of the user, its token in the editor's secret storage. Each URL has its own
 * token, so that none is ever sent to another service.
 */
export class TeamService implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #version: string;
  #client: { readonly key: string; readonly client: WireClient } | undefined;
  /** The last URL that was typed, proposed again if its token was refused. */
  #typedUrl = '';

  constructor(secrets: vscode.SecretStorage, version: string) {
    this.#secrets = secrets;
    this.#version = version;
  }

  /**
   * The client of the service; asks for URL and token where they are missing, and for another token if `replacesToken`. `undefined` if
   * the user closes a question or the service refuses the token; then nothing is kept, and nothing replaced.
   */
  async connect(replacesToken = false): Promise<WireClient | undefined> {
    const known = urlOfTeam();
    const url = known || (await this.#askUrl());
    if (url === undefined) return undefined;
    const kept = replacesToken ? undefined : await this.#secrets.get(tokenName(url));
    const token = kept ?? (await this.#askToken(url));
    if (token === undefined) return undefined;
    if (url !== known)
      await vscode.workspace.getConfiguration(TEAM_SETTING).update('url', url, vscode.ConfigurationTarget.Global);
    return this.#clientOf(url, token);
  }

  /** Removes the token, and the URL from the settings. */
  async disconnect(): Promise<void> {
    const url = urlOfTeam();
    if (url !== '') await this.#secrets.delete(tokenName(url));
    await vscode.workspace.getConfiguration(TEAM_SETTING).update('url', undefined, vscode.ConfigurationTarget.Global);
    this.dispose();
    void vscode.window.showInformationMessage(vscode.l10n.t('The team service was disconnected.'));
  }

  dispose(): void {
    void this.#client?.client.close();
    this.#client = undefined;
  }

  async #askUrl(): Promise<string | undefined> {
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Connect Team Service (1 of 2)'),
      prompt: vscode.l10n.t('URL of the service that your team’s repositories are pushed to'),
      placeHolder: 'https://search.example.com',
      value: this.#typedUrl,
      ignoreFocusOut: true,
      validateInput: (text) =>
        isServiceUrl(text.trim())
          ? undefined
          : vscode.l10n.t('Type an https URL without a user or query; http only for this machine'),
    });
    if (typed === undefined) return undefined;
    this.#typedUrl = typed.trim().replace(/\/+$/, '');
    return this.#typedUrl;
  }

  /** Keeps the token only if the service accepts it. */
  async #askToken(url: string): Promise<string | undefined> {
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Connect Team Service (2 of 2)'),
      prompt: vscode.l10n.t('Token for {0}. It is kept in the editor’s secret storage.', url),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) =>
        /^[\x21-\x7e]+$/.test(text.trim()) ? undefined : vscode.l10n.t('A token has no spaces'),
    });
    if (typed === undefined) return undefined;
    const token = typed.trim();
    try {
      const advice = { ...EDITOR_ADVICE, token: 'Connect with another.' };
      await (await this.#clientOf(url, token, advice)).listRepositories();
    } catch (error) {
      void vscode.window.showErrorMessage(describeError(error));
      return undefined;
    } finally {
      // A kept token has other advice.
      this.dispose();
    }
    await this.#secrets.store(tokenName(url), token);
    return token;
  }

  async #clientOf(url: string, token: string, advice = EDITOR_ADVICE): Promise<WireClient> {
    const proxy = proxySettings();
    const key = `${url} ${token} ${JSON.stringify(proxy)}`;
    if (this.#client?.key === key) return this.#client.client;
    this.dispose();
    const { WireClient } = await import('../../wire/wireClient.ts');
    const userAgent = `sextant-vscode/${this.#version}`;
    const client = new WireClient({ url, token, userAgent, timeoutMs: 20_000, retries: RETRIES, advice, proxy });
    this.#client = { key, client };
    return client;
  }
}
