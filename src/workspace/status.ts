import type { PauseReason } from './governor.ts';
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
  /** Files whose content was read since the index was opened; missing where none was. */
  readonly filesRead?: number;
  /** What of the index was found damaged and made anew since it was opened; missing where nothing was. */
  readonly repaired?: Repaired;
  /** What is not as it should be though the index works. */
  readonly problem?: Problem;
}

export interface Problem {
  /** `WatchLimit`: changes are found by looking, within 10 seconds, and not at once. */
  readonly code: 'WatchLimit';
  /** What it means, and what to do. */
  readonly message: string;
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
  /** Told to wait, or waiting for mains power or free memory; searches give what is there so far. */
  | { readonly kind: 'paused'; readonly reason: PauseReason; readonly done: number; readonly total: number }
  /** Another process keeps the index up to date; this one reads it. */
  | { readonly kind: 'following'; readonly owner: string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };
