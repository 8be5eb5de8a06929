import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { WorkspaceClient } from '../../workspace/client.ts';
import { MAX_FILE_BYTES } from '../../workspace/folderOptions.ts';
import type { Folders } from './folders.ts';
import { pathIn } from './pathIn.ts';

/** Pause in typing after which a text is sent. */
const PAUSE_MS = 200;

/** Lets searches read editors as they are, saved or not. */
export class UnsavedEditors implements vscode.Disposable {
  readonly #client: WorkspaceClient;
  readonly #folders: Folders;
  readonly #disposables = new DisposableStore();
  readonly #waiting = new Map<vscode.TextDocument, NodeJS.Timeout>();

  constructor(client: WorkspaceClient, folders: Folders) {
    this.#client = client;
    this.#folders = folders;
    const { workspace } = vscode;
    this.#disposables.add(workspace.onDidChangeTextDocument(({ document }) => this.#sendSoon(document)));
    this.#disposables.add(workspace.onDidSaveTextDocument((document) => this.#send(document)));
    this.#disposables.add(workspace.onDidCloseTextDocument((document) => this.#send(document)));
    this.#disposables.add(
      workspace.onDidChangeWorkspaceFolders(({ removed }) => {
        for (const { uri } of removed) this.#client.forgetUnsaved(uri.fsPath);
        this.#sendAll();
      }),
    );
    // Editors that were restored with the window.
    this.#sendAll();
  }

  dispose(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#disposables.dispose();
  }

  #sendAll(): void {
    for (const document of vscode.workspace.textDocuments) if (document.isDirty) this.#send(document);
  }

  #sendSoon(document: vscode.TextDocument): void {
    if (document.uri.scheme !== 'file') return;
    clearTimeout(this.#waiting.get(document));
    this.#waiting.set(
      document,
      setTimeout(() => this.#send(document), PAUSE_MS),
    );
  }

  #send(document: vscode.TextDocument): void {
    clearTimeout(this.#waiting.get(document));
    this.#waiting.delete(document);
    const { uri, isDirty, isClosed } = document;
    if (uri.scheme !== 'file') return;
    const text = isDirty && !isClosed ? document.getText() : undefined;
    const isShort = text !== undefined && text.length <= MAX_FILE_BYTES;
    for (const { root } of this.#folders.all) {
      const path = pathIn(this.#folders.uriOf(root), uri);
      if (path !== undefined) this.#client.setUnsaved({ root, path, ...(isShort && { text }) });
    }
  }
}
