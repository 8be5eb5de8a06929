import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { SourceFile } from '../corpus.ts';
import type { ChangedFile, Peer } from './peer.ts';

/** The part of MiniSearch's interface that is used here; it is no dependency of this package. */
interface Index {
  add(document: { readonly id: number; readonly path: string; readonly text: string }): void;
  discard(id: number): void;
  search(query: string): { readonly path: string }[];
  toJSON(): Saved;
}
interface Saved {
  readonly index: readonly unknown[];
}
interface MiniSearchModule {
  readonly default: {
    new (options: object): Index;
    loadJS(saved: Saved, options: object): Index;
  };
}

const OPTIONS = { fields: ['text'], storeFields: ['path'] };
const SAVED = 'minisearch.jsonl';

/** MiniSearch with its defaults, a document per file. It lives in memory; {@link Peer.settle} writes all of it. */
export async function openMiniSearch(folder: string): Promise<Peer> {
  const { default: MiniSearch } = await loadModule();
  const file = join(folder, SAVED);
  const index = existsSync(file) ? MiniSearch.loadJS(await readSaved(file), OPTIONS) : new MiniSearch(OPTIONS);
  return new MiniSearchPeer(index, file);
}

class MiniSearchPeer implements Peer {
  readonly #index: Index;
  readonly #file: string;
  readonly #ids = new Map<string, number>();
  #next: number;

  constructor(index: Index, file: string) {
    this.#index = index;
    this.#file = file;
    const { documentIds = {}, storedFields = {}, nextId = 0 } = index.toJSON() as Partial<Contents>;
    for (const [short, id] of Object.entries(documentIds)) this.#ids.set(storedFields[short]!.path, id);
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
    return Promise.resolve(found.map(({ path }) => path));
  }

  refresh(): void {
    // Nothing but this process writes to it.
  }

  /** A line per term: the whole as one JSON text can be longer than a string may be. */
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

interface Contents {
  readonly documentIds: Readonly<Record<string, number>>;
  readonly storedFields: Readonly<Record<string, { readonly path: string }>>;
  readonly nextId: number;
}

async function readSaved(file: string): Promise<Saved> {
  let rest: object | undefined;
  const index: unknown[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (rest) index.push(JSON.parse(line));
    else rest = JSON.parse(line) as object;
  }
  return { ...rest, index };
}

/** From `SEXTANT_BENCH_MODULES`, a folder whose node_modules has it, or from this package's own. */
async function loadModule(): Promise<MiniSearchModule> {
  const from = process.env.SEXTANT_BENCH_MODULES;
  const require = createRequire(from === undefined ? import.meta.url : pathToFileURL(join(from, 'package.json')));
  let entry: string;
  try {
    entry = require.resolve('minisearch');
  } catch (cause) {
    throw new Error(
      'MiniSearch is not installed: npm i --no-save minisearch, or name a folder in SEXTANT_BENCH_MODULES.',
      {
        cause,
      },
    );
  }
  return (await import(pathToFileURL(entry).href)) as MiniSearchModule;
}
