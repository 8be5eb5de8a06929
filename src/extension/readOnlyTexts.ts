import * as vscode from 'vscode';

const SCHEME = 'sextant-text';
/** A closed text is not asked for again; more than this is never open at once. */
const KEPT = 20;

/** Shows texts of ours in read-only editors, where they can be read, searched and copied like any other. */
export class ReadOnlyTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.#changed.event;

  /** `title` becomes the editor's; a text with the same title takes the place of the one before. */
  async open(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replaceAll('/', '∕')}` });
    this.#texts.delete(uri.path);
    this.#texts.set(uri.path, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > KEPT && oldest !== undefined) this.#texts.delete(oldest);
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? vscode.l10n.t('This text is no longer kept: ask for it again.');
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
