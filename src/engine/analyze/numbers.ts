/*
 * Numbers are one term each: `0x1F`, `1e-9`, `192.168.0.1`, `v1.2.3`, `550e8400`. The scanner finds them in files by bytes,
 * {@link WORD} in queries; both follow the same rules.
 */

const CHARACTER = String.raw`[\p{L}\p{N}\p{M}_]`;
/** Pattern of the part of a number before the sign of its exponent. */
const MANTISSA = String.raw`\d[\d_]*(?:\.\d[\d_]*)*[eE][+\-]`;

/**
 * Pattern of a number, name or word. A number begins with a digit, and goes on over letters, digits, `_`, a dot before a
 * digit, and the sign of an exponent. A `v` before a dotted number belongs to it.
 */
export const WORD = new RegExp(
  String.raw`(?:[vV](?=\d+\.\d))?(?:${MANTISSA})?\d(?:${CHARACTER}|\.(?=\d))*|${CHARACTER}+`,
  'gu',
);

/** Length of the longest number; longer ones are data. A hash of SHA-256 has 64 digits. */
export const MAX_NUMBER = 100;

const INTEGER = /^(0x[0-9a-f]+|0b[01]+|\d+)(?:u|l|ul|lu|ll|ull|llu|z|uz|n|[iu](?:8|16|32|64|128|size))$/;
const FRACTION = /^(\d+\.\d+|\d+(?:\.\d+)?e[+-]?\d+)[dfl]$/;
/** Three letters in a row that are not digits of a hexadecimal number: a word, as in `3rdParty`. */
const LETTERS = /[g-z][a-z]{2}|[a-z][g-z][a-z]|[a-z]{2}[g-z]/;

/**
 * The term of a number: in lower case, without `_`, without the `v` of a version and without the suffix of its type, so
 * that `1_000u32` is `1000` and `0X1FUL` is `0x1f`. `undefined` for a name, such as `3rdParty`.
 */
export function numberTerm(token: string): string | undefined {
  if (token.length > MAX_NUMBER || !/^(?:\d|[vV]\d+\.\d)[\w.+-]*$/.test(token)) return undefined;
  const text = token.toLowerCase().replace(/^v/, '').replaceAll('_', '').replace(INTEGER, '$1').replace(FRACTION, '$1');
  return LETTERS.test(text.replace(/^0x/, '')) ? undefined : text;
}

/** The suffixes of C's integers, as numbers of their bytes. */
const SUFFIXES = new Set(
  ['u', 'l', 'ul', 'lu', 'll', 'ull', 'llu'].map((text) => Number(`0x${Buffer.from(text).toString('hex')}`)),
);
/** Bit that turns a capital letter of ASCII into a small one. */
const LOWER_CASE = 32;
const ZERO = '0'.charCodeAt(0);
const DOT = '.'.charCodeAt(0);
const LETTER_X = 'x'.charCodeAt(0);
const LETTER_V = 'v'.charCodeAt(0);

/** Whether a token may be a number, by its first two bytes: a digit, or a `v` and a digit. */
export function mayBeNumber(bytes: Uint8Array, start: number): boolean {
  return isDigit(bytes[start]!) || ((bytes[start]! | LOWER_CASE) === LETTER_V && isDigit(bytes[start + 1]!));
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/**
 * The end of a number without its suffix `U`, `L`, `UL` or the like; -1 for a number of another form than `12`, `1.2.3` or
 * `0x1F`.
 */
export function endOfSimpleNumber(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > MAX_NUMBER || !isDigit(bytes[start]!)) return -1;
  const isHex = bytes[start] === ZERO && (bytes[start + 1]! | LOWER_CASE) === LETTER_X;
  let at = isHex ? start + 2 : start;
  while (at < end && (isDigit(bytes[at]!) || (isHex ? isHexLetter(bytes[at]!) : bytes[at] === DOT))) at++;
  if (isHex && at === start + 2) return -1;
  let suffix = 0;
  for (let i = at; i < end; i++) suffix = (suffix << 8) | (bytes[i]! | LOWER_CASE);
  return at === end || (end - at <= 3 && SUFFIXES.has(suffix) && (isHex || !hasDot(bytes, start, at))) ? at : -1;
}

function isHexLetter(byte: number): boolean {
  const letter = byte | LOWER_CASE;
  return letter >= 0x61 && letter <= 0x66;
}

function hasDot(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === DOT) return true;
  return false;
}
