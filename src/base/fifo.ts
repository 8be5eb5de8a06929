/** A queue whose `take` has constant cost, while an array's `shift` moves all items behind. */
export class Fifo<T> {
  #items: T[] = [];
  #next = 0;

  get size(): number {
    return this.#items.length - this.#next;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#next++];
    if (this.#next > 1024 && this.#next > this.#items.length / 2) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }
}
