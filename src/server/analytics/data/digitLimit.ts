import { MAX_DECIMAL_DIGITS } from '../../../base/decimal.ts';
import { AmountSum, exact, MAX_SMALL, MONEY_UNIT, SMALL_FRACTION, type Amount } from './amount.ts';

/** Sees to it that every sum of costs, of whichever rows, can be written as an amount. */
export class DigitLimit {
  readonly #billed = new Digits();
  readonly #base = new Digits();
  readonly #surcharge = new Digits();
  readonly #estimated = new Digits();
  readonly #credits = new Digits();

  /** One row: billed, base, base with own key, credits. Throws an `Error` where a sum might have too many digits. */
  add([billed = 0, base = 0, byokBase = 0, credits = 0]: readonly Amount[]): void {
    this.#billed.add(billed);
    this.#base.add(base);
    this.#surcharge.add(base === byokBase ? billed : sum(billed, -base));
    this.#estimated.add(sum(billed, byokBase));
    this.#credits.add(credits);
  }
}

/** Of one kind of amount: what all of them come to without their signs, and the longest fraction beside it. */
class Digits {
  readonly #total = new AmountSum();
  #decimals = 0;
  /** There are amounts that are no small ones. Without, no number of rows reaches the limit. */
  #hasLarge = false;

  add(amount: Amount): void {
    while (!isWhole(amount, this.#decimals)) this.#decimals++;
    if (typeof amount === 'bigint') this.#hasLarge = true;
    this.#total.add(amount < 0 ? -amount : amount);
    if (this.#hasLarge && this.#total.total(MONEY_UNIT) >= 10n ** BigInt(2 * MAX_DECIMAL_DIGITS - this.#decimals))
      throw new Error(`a sum over all records could have more than ${MAX_DECIMAL_DIGITS} digits`);
  }
}

/** Whether this number of decimals is enough. */
function isWhole(amount: Amount, decimals: number): boolean {
  return typeof amount === 'bigint'
    ? amount % 10n ** BigInt(MAX_DECIMAL_DIGITS - decimals) === 0n
    : decimals >= SMALL_FRACTION || amount % 10 ** (SMALL_FRACTION - decimals) === 0;
}

function sum(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number' && Math.abs(a + b) <= MAX_SMALL) return a + b;
  return exact(a, MONEY_UNIT) + exact(b, MONEY_UNIT);
}
