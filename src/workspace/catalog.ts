import { join } from 'node:path';
import { readCheckedJson, writeCheckedJson } from '../base/checkedJson.ts';
import { explainWriteError } from '../base/errors.ts';
import { removeSync } from '../base/removal.ts';
import type { DocumentId } from '../engine/documentId.ts';
import { FileDecoder, type EncodingRule } from './encodings.ts';
import type { FolderOptions } from './folderOptions.ts';
import type { FileState } from './scan.ts';
import type { Skip, SkipReason } from './skip.ts';

/** Record of a file that was read: the id of its document, or the reason why its content is not indexed. */
export type FileRecord = FileState & RacyMark & ({ readonly id: DocumentId } | { readonly skip: Skip });

interface RacyMark {
  /**
   * The file was modified so shortly before it was read that a later change could have the same time and size
   * (the "racy" entries of Git's index). The next scan compares its content again.
   */
  readonly racy?: true;
}

export const CATALOG = 'files.json';
const VERSION = 2;

type StoredRecord = readonly [
  path: string,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  idOrReason: string,
  detail: string,
  racy: 0 | 1,
];

interface StoredCatalog {
  readonly version: number;
  readonly root: string;
  /** Version of the rules by which content was skipped. */
  readonly rules: string;
  /** By which content was decoded; missing for none. */
  readonly encodings?: readonly EncodingRule[];
  readonly files: readonly StoredRecord[];
}

type CatalogOptions = Pick<FolderOptions, 'stateFolder' | 'root' | 'encodings'>;

/**
 * The files of a folder as they were last read. A lost or older catalog costs reading files again, never a wrong result: a
 * document's id follows from its content, and the engine knows which ids it has. So a catalog need not belong to the index's
 * commit.
 */
export class Catalog {
  readonly #file: string;
  readonly #root: string;
  readonly #rules: string;
  readonly #encodings: readonly EncodingRule[];
  readonly #records = new Map<string, FileRecord>();
  #changed = false;

  /**
   * Reads the catalog of a folder. One that is damaged, of another version, or of other `rules` for content counts as empty,
   * and so does the record of a file that has another encoding now.
   */
  constructor({ stateFolder, root, encodings = [] }: CatalogOptions, rules: string) {
    this.#file = join(stateFolder, CATALOG);
    this.#root = root;
    this.#rules = rules;
    this.#encodings = encodings;
    const read = readCheckedJson(this.#file);
    if (read === undefined || read === 'damaged') return;
    const stored = read.value as StoredCatalog;
    if (stored.version !== VERSION || stored.root !== root || stored.rules !== rules) return;
    const isDecodedAlike = sameEncodings(stored.encodings ?? [], encodings);
    for (const [path, size, mtimeMs, ctimeMs, idOrReason, detail, racy] of stored.files) {
      if (!isDecodedAlike(path)) continue;
      this.#records.set(path, {
        size,
        mtimeMs,
        ctimeMs,
        ...(/^[0-9a-f]{64}$/.test(idOrReason)
          ? { id: idOrReason }
          : { skip: { reason: idOrReason as SkipReason, ...(detail && { detail }) } }),
        ...(racy && { racy: true }),
      });
    }
  }

  /** Root of the folder in a readable catalog. */
  static rootOf(stateFolder: string): string | undefined {
    const read = readCheckedJson(join(stateFolder, CATALOG));
    if (read === undefined || read === 'damaged') return undefined;
    const { root } = read.value as Partial<StoredCatalog>;
    return typeof root === 'string' ? root : undefined;
  }

  static erase(stateFolder: string): void {
    removeSync(join(stateFolder, CATALOG));
  }

  get size(): number {
    return this.#records.size;
  }

  get(path: string): FileRecord | undefined {
    return this.#records.get(path);
  }

  set(path: string, record: FileRecord): void {
    this.#records.set(path, record);
    this.#changed = true;
  }

  delete(path: string): void {
    this.#changed = this.#records.delete(path) || this.#changed;
  }

  entries(): IterableIterator<[string, FileRecord]> {
    return this.#records.entries();
  }

  /** Writes the catalog if it changed. Throws `DiskFull` or `ReadOnly`. */
  save(): void {
    if (!this.#changed) return;
    const files: StoredRecord[] = [];
    for (const [path, record] of this.#records) {
      const { size, mtimeMs, ctimeMs, racy } = record;
      const [idOrReason, detail] = 'id' in record ? [record.id, ''] : [record.skip.reason, record.skip.detail ?? ''];
      files.push([path, size, mtimeMs, ctimeMs, idOrReason, detail, racy ? 1 : 0]);
    }
    try {
      const stored: StoredCatalog = {
        version: VERSION,
        root: this.#root,
        rules: this.#rules,
        ...(this.#encodings.length > 0 && { encodings: this.#encodings }),
        files,
      };
      writeCheckedJson(this.#file, stored);
    } catch (error) {
      throw explainWriteError(error, this.#file);
    }
    this.#changed = false;
  }
}

/** Whether a file has the same encoding by both rules. */
function sameEncodings(before: readonly EncodingRule[], now: readonly EncodingRule[]): (path: string) => boolean {
  if (JSON.stringify(before) === JSON.stringify(now)) return () => true;
  const [old, present] = [new FileDecoder(before), new FileDecoder(now)];
  return (path) => {
    const [one, other] = [old.ruleOf(path), present.ruleOf(path)];
    return one?.encoding === other?.encoding && one?.isGuessedFirst === other?.isGuessedFirst;
  };
}
