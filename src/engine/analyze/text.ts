import { isUtf8 } from 'node:buffer';
import { checkBytes } from '../../base/given.ts';

/**
 * A file's bytes as UTF-8: unchanged, with U+FFFD for invalid bytes if most is UTF-8, or transcoded from UTF-16 with a
 * byte order mark or, if the result is printable, from Windows-1252. `undefined` for bytes that are not text; a NUL byte
 * means binary.
 */
export function toUtf8(bytes: Uint8Array): Uint8Array | undefined {
  checkBytes(bytes, 'bytes');
  if (bytes.length >= 2) {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return transcode(bytes, 'utf-16le');
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return transcode(bytes, 'utf-16be');
  }
  if (bytes.includes(0)) return undefined;
  if (isUtf8(bytes)) return bytes;
  const repaired = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (isMostlyUtf8(repaired)) return new TextEncoder().encode(repaired);
  return isPrintable(bytes) ? new TextEncoder().encode(decodeWindows1252(bytes)) : undefined;
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

function transcode(bytes: Uint8Array, encoding: string): Uint8Array | undefined {
  const text = new TextDecoder(encoding).decode(bytes);
  return text.includes('\0') ? undefined : new TextEncoder().encode(text);
}

function isPrintable(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    const control = byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27;
    // Windows-1252 leaves the codes 0x81, 0x8d, 0x8f, 0x90 and 0x9d free.
    if (control || byte === 0x7f || [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte)) return false;
  }
  return true;
}
