import type * as vscode from 'vscode';
import type { ShownAccount } from '../../protocol/dashboardView.ts';

/** The chosen account, kept in the editor's state; its token is in the secret storage. */
export type AccountChoice = ServiceChoice | { readonly kind: 'sample' };

export interface ServiceChoice {
  readonly kind: 'service';
  readonly url: string;
  /** Name of the organization; an earlier version kept one connection without a name. */
  readonly name?: string;
}

const CHOICE = 'sextant.analytics.account';

/** The choice of all windows; undefined without one. */
export function accountChoice(state: vscode.Memento): AccountChoice | undefined {
  return state.get<AccountChoice>(CHOICE);
}

/** The state of a choice: loading until its token or its server was read. */
export function shownKind(
  choice: AccountChoice | undefined,
  isRead: boolean,
  isConnected: boolean,
): ShownAccount['kind'] {
  if (choice === undefined) return 'none';
  if (isConnected) return 'ready';
  if (!isRead) return 'loading';
  return choice.kind === 'sample' ? 'stopped' : 'gone';
}

export function chooseAccount(state: vscode.Memento, choice: AccountChoice | undefined): Thenable<void> {
  return state.update(CHOICE, choice);
}
