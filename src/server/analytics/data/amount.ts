import { parseDecimal, type Decimal } from '../../../base/decimal.ts';

/*
 * A million exact amounts in little space and time. Most are small: 0.0042 US dollars, 1,200 tokens. Those are kept and
 * added as numbers, which is exact as long as a sum of integers stays below 2^53; the rest as bigints.
 */

/** A number of small units – 10^-9 of money, 1 of tokens – of at most 2^52, or else a bigint of the exact unit. */
export type Amount = number | bigint;

/** How many exact units (10^-38) are one small unit of money. */
export const MONEY_UNIT = 10n ** 29n;
export const TOKEN_UNIT = 1n;

/** The most decimals of a small amount of money. */
export const SMALL_FRACTION = 9;
export const MAX_SMALL = 2 ** 52;

/** `undefined` where {@link parseDecimal} finds none. */
export function parseMoney(text: string): Amount | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole !== undefined) {
    const units = Number(whole) * 1e9 + Number(fraction.padEnd(SMALL_FRACTION, '0'));
    if (units <= MAX_SMALL) return sign === '-' ? 0 - units : units;
  }
  return parseDecimal(text);
}

/** A count of at most 38 digits, as a JSON number or as digits. */
export function parseTokens(value: unknown): Amount | undefined {
  if (typeof value === 'string') return /^\d{1,38}$/.test(value) ? smallest(BigInt(value)) : undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 0) return undefined;
  return (value as number) <= MAX_SMALL ? (value as number) : BigInt(value as number);
}

export function exact(amount: Amount, unit: bigint): bigint {
  return typeof amount === 'bigint' ? amount : BigInt(amount) * unit;
}

function smallest(count: bigint): Amount {
  return count <= BigInt(MAX_SMALL) ? Number(count) : count;
}

/** An exact sum. */
export class AmountSum {
  #small = 0;
  #large = 0n;

  add(amount: Amount): void {
    if (typeof amount === 'bigint') {
      this.#large += amount;
      return;
    }
    this.#small += amount;
    // Both parts were at most 2^52, so this sum is exact still; the next might not be.
    if (this.#small > MAX_SMALL || this.#small < -MAX_SMALL) this.#flush();
  }

  /** In exact units. Small units that were flushed before are kept as such, so `unit` must always be the same. */
  total(unit: bigint): Decimal {
    return this.#flushed * unit + BigInt(this.#small) * unit + this.#large;
  }

  #flushed = 0n;

  #flush(): void {
    this.#flushed += BigInt(this.#small);
    this.#small = 0;
  }
}

/** Amounts by row number. */
export class AmountColumn {
  #numbers = new Float64Array(16);
  readonly #large = new Map<number, bigint>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(amount: Amount): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(this.#length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    if (typeof amount === 'bigint') this.#large.set(this.#length, amount);
    this.#numbers[this.#length++] = typeof amount === 'bigint' ? Number.NaN : amount;
  }

  /** The amounts of the given rows. */
  permuted(order: Uint32Array): AmountColumn {
    const result = new AmountColumn();
    result.#numbers = new Float64Array(Math.max(16, order.length));
    for (const row of order) result.push(this.at(row));
    return result;
  }

  at(row: number): Amount {
    const number = this.#numbers[row]!;
    return Number.isNaN(number) ? this.#large.get(row)! : number;
  }
}
