import * as l10n from '@vscode/l10n';
import { RpcCaller, type Methods } from '../src/base/rpc.ts';
import { pageChannel } from '../src/protocol/pageChannel.ts';

/** The editor's API for a page, available once. */
interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

/** The extension, seen from a page. */
export interface Host<M extends Methods<M>, E> {
  readonly caller: RpcCaller<M, E>;
  /** State that the page keeps while it is hidden and over a restart, such as typed text. Unchecked. */
  readonly kept: unknown;
  keep(state: unknown): void;
}

/** Connects to the extension. Call it once, before anything is shown: it loads the strings of the editor's language. */
export function connect<M extends Methods<M>, E>(): Host<M, E> {
  const api = acquireVsCodeApi();
  l10n.config({ contents: document.body.dataset.strings ?? '{}' });
  const channel = pageChannel(
    crypto.randomUUID(),
    (message) => api.postMessage(message),
    (receive) => window.addEventListener('message', ({ data }) => receive(data)),
  );
  return { caller: new RpcCaller(channel), kept: api.getState(), keep: (state) => api.setState(state) };
}
