import type * as vscode from 'vscode';
import type { ShownAccount } from '../../protocol/dashboardView.ts';

/** Which account is connected, without its token: this is kept in the editor's state, the token in its secret storage. */
export type AccountChoice = { readonly kind: 'service'; readonly url: string } | { readonly kind: 'sample' };

const CHOICE = 'sextant.analytics.account';

/** That of all windows; nothing while none is connected. */
export function accountChoice(state: vscode.Memento): AccountChoice | undefined {
  return state.get<AccountChoice>(CHOICE);
}

/** What is to be said of a choice. Before its token or its server was looked for, only that it is being looked for. */
export function shownKind(
  choice: AccountChoice | undefined,
  isLookedFor: boolean,
  isThere: boolean,
): ShownAccount['kind'] {
  if (choice === undefined) return 'none';
  if (isThere) return 'ready';
  if (!isLookedFor) return 'loading';
  return choice.kind === 'sample' ? 'stopped' : 'gone';
}

export function chooseAccount(state: vscode.Memento, choice: AccountChoice | undefined): Thenable<void> {
  return state.update(CHOICE, choice);
}
