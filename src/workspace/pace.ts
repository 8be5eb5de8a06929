import type { FolderState } from './status.ts';

/** Speed of indexing, and the time left at that speed. */
export interface IndexingPace {
  readonly filesPerSecond: number;
  readonly secondsLeft: number;
}

/** Long enough to even out commits, during which no file is read; short enough to follow a change of pace. */
const WINDOW_MS = 15_000;
/** An earlier figure is wrong more often than right. */
const LEAST_MS = 1_000;

/** Measures the pace from the states of a folder. */
export class PaceMeter {
  readonly #now: () => number;
  #samples: { readonly at: number; readonly done: number; readonly total: number }[] = [];

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes each new state; returns `undefined` while the pace is unknown. */
  update(state: FolderState): IndexingPace | undefined {
    if (state.kind !== 'indexing') {
      this.#samples = [];
      return undefined;
    }
    const { done, total } = state;
    const last = this.#samples.at(-1);
    // A new round with other files.
    if (last && (done < last.done || total !== last.total)) this.#samples = [];
    const at = this.#now();
    this.#samples.push({ at, done, total });
    // Keep one sample from before the window, so that the samples cover all of it.
    while (this.#samples.length > 2 && this.#samples[1]!.at <= at - WINDOW_MS) this.#samples.shift();
    const [first] = this.#samples;
    const elapsed = at - first!.at;
    const read = done - first!.done;
    if (elapsed < LEAST_MS || read === 0) return undefined;
    const filesPerSecond = (read * 1000) / elapsed;
    return { filesPerSecond, secondsLeft: (total - done) / filesPerSecond };
  }
}
