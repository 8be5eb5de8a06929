import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import MiniSearch, { type AsPlainObject } from 'minisearch';
import type { SourceFile } from '../corpus.ts';
import type { ChangedFile, Peer } from './peer.ts';

interface Document {
  readonly id: number;
  readonly path: string;
  readonly text: string;
}

type Stored = Readonly<Record<string, Pick<Document, 'path'>>>;

const OPTIONS = { fields: ['text'], storeFields: ['path'] };
const SAVED = 'minisearch.jsonl';

/** MiniSearch with its defaults, a document per file. It lives in memory; {@link Peer.settle} writes all of it. */
export async function openMiniSearch(folder: string): Promise<Peer> {
  const file = join(folder, SAVED);
  const index = existsSync(file)
    ? MiniSearch.loadJS(await readSaved(file), OPTIONS)
    : new MiniSearch<Document>(OPTIONS);
  return new MiniSearchPeer(index, file);
}

class MiniSearchPeer implements Peer {
  readonly #index: MiniSearch<Document>;
  readonly #file: string;
  readonly #ids = new Map<string, number>();
  #next: number;

  constructor(index: MiniSearch<Document>, file: string) {
    this.#index = index;
    this.#file = file;
    const { documentIds, storedFields, nextId } = index.toJSON();
    for (const [short, id] of Object.entries(documentIds))
      this.#ids.set((storedFields as Stored)[short]!.path, id as number);
    this.#next = nextId;
  }

  add(files: Iterable<SourceFile>): Promise<void> {
    for (const { path, content } of files) {
      this.#ids.set(path, this.#next);
      this.#index.add({ id: this.#next++, path, text: content.toString('utf8') });
    }
    return Promise.resolve();
  }

  replace(files: readonly ChangedFile[]): Promise<void> {
    for (const { before } of files) this.#index.discard(this.#ids.get(before)!);
    return this.add(files);
  }

  handleOf({ path }: SourceFile): string {
    return path;
  }

  search(query: string, limit: number): Promise<readonly string[]> {
    const found = this.#index.search(query).slice(0, limit);
    return Promise.resolve(found.map((one) => one.path as string));
  }

  refresh(): void {
    // Only this process writes to the index.
  }

  /** One line per term: a single JSON text could exceed the maximum length of a string. */
  async settle(): Promise<void> {
    const { index, ...rest } = this.#index.toJSON();
    const lines = function* (): Generator<string> {
      yield `${JSON.stringify(rest)}\n`;
      for (const entry of index) yield `${JSON.stringify(entry)}\n`;
    };
    await pipeline(Readable.from(lines()), createWriteStream(this.#file));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function readSaved(file: string): Promise<AsPlainObject> {
  const lines: unknown[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) lines.push(JSON.parse(line));
  const [rest, ...index] = lines as [Omit<AsPlainObject, 'index'>, ...AsPlainObject['index']];
  return { ...rest, index };
}
