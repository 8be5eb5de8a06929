import type { PauseReason } from './governor.ts';
import type { SkipReason } from './skip.ts';

/** Status of one folder's index. Crosses threads, so it is plain data. */
export interface FolderStatus {
  readonly root: string;
  readonly state: FolderState;
  /** Number of searchable files. */
  readonly files: number;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Bytes the index takes on disk. */
  readonly indexBytes: number;
  /** Files whose content was read since the index was opened; missing if none. */
  readonly filesRead?: number;
  /** Damage that was found and repaired since the index was opened; missing if none. */
  readonly repaired?: Repaired;
  /** A problem with which the index still works. */
  readonly problem?: WatchProblem;
}

export interface WatchProblem {
  /** `WatchLimit`: scans find changes within 10 seconds, and not at once. */
  readonly code: 'WatchLimit';
  /** The effect, and the remedy. */
  readonly message: string;
}

export interface Repaired {
  /** One line each. */
  readonly damage: readonly string[];
  /** Files that were read again for the repair so far. */
  readonly files: number;
}

export type FolderState =
  | { readonly kind: 'scanning' }
  /** `done` of `total` new or changed files have been read; searches find the indexed part. */
  | { readonly kind: 'indexing'; readonly done: number; readonly total: number }
  | { readonly kind: 'ready' }
  /** Paused by the user, or until there is mains power or free memory; searches find the indexed part. */
  | { readonly kind: 'paused'; readonly reason: PauseReason; readonly done: number; readonly total: number }
  /** Another process updates the index; this one reads it. `ownerState` is missing while that is up to date, or unknown. */
  | { readonly kind: 'following'; readonly owner: string; readonly ownerState?: OwnerState }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** The state of an index that is not up to date, as its owner publishes it. */
export type OwnerState = Exclude<FolderState, { readonly kind: 'ready' | 'following' }>;

/** The state of an index, also where another process updates it. */
export function stateOfIndex(state: FolderState): FolderState {
  return state.kind === 'following' ? (state.ownerState ?? state) : state;
}
