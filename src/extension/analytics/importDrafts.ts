import * as vscode from 'vscode';

/** Untitled editors for pasted rows; the context key of their URIs shows a button in their title. */
export class ImportDrafts implements vscode.Disposable {
  readonly #uris = new Set<string>();
  readonly #listening = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
    if (this.#uris.delete(uri.toString())) this.#publish();
  });

  /** The draft in the active editor. */
  get active(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    return document && this.#uris.has(document.uri.toString()) ? document : undefined;
  }

  /** Opens a draft with a header, and places the cursor below it. */
  async open(): Promise<void> {
    const document = await vscode.workspace.openTextDocument({ content: 'account,limit\n' });
    this.#uris.add(document.uri.toString());
    this.#publish();
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const { end } = document.lineAt(document.lineCount - 1).range;
    editor.selection = new vscode.Selection(end, end);
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #publish(): void {
    void vscode.commands.executeCommand('setContext', 'sextant.budgetDrafts', [...this.#uris]);
  }
}
