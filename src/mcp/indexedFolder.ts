import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { isCancelled } from '../base/errors.ts';
import { formatCount } from '../base/format.ts';
import type { WorkspaceClient } from '../workspace/client.ts';
import type { FolderOptions } from '../workspace/folderOptions.ts';
import { compareWithFolder } from '../workspace/folderReport.ts';
import type { FolderState } from '../workspace/status.ts';

/** Longest wait for files that were just written. */
const FRESH_MS = 2_000;
/** Interval of comparisons with an index that another process owns and has not completed. */
const LOOK_AGAIN_MS = 200;
/** A scan that takes no longer precedes every answer: a large repository takes a third of it. */
const CHEAP_MS = 1_000;
/** Scans of which the shortest counts: a busy machine holds up one of them, a very large repository needs long for all. */
const COMPARED = 3;
/** Share of the time that longer scans may take: they are not repeated at once, and the answer reports that. */
const SCAN_SHARE = 0.1;

/** One folder of a server, with the state of its index and the time until which that has all files. */
export class IndexedFolder {
  readonly options: FolderOptions;
  readonly #client: WorkspaceClient;
  readonly #opened = Date.now();
  #state: FolderState = { kind: 'scanning' };
  #onState: (() => void)[] = [];
  /** All that was saved before this time is in the index. */
  #asOf: number | undefined;
  /** Durations of the last scans, in milliseconds. */
  #tookMs: number[] = [];
  #isScanning = false;

  constructor(options: FolderOptions, client: WorkspaceClient) {
    this.options = options;
    this.#client = client;
  }

  /** Files that are being indexed; none while it is complete. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.#state.kind === 'indexing' ? this.#state : { done: 0, total: 0 };
  }

  onState(state: FolderState): void {
    if (state.kind === 'ready') this.#asOf ??= this.#opened;
    this.#state = state;
    for (const notify of this.#onState.splice(0)) notify();
  }

  /** Waits until the index has the files as they are now, for at most `ms` milliseconds. */
  async freshen(
    ms: number,
    signal: AbortSignal,
    onProgress: () => void,
  ): Promise<{ readonly asOf?: number; readonly note?: string }> {
    await this.#settled(ms, signal, onProgress);
    const isFresh = await this.#scanned(FRESH_MS, signal);
    const note = this.#note(isFresh);
    return { ...(this.#asOf !== undefined && { asOf: this.#asOf }), ...(note !== undefined && { note }) };
  }

  /** Waits until the index is complete, or cannot be completed. */
  async #settled(ms: number, signal: AbortSignal, onProgress: () => void): Promise<void> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    const ended = new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }));
    while (isUnderWay(this.#state) && !until.aborted) {
      const changed = new Promise<void>((resolve) => this.#onState.push(resolve));
      await Promise.race([changed, ended]);
      onProgress();
    }
  }

  /** Whether a scan that began after the call found the index complete. None begins soon after one that took long. */
  async #scanned(ms: number, signal: AbortSignal): Promise<boolean> {
    const isRecent = (): boolean => {
      const least = this.#tookMs.length < COMPARED ? 0 : Math.min(...this.#tookMs);
      return least > CHEAP_MS && this.#asOf !== undefined && Date.now() - this.#asOf < least / SCAN_SHARE;
    };
    const until = performance.now() + ms;
    const isKept = (): boolean => ['ready', 'following'].includes(this.#state.kind) && existsSync(this.options.root);
    while (!isRecent() && isKept()) {
      const left = until - performance.now();
      if (!this.#isScanning) {
        const scan = this.#scan(signal);
        if (left > 0 && (await Promise.race([scan, setTimeout(left, false, { ref: false })]))) return true;
      }
      if (performance.now() + LOOK_AGAIN_MS > until) return false;
      await setTimeout(LOOK_AGAIN_MS, undefined, { signal });
    }
    return false;
  }

  /** Whether the index has everything that was saved before this call. Never rejects. */
  async #scan(signal: AbortSignal): Promise<boolean> {
    this.#isScanning = true;
    const asOf = Date.now();
    const began = performance.now();
    const took = (): void => {
      this.#tookMs = [...this.#tookMs.slice(1 - COMPARED), performance.now() - began];
    };
    try {
      if (!(await this.#isUpToDate(signal))) return false;
      this.#asOf = asOf;
      took();
      return true;
    } catch (error) {
      // The state tells why the index fails.
      if (!isCancelled(error)) took();
      return false;
    } finally {
      this.#isScanning = false;
    }
  }

  async #isUpToDate(signal: AbortSignal): Promise<boolean> {
    const { root } = this.options;
    if (await (await this.#client.indexing()).call('refresh', { root })) return true;
    const { added, changed } = await compareWithFolder(this.options, signal);
    return added + changed === 0;
  }

  /** The reason why a search may miss results; `undefined` if it does not. */
  #note(isFresh: boolean): string | undefined {
    const { root } = this.options;
    if (!existsSync(root)) return `The folder ${root} does not exist any more, so nothing of it is found.`;
    const state = this.#state;
    switch (state.kind) {
      case 'ready':
        if (isFresh) return undefined;
        return 'What was saved after the time in asOf may be missing. Search again in a moment.';
      case 'scanning':
        return 'Sextant has just begun to index this folder, so most of it is not found yet. Search again in a moment.';
      case 'indexing': {
        const files = `${formatCount(state.done)} of ${formatCount(state.total)} new or changed files`;
        return `Sextant is still indexing this folder, with ${files} done: something may be missing. Search again in a moment.`;
      }
      case 'paused':
        return `Sextant has paused indexing this folder (${state.reason}), so something may be missing.`;
      case 'failed':
        return `Sextant's index of this folder is not up to date: ${state.message}`;
      case 'following':
        if (isFresh) return undefined;
        return `${state.owner} It may not be done with that, so something may be missing. Search again in a moment.`;
    }
  }
}

function isUnderWay({ kind }: FolderState): boolean {
  return kind === 'scanning' || kind === 'indexing';
}
