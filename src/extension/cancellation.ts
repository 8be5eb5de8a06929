import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';

/* The editor cancels by tokens, all other code by signals. */

/** A signal that aborts when the token is cancelled. Dispose it when the work is over. */
export function signalOf(token: vscode.CancellationToken): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const listener = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, dispose: () => void listener.dispose() };
}

/** A token that is cancelled when the signal aborts, or when it is disposed. */
export function tokenOf(signal: AbortSignal): Disposable & { readonly token: vscode.CancellationToken } {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return {
    token: source.token,
    dispose: () => {
      signal.removeEventListener('abort', cancel);
      source.cancel();
      source.dispose();
    },
  };
}
