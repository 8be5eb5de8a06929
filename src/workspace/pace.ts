import type { FolderState } from './status.ts';

/** How fast files are being read, and how long it will take at that pace. */
export interface Pace {
  readonly filesPerSecond: number;
  readonly secondsLeft: number;
}

/** Long enough to even out commits, during which nothing is read; short enough to follow a change of pace. */
const WINDOW_MS = 15_000;
/** What is said earlier than this would be wrong more often than right. */
const LEAST_MS = 1_000;

/** Tells the pace from the states that a folder goes through. */
export class PaceMeter {
  readonly #now: () => number;
  #samples: { readonly at: number; readonly done: number; readonly total: number }[] = [];

  /** `now` in milliseconds, of any clock that does not go back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** To be called with each new state; `undefined` while there is no pace to tell. */
  update(state: FolderState): Pace | undefined {
    if (state.kind !== 'indexing') {
      this.#samples = [];
      return undefined;
    }
    const { done, total } = state;
    const last = this.#samples.at(-1);
    // Another round, whose files are others.
    if (last && (done < last.done || total !== last.total)) this.#samples = [];
    const at = this.#now();
    this.#samples.push({ at, done, total });
    // One sample from before the window stays, so that it is covered as a whole.
    while (this.#samples.length > 2 && this.#samples[1]!.at <= at - WINDOW_MS) this.#samples.shift();
    const [first] = this.#samples;
    const elapsed = at - first!.at;
    const read = done - first!.done;
    if (elapsed < LEAST_MS || read === 0) return undefined;
    const filesPerSecond = (read * 1000) / elapsed;
    return { filesPerSecond, secondsLeft: (total - done) / filesPerSecond };
  }
}
