/**
 * Exact decimal arithmetic for money: an amount is a `bigint` of 10^-38 units, so that sums and differences are plain `+`
 * and `-` and no amount of up to 38 digits is ever rounded. Amounts travel and are kept as text.
 */
export type Decimal = bigint;

/** The most digits of an amount, before and after the point together. */
export const MAX_DECIMAL_DIGITS = 38;

/** `undefined` where the text is not plain decimal notation (`-12`, `0.5`; no exponent, no bare point) of ≤ 38 digits. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || whole.length + fraction.length > MAX_DECIMAL_DIGITS) return undefined;
  const units = BigInt(whole + fraction.padEnd(MAX_DECIMAL_DIGITS, '0'));
  return sign === '-' ? -units : units;
}

/** Plain notation without needless zeros: `0`, `12`, `-0.5`. */
export function formatDecimal(units: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(MAX_DECIMAL_DIGITS + 1, '0');
  const whole = digits.slice(0, -MAX_DECIMAL_DIGITS);
  const fraction = digits.slice(-MAX_DECIMAL_DIGITS).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
