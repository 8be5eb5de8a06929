/**
 * Exact decimal arithmetic for money: an amount is a `bigint` of 10^-38 units. So sums and differences are plain `+`
 * and `-`, and no amount of up to 38 digits is ever rounded. Amounts are sent and stored as text.
 */
export type Decimal = bigint;

/** Largest number of digits of an amount, before and after the point together. */
export const MAX_DECIMAL_DIGITS = 38;

/**
 * Parses plain decimal notation (`-12`, `0.5`; no exponent, no bare point) of ≤ 38 digits; `undefined` for other texts.
 */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || whole.length + fraction.length > MAX_DECIMAL_DIGITS) return undefined;
  const units = BigInt(whole + fraction.padEnd(MAX_DECIMAL_DIGITS, '0'));
  return sign === '-' ? -units : units;
}

/** Formats in plain notation without needless zeros: `0`, `12`, `-0.5`. */
export function formatDecimal(units: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(MAX_DECIMAL_DIGITS + 1, '0');
  const whole = digits.slice(0, -MAX_DECIMAL_DIGITS);
  const fraction = digits.slice(-MAX_DECIMAL_DIGITS).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
