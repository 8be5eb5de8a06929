import { cancelled, describeError, isCancelled, SextantError } from '../../base/errors.ts';
import type { EditorMessage, EditorResult, EditorRun } from '../../webhooks/editorWindows.ts';
import { AdminClient } from '../admin/adminClient.ts';

export interface EditorWorker {
  /** Identifies the window, which may have several connections. */
  readonly window: string;
  /** What it runs: names of experts of the type `editor`, and what it does for them. */
  readonly experts: readonly { readonly name: string; readonly does: string }[];
  /**
   * Makes a run, and calls `begin` when it begins: its time limit starts then. An error that it throws is the result, and another
   * attempt may succeed.
   */
  run(run: EditorRun, signal: AbortSignal, begin: () => void): Promise<EditorResult>;
  onConnected?(): void;
}

/**
 * Makes the runs that a server has for a window of an editor, until `signal` aborts or the connection ends, which aborts what is under
 * way. Throws the server's errors, and `NoAnswer` if the connection breaks.
 */
export async function makeRuns(client: AdminClient, worker: EditorWorker, signal: AbortSignal): Promise<void> {
  const { window, experts } = worker;
  const underWay = new Map<string, AbortController>();
  const work = new Set<Promise<void>>();
  const make = async (run: EditorRun): Promise<void> => {
    const stop = new AbortController();
    underWay.set(run.id, stop);
    let begun: Promise<void> | undefined;
    const result = await resultOf(worker, run, stop.signal, () => {
      begun = send(client, [run.id, 'begin']);
    });
    underWay.delete(run.id);
    await begun;
    if (!stop.signal.aborted) await send(client, [run.id], result);
  };
  try {
    let isConnected = false;
    for await (const { run, cancel } of client.lines<EditorMessage>('POST', 'editor', { window, experts }, signal)) {
      if (!isConnected) worker.onConnected?.();
      isConnected = true;
      if (cancel !== undefined) underWay.get(cancel)?.abort();
      if (!run) continue;
      const made = make(run).finally(() => work.delete(made));
      work.add(made);
    }
  } finally {
    for (const stop of underWay.values()) stop.abort();
    await Promise.all(work);
  }
}

/** Does not wait for work that goes on after it was given up. */
async function resultOf(
  worker: EditorWorker,
  run: EditorRun,
  signal: AbortSignal,
  begin: () => void,
): Promise<EditorResult> {
  const givenUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(cancelled()));
  });
  try {
    return await Promise.race([worker.run(run, signal, begin), givenUp]);
  } catch (error) {
    return { ok: false, error: describeError(error), retry: true };
  }
}

/** Sends the beginning or the result of a run. One that the server does not wait for any more is repeated by it. */
async function send(client: AdminClient, path: readonly string[], result?: EditorResult): Promise<void> {
  try {
    await client.ask('POST', AdminClient.path(['editor', 'runs', ...path]), result);
  } catch (error) {
    if (!(error instanceof SextantError) || isCancelled(error)) throw error;
  }
}
