import type { DefinitionKind } from './language.ts';
import type { FileLines } from './leading.ts';
import { COMMENT, TEXT } from './lexer.ts';
import type { SourceScan } from './scanner.ts';

/** Longest statement of SQL, and part of a template. */
const MAX_STATEMENT_LINES = 300;
const SEMICOLON = ';'.charCodeAt(0);
const AT = '@'.charCodeAt(0);
const OPEN_BRACE = '{'.charCodeAt(0);
const CLOSE_BRACE = '}'.charCodeAt(0);
const OPEN_PARENTHESIS = '('.charCodeAt(0);
const CLOSE_PARENTHESIS = ')'.charCodeAt(0);
const CLOSE_BRACKET = ']'.charCodeAt(0);
const SLASH = '/'.charCodeAt(0);
const STAR = '*'.charCodeAt(0);

/** The line that matches `closer`, or the definition's own line if a property or an incomplete text has none. */
export function closerEnd(scan: SourceScan, line: number, closer: RegExp): number {
  if (scan.lastByte[line] === SEMICOLON) return line;
  for (let at = line + 1; at < scan.lineCount; at++) {
    if (scan.firstByte[at] !== AT) continue;
    const text = scan.line(at, 40);
    if (closer.test(text)) return at;
    // They do not nest.
    if (/^@(?:interface|implementation|protocol)\b/.test(text)) break;
  }
  return line;
}

/** Ends a statement of SQL at its `;`, which does not count within `$$ … $$` and between `begin` and `end`. */
export function sqlEnd(scan: SourceScan, line: number): number {
  let quote: string | undefined;
  let depth = 0;
  const limit = Math.min(scan.lineCount, line + MAX_STATEMENT_LINES);
  for (let at = line; at < limit; at++) {
    const text = scan.line(at, 300);
    const isOther = at > line && depth === 0 && quote === undefined && /^create\b/i.test(text);
    if (isOther || /^\s*go\s*$/i.test(text)) return Math.max(line, at - 1);
    for (const [part] of text.matchAll(
      /\$\w*\$|\b(?:begin|case|end(?!\s+(?:if|loop|while|repeat|for)))\b|;\s*(?:--.*)?$/gi,
    )) {
      if (quote !== undefined || part.startsWith('$')) {
        if (quote === undefined) quote = part;
        else if (quote === part) quote = undefined;
      } else if (part.startsWith(';')) {
        if (depth === 0) return at;
      } else if (/^end/i.test(part)) depth = Math.max(0, depth - 1);
      else depth++;
    }
  }
  return line;
}

/** Most lines of a macro. */
const MAX_CONTINUED = 2000;
const BACKSLASH = '\\'.charCodeAt(0);

/** Last line of a macro: one that no `\` continues. */
export function continuedEnd(scan: SourceScan, line: number): number {
  let end = line;
  const limit = Math.min(line + MAX_CONTINUED, scan.lineCount - 1);
  while (scan.lastByte[end] === BACKSLASH && end < limit) end++;
  return end;
}

const HASH = '#'.charCodeAt(0);
const VALUES: ReadonlySet<DefinitionKind> = new Set(['constant', 'variable']);

/** Ends each definition above the next one; only a record ends above a constant, variable or `#define`, too. */
export function withEndsOfLabels<T extends { line: number; start: number; end: number; kind: DefinitionKind }>(
  scan: SourceScan,
  found: readonly T[],
): T[] {
  let next = scan.lineCount;
  let nextValue = next;
  const ended = found.toReversed().map((one) => {
    const isValue = VALUES.has(one.kind) || scan.firstByte[one.line] === HASH;
    let end = isValue ? one.end : (one.kind === 'struct' ? nextValue : next) - 1;
    while (end > one.end && scan.indent[end]! < 0) end--;
    nextValue = one.start;
    if (!isValue) next = one.start;
    return { ...one, end };
  });
  return ended.toReversed();
}

/** A part of a template that a name begins: `{{ define "x" }}`, `{% macro x() %}`. */
const PART = /^\s*(?:(\{\{)|\{%?|<[%#])[-~+#*\s]*(define|macro|function|def|inline)\b/;
const GO_BLOCK = /\{\{-?\s*(?:(end)|if|with|range|define|block)\b/g;

/** Last line of a part of a template, which need not be indented; undefined if the line begins none. */
export function partEnd(scan: SourceScan, line: number): number | undefined {
  const [, braces, word] = PART.exec(scan.line(line, 80)) ?? [];
  if (word === undefined) return undefined;
  const closer = new RegExp(String.raw`(?:end|/[#%]?)${word}\b`);
  const isCounted = braces !== undefined && word === 'define';
  let depth = 0;
  for (let at = line; at < Math.min(scan.lineCount, line + MAX_STATEMENT_LINES); at++) {
    const text = scan.line(at, 300);
    // They do not nest.
    if (at > line && PART.test(text)) return undefined;
    if (isCounted) for (const [, end] of text.matchAll(GO_BLOCK)) depth += end === undefined ? 1 : -1;
    if (isCounted ? depth <= 0 : closer.test(text)) return at;
  }
  return undefined;
}

/** The last visible byte before a comment at the end of the line. */
export function lastCodeByte(scan: SourceScan, line: number): number {
  const last = scan.lastByte[line]!;
  if (last === OPEN_BRACE || last === SEMICOLON || last === CLOSE_BRACE || last === OPEN_PARENTHESIS) return last;
  let code = -1;
  for (let at = scan.lineStart[line]!; at + 1 < scan.lineStart[line + 1]!; at++) {
    const byte = scan.bytes[at]!;
    if (byte === SLASH && opensComment(scan.bytes[at + 1]!, last)) return code < 0 ? last : code;
    if (byte > 32) code = byte;
  }
  return last;
}

/** Whether a slash before `next` begins a comment up to the end of a line, whose last byte is `last`. */
function opensComment(next: number, last: number): boolean {
  return next === SLASH || (next === STAR && last === SLASH);
}

const END = /^\s*end\b/;
/** Clauses of Ruby, Lua, Julia and Elixir. */
const CLAUSES = /^\s*(?:rescue|ensure|else|elsif|elseif|catch|after|when|in)\b/;
const ANY_LINE = /^/;

/** The last line of a block, and the line where the search for it stopped. */
interface Search {
  readonly end: number;
  readonly stop: number;
}

/** Searches for the ends of blocks in one file. */
export class BlockEnds {
  /** The last search over lines of any text, by indentation and kind. */
  readonly #searched = new Map<string, Search & { readonly from: number }>();

  /**
   * Last line of a definition in Ruby and similar languages: the `end` at its own indentation. `rescue`, `else` and the
   * like have that indentation too. Lines left of it are text of a heredoc, if that `end` follows.
   */
  endOf(file: FileLines, line: number, kind: DefinitionKind): number {
    const { language } = file;
    const isModule = kind === 'module' && language.modules !== undefined;
    const closer = (isModule ? language.modules : language.closer) ?? END;
    const own = hasClauses(kind) ? language.clauses : undefined;
    if (!isModule && !own) return endEnd(file, line, closer, CLAUSES).end;
    // What one search went over, those from lines within need not go over once more.
    const key = `${file.scan.indent[line]} ${isModule}`;
    const searched = this.#searched.get(key);
    if (searched && searched.from < line && line < searched.end) return searched.end;
    const isOpen = searched !== undefined && searched.from < line && line < searched.stop;
    const { end, stop } = endEnd(file, line, closer, isModule ? ANY_LINE : own!, isOpen);
    this.#searched.set(key, { from: line, end, stop: isOpen ? searched.stop : stop });
    return end;
  }
}

/** Searches for the end of a block; `isOpen` if a search from above went past it and found none: it ends above a line left of it. */
function endEnd({ scan, quiet }: FileLines, line: number, closer: RegExp, clauses: RegExp, isOpen = false): Search {
  const indent = scan.indent[line]!;
  let end = line;
  let isLeft = false;
  let at = line + 1;
  for (; at < scan.lineCount; at++) {
    // A comment may be left of its code.
    if (scan.indent[at]! < 0 || (scan.indent[at]! <= indent && (quiet[at]! & COMMENT) !== 0)) continue;
    if (scan.indent[at]! > indent || isText(quiet, at)) {
      if (!isLeft) end = at;
      continue;
    }
    const text = scan.line(at, 40);
    if (closer.test(text)) {
      if (scan.indent[at] === indent) end = at;
      break;
    }
    if (scan.indent[at]! < indent) {
      if (isOpen) break;
      isLeft = true;
    } else if (isCloser(scan.firstByte[at]!) && end === at - 1) end = at;
    else if (!clauses.test(text)) break;
    else if (clauses !== CLAUSES && !isLeft) end = at;
  }
  return { end, stop: at };
}

function hasClauses(kind: DefinitionKind): boolean {
  return kind !== 'constant' && kind !== 'type' && kind !== 'variable';
}

/** Whether a line begins in a string, so that its indentation means nothing. */
export function isText(quiet: Uint8Array, line: number): boolean {
  return (quiet[line]! & TEXT) !== 0;
}

export function isCloser(first: number): boolean {
  return first === CLOSE_BRACE || first === CLOSE_PARENTHESIS || first === CLOSE_BRACKET;
}
