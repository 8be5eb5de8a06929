import { join } from 'node:path';
import { documentId } from '../engine/documentId.ts';
import type { EngineReader } from '../engine/engine.ts';
import { PatchedIndex } from '../engine/patchedIndex.ts';
import type { ChangedPaths } from '../engine/query/filters.ts';
import type { FolderHit } from '../engine/query/hits.ts';
import type { OpenedFolder } from './folderReaders.ts';
import type { FileText, ReadFile } from './fileTexts.ts';
import { findSecret } from './secrets.ts';

/** A folder during one search: its index, with the texts of files that changed since they were indexed. */
export class FolderSearch {
  readonly root: string;
  readonly below: string;
  readonly name?: string;
  readonly reader: EngineReader;
  readonly index: PatchedIndex;
  readonly changed: ChangedPaths;
  readonly #read: ReadFile;
  readonly #leftOut: Set<string>;
  /** Texts that the index has not yet. */
  readonly #newer = new Map<string, FileText>();

  /** `leftOut` collects the files that the index has, but that are no results as they are now. */
  constructor(
    {
      root,
      below = '',
      name,
      reader,
    }: OpenedFolder<{ readonly root: string; readonly below?: string; readonly name?: string }>,
    changed: ChangedPaths,
    read: ReadFile,
    leftOut: Set<string>,
  ) {
    this.root = root;
    this.below = below;
    if (name !== undefined) this.name = name;
    this.reader = reader;
    this.index = new PatchedIndex(reader);
    this.changed = changed;
    this.#read = read;
    this.#leftOut = leftOut;
  }

  readonly withinWords = true;

  readonly readText = (path: string): string | undefined => {
    const file = this.#newer.get(path) ?? this.#read(path);
    if (!file) this.#leftOut.add(join(this.root, path));
    return file?.text.toString('utf8');
  };

  /** The text of a hit, if the search was of that text. Otherwise the next search is of the current one. */
  currentText({ hit: { path, id }, reader, document }: FolderHit): FileText | undefined {
    const file = this.#newer.get(path) ?? this.#read(path);
    if (file && documentId(path, file.content) === id) return file;
    this.#leftOut.add(join(this.root, path));
    // What is a secret now is not to be found.
    if (!file || findSecret(file.text) !== undefined) this.index.replace(reader, document);
    else {
      this.#newer.set(path, file);
      this.index.replace(reader, document, { id: documentId(path, file.content), path, text: file.text });
    }
    return undefined;
  }
}
