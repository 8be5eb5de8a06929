import { MAX_DECIMAL_DIGITS } from '../../../base/decimal.ts';
import { AmountSum, exact, MONEY_UNIT, SMALL_FRACTION, type Amount } from './amount.ts';

const AMOUNTS = 4;

/**
 * Sees to it that every sum of costs, of whichever rows, can be written as an amount: what all rows together amount to, at the
 * most, has to find room beside the longest fraction.
 */
export class DigitLimit {
  readonly #total = new AmountSum();
  #decimals = 0;
  /** There are amounts that are no small ones. Without, no number of rows reaches the limit. */
  #hasLarge = false;

  /** One row: billed, base, base with own key, credits, whatever else. Throws an `Error` where a sum might have too many digits. */
  add(row: readonly Amount[]): void {
    let isLarge = false;
    for (let i = 0; i < AMOUNTS; i++) {
      if (typeof row[i] === 'bigint') isLarge = true;
      while (!isWhole(row[i]!, this.#decimals)) this.#decimals++;
    }
    if (isLarge) {
      this.#hasLarge = true;
      this.#total.add(largest(row));
    } else for (let i = 0; i < AMOUNTS; i++) this.#total.add(Math.abs(row[i] as number));
    if (this.#hasLarge && this.#total.total(MONEY_UNIT) >= 10n ** BigInt(2 * MAX_DECIMAL_DIGITS - this.#decimals))
      throw new Error(`a sum over all records could have more than ${MAX_DECIMAL_DIGITS} digits`);
  }
}

/** Whether so many decimals are enough. */
function isWhole(amount: Amount, decimals: number): boolean {
  return typeof amount === 'bigint'
    ? amount % 10n ** BigInt(MAX_DECIMAL_DIGITS - decimals) === 0n
    : decimals >= SMALL_FRACTION || amount % 10 ** (SMALL_FRACTION - decimals) === 0;
}

/** The greatest of all amounts that are answered for this row, without its sign: surcharge and estimated cost are two more. */
function largest(row: readonly Amount[]): bigint {
  const [billed, base, byokBase, credits] = row.slice(0, AMOUNTS).map((amount) => exact(amount, MONEY_UNIT)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const answered = [billed, base, credits, billed - base + byokBase, billed + byokBase];
  return answered.map((amount) => (amount < 0n ? -amount : amount)).reduce((a, b) => (a > b ? a : b));
}
