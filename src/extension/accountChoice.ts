import type * as vscode from 'vscode';

/** Which account is connected, without its token: this is kept in the editor's state, the token in its secret storage. */
export type AccountChoice = { readonly kind: 'service'; readonly url: string } | { readonly kind: 'sample' };

const CHOICE = 'sextant.analytics.account';

/** That of all windows; nothing while none is connected. */
export function accountChoice(state: vscode.Memento): AccountChoice | undefined {
  return state.get<AccountChoice>(CHOICE);
}

export function chooseAccount(state: vscode.Memento, choice: AccountChoice | undefined): Thenable<void> {
  return state.update(CHOICE, choice);
}
