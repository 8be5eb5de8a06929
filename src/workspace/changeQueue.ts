/** Gathers paths that may have changed until a short pause, so that a flood of events is one scan. */
export class ChangeQueue {
  readonly #deliver: (paths: readonly string[]) => void;
  #paths = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #since = 0;

  constructor(deliver: (paths: readonly string[]) => void) {
    this.#deliver = deliver;
  }

  add(path: string): void {
    if (this.#paths.size === 0) this.#since = performance.now();
    this.#paths.add(path);
    // Events that never stop must not delay the scan for ever.
    if (this.#timer && performance.now() - this.#since > LONGEST_WAIT_MS) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), PAUSE_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#paths.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    const paths = [...this.#paths];
    this.#paths = new Set();
    this.#deliver(paths);
  }
}

const PAUSE_MS = 150;
const LONGEST_WAIT_MS = 1_000;
