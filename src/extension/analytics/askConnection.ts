import * as vscode from 'vscode';
import { readConnection, type Connection } from '../../analytics/client/account.ts';
import { isOrganizationName } from '../../analytics/client/organizationFile.ts';
import { describeError } from '../../base/errors.ts';
import type { Organization } from './analyticsAccount.ts';

/** A connection and the name of its organization. */
export interface NamedConnection {
  readonly connection: Connection;
  readonly name: string;
}

/** Asks for the address, the token and a name; undefined if the user cancels. */
export async function askConnection(before: Organization | undefined): Promise<NamedConnection | undefined> {
  const title = vscode.l10n.t('Connect to Usage and Cost');
  const url = await vscode.window.showInputBox({
    title: `${title} (1/3)`,
    prompt: vscode.l10n.t('URL of the service'),
    placeHolder: 'https://example.com',
    value: before?.url ?? '',
    ignoreFocusOut: true,
    validateInput: (text) => problemWith(() => readConnection(text, 'token')),
  });
  if (url === undefined) return undefined;
  const token = await vscode.window.showInputBox({
    title: `${title} (2/3)`,
    prompt: vscode.l10n.t("API token, kept in the editor's secret storage and sent to that URL only"),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => problemWith(() => readConnection(url, text)),
  });
  if (token === undefined) return undefined;
  const connection = readConnection(url, token);
  const name = await vscode.window.showInputBox({
    title: `${title} (3/3)`,
    prompt: vscode.l10n.t(
      'Name of the organization, to switch between several. A name that is there gets the new token.',
    ),
    value: connection.url === before?.url ? before.name : new URL(connection.url).host,
    ignoreFocusOut: true,
    validateInput: (text) =>
      isOrganizationName(text.trim()) ? undefined : vscode.l10n.t('A name has 1 to 64 characters.'),
  });
  return name === undefined ? undefined : { connection, name: name.trim() };
}

function problemWith(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
