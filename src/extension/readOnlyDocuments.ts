import * as vscode from 'vscode';

/** Most texts in memory. The editor does not request a closed text again. */
const MAX_TEXTS = 20;
/** The editor takes a new text in milliseconds; after this time the document is shown in any case. */
const LONGEST_WAIT_MS = 1_000;

/** Shows generated texts in read-only editors, where people can read, search and copy them. */
export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #scheme: string;
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor(scheme = 'sextant-text') {
    this.#scheme = scheme;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** Opens a text with the title of its editor; it replaces an earlier text with the same title. */
  async open(title: string, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.add(title, text));
    if (!hasText(document, text)) await taken(document);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** Keeps a text, and returns the URI of its document. */
  add(title: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path: `/${title.replaceAll('/', '∕')}` });
    this.#texts.delete(uri.path);
    this.#texts.set(uri.path, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > MAX_TEXTS && oldest !== undefined) this.#texts.delete(oldest);
    this.#changed.fire(uri);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? vscode.l10n.t('This text is no longer available. Run the command again.');
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

/** Compares texts, whatever their line ends. */
function hasText(document: vscode.TextDocument, text: string): boolean {
  const lines = (of: string): string => of.replaceAll(/\r\n?/g, '\n');
  return lines(document.getText()) === lines(text);
}

/** Resolves when the editor has taken the new text of an open document. */
function taken(document: vscode.TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const listener = vscode.workspace.onDidChangeTextDocument(({ document: changed }) => {
      if (changed === document) done();
    });
    const timer = setTimeout(done, LONGEST_WAIT_MS);
  });
}
