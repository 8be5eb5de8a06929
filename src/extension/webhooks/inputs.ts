import * as vscode from 'vscode';

/** What a person enters; `undefined` if they cancel. */
export type Picked<T> = Promise<T | undefined>;

export interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

export async function pick<T>(title: string, choices: readonly Choice<T>[], placeHolder?: string): Picked<T> {
  const chosen = await vscode.window.showQuickPick(choices, {
    title,
    matchOnDescription: true,
    matchOnDetail: true,
    ...(placeHolder !== undefined && { placeHolder }),
  });
  return chosen?.value;
}

export async function ask(
  title: string,
  prompt: string,
  validateInput: (text: string) => string | vscode.InputBoxValidationMessage | undefined,
  value = '',
): Picked<string> {
  return vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true, validateInput });
}
