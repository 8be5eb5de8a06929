import { existsSync } from 'node:fs';
import { formatCount } from '../base/format.ts';
import type { Logger } from '../base/log.ts';
import { WorkspaceClient } from '../workspace/client.ts';
import type { FolderOptions } from '../workspace/folderOptions.ts';
import { compareWithFolder } from '../workspace/folderReport.ts';
import type { IndexableFile } from '../workspace/readIndexable.ts';
import type { SearchRequest, SearchResponse, UsagesRequest, UsagesResponse } from '../workspace/searcher.ts';
import type { FolderState } from '../workspace/status.ts';

export interface ServedFolderDependencies {
  /** The bundled entries of the two threads. */
  readonly indexThread: URL;
  readonly searchThread: URL;
  readonly logger: Logger;
}

/** Shortest time between two checks for files that another process has not indexed yet. */
const LOOK_AGAIN_MS = 2_000;

/**
 * The folder that an MCP server is for, and its index: this process updates it, or another one does and this one reads
 * it. All work runs in threads, so that requests are answered meanwhile.
 */
export class ServedFolder {
  readonly #options: FolderOptions;
  readonly #client: WorkspaceClient;
  #state: FolderState = { kind: 'scanning' };
  #onState: (() => void)[] = [];
  /** For an index that another process owns: whether it was complete at the last check, and the time of that check. */
  #seen: { readonly isComplete: boolean; readonly at: number } | undefined;

  constructor(options: FolderOptions, edges: ServedFolderDependencies) {
    this.#options = options;
    this.#client = new WorkspaceClient({
      ...edges,
      onStatus: ({ state }) => {
        if (state.kind !== this.#state.kind) this.#seen = undefined;
        this.#state = state;
        for (const tell of this.#onState.splice(0)) tell();
      },
      // The rescan finds everything within 10 seconds.
      onUnwatched: () => undefined,
    });
    this.#client.open(options);
  }

  get root(): string {
    return this.#options.root;
  }

  search(request: Omit<SearchRequest, 'folders' | 'isTrusted'>, signal: AbortSignal): Promise<SearchResponse> {
    // A user who runs a program in a folder trusts it, as with any command that calls Git.
    return this.#client.search({ ...request, folders: [this.#options], isTrusted: true }, signal);
  }

  read(path: string): Promise<IndexableFile> {
    return this.#client.searching.call('read', { folder: this.#options, path });
  }

  usages(request: Pick<UsagesRequest, 'name' | 'filters'>, signal: AbortSignal): Promise<UsagesResponse> {
    return this.#client.searching.call('usages', { ...request, folders: [this.#options], isTrusted: true }, signal);
  }

  /** Why a file is found or not; with a query, its rank, or the parts of the query that it does not match. */
  explain(path: string, query: string | undefined, signal: AbortSignal): Promise<string[]> {
    const request = { folder: this.#options, path, ...(query !== undefined && { query }) };
    return this.#client.searching.call('explain', request, signal);
  }

  /** Waits until the index is complete, or cannot be completed, for at most `ms` milliseconds. */
  async settled(ms: number, signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    const ended = new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }));
    while (isUnderWay(this.#state) && !until.aborted) {
      const changed = new Promise<void>((resolve) => this.#onState.push(resolve));
      await Promise.race([changed, ended]);
    }
  }

  /** The reason why a search may miss results, for a model; `undefined` if it does not. */
  async whyIncomplete(signal: AbortSignal): Promise<string | undefined> {
    const { root } = this;
    if (!existsSync(root)) return `The folder ${root} does not exist any more, so nothing of it is found.`;
    const state = this.#state;
    switch (state.kind) {
      case 'ready':
        return undefined;
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
        if (await this.#isComplete(signal)) return undefined;
        return `${state.owner} It may not be done with that, so something may be missing. Search again in a moment.`;
    }
  }

  /** Releases the index. */
  close(): Promise<void> {
    return this.#client.dispose();
  }

  /**
   * Whether the index of another process is complete; its owner keeps it so. After few changes the catalog is up to ten
   * seconds behind.
   */
  async #isComplete(signal: AbortSignal): Promise<boolean> {
    const now = performance.now();
    if (!this.#seen || (!this.#seen.isComplete && now - this.#seen.at > LOOK_AGAIN_MS)) {
      const { added, changed } = await compareWithFolder(this.#options, signal);
      this.#seen = { isComplete: added + changed === 0, at: now };
    }
    return this.#seen.isComplete;
  }
}

function isUnderWay({ kind }: FolderState): boolean {
  return kind === 'scanning' || kind === 'indexing';
}
