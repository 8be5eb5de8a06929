/** Keeps the `capacity` highest-scored of many numbers: a binary heap with the lowest on top. */
export class TopK {
  readonly #capacity: number;
  readonly #tieOf: (item: number) => number;
  #size = 0;
  readonly #items: Float64Array;
  readonly #scores: Float64Array;
  /** NaN until it is needed. */
  readonly #ties: Float64Array;

  /** Of items with equal scores, those with the lower `tieOf` are kept, whatever their order. */
  constructor(capacity: number, tieOf: (item: number) => number) {
    this.#capacity = capacity;
    this.#tieOf = tieOf;
    this.#items = new Float64Array(capacity);
    this.#scores = new Float64Array(capacity);
    this.#ties = new Float64Array(capacity);
  }

  /** Adds the indexes in `scores` that have a state, plus `offset`. */
  addAll(scores: Float32Array, states: Uint8Array, state: number, offset: number): void {
    let least = this.#least();
    for (let i = 0; i < states.length; i++) {
      // The state is unpredictable for the processor, so it comes last.
      const score = scores[i]!;
      if (score < least || states[i] !== state) continue;
      this.#add(i + offset, score);
      least = this.#least();
    }
  }

  items(): Float64Array {
    return this.#items.subarray(0, this.#size);
  }

  /** The lowest score with which an item may still be kept. */
  #least(): number {
    return this.#size < this.#capacity ? -Infinity : this.#scores[0]!;
  }

  #add(item: number, score: number): void {
    if (this.#size < this.#capacity) {
      this.#set(this.#size, item, score, NaN);
      this.#rise(this.#size++);
    } else if (score > this.#scores[0]! || this.#tieOf(item) < this.#tieAt(0)) {
      this.#set(0, item, score, NaN);
      this.#sink();
    }
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isLower(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      const left = at * 2 + 1;
      const right = left + 1;
      let least = at;
      if (left < this.#size && this.#isLower(left, least)) least = left;
      if (right < this.#size && this.#isLower(right, least)) least = right;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #isLower(a: number, b: number): boolean {
    const difference = this.#scores[a]! - this.#scores[b]!;
    return difference < 0 || (difference === 0 && this.#tieAt(a) > this.#tieAt(b));
  }

  #tieAt(at: number): number {
    const tie = this.#ties[at]!;
    return Number.isNaN(tie) ? (this.#ties[at] = this.#tieOf(this.#items[at]!)) : tie;
  }

  #set(at: number, item: number, score: number, tie: number): void {
    this.#items[at] = item;
    this.#scores[at] = score;
    this.#ties[at] = tie;
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a]!;
    const score = this.#scores[a]!;
    const tie = this.#ties[a]!;
    this.#set(a, this.#items[b]!, this.#scores[b]!, this.#ties[b]!);
    this.#set(b, item, score, tie);
  }
}
