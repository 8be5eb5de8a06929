import * as vscode from 'vscode';
import { serviceOf } from '../../ask/openai.ts';
import { askSettings } from '../settings.ts';

/**
 * The key of the OpenAI-compatible service, in the editor's secret storage. Each service has its own, so that a key is never
 * sent to another base URL.
 */
export class OpenAiKey {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  async get(baseUrl: string): Promise<string | undefined> {
    return this.#secrets.get(nameOf(baseUrl));
  }

  /** Asks the user for the key. */
  async set(): Promise<void> {
    const service = await configuredService();
    if (service === undefined) return;
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Key for {0}', serviceOf(service)),
      prompt: vscode.l10n.t('The key is kept in the editor’s secret storage and sent only to this service.'),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (/^[\x21-\x7e]+$/.test(text.trim()) ? undefined : vscode.l10n.t('A key has no spaces')),
    });
    if (typed === undefined) return;
    await this.#secrets.store(nameOf(service), typed.trim());
    void vscode.window.showInformationMessage(vscode.l10n.t('The key for {0} was set.', serviceOf(service)));
  }

  async remove(): Promise<void> {
    const service = await configuredService();
    if (service === undefined) return;
    await this.#secrets.delete(nameOf(service));
    void vscode.window.showInformationMessage(vscode.l10n.t('The key for {0} was removed.', serviceOf(service)));
  }
}

function nameOf(baseUrl: string): string {
  return `sextant.ask.openai.key ${serviceOf(baseUrl)}`;
}

/** Base URL of the service. Without one the key has no service, so the settings are offered. */
async function configuredService(): Promise<string | undefined> {
  const { baseUrl } = askSettings();
  if (baseUrl !== '') return baseUrl;
  const open = vscode.l10n.t('Open Settings');
  const message = vscode.l10n.t('The key belongs to a service. Set its base URL first.');
  if ((await vscode.window.showInformationMessage(message, open)) === open)
    await vscode.commands.executeCommand('workbench.action.openSettings', 'sextant.ask.openai');
  return undefined;
}
