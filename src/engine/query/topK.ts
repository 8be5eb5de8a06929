/** Keeps the `capacity` highest-scored of many numbers: a binary heap with the lowest on top. */
export class TopK {
  readonly #capacity: number;
  readonly #items: number[] = [];
  readonly #scores: number[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(item: number, score: number): void {
    if (this.#items.length < this.#capacity) {
      this.#items.push(item);
      this.#scores.push(score);
      this.#rise(this.#items.length - 1);
    } else if (score > this.#scores[0]!) {
      this.#items[0] = item;
      this.#scores[0] = score;
      this.#sink();
    }
  }

  /** The score that an item must exceed to be kept. */
  get least(): number {
    return this.#items.length < this.#capacity ? -Infinity : this.#scores[0]!;
  }

  items(): readonly number[] {
    return this.#items;
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (this.#scores[parent]! <= this.#scores[at]!) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      const left = at * 2 + 1;
      const right = left + 1;
      let least = at;
      if (left < this.#items.length && this.#scores[left]! < this.#scores[least]!) least = left;
      if (right < this.#items.length && this.#scores[right]! < this.#scores[least]!) least = right;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a]!;
    const score = this.#scores[a]!;
    this.#items[a] = this.#items[b]!;
    this.#scores[a] = this.#scores[b]!;
    this.#items[b] = item;
    this.#scores[b] = score;
  }
}
