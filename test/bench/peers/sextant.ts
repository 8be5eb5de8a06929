import type * as Sextant from '../../../src/index.ts';
import type { SourceFile } from '../corpus.ts';
import type { ChangedFile, Peer } from './peer.ts';

// The benchmark measures the built library, as it is published.
const library = new URL('../../../dist/lib/index.js', import.meta.url).href;
const { Engine, EngineReader, SegmentThreads, documentId } = (await import(library)) as typeof Sextant;

export function openSextant(folder: string, mode: 'read' | 'write'): Promise<Peer> {
  return Promise.resolve(mode === 'read' ? new Reader(folder) : new Writer(folder));
}

class Reader implements Peer {
  readonly #reader: Sextant.EngineReader;

  constructor(folder: string) {
    this.#reader = new EngineReader(folder);
  }

  async search(query: string, limit: number): Promise<readonly string[]> {
    return (await this.#reader.search(query, { limit })).map(({ path }) => path);
  }

  refresh(): void {
    this.#reader.refresh();
  }

  handleOf({ path, content }: SourceFile): string {
    return documentId(path, content);
  }

  add(): Promise<void> {
    return Promise.reject(new Error('A reader adds nothing.'));
  }

  replace(): Promise<void> {
    return Promise.reject(new Error('A reader replaces nothing.'));
  }

  async settle(): Promise<void> {
    // A reader has no background work.
  }

  close(): Promise<void> {
    this.#reader.close();
    return Promise.resolve();
  }
}

class Writer implements Peer {
  readonly #engine: Sextant.Engine;

  constructor(folder: string) {
    this.#engine = Engine.open(folder, { threads: new SegmentThreads() });
  }

  async add(files: Iterable<SourceFile>): Promise<void> {
    await this.#engine.apply({ add: documents(files) });
  }

  async replace(files: readonly ChangedFile[]): Promise<void> {
    await this.#engine.apply({ add: documents(files), remove: files.map(({ before }) => before) });
  }

  handleOf({ path, content }: SourceFile): string {
    return documentId(path, content);
  }

  async search(query: string, limit: number): Promise<readonly string[]> {
    return (await this.#engine.search(query, { limit })).map(({ path }) => path);
  }

  refresh(): void {
    // The writer sees its own commits.
  }

  settle(): Promise<void> {
    return this.#engine.settle();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

function* documents(files: Iterable<SourceFile>): Generator<SourceFile & { readonly id: string }> {
  for (const { path, content } of files) yield { id: documentId(path, content), path, content };
}
