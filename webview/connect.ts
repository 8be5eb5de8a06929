import * as l10n from '@vscode/l10n';
import { Caller, type Methods } from '../src/base/rpc.ts';
import { pageChannel } from '../src/protocol/pageChannel.ts';

/** What the editor gives every page, once. */
interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

/** The extension, seen from a page. */
export interface Host<M extends Methods<M>, E> {
  readonly caller: Caller<M, E>;
  /** What the page itself keeps while it is hidden and over a restart, such as what is typed. Nobody checked it. */
  readonly kept: unknown;
  keep(state: unknown): void;
}

/** To be called once, before anything is shown: the strings are in the editor's language from then on. */
export function connect<M extends Methods<M>, E>(): Host<M, E> {
  const api = acquireVsCodeApi();
  l10n.config({ contents: document.body.dataset.strings ?? '{}' });
  const channel = pageChannel(
    crypto.randomUUID(),
    (message) => api.postMessage(message),
    (receive) => window.addEventListener('message', ({ data }) => receive(data)),
  );
  return { caller: new Caller(channel), kept: api.getState(), keep: (state) => api.setState(state) };
}
