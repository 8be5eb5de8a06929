import type { IdentifierTable } from './identifiers.ts';
import { MAX_NUMBER } from './numbers.ts';

/**
 * One pass over a file's UTF-8 bytes: its lines, their indentation and ends, and its identifiers as numbers. All later
 * stages work on these arrays, which are reused for the next file. Strings are created only for lines that may define
 * something. Measured on the Linux kernel (947 MB): 5 s for the pass, against 40 s with strings.
 */
export class SourceScan {
  /** Copy of the file's bytes with a line end after it, so that loops need not check for the end at each byte. */
  bytes = new Uint8Array(1 << 16);
  length = 0;

  lineCount = 0;
  /** Offset of each line's first byte; one more entry than there are lines. */
  lineStart = new Int32Array(1024);
  /** Columns before the first visible character (a tab goes to the next multiple of 8), or -1 for a blank line. */
  indent = new Int32Array(1024);
  firstByte = new Uint8Array(1024);
  lastByte = new Uint8Array(1024);
  /** Index of the line's first token; one more entry than there are lines. */
  firstToken = new Int32Array(1024);

  tokenCount = 0;
  /** The identifier of each token, as a number of the table. */
  tokens = new Int32Array(8192);

  /** Text of line `line` without its line end, at most `limit` bytes. */
  line(line: number, limit = 400): string {
    const start = this.lineStart[line]!;
    return decode(this.bytes, start, Math.min(this.#lineEnd(line), start + limit));
  }

  #lineEnd(line: number): number {
    let end = this.lineStart[line + 1]!;
    while (end > this.lineStart[line]! && (this.bytes[end - 1] === LF || this.bytes[end - 1] === CR)) end--;
    return end;
  }

  load(text: Uint8Array): void {
    if (text.length >= this.bytes.length) this.bytes = new Uint8Array(text.length * 2);
    this.bytes.set(text);
    this.bytes[text.length] = LF;
    if (this.tokens.length <= text.length / 2) this.tokens = new Int32Array(text.length);
    this.length = text.length;
  }

  growLines(): void {
    this.lineStart = grown(this.lineStart);
    this.indent = grown(this.indent);
    this.firstByte = grown(this.firstByte);
    this.lastByte = grown(this.lastByte);
    this.firstToken = grown(this.firstToken);
  }
}

function grown<T extends Int32Array | Uint8Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(array.length * 2);
  larger.set(array);
  return larger;
}

/** UTF-8 bytes as text; bytes that are not UTF-8 become U+FFFD. */
export function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

const LF = 10;
const CR = 13;
const TAB = 9;
const SPACE = 32;
const PLUS = '+'.charCodeAt(0);
const MINUS = '-'.charCodeAt(0);
const DOT = '.'.charCodeAt(0);
const UNDERSCORE = '_'.charCodeAt(0);
const LETTER_E = 'e'.charCodeAt(0);
const LETTER_V = 'v'.charCodeAt(0);

const OTHER = 0;
const LINE_END = 1;
/** The first byte of a character outside ASCII. Its other bytes count as letters. */
const FOREIGN = 2;
const DIGIT = 3;
const LETTER = 4;
/** Class of each byte; letters and digits have the highest numbers. */
const CLASS = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const character = String.fromCharCode(byte);
  if (byte >= 0xc0) CLASS[byte] = FOREIGN;
  else if (byte >= 128 || /[A-Za-z_]/.test(character)) CLASS[byte] = LETTER;
  else if (/[0-9]/.test(character)) CLASS[byte] = DIGIT;
  else if (byte === LF || byte === CR) CLASS[byte] = LINE_END;
}

/** A number of one digit is noise. Numbers of up to 6 digits and no letters (404, 8080, 65536) are not worth a limit. */
const MIN_DIGITS = 2;
const SHORT_DIGITS = 6;
/**
 * Number of longer numbers in a file that may stand in lines of data: before the first name of a line, or beyond
 * {@link LINE_CONSTANTS} in a line. A table of generated data has up to 85,000 distinct numbers in 1 MB; with all of them
 * its part of the index would be larger than the table.
 */
const DATA_CONSTANTS = 4096;
const LINE_CONSTANTS = 16;

const SEED1 = 0x811c9dc5 | 0;
const SEED2 = 0x9747b28c | 0;

/** The pair of hashes, as signed integers, by which {@link scan} interns an identifier. */
export function hashIdentifier(identifier: string): [number, number] {
  let hash1 = SEED1;
  let hash2 = SEED2;
  for (const byte of Buffer.from(identifier)) {
    hash1 = Math.imul(hash1 ^ byte, 0x01000193);
    hash2 = Math.imul(hash2 + byte, 0x5bd1e995);
  }
  return [hash1, hash2];
}

/** The number in `table` of the ASCII letters and digits from `start` to `end`, ignoring case. */
export function internWord(bytes: Uint8Array, start: number, end: number, table: IdentifierTable): number {
  let hash1 = SEED1;
  let hash2 = SEED2;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]! | LOWER_CASE;
    hash1 = Math.imul(hash1 ^ byte, 0x01000193);
    hash2 = Math.imul(hash2 + byte, 0x5bd1e995);
  }
  return table.intern(hash1, hash2);
}

/** Bit that turns an ASCII capital into a small letter, and leaves small letters and digits unchanged. */
const LOWER_CASE = 32;

/** Scans a file into `out`. Calls `meet` for each identifier new to the table, with its position in `out.bytes`. */
export function scan(
  text: Uint8Array,
  out: SourceScan,
  table: IdentifierTable,
  meet: (identifier: number, start: number, end: number) => void,
): void {
  out.load(text);
  const { bytes, length, tokens } = out;
  let { lineStart, indent, firstByte, lastByte, firstToken } = out;
  let tokenCount = 0;
  let line = 0;
  let known = table.size;
  let dataLeft = DATA_CONSTANTS;
  let at = length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

  while (at < length) {
    if (line + 2 >= lineStart.length) {
      out.growLines();
      ({ lineStart, indent, firstByte, lastByte, firstToken } = out);
    }
    lineStart[line] = at;
    firstToken[line] = tokenCount;

    let column = 0;
    let byte = bytes[at]!;
    for (; byte === SPACE || byte === TAB; byte = bytes[++at]!) column = byte === SPACE ? column + 1 : (column | 7) + 1;
    let kind = CLASS[byte]!;
    firstByte[line] = byte;
    const visible = at;
    let hasName = false;
    let constants = 0;

    // The line end after the last byte of the file ends the last line too.
    while (kind !== LINE_END) {
      if (kind === OTHER) {
        do {
          byte = bytes[++at]!;
          kind = CLASS[byte]!;
        } while (kind === OTHER);
        continue;
      }
      if (kind === FOREIGN) {
        const size = separatorBytes(bytes, at);
        if (size > 0) {
          byte = bytes[(at += size)]!;
          kind = CLASS[byte]!;
          continue;
        }
      }
      const start = at;
      let isNumber = kind === DIGIT;
      let isAscii = true;
      let hash1 = SEED1;
      let hash2 = SEED2;
      do {
        hash1 = Math.imul(hash1 ^ byte, 0x01000193);
        hash2 = Math.imul(hash2 + byte, 0x5bd1e995);
        byte = bytes[++at]!;
        kind = CLASS[byte]!;
      } while (kind >= DIGIT);
      // The rest of a token that goes on after a sign or a character outside ASCII; most have none, and are quicker without this loop.
      while (kind === FOREIGN || byte === DOT || isNumber) {
        if (kind === FOREIGN) {
          if (separatorBytes(bytes, at) > 0) break;
          isAscii = false;
        } else if (CLASS[bytes[at + 1]!] !== DIGIT) break;
        else if (byte === DOT) {
          if (!(isNumber ||= isVersion(bytes, start, at))) break;
        } else if ((byte !== MINUS && byte !== PLUS) || !isMantissa(bytes, start, at)) break;
        do {
          hash1 = Math.imul(hash1 ^ byte, 0x01000193);
          hash2 = Math.imul(hash2 + byte, 0x5bd1e995);
          byte = bytes[++at]!;
          kind = CLASS[byte]!;
        } while (kind >= DIGIT);
      }

      const size = at - start;
      if (!isNumber) hasName = true;
      else if (size < MIN_DIGITS || (size > MAX_NUMBER && isAscii)) continue;
      else if (!isShort(bytes, start, at)) {
        const isData = !hasName || ++constants > LINE_CONSTANTS;
        if (isData && dataLeft-- <= 0) continue;
      }
      const identifier = table.intern(hash1, hash2);
      if (identifier === known) {
        known++;
        meet(identifier, start, at);
      }
      tokens[tokenCount++] = identifier;
    }

    if (at === visible) {
      indent[line] = -1;
      firstByte[line] = LF;
      lastByte[line] = LF;
    } else {
      let last = at - 1;
      while (bytes[last] === SPACE || bytes[last] === TAB) last--;
      indent[line] = column;
      lastByte[line] = bytes[last]!;
    }
    line++;
    at += byte === CR && bytes[at + 1] === LF ? 2 : 1;
  }
  out.lineStart[line] = length;
  out.firstToken[line] = tokenCount;
  out.lineCount = line;
  out.tokenCount = tokenCount;
}

/** Whether a token is a decimal number of a few digits. */
function isShort(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start <= SHORT_DIGITS && afterDigits(bytes, start, end) === end;
}

/** Whether a token is the beginning of a version such as `v1.2`, where a dot follows. */
function isVersion(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start]! | LOWER_CASE;
  return first === LETTER_V && end - start > 1 && afterDigits(bytes, start + 1, end) === end;
}

/** Whether a token is a number up to the `e` of its exponent, where the exponent's sign follows. */
function isMantissa(bytes: Uint8Array, start: number, end: number): boolean {
  if ((bytes[end - 1]! | LOWER_CASE) !== LETTER_E) return false;
  let at = start;
  if ((bytes[at]! | LOWER_CASE) === LETTER_V) at++;
  while (CLASS[bytes[at]!] === DIGIT || bytes[at] === DOT || bytes[at] === UNDERSCORE) at++;
  return at === end - 1;
}

function afterDigits(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && CLASS[bytes[at]!] === DIGIT) at++;
  return at;
}

const IN_TOKEN = /[\p{L}\p{N}\p{M}]/u;
/** Class of each character outside ASCII of the Basic Multilingual Plane, 0 until it is met. */
const KNOWN = new Uint8Array(1 << 16);
const SEPARATOR = 1;

/** Size of the space, punctuation mark or symbol outside ASCII that begins at `at`; 0 for a letter or digit. */
function separatorBytes(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  let point = lead & (0x7f >> size);
  for (let i = 1; i < size; i++) {
    const byte = bytes[at + i]!;
    if ((byte & 0xc0) !== 0x80) return i;
    point = (point << 6) | (byte & 0x3f);
  }
  let known = KNOWN[point] ?? 0;
  if (known === 0) {
    // Bytes that are no UTF-8 may give a number beyond Unicode.
    known = IN_TOKEN.test(String.fromCodePoint(Math.min(point, 0x10ffff))) ? LETTER : SEPARATOR;
    if (point < KNOWN.length) KNOWN[point] = known;
  }
  return known === SEPARATOR ? size : 0;
}
