import * as vscode from 'vscode';
import { serviceOf } from '../../ask/openai.ts';
import { askSettings } from '../settings.ts';

/**
 * The key of the OpenAI-compatible service, kept by the editor's secret storage: apart for each service, so that another base
 * URL is never sent it.
 */
export class OpenAiKey {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  async get(baseUrl: string): Promise<string | undefined> {
    return this.#secrets.get(nameOf(baseUrl));
  }

  /** Has a person type it. */
  async set(): Promise<void> {
    const service = await configuredService();
    if (service === undefined) return;
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Key for {0}', serviceOf(service)),
      prompt: vscode.l10n.t('It is kept in the editor’s secret storage and sent to that service alone.'),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (/^[\x21-\x7e]+$/.test(text.trim()) ? undefined : vscode.l10n.t('A key has no spaces.')),
    });
    if (typed === undefined) return;
    await this.#secrets.store(nameOf(service), typed.trim());
    void vscode.window.showInformationMessage(vscode.l10n.t('The key for {0} is set.', serviceOf(service)));
  }

  async remove(): Promise<void> {
    const service = await configuredService();
    if (service === undefined) return;
    await this.#secrets.delete(nameOf(service));
    void vscode.window.showInformationMessage(vscode.l10n.t('The key for {0} is removed.', serviceOf(service)));
  }
}

function nameOf(baseUrl: string): string {
  return `sextant.ask.openai.key ${serviceOf(baseUrl)}`;
}

/** Without a base URL nobody knows what service the key is for: the settings are opened. */
async function configuredService(): Promise<string | undefined> {
  const { baseUrl } = askSettings();
  if (baseUrl !== '') return baseUrl;
  const open = vscode.l10n.t('Open Settings');
  const message = vscode.l10n.t('Set the base URL of the service first; its key belongs to it.');
  if ((await vscode.window.showInformationMessage(message, open)) === open)
    await vscode.commands.executeCommand('workbench.action.openSettings', 'sextant.ask.openai');
  return undefined;
}
