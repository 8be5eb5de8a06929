import type { SourceFile } from '../corpus.ts';

/** New content of a file; `before` is what {@link Peer.handleOf} gave for the old. */
export interface ChangedFile extends SourceFile {
  readonly before: string;
}

/** A search engine as the benchmark uses it: it keeps an index of files in a folder. */
export interface Peer {
  /** Makes the files searchable, as one commit. */
  add(files: Iterable<SourceFile>): Promise<void>;
  /** Puts new contents in the place of the old, as one commit. */
  replace(files: readonly ChangedFile[]): Promise<void>;
  /** Names what is indexed of a file. */
  handleOf(file: SourceFile): string;
  /** Paths of the best files; `query` is words, or a phrase in quotes. */
  search(query: string, limit: number): Promise<readonly string[]>;
  /** Takes up what another process has committed since. */
  refresh(): void;
  /** Ends what may come after a commit: merging, or saving. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** A reader opens what a writer made and closed, or is writing to. */
export type OpenPeer = (folder: string, mode: 'read' | 'write') => Promise<Peer>;
