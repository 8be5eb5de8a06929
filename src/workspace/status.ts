import type { SkipReason } from './skip.ts';

/** What a person can be told about one folder's index. Crosses threads, so it is plain data. */
export interface FolderStatus {
  readonly root: string;
  readonly state: FolderState;
  /** Files that can be found. */
  readonly files: number;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Bytes the index takes on disk. */
  readonly indexBytes: number;
  /** What of the index was found damaged and made anew since it was opened; missing where nothing was. */
  readonly repaired?: Repaired;
}

export interface Repaired {
  /** Each in one line. */
  readonly damage: readonly string[];
  /** Files that were read again because of it, so far. */
  readonly files: number;
}

export type FolderState =
  | { readonly kind: 'scanning' }
  /** `done` of `total` new or changed files have been read; searches give what is there so far. */
  | { readonly kind: 'indexing'; readonly done: number; readonly total: number }
  | { readonly kind: 'ready' }
  /** Another process keeps the index up to date; this one reads it. */
  | { readonly kind: 'following'; readonly owner: string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };
