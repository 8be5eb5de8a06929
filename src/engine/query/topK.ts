/** Keeps the `capacity` highest-scored of many numbers: a binary heap with the lowest on top. */
export class TopK {
  readonly #capacity: number;
  readonly #tieOf: (item: number) => number;
  readonly #items: number[] = [];
  readonly #scores: number[] = [];
  /** NaN until it is needed. */
  readonly #ties: number[] = [];

  /** Of items with equal scores, those with the lower `tieOf` are kept, whatever the order of {@link add}. */
  constructor(capacity: number, tieOf: (item: number) => number) {
    this.#capacity = capacity;
    this.#tieOf = tieOf;
  }

  add(item: number, score: number): void {
    if (this.#items.length < this.#capacity) {
      this.#set(this.#items.length, item, score, NaN);
      this.#rise(this.#items.length - 1);
    } else if (score >= this.#scores[0]!) {
      if (score === this.#scores[0]! && this.#tieOf(item) >= this.#tieAt(0)) return;
      this.#set(0, item, score, NaN);
      this.#sink();
    }
  }

  /** The lowest score with which an item may still be kept. */
  get least(): number {
    return this.#items.length < this.#capacity ? -Infinity : this.#scores[0]!;
  }

  items(): readonly number[] {
    return this.#items;
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
      if (left < this.#items.length && this.#isLower(left, least)) least = left;
      if (right < this.#items.length && this.#isLower(right, least)) least = right;
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
