import * as vscode from 'vscode';

/** A test event in an editor. */
export interface Draft {
  readonly webhook: string;
  readonly template?: string | undefined;
}

const KEY = 'sextant.testEvents';

/**
 * Test events in editors, by the URI of the document. A draft ends when its tab is closed. It survives a reload of the window
 * and a change of the language; a saved document is a draft under its new name, too.
 */
export class TestEventDrafts implements vscode.Disposable {
  readonly #memento: vscode.Memento;
  readonly #drafts: Map<string, Draft>;
  readonly #disposables: vscode.Disposable;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
    const known = memento.get<readonly [uri: string, Draft][]>(KEY, []);
    this.#drafts = new Map(known.filter(([uri]) => isOpen(uri)));
    this.#disposables = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.#forget(closed)),
      vscode.workspace.onDidSaveTextDocument((document) => this.#follow(document)),
    );
    this.#emitState();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  of({ uri }: vscode.TextDocument): Draft | undefined {
    return this.#drafts.get(uri.toString());
  }

  add({ uri }: vscode.TextDocument, draft: Draft): void {
    this.#drafts.set(uri.toString(), draft);
    this.#emitState();
  }

  #forget(closed: readonly vscode.Tab[]): void {
    const ended = closed.map(uriOf).filter((uri) => uri !== undefined && !isOpen(uri) && this.#drafts.delete(uri));
    if (ended.length > 0) this.#emitState();
  }

  /** Follows a draft that is saved under another name: the new document has the same text, apart from white space. */
  #follow(saved: vscode.TextDocument): void {
    if (this.of(saved)) return;
    const before = vscode.workspace.textDocuments.find((one) => this.of(one) && isSame(one, saved));
    if (before) this.add(saved, this.of(before)!);
  }

  #emitState(): void {
    void this.#memento.update(KEY, [...this.#drafts]);
    // In a remote window the editor has other URIs than its extensions; the paths are the same.
    const paths = [...this.#drafts.keys()]
      .map((uri) => vscode.Uri.parse(uri))
      .flatMap(({ path, fsPath }) => [path, fsPath]);
    void vscode.commands.executeCommand('setContext', KEY, paths);
  }
}

function uriOf({ input }: vscode.Tab): string | undefined {
  return input instanceof vscode.TabInputText ? input.uri.toString() : undefined;
}

function isOpen(uri: string): boolean {
  return vscode.window.tabGroups.all.some(({ tabs }) => tabs.some((tab) => uriOf(tab) === uri));
}

function isSame(one: vscode.TextDocument, other: vscode.TextDocument): boolean {
  const [a, b] = [one, other].map((document) => document.getText().replaceAll(/\s/g, ''));
  return a === b;
}
