import { SextantError } from '../base/errors.ts';
import { EngineReader } from '../engine/engine.ts';
import type { QueryProblem } from '../engine/query/queryLanguage.ts';
import { indexFolderOf } from './folderOptions.ts';

interface IndexedFolder {
  readonly root: string;
  readonly stateFolder: string;
}

/** A folder with its open index. */
export type OpenedFolder<T = unknown> = T & { readonly reader: EngineReader };

export interface OpenedFolders<T> {
  readonly opened: readonly OpenedFolder<T>[];
  /** One for each folder that is left out. */
  readonly problems: readonly QueryProblem[];
}

const ADVICE = 'It is rebuilt once no process of that version keeps it: close that, and search again.';

/** The indexes of folders, which stay open between searches. */
export class FolderReaders {
  readonly #readers = new Map<string, EngineReader>();

  /**
   * Opens the newest commit of each index. A folder whose index another version of Sextant wrote is left out, so that the others
   * are searched; without others it throws `IndexFormat`, with what to do.
   */
  open<T extends IndexedFolder>(folders: readonly T[]): OpenedFolders<T> {
    const opened: OpenedFolder<T>[] = [];
    const problems: QueryProblem[] = [];
    let first: SextantError | undefined;
    for (const folder of folders) {
      try {
        opened.push({ ...folder, reader: this.#reader(folder.stateFolder) });
      } catch (error) {
        if (!(error instanceof SextantError) || error.code !== 'IndexFormat') throw error;
        first ??= new SextantError(error.code, `${error.message} ${ADVICE}`);
        const message = `${folder.root} is not searched: another version of Sextant wrote its index. ${ADVICE}`;
        problems.push({ code: 'IndexFormat', message, start: 0, end: 0 });
      }
    }
    if (opened.length === 0 && first) throw first;
    return { opened, problems };
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
  }

  #reader(stateFolder: string): EngineReader {
    const known = this.#readers.get(stateFolder);
    const reader = known ?? new EngineReader(indexFolderOf(stateFolder));
    known?.refresh();
    this.#readers.set(stateFolder, reader);
    return reader;
  }
}
