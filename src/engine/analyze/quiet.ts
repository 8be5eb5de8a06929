import type { Language } from './languages.ts';
import type { Scan } from './scanner.ts';

const code = (character: string): number => character.charCodeAt(0);
const LF = 10;
const HASH = code('#');
const OPEN_BRACKET = code('[');
const DOUBLE = code('"');
const SINGLE = code("'");
const BACKSLASH = code('\\');
const STAR = code('*');
const SLASH = code('/');

/** Marks the lines in which nothing is defined: comments, docstrings, fenced code. */
export function quietLines(scan: Scan, language: Language): Uint8Array {
  const quiet = new Uint8Array(scan.lineCount);
  if (language.quotes === 'fences') markFenced(scan, '```', quiet);
  if (language.quotes === 'strings') markStrings(scan, quiet);
  const comments = language.comments.map((prefix) => [...Buffer.from(prefix)]);
  const hasBlocks = language.comments.includes('/*');
  let inBlockComment = false;
  for (let line = 0; line < scan.lineCount; line++) {
    if (scan.indent[line]! < 0) continue;
    if (inBlockComment) {
      quiet[line] = 1;
      inBlockComment = !containsPair(scan, line, STAR, SLASH);
    } else if (hasBlocks && startsWith(scan, line, SLASH, STAR)) {
      quiet[line] = 1;
      inBlockComment = !containsPair(scan, line, STAR, SLASH);
    } else if (comments.some(([first, second]) => startsWith(scan, line, first!, second))) {
      // PHP's comments begin with `#`, but its attributes with `#[`.
      if (language.attributes !== '#' || !startsWith(scan, line, HASH, OPEN_BRACKET)) quiet[line] = 1;
    }
  }
  return quiet;
}

/** The lines after one that holds an odd number of `fence`s, up to and with the next that does. */
function markFenced(scan: Scan, fence: string, quiet: Uint8Array): void {
  const bytes = bytesOf(scan);
  const mark = marker(scan, quiet);
  let opened = -1;
  for (let at = bytes.indexOf(fence); at >= 0; at = bytes.indexOf(fence, at + fence.length)) {
    if (opened >= 0) mark(opened, at);
    opened = opened < 0 ? at : -1;
  }
}

/** The lines after the one in which a string in three quotes opens, up to and with the one in which it closes. */
function markStrings(scan: Scan, quiet: Uint8Array): void {
  const bytes = bytesOf(scan);
  if (!bytes.includes('"""') && !bytes.includes("'''")) return;
  const mark = marker(scan, quiet);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH) at++;
    else if (byte === HASH) at = endOfLine(bytes, at);
    else if (byte !== DOUBLE && byte !== SINGLE) continue;
    else if (bytes[at + 1] === byte && bytes[at + 2] === byte) {
      const end = longStringEnd(bytes, at + 3, byte === DOUBLE ? '"""' : "'''");
      if (end >= 0) mark(at, end);
      // What never ends is no string.
      at = Math.max(end, at) + 2;
    } else at = stringEnd(bytes, at);
  }
}

const bytesOf = (scan: Scan): Buffer => Buffer.from(scan.bytes.buffer, scan.bytes.byteOffset, scan.length);

/** Marks the lines after that of one place up to and with that of another; the places come in their order. */
function marker(scan: Scan, quiet: Uint8Array): (opened: number, closed: number) => void {
  let line = 0;
  return (opened, closed) => {
    while (scan.lineStart[line + 1]! <= opened) line++;
    const first = line + 1;
    while (scan.lineStart[line + 1]! <= closed) line++;
    quiet.fill(1, first, line + 1);
  };
}

function endOfLine(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(LF, at);
  return end < 0 ? bytes.length : end;
}

function longStringEnd(bytes: Buffer, from: number, quote: string): number {
  let end = bytes.indexOf(quote, from);
  while (end >= 0 && isEscaped(bytes, from, end)) end = bytes.indexOf(quote, end + 1);
  return end;
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let first = at;
  while (first > from && bytes[first - 1] === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** The quote that ends the string at `at`, or the end of its line. */
function stringEnd(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (end < bytes.length && bytes[end] !== bytes[at] && bytes[end] !== LF) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
}

function containsPair(scan: Scan, line: number, first: number, second: number): boolean {
  const end = scan.lineStart[line + 1]! - 1;
  for (let at = scan.lineStart[line]!; at < end; at++) {
    if (scan.bytes[at] === first && scan.bytes[at + 1] === second) return true;
  }
  return false;
}

function startsWith(scan: Scan, line: number, first: number, second: number | undefined): boolean {
  if (scan.firstByte[line] !== first) return false;
  if (second === undefined) return true;
  let at = scan.lineStart[line]!;
  while (scan.bytes[at] !== first) at++;
  return scan.bytes[at + 1] === second;
}
