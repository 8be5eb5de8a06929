import * as vscode from 'vscode';

/** A closed text is not asked for again; more than this is never open at once. */
const KEPT = 20;
/** The editor takes a new text in milliseconds; a text that it never takes is shown all the same. */
const LONGEST_WAIT_MS = 1_000;

/** Shows texts of ours in read-only editors, where they can be read, searched and copied like any other. */
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

  /** `title` becomes the editor's; a text with the same title takes the place of the one before. */
  async open(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path: `/${title.replaceAll('/', '∕')}` });
    this.#texts.delete(uri.path);
    this.#texts.set(uri.path, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > KEPT && oldest !== undefined) this.#texts.delete(oldest);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    if (!hasText(document, text)) await taken(document);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? vscode.l10n.t('This text is no longer kept: ask for it again.');
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}

/** Whatever the ends of its lines are. */
function hasText(document: vscode.TextDocument, text: string): boolean {
  const lines = (of: string): string => of.replaceAll(/\r\n?/g, '\n');
  return lines(document.getText()) === lines(text);
}

/** Resolves when the editor has taken another text for a document that it still had. */
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
