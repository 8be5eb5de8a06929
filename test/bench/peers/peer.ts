import type { SourceFile } from '../corpus.ts';

/** New content of a file; `before` is what {@link Peer.handleOf} gave for the old. */
export interface ChangedFile extends SourceFile {
  readonly before: string;
}

/** A search engine of the benchmark; it keeps an index of files in a folder. */
export interface Peer {
  /** Makes the files searchable, as one commit. */
  add(files: Iterable<SourceFile>): Promise<void>;
  /** Replaces contents, as one commit. */
  replace(files: readonly ChangedFile[]): Promise<void>;
  /** Returns the handle of an indexed file. */
  handleOf(file: SourceFile): string;
  /** Paths of the best files; `query` is words, or a phrase in quotes. */
  search(query: string, limit: number): Promise<readonly string[]>;
  /** Loads commits by another process. */
  refresh(): void;
  /** Finishes the work after a commit: merging, or saving. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** A reader opens the index of a writer that is closed or still writing. */
export type OpenPeer = (folder: string, mode: 'read' | 'write') => Promise<Peer>;
