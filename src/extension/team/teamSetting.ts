import * as vscode from 'vscode';
import { isLoopback } from '../../base/loopback.ts';

/* The service with a team's code: its URL is a setting of the user, its token in the editor's secret storage, a token for each URL. */

export const TEAM_SETTING = 'sextant.team';

const TOKEN = 'sextant.team.token ';

/** Whether the user has set a service. */
export function hasTeam(): boolean {
  return urlOfTeam() !== '';
}

/** The URL, or nothing. Only the user's own value: a workspace must not choose where queries are sent. */
export function urlOfTeam(): string {
  const value = vscode.workspace.getConfiguration(TEAM_SETTING).inspect<string>('url')?.globalValue?.trim() ?? '';
  return isServiceUrl(value) ? value.replace(/\/+$/, '') : '';
}

export function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (`${username}${password}${search}${hash}` !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** The name of the secret with the token for a URL. */
export function tokenName(url: string): string {
  return `${TOKEN}${url}`;
}

/** Calls `then` when the URL or a token changes. */
export function onDidChangeTeam(secrets: vscode.SecretStorage, then: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${TEAM_SETTING}.url`)) then();
    }),
    secrets.onDidChange(({ key }) => {
      if (key.startsWith(TOKEN)) then();
    }),
  );
}
