import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/log.ts';
import type { Handlers } from '../base/rpc.ts';
import { viewType, type ViewContract, type ViewMethods } from '../protocol/viewContract.ts';
import { ViewServer } from '../protocol/viewServer.ts';
import { viewPage } from './viewPage.ts';

/** A view and its handlers. */
export interface HostedView<M extends ViewMethods<M>, E> {
  readonly contract: ViewContract<M, E>;
  readonly title: string;
  readonly handlers: Handlers<M>;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
  /** See `PageParts`. */
  readonly drawsPictures?: boolean;
}

/**
 * One panel with a page, and the host's end of the contract. A hidden page is discarded, since a retained one costs tens of
 * megabytes. State that must outlive it stays here, in the extension, and is passed to `ready`.
 */
export class WebviewHost<M extends ViewMethods<M>, E> implements vscode.Disposable {
  readonly #view: HostedView<M, E>;
  #panel: vscode.WebviewPanel | undefined;
  #server: ViewServer<M, E> | undefined;

  constructor(view: HostedView<M, E>) {
    this.#view = view;
  }

  /** Column of the panel; `undefined` if there is none or it is hidden. */
  get column(): vscode.ViewColumn | undefined {
    return this.#panel?.viewColumn;
  }

  /** Opens the panel in `column`, or reveals the open one where it is. */
  show(column = vscode.ViewColumn.Active): void {
    if (this.#panel) {
      this.#panel.reveal();
      return;
    }
    const { contract, title } = this.#view;
    this.restore(vscode.window.createWebviewPanel(viewType(contract.name), title, column));
  }

  /** Takes a panel that the editor has restored. */
  restore(panel: vscode.WebviewPanel): void {
    this.#panel?.dispose();
    const { contract, handlers, log, extensionUri } = this.#view;
    const server = new ViewServer(
      contract,
      handlers,
      // A hidden or closed panel loses messages; `ready` sends the whole state.
      (message) => void panel.webview.postMessage(message),
      (problem) => log.warn(`The view ${contract.name} sent no message: ${problem}`),
    );
    this.#panel = panel;
    this.#server = server;
    const disposables = new DisposableStore();
    disposables.add(panel.webview.onDidReceiveMessage((message) => server.receive(message)));
    disposables.add(
      panel.onDidChangeViewState(() => {
        if (!panel.visible) server.close();
      }),
    );
    panel.onDidDispose(() => {
      server.close();
      disposables.dispose();
      if (this.#panel === panel) this.#panel = this.#server = undefined;
    });
    const folder = vscode.Uri.joinPath(extensionUri, 'dist/webview');
    const uriOf = (file: string): string => panel.webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
    const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, `media/sextant-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    panel.webview.html = viewPage({
      title: panel.title,
      source: panel.webview.cspSource,
      script: uriOf(`${contract.name}.js`),
      style: uriOf(`${contract.name}.css`),
      drawsPictures: this.#view.drawsPictures ?? false,
      nonce: newNonce(),
      styleNonce: newNonce(),
      language: vscode.env.language,
      strings: JSON.stringify(vscode.l10n.bundle ?? {}),
    });
  }

  /** Sends an event to the page, if there is one. */
  emit<K extends keyof E & string>(name: K, value: E[K]): void {
    this.#server?.emit(name, value);
  }

  dispose(): void {
    this.#panel?.dispose();
  }
}

function newNonce(): string {
  return randomBytes(16).toString('base64');
}
