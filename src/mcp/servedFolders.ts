import { basename } from 'node:path';
import type { Logger } from '../base/log.ts';
import { WorkspaceClient } from '../workspace/client.ts';
import type { FolderOptions } from '../workspace/folderOptions.ts';
import type { ModelFolder, PathInFolder } from '../workspace/givenPath.ts';
import { foldersWithin, type ModelSearch, type ModelUsages } from '../workspace/modelTools.ts';
import type { IndexableFile } from '../workspace/readIndexable.ts';
import type { SearchResponse, UsagesResponse } from '../workspace/searcher.ts';
import { IndexedFolder } from './indexedFolder.ts';

export interface ServedFoldersDependencies {
  /** The bundled entries of the indexing process and the searching thread. */
  readonly indexProcess: URL;
  readonly searchThread: URL;
  readonly logger: Logger;
}

/** A folder to serve; `name` precedes its paths where there are several, by default that of the folder itself. */
export interface McpFolder extends FolderOptions {
  readonly name?: string;
}

/** How far an answer can be relied on. */
export interface Freshness {
  /** Time in milliseconds since 1970: all that was saved before is in the answer. */
  readonly asOf?: number;
  /** Reasons why something may be missing, for a model. */
  readonly notes: readonly string[];
}

/**
 * The folders that an MCP server is for, and their indexes: this process updates each, or another one does and this one reads
 * it. All work runs apart from this thread, so that requests are answered meanwhile.
 */
export class ServedFolders {
  readonly #client: WorkspaceClient;
  #folders = new Map<string, IndexedFolder>();
  #shown: readonly ModelFolder[] = [];

  constructor(edges: ServedFoldersDependencies) {
    this.#client = new WorkspaceClient({
      ...edges,
      onStatus: ({ root, state }) => this.#folders.get(root)?.onState(state),
      // The rescan finds everything within 10 seconds.
      onUnwatched: () => undefined,
    });
  }

  /** The folders as a model sees them. */
  get shown(): readonly ModelFolder[] {
    return this.#shown;
  }

  /** Opens and closes indexes so that these folders are served. */
  async set(wanted: readonly McpFolder[]): Promise<void> {
    const known = this.#folders;
    this.#folders = new Map(
      wanted.map((options) => [options.root, known.get(options.root) ?? new IndexedFolder(options, this.#client)]),
    );
    this.#shown = shownFolders([...new Map(wanted.map((one) => [one.root, one])).values()]);
    for (const [root, folder] of this.#folders) if (!known.has(root)) this.#client.open(folder.options);
    for (const root of known.keys()) if (!this.#folders.has(root)) await this.#client.close(root);
  }

  search(request: ModelSearch & { readonly excerpts?: boolean }, signal: AbortSignal): Promise<SearchResponse> {
    // A user who runs a program in a folder trusts it, as with any command that calls Git.
    return this.#client.search(
      { ...request, folders: foldersWithin(this.#options(), request), isTrusted: true },
      signal,
    );
  }

  usages(request: ModelUsages, signal: AbortSignal): Promise<UsagesResponse> {
    const folders = foldersWithin(this.#options(), request);
    return this.#client.searching.call('usages', { ...request, folders, isTrusted: true }, signal);
  }

  async read(root: string, path: string): Promise<IndexableFile> {
    const folder = this.#folders.get(root)?.options;
    if (!folder) return { refused: `The folder ${root} is not served any more.` };
    return this.#client.searching.call('read', { folder, path });
  }

  /** Why a file is found or not; with a query, its rank, or the parts of the query that it does not match. */
  async explain({ root, path }: PathInFolder, query: string | undefined, signal: AbortSignal): Promise<string[]> {
    const folder = this.#folders.get(root)?.options;
    if (!folder) return [];
    return this.#client.searching.call('explain', { folder, path, ...(query !== undefined && { query }) }, signal);
  }

  /** Waits for at most `ms` milliseconds until the indexes have all files as they are now. */
  async freshen(
    ms: number,
    signal: AbortSignal,
    onProgress?: (done: number, total: number) => void,
  ): Promise<Freshness> {
    const folders = [...this.#folders.values()];
    const report = (): void => {
      const under = folders.map(({ progress }) => progress);
      const sum = (of: 'done' | 'total'): number => under.reduce((all, one) => all + one[of], 0);
      if (sum('total') > 0) onProgress?.(sum('done'), sum('total'));
    };
    const fresh = await Promise.all(folders.map((folder) => folder.freshen(ms, signal, report)));
    const times = fresh.flatMap(({ asOf }) => asOf ?? []);
    const prefixes = new Map(this.#shown.map(({ root, prefix }) => [root, prefix]));
    return {
      notes: fresh.flatMap(({ note }, at) => {
        const prefix = prefixes.get(folders[at]!.options.root) ?? '';
        return note === undefined || prefix === '' ? (note ?? []) : `In ${prefix}: ${note}`;
      }),
      ...(times.length === folders.length && times.length > 0 && { asOf: Math.min(...times) }),
    };
  }

  /** Releases the indexes. */
  close(): Promise<void> {
    return this.#client.dispose();
  }

  #options(): readonly FolderOptions[] {
    return [...this.#folders.values()].map(({ options }) => options);
  }
}

/** Names several folders by as many of their last parts as distinguish them. */
export function shownFolders(folders: readonly Pick<McpFolder, 'root' | 'name'>[]): ModelFolder[] {
  if (folders.length === 1) return [{ root: folders[0]!.root, prefix: '' }];
  const names = folders.map(({ root, name }) => name ?? basename(root));
  return folders.map(({ root }, i) => {
    const isAlone = names.filter((name) => name === names[i]).length === 1;
    return { root, prefix: `${isAlone ? names[i]! : distinctEnd(root, folders)}/` };
  });
}

/** The fewest last parts of a path, at least two, that no other folder ends with. */
function distinctEnd(root: string, folders: readonly { readonly root: string }[]): string {
  const lastOf = (path: string, count: number): string => path.split(/[\\/]/).slice(-count).join('/');
  let count = 2;
  while (folders.some((one) => one.root !== root && lastOf(one.root, count) === lastOf(root, count))) count++;
  return lastOf(root, count);
}
