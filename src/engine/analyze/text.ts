import { isUtf8 } from 'node:buffer';
import { checkBytes } from '../../base/given.ts';
import { guessEncoding, WINDOWS_1252 } from './guessEncoding.ts';

/** The text of a file in UTF-8. */
export interface DecodedText {
  readonly text: Uint8Array;
  /** Name of an encoding in the Encoding Standard of the WHATWG, if it was guessed. */
  readonly guessed?: string;
}

/**
 * A file's bytes as UTF-8: unchanged, with U+FFFD for invalid bytes if most is UTF-8, or transcoded from UTF-16 with a
 * byte order mark or from the encoding whose letters it has most likely: GBK, Big5, EUC-JP, Shift-JIS, EUC-KR, Windows-1251, KOI8-R,
 * IBM866 or, if the result is printable, Windows-1252. `undefined` for bytes that are not text; a NUL byte means binary.
 */
export function toUtf8(bytes: Uint8Array): Uint8Array | undefined {
  return decodeText(bytes)?.text;
}

/** As {@link toUtf8}, with the guessed encoding. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  checkBytes(bytes, 'bytes');
  if (bytes.length >= 2) {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return transcode(bytes, 'utf-16le');
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return transcode(bytes, 'utf-16be');
  }
  if (bytes.includes(0)) return undefined;
  if (isUtf8(bytes)) return { text: bytes };
  const repaired = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (isMostlyUtf8(repaired)) return { text: new TextEncoder().encode(repaired) };
  if (bytes.some(isControl)) return undefined;
  const guessed = guessEncoding(bytes) ?? (bytes.some(isFree) ? undefined : WINDOWS_1252);
  if (guessed === undefined) return undefined;
  const text = guessed === WINDOWS_1252 ? decodeWindows1252(bytes) : new TextDecoder(guessed).decode(bytes);
  return { text: new TextEncoder().encode(text), guessed };
}

/** The characters of Windows-1252 from 0x80 to 0x9f. */
const NOT_LATIN_1 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Decodes Windows-1252 without the platform, which decodes Latin-1 instead in Node 20 and in the oldest supported editor. */
export function decodeWindows1252({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const latin1 = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  return latin1.replaceAll(/[\x80-\x9f]/g, (character) => NOT_LATIN_1[character.charCodeAt(0) - 0x80]!);
}

/**
 * Whether decoding gave more characters beyond ASCII than replacements, or a byte order mark first. Text in Windows-1252
 * hardly ever has valid sequences (`Ã©`), and one bad byte in a file of UTF-8 must not turn the others into such pairs.
 * The editor decodes UTF-8 with a TextDecoder, too, so columns agree. Only behind a byte order mark it uses iconv-lite,
 * which can write more replacements for a cut character.
 */
function isMostlyUtf8(decoded: string): boolean {
  if (decoded.startsWith('\ufeff')) return true;
  let replaced = 0;
  let valid = 0;
  for (let i = 0; i < decoded.length; i++) {
    const code = decoded.charCodeAt(i);
    if (code === 0xfffd) replaced++;
    else if (code > 0x7f && (code & 0xfc00) !== 0xdc00) valid++;
  }
  return valid > replaced;
}

function transcode(bytes: Uint8Array, encoding: string): DecodedText | undefined {
  const text = new TextDecoder(encoding).decode(bytes);
  return text.includes('\0') ? undefined : { text: new TextEncoder().encode(text) };
}

function isControl(byte: number): boolean {
  return (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) || byte === 0x7f;
}

/** Whether a byte is one that Windows-1252 leaves free. */
function isFree(byte: number): boolean {
  return [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte);
}
