import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/log.ts';
import type { Handlers } from '../base/rpc.ts';
import { viewType, type ViewContract, type ViewMethods } from '../protocol/viewContract.ts';
import { ViewServer } from '../protocol/viewServer.ts';
import { importsOf, viewPage } from './viewPage.ts';

/** A view and its handlers. */
export interface HostedView<M extends ViewMethods<M>, E> {
  readonly contract: ViewContract<M, E>;
  readonly title: string;
  readonly handlers: Handlers<M>;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
  /** See `PageParts`. */
  readonly drawsPictures?: boolean;
  /** HTML to show until the page's script has drawn it. */
  readonly beginning?: () => string;
}

/** A page in a webview, and the host's end of its contract. */
class HostedPage<M extends ViewMethods<M>, E> implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly server: ViewServer<M, E>;

  constructor(view: HostedView<M, E>, webview: vscode.Webview) {
    const { contract, title, handlers, log, extensionUri } = view;
    this.server = new ViewServer(
      contract,
      handlers,
      // A hidden or closed page loses messages; `ready` sends the whole state.
      (message) => void webview.postMessage(message),
      (problem) => log.warn(`The view ${contract.name} sent no message: ${problem}`),
    );
    this.#disposables.add(webview.onDidReceiveMessage((message) => this.server.receive(message)));
    const folder = vscode.Uri.joinPath(extensionUri, 'dist/webview');
    const uriOf = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    const script = `${contract.name}.js`;
    const textOf = (file: string): string => readFileSync(vscode.Uri.joinPath(folder, file).fsPath, 'utf8');
    webview.html = viewPage({
      title,
      script: uriOf(script),
      imports: importsOf(textOf(script)).map(uriOf),
      style: textOf(`${contract.name}.css`),
      beginning: view.beginning?.() ?? '',
      drawsPictures: view.drawsPictures ?? false,
      nonce: newNonce(),
      styleNonce: newNonce(),
      language: vscode.env.language,
      strings: JSON.stringify(vscode.l10n.bundle ?? {}),
    });
  }

  dispose(): void {
    this.server.close();
    this.#disposables.dispose();
  }
}

/**
 * One panel with a page, and the host's end of the contract. A hidden page is discarded, since a retained one costs tens of
 * megabytes. State that must outlive it stays here, in the extension, and is passed to `ready`.
 */
export class WebviewHost<M extends ViewMethods<M>, E> implements vscode.Disposable {
  readonly #view: HostedView<M, E>;
  #panel: vscode.WebviewPanel | undefined;
  #page: HostedPage<M, E> | undefined;

  constructor(view: HostedView<M, E>) {
    this.#view = view;
  }

  /** Column of the panel; `undefined` if there is none or it is hidden. */
  get column(): vscode.ViewColumn | undefined {
    return this.#panel?.viewColumn;
  }

  /** Whether the page is shown. */
  get isVisible(): boolean {
    return this.#panel?.visible === true;
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
    const page = new HostedPage({ ...this.#view, title: panel.title }, panel.webview);
    this.#panel = panel;
    this.#page = page;
    const listener = panel.onDidChangeViewState(() => {
      if (!panel.visible) page.server.close();
    });
    panel.onDidDispose(() => {
      page.dispose();
      listener.dispose();
      if (this.#panel === panel) this.#panel = this.#page = undefined;
    });
    const icon = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.#view.extensionUri, `media/sextant-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
  }

  /** Sends an event to the page, if there is one. */
  emit<K extends keyof E & string>(name: K, value: E[K]): void {
    this.#page?.server.emit(name, value);
  }

  dispose(): void {
    this.#panel?.dispose();
  }
}

/** A page in a side bar or in the panel. The editor decides when it exists; as with panels, a hidden page is discarded. */
export class SideViewHost<M extends ViewMethods<M>, E> implements vscode.Disposable {
  readonly #view: HostedView<M, E>;
  #page: HostedPage<M, E> | undefined;
  readonly #onHide: () => void;

  /** `onHide` is called when the page is hidden or closed. */
  constructor(view: HostedView<M, E>, onHide: () => void) {
    this.#view = view;
    this.#onHide = onHide;
  }

  /** Takes the view that the editor shows. */
  resolve(view: vscode.WebviewView): void {
    this.#page?.dispose();
    const page = new HostedPage(this.#view, view.webview);
    this.#page = page;
    const listener = view.onDidChangeVisibility(() => {
      if (view.visible) return;
      page.server.close();
      this.#onHide();
    });
    view.onDidDispose(() => {
      page.dispose();
      listener.dispose();
      if (this.#page === page) this.#page = undefined;
      this.#onHide();
    });
  }

  /** Sends an event to the page, if there is one. */
  emit<K extends keyof E & string>(name: K, value: E[K]): void {
    this.#page?.server.emit(name, value);
  }

  dispose(): void {
    this.#page?.dispose();
  }
}

function newNonce(): string {
  return randomBytes(16).toString('base64');
}
