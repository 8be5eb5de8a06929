import type { Day } from '../../../base/day.ts';

/** Of each word: which it is (its days are from 32 times that on), a bit for each of its days that has a row, and its first row. */
const [WORD, BITS, ROW, WIDTH] = [0, 1, 2, 3];

/**
 * Finds rows by account and day, where rows are in that order and each is of another account or day. The days of an account are
 * bits of words that follow one another, so that the row of a day is counted and not searched for: searching by halves guesses
 * wrong at every other step, and for a page of accounts took as long as all else.
 */
export class DayIndex {
  /** Where the words of each account begin. */
  readonly #starts: Int32Array;
  readonly #words: Int32Array;

  /** Columns of the rows; `accounts` is how many accounts there are. */
  constructor(accountOf: Int32Array, dayOf: Int32Array, accounts: number) {
    this.#starts = new Int32Array(accounts + 1);
    const words: number[] = [];
    let account = 0;
    for (let row = 0; row < dayOf.length; row++) {
      const word = dayOf[row]! >> 5;
      const isFirst = row === 0 || accountOf[row] !== accountOf[row - 1];
      while (account < accountOf[row]!) this.#starts[++account] = words.length;
      if (isFirst || words[words.length - WIDTH + WORD] !== word) words.push(word, 0, row);
      words[words.length - WIDTH + BITS]! |= 1 << (dayOf[row]! & 31);
    }
    while (account < accounts) this.#starts[++account] = words.length;
    words.push(0, 0, dayOf.length);
    this.#words = Int32Array.from(words);
  }

  /** The first row of an account that is of this day or a later one; where there is none, the one after its last. */
  rowFrom(account: number, day: Day): number {
    const words = this.#words;
    const [start, end] = [this.#starts[account]!, this.#starts[account + 1]!];
    if (start === end) return words[end + ROW]!;
    const word = day >> 5;
    let at = start + Math.max(0, word - words[start + WORD]!) * WIDTH;
    // Where there are months without a row, it is before that.
    if (at >= end || words[at + WORD]! > word) {
      let low = start;
      at = Math.min(at, end);
      while (low < at) {
        const middle = low + (((at - low) / WIDTH) >>> 1) * WIDTH;
        if (words[middle + WORD]! >= word) at = middle;
        else low = middle + WIDTH;
      }
    }
    const row = words[at + ROW]!;
    if (at === end || words[at + WORD]! !== word) return row;
    return row + countBits(words[at + BITS]! & ((1 << (day & 31)) - 1));
  }
}

/** Warren, "Hacker's Delight", 5-1. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
