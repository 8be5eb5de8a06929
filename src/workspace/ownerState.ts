import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedJson, readCheckedJson } from '../base/checkedJson.ts';
import { describeError, isExpected } from '../base/errors.ts';
import { newestLease } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import { moveSync, removeIfFreeSync, removeSync } from '../base/removal.ts';
import { indexFolderOf } from './folderOptions.ts';
import type { FolderState, OwnerState } from './status.ts';

/** Beside the index, while that is not up to date. */
export const OWNER_STATE = 'state.json';
/** Beside the index, while a process that follows it has met damage that its owner has not. */
export const DAMAGE_REPORT = 'damage-report';
/** Interval of writes while only the progress changes. */
const PROGRESS_MS = 1_000;

interface Stored {
  /** Number of the owner's lease: a state that an earlier owner wrote does not count. */
  readonly lease: number;
  readonly state: OwnerState;
}

/**
 * Publishes the state of an index for processes that follow its owner. A lost or old file costs a follower this knowledge and
 * nothing else, so nothing waits until it is on the disk, and one that cannot be written is logged.
 */
export class OwnerStateFile {
  readonly #file: string;
  readonly #lease: number;
  readonly #logger: Logger;
  /** Undefined while it is unknown what an earlier owner left. */
  #written: FolderState['kind'] | undefined;
  #writtenAt = -Infinity;

  /** The caller holds the newest lease of the index. */
  constructor(stateFolder: string, logger: Logger) {
    this.#file = join(stateFolder, OWNER_STATE);
    this.#lease = newestLease(indexFolderOf(stateFolder));
    this.#logger = logger;
  }

  publish(state: FolderState): void {
    const now = performance.now();
    if (state.kind === 'following' || (state.kind === 'ready' && this.#written === 'ready')) return;
    if (state.kind === this.#written && now - this.#writtenAt < PROGRESS_MS) return;
    try {
      if (state.kind === 'ready') removeSync(this.#file);
      else this.#write({ lease: this.#lease, state });
      this.#written = state.kind;
      this.#writtenAt = now;
    } catch (error) {
      if (!isExpected(error)) throw error;
      this.#logger.debug(`The state of the index could not be written: ${describeError(error)}`);
    }
  }

  #write(stored: Stored): void {
    const temporary = `${this.#file}.tmp`;
    // Of a killed process.
    removeIfFreeSync(temporary);
    writeFileSync(temporary, checkedJson(stored), { flag: 'wx', mode: 0o600 });
    moveSync(temporary, this.#file);
  }
}

/** What the owner of an index has still to do, or why it cannot; `undefined` for an index that is up to date. */
export function ownerStateOf(stateFolder: string): OwnerState | undefined {
  try {
    const read = readCheckedJson(join(stateFolder, OWNER_STATE));
    if (read === undefined || read === 'damaged') return undefined;
    const { lease, state } = read.value as Stored;
    return lease === newestLease(indexFolderOf(stateFolder)) ? state : undefined;
  } catch (error) {
    if (!isExpected(error)) throw error;
    return undefined;
  }
}

/** Has the owner of an index check it: only a writer can repair it. A disk that takes no report costs the repair until the next one. */
export function reportDamage(stateFolder: string): void {
  ignoringSystem(() => writeFileSync(join(stateFolder, DAMAGE_REPORT), '', { flag: 'wx', mode: 0o600 }));
}

/** Whether another process has reported damage since the last call. */
export function takeDamageReport(stateFolder: string): boolean {
  const file = join(stateFolder, DAMAGE_REPORT);
  return existsSync(file) && ignoringSystem(() => removeSync(file));
}

/** Whether the disk let `work` be done. */
function ignoringSystem(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!isExpected(error)) throw error;
    return false;
  }
}
