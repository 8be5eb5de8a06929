import { BraceMatcher } from './braces.ts';
import { afterAttributes, afterMacros } from './attributes.ts';
import {
  BlockEnds,
  closerEnd,
  continuedEnd,
  isCloser,
  isText,
  lastCodeByte,
  partEnd,
  sqlEnd,
  withEndsOfLabels,
} from './ends.ts';
import { Groups } from './groups.ts';
import { Headings } from './headings.ts';
import { leadingLines, type FileLines } from './leading.ts';
import type { DefinitionKind, Language } from './language.ts';
import { Members, membersOnLine } from './members.ts';
import type { SourceScan } from './scanner.ts';
import { Sections } from './sections.ts';

/** A definition in a file. Lines count from 0; `end` is its last line. */
export interface Definition {
  readonly name: string;
  readonly kind: DefinitionKind;
  /** The innermost class, module or function around the definition, or the type named on its line. */
  readonly container?: string;
  /** First line, with the comment, decorators or attributes that belong to the definition. */
  readonly start: number;
  /** The line with the name. */
  readonly line: number;
  readonly end: number;
}

const MAX_NAME = 120;
/** Limit for generated files, which may hold a hundred thousand constants; the rest are found by their text alone. */
const MAX_DEFINITIONS = 20_000;
/** Largest distance from a function's name to its opening brace: a signature with one parameter a line. */
const MAX_SIGNATURE_LINES = 24;
/** Largest distance up to the brace that encloses a member. */
const MAX_MEMBERS_LINES = 2000;

const code = (character: string): number => character.charCodeAt(0);
const HASH = code('#');
const OPEN_BRACE = code('{');
const CLOSE_BRACE = code('}');
const OPEN_PARENTHESIS = code('(');
const CLOSE_PARENTHESIS = code(')');
const SEMICOLON = code(';');
const COLON = code(':');
const DASH = code('-');
const COMMA = code(',');
const GREATER = code('>');
const EQUALS = code('=');
const UNDERSCORE = code('_');
const LETTER_F = code('f');
const LETTER_U = code('u');
const LETTER_N = code('n');

/** Signs that may begin a definition: of a selector, a directive, a method of Objective-C. */
const SIGNS: ReadonlySet<number> = new Set(Buffer.from('.#$%@-+<{'));
/** Pattern of the name after a body: `} name_t;`. */
const AFTER_BODY = /\}\s*(?:__\w+(?:\([^)]*\)+)?\s+)*\*?\s*(\w+)[^{}]*$/;

/** Pattern of the line between two types of a union: `} | {`. */
const NEXT_TYPE = /^\s*\}\s*[|&]/;

const KINDS_WITH_MEMBERS: ReadonlySet<DefinitionKind> = new Set(['class', 'enum', 'extension', 'interface', 'struct']);

/** State of the file under analysis; `quiet` is not 0 for each line that defines nothing. */
interface AnalyzedFile extends FileLines {
  readonly braces: BraceMatcher;
  readonly ends: BlockEnds;
  /** Indentations of definitions whose brace nothing closes, up to the end of the file. */
  readonly unclosed: Set<number>;
}

/** Definitions of a file, in the order of their first lines. */
export function findDefinitions(
  scan: SourceScan,
  language: Language,
  quiet: Uint8Array,
  isLeader: (identifier: number) => boolean,
): Definition[] {
  if (language.patterns.length === 0 && !language.headings && !language.sections) return [];
  const file: AnalyzedFile = {
    scan,
    language,
    quiet,
    braces: new BraceMatcher(scan, language),
    ends: new BlockEnds(),
    unclosed: new Set(),
  };
  const found: Definition[] = [];
  const groups = new Groups(scan, language);
  const members = new Members(scan, language, quiet);
  const headings = language.headings
    ? new Headings(scan, quiet, language.headings)
    : language.sections && new Sections(scan, quiet, language.sections);
  /** The definitions whose value is a name, by their indices. */
  const values = new Map<number, string>();
  /** Lines whose name is that of the block which ends there. */
  const named = new Set<number>();
  const add = (line: number, name: string, kind: DefinitionKind, container?: string): void => {
    const definition = {
      name: name.normalize().slice(0, MAX_NAME),
      kind,
      start: leadingLines(file, line, kind, found.at(-1)?.line ?? -1),
      line,
      end: headings?.sectionEnd(line) ?? blockEnd(file, line, kind),
    };
    found.push(
      container === undefined ? definition : { ...definition, container: container.normalize().slice(0, MAX_NAME) },
    );
    const hasMembers = KINDS_WITH_MEMBERS.has(kind) || (kind === 'module' && language.needsBody);
    if (hasMembers && isBraced(file, line, kind)) members.open(definition);
  };
  /** Adds the members of an enum that begins and ends on its line. */
  const addOnLine = (line: number, container: string): void => {
    for (const name of membersOnLine(scan.line(line, 300))) add(line, name, 'constant', container);
  };
  /** Adds a definition whose name follows its closing brace; of one without a name, the members are definitions. */
  const addLate = (line: number, kind: DefinitionKind): void => {
    const end = blockEnd(file, line, kind);
    const name = AFTER_BODY.exec(scan.line(end, 300))?.[1];
    if (name === undefined) members.open({ name: '', kind, line, end });
    else add(line, name, kind);
    if (name !== undefined) named.add(end);
    if (end === line && kind === 'enum') addOnLine(line, name ?? 'enum');
  };
  /** Objective-C declares methods as other languages define them. */
  const needsBody = (line: number): boolean => language.needsBody === true && !SIGNS.has(scan.firstByte[line]!);
  /** Adds the definition of the first pattern that applies. */
  const addMatch = (line: number, text: string): boolean => {
    for (const [pattern, kind, contained] of language.patterns) {
      if (contained !== undefined && !text.includes(contained)) continue;
      const match = pattern.exec(text);
      if (match?.groups?.late !== undefined) {
        addLate(line, kind);
        return true;
      }
      const name = match?.groups?.name ?? match?.[1];
      if (name === undefined) continue;
      const { container, key, value } = match?.groups ?? {};
      if (needsBody(line) && (kind === 'function' || kind === 'method') && !hasBody(scan, line)) continue;
      if (key !== undefined && !isInBraces(scan, line)) continue;
      if (value !== undefined) values.set(found.length, value);
      add(line, name, kind, container === 'this' ? undefined : container);
      if (kind === 'enum' && isBraced(file, line, kind)) addOnLine(line, name);
      return true;
    }
    return false;
  };
  for (let line = 0; line < scan.lineCount && found.length < MAX_DEFINITIONS; line++) {
    if (quiet[line] || named.has(line)) continue;
    const enumerators = members.enumerators(line);
    for (const name of enumerators) add(line, name, 'constant', members.container);
    if (enumerators.length > 0) continue;
    const title = headings?.title(line);
    if (title !== undefined) add(line, title, language.headings ? 'heading' : 'section');
    if (title !== undefined || language.patterns.length === 0) continue;
    const member = groups.member(line);
    const text = member ?? candidate(scan, language, line, isLeader);
    if (text !== undefined && member === undefined && groups.opens(text)) continue;
    if (text !== undefined && addMatch(line, text)) continue;
    const inner = members.member(line);
    if (inner !== undefined && (!language.needsBody || hasBody(scan, line)))
      add(line, inner.name, inner.kind, inner.container);
  }
  if (language.style === 'label') return withEndsOfLabels(scan, found);
  return nest(scan, language, withKindsOfValues(found, values));
}

/** Gives a definition such as `exports.x = y` the kind of `y`, where the file defines that. */
function withKindsOfValues(found: readonly Definition[], values: ReadonlyMap<number, string>): readonly Definition[] {
  if (values.size === 0) return found;
  const kinds = new Map<string, DefinitionKind>();
  for (const [i, { name, kind }] of found.entries()) if (!values.has(i) && !kinds.has(name)) kinds.set(name, kind);
  return found.map((definition, i) => ({ ...definition, kind: kinds.get(values.get(i) ?? '') ?? definition.kind }));
}

/**
 * Names each definition's container, and leaves out variables of functions. A function inside a class is a method, whichever keyword
 * the language uses.
 */
function nest(scan: SourceScan, language: Language, definitions: readonly Definition[]): Definition[] {
  const open: Definition[] = [];
  let fileModule: string | undefined;
  return definitions.flatMap((definition) => {
    while (open.length > 0 && open.at(-1)!.end < definition.line) open.pop();
    const parent = open.at(-1);
    const isLocal = parent?.kind === 'function' || parent?.kind === 'method';
    const isValue = definition.kind === 'variable' || (definition.kind === 'constant' && language.style === 'end');
    if (isLocal && isValue && definition.line !== parent.line) return [];
    open.push(definition);
    const isInType = parent !== undefined && KINDS_WITH_MEMBERS.has(parent.kind);
    const kind = definition.kind === 'function' && isInType ? 'method' : definition.kind;
    let { container } = definition;
    if (parent && isMember(scan, definition, parent, language)) container ??= parent.name;
    if (!parent) container ??= fileModule;
    if (language.fileModules && kind === 'module' && scan.lastByte[definition.line] === SEMICOLON) {
      fileModule = definition.name;
      return definition;
    }
    if (kind === definition.kind && container === definition.container) return definition;
    return { ...definition, kind, ...(container !== undefined && { container }) };
  });
}

/**
 * Rejects a definition that is not indented further than its container, unless that is a module: the container's end
 * was guessed wrong.
 */
function isMember(scan: SourceScan, definition: Definition, parent: Definition, language: Language): boolean {
  if (definition.kind === 'macro' || parent.kind === 'macro') return false;
  if (definition.kind === 'heading' || parent.kind === 'heading') return false;
  if (parent.kind === 'module' || (language.closer && language.style === 'brace')) return true;
  return scan.indent[definition.line]! > scan.indent[parent.line]!;
}

/** The text of a line that may define something, without attributes before it. */
function candidate(scan: SourceScan, language: Language, line: number, isLeader: (identifier: number) => boolean) {
  const { attributes, leaders } = language;
  if (attributes !== undefined && scan.firstByte[line] === code(attributes) && scan.indent[line]! >= 0) {
    const text = afterAttributes(scan.line(line, 300), language);
    if (text === '') return undefined;
    const first = /\w+/.exec(text)?.[0] ?? '';
    return leaders.includes(first) || isCandidate(scan, language, line, isLeader) ? text : undefined;
  }
  if (!isCandidate(scan, language, line, isLeader)) return undefined;
  return language.attributeMacros ? afterMacros(scan.line(line, 300)) : scan.line(line, 300);
}

function isCandidate(
  scan: SourceScan,
  language: Language,
  line: number,
  isLeader: (identifier: number) => boolean,
): boolean {
  if (scan.indent[line]! < 0) return false;
  const token = scan.firstToken[line]!;
  if (token < scan.firstToken[line + 1]! && isLeader(scan.tokens[token]!)) return true;
  for (const shape of language.shapes) {
    if (shape === 'any') return true;
    const first = scan.firstByte[line]!;
    if (shape === 'constant' && first >= 65 && first <= 90 && contains(scan, line, EQUALS)) return true;
    if (
      shape === 'column0' &&
      scan.indent[line] === 0 &&
      (isLetter(first) || (first === CLOSE_BRACE && token < scan.firstToken[line + 1]!))
    )
      return true;
    if (shape === 'sign' && SIGNS.has(first)) return true;
    if (shape === 'call' && isCallWithBlock(scan, line)) return true;
    if (shape === 'binding' && isBinding(scan, line)) return true;
  }
  return false;
}

/** Matches `name(…) {`, with the brace on the next line, with a body of one line, or with one parameter a line. */
function isCallWithBlock(scan: SourceScan, line: number): boolean {
  const last = lastCodeByte(scan, line);
  if (last === OPEN_PARENTHESIS) return closesIntoBlock(scan, line);
  const nextOpens = line + 1 < scan.lineCount && scan.firstByte[line + 1] === OPEN_BRACE;
  const opens = last === OPEN_BRACE || nextOpens || (last === CLOSE_BRACE && contains(scan, line, OPEN_BRACE));
  return opens && contains(scan, line, OPEN_PARENTHESIS);
}

/** Matches `name = (…) =>` and `key: function`: a possible name, one of the two signs, then an arrow or `function`. */
function isBinding(scan: SourceScan, line: number): boolean {
  const { bytes } = scan;
  const end = scan.lineStart[line + 1]!;
  let at = scan.lineStart[line]!;
  while (at < end && bytes[at] !== COLON && bytes[at] !== EQUALS) {
    if (bytes[at] === OPEN_PARENTHESIS || bytes[at] === OPEN_BRACE) return false;
    at++;
  }
  for (at++; at < end; at++) {
    if (bytes[at + 1] === GREATER && (bytes[at] === EQUALS || bytes[at] === DASH)) return true;
    if (bytes[at] === LETTER_F && bytes[at + 1] === LETTER_U && bytes[at + 2] === LETTER_N) return true;
  }
  return false;
}

/** Whether a line is enclosed by a block or an object, rather than by a list of parameters. */
function isInBraces(scan: SourceScan, line: number): boolean {
  const limit = Math.max(0, line - MAX_MEMBERS_LINES);
  let above = line - 1;
  while (above > limit && (scan.indent[above]! < 0 || scan.indent[above]! >= scan.indent[line]!)) above--;
  return above >= 0 && lastCodeByte(scan, above) === OPEN_BRACE;
}

function closesIntoBlock(scan: SourceScan, line: number): boolean {
  const limit = Math.min(scan.lineCount, line + MAX_SIGNATURE_LINES);
  for (let at = line + 1; at < limit; at++) {
    if (scan.indent[at]! > scan.indent[line]!) continue;
    return scan.firstByte[at] === CLOSE_PARENTHESIS && scan.lastByte[at] === OPEN_BRACE;
  }
  return false;
}

function hasBody(scan: SourceScan, line: number): boolean {
  const indent = scan.indent[line]!;
  const limit = Math.min(scan.lineCount, line + MAX_SIGNATURE_LINES);
  // A macro or attribute in parentheses may be on the line before a function.
  if (lastCodeByte(scan, line) === CLOSE_PARENTHESIS && line + 1 < limit) {
    if (scan.indent[line + 1] === indent && isLetter(scan.firstByte[line + 1]!)) return false;
  }
  for (let at = line; at < limit; at++) {
    const last = lastCodeByte(scan, at);
    if (last === OPEN_BRACE || (at > line && scan.firstByte[at] === OPEN_BRACE)) return true;
    if (last === CLOSE_BRACE && contains(scan, at, OPEN_BRACE)) return true;
    if (last === SEMICOLON || scan.indent[at]! < 0 || (at > line && scan.indent[at]! < indent)) return false;
  }
  return false;
}

/** Head of `@interface` and the like, also behind macros. */
const MARKED_HEAD = /^(?:[A-Z_]+\s+)*@/;

/** Whether braces enclose the body of a definition, as in Verilog that of a type alone. */
function isBraced({ scan, language }: AnalyzedFile, line: number, kind: DefinitionKind): boolean {
  if (language.style !== 'end') return language.style === 'brace';
  return (kind === 'enum' || kind === 'struct') && lastCodeByte(scan, line) === OPEN_BRACE;
}

function blockEnd(file: AnalyzedFile, line: number, kind: DefinitionKind): number {
  const { scan, language } = file;
  if (kind === 'macro' && scan.firstByte[line] === HASH && language.attributes !== '#') return continuedEnd(scan, line);
  if (language.style === 'line' || language.style === 'label') return line;
  if (language.style === 'statement') return sqlEnd(scan, line);
  if (language.closer && MARKED_HEAD.test(scan.line(line, 80))) return closerEnd(scan, line, language.closer);
  if (language.style === 'indent') return indentedEnd(file, line, kind);
  const part = language.isNamedByFile && kind === 'function' ? partEnd(scan, line) : undefined;
  if (part !== undefined) return part;
  if (!isBraced(file, line, kind)) return file.ends.endOf(file, line, kind);
  const body = braceBody(file, line, KINDS_WITH_MEMBERS.has(kind));
  if (body < 0) return statementEnd(scan, line);
  return kind === 'module' ? moduleEnd(file, line, body) : closingBrace(file, line, body);
}

/**
 * The last line of a module. The content of a namespace need not be indented: then its end is found by counting, or is
 * the end of the file.
 */
function moduleEnd(file: AnalyzedFile, line: number, body: number): number {
  const { scan } = file;
  let inside = body + 1;
  while (inside < scan.lineCount && scan.indent[inside]! < 0) inside++;
  const isIndented = inside < scan.lineCount && scan.indent[inside]! > scan.indent[line]!;
  if (isIndented) return closingBrace(file, line, body);
  return countedEnd(file, line, body) ?? lastVisible(scan, scan.lineCount - 1, line);
}

/** The line that closes the block by its braces, if that has the indentation of the definition. */
function countedEnd({ scan, braces }: AnalyzedFile, line: number, body: number): number | undefined {
  const end = braces.closingLine(body);
  return end >= 0 && scan.firstByte[end] === CLOSE_BRACE && scan.indent[end] === scan.indent[line] ? end : undefined;
}

/**
 * The line on which the block of the statement at `line` opens, or -1 if the statement ends without one. The head of a
 * type may have blank lines, comments and preprocessor lines in it.
 */
function braceBody({ scan, quiet }: AnalyzedFile, line: number, isType: boolean): number {
  const indent = scan.indent[line]!;
  const limit = Math.min(scan.lineCount, line + MAX_SIGNATURE_LINES);
  for (let at = line; at < limit; at++) {
    const first = scan.firstByte[at]!;
    const last = scan.lastByte[at]!;
    if (isType && at > line && (scan.indent[at]! < 0 || quiet[at] !== 0 || first === HASH)) continue;
    if (scan.indent[at]! < 0) return -1;
    if (at > line && scan.indent[at]! <= indent && !isContinuation(first) && !isClause(scan, at)) return -1;
    if (opensBrace(scan, at)) return at;
    if (last === SEMICOLON || last === CLOSE_BRACE) return -1;
    // After `=` or `=>` comes an expression; a block inside it ends at its own indentation, not at this one.
    if (last === EQUALS || (last === GREATER && scan.line(at).trimEnd().endsWith('=>'))) return -1;
  }
  return -1;
}

/** Whether more braces open on a line than close. */
function opensBrace(scan: SourceScan, line: number): boolean {
  let open = 0;
  const end = scan.lineStart[line + 1]!;
  for (let at = scan.lineStart[line]!; at < end; at++) {
    if (scan.bytes[at] === OPEN_BRACE) open++;
    else if (scan.bytes[at] === CLOSE_BRACE && open > 0) open--;
  }
  return open > 0;
}

/**
 * Whether a line holds bounds or supertypes, which may be between a head and its block at the indentation of the head.
 */
function isClause(scan: SourceScan, line: number): boolean {
  return /^\s*(?:where|extends|implements|permits|with)\b/.test(scan.line(line, 200));
}

function isContinuation(first: number): boolean {
  return isCloser(first) || first === OPEN_BRACE || first === COLON || first === COMMA || first === GREATER;
}

/** The first line after `body` that closes a block at the definition's own indentation or left of it. */
function closingBrace(file: AnalyzedFile, line: number, body: number): number {
  const { scan, quiet } = file;
  const indent = scan.indent[line]!;
  const limit = file.unclosed.has(indent) ? 0 : scan.lineCount;
  for (let at = body + 1; at < limit; at++) {
    if (scan.indent[at]! < 0 || scan.indent[at]! > indent || isText(quiet, at)) continue;
    const closes = scan.firstByte[at] === CLOSE_BRACE;
    if (closes && scan.lastByte[at] === OPEN_BRACE && NEXT_TYPE.test(scan.line(at, 80))) continue;
    if (closes && scan.indent[at] === indent && !isFollowedByInner(scan, at)) return at;
    // Either text of a string left of its code, or a file whose indentation does not match its braces.
    if (closes) return countedEnd(file, line, body) ?? at;
    if (scan.indent[at]! < indent && scan.firstByte[at] !== HASH) return countedEnd(file, line, body) ?? at - 1;
  }
  file.unclosed.add(indent);
  return lastVisible(scan, scan.lineCount - 1, line);
}

/** Whether the next visible line is indented further, unlike the line after a block. */
function isFollowedByInner(scan: SourceScan, line: number): boolean {
  let next = line + 1;
  while (next < scan.lineCount && scan.indent[next]! < 0) next++;
  return next < scan.lineCount && scan.indent[next]! > scan.indent[line]!;
}

/**
 * Last line of a definition without a block: its own line, or the last one below that is indented further if the
 * statement continues.
 */
function statementEnd(scan: SourceScan, line: number): number {
  const indent = scan.indent[line]!;
  if (scan.lastByte[line] === SEMICOLON || scan.lastByte[line] === CLOSE_BRACE) return line;
  let end = line;
  for (let at = line + 1; at < scan.lineCount && scan.indent[at]! >= 0; at++) {
    if (scan.indent[at]! <= indent) {
      return end > line && scan.indent[at] === indent && isCloser(scan.firstByte[at]!) ? at : end;
    }
    end = at;
  }
  return end;
}

/** Type of a name in Haskell and Elm, which begins another definition. */
const SIGNATURE = /^\s*[\w']+\s*:/;

/** Last line of a definition in Python and similar languages: the last one that is indented further. */
function indentedEnd({ scan, language, quiet }: AnalyzedFile, line: number, kind: DefinitionKind): number {
  const indent = scan.indent[line]!;
  const repeatsName =
    language.repeatsName === true && kind === 'function' && !language.leaders.includes(firstWord(scan, line));
  let end = line;
  for (let at = line + 1; at < scan.lineCount; at++) {
    if (scan.indent[at]! < 0) continue;
    if (scan.indent[at]! <= indent && !isText(quiet, at)) {
      const first = scan.firstByte[at]!;
      if (isCloser(first) && scan.indent[at] === indent && end === at - 1) {
        end = at;
        continue;
      }
      if (language.closer?.test(scan.line(at, 40)) && scan.indent[at] === indent) return at;
      if (repeatsName && sameFirstToken(scan, at, line) && !SIGNATURE.test(scan.line(at, 80))) {
        end = at;
        continue;
      }
      break;
    }
    end = at;
  }
  return end;
}

function firstWord(scan: SourceScan, line: number): string {
  return /\w+/.exec(scan.line(line, 80))?.[0] ?? '';
}

function sameFirstToken(scan: SourceScan, one: number, other: number): boolean {
  return scan.tokens[scan.firstToken[one]!] === scan.tokens[scan.firstToken[other]!];
}

function lastVisible(scan: SourceScan, from: number, notBefore: number): number {
  let line = from;
  while (line > notBefore && scan.indent[line]! < 0) line--;
  return line;
}

function isLetter(byte: number): boolean {
  return (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || byte === UNDERSCORE || byte >= 128;
}

function contains(scan: SourceScan, line: number, byte: number): boolean {
  const end = scan.lineStart[line + 1]!;
  for (let at = scan.lineStart[line]!; at < end; at++) if (scan.bytes[at] === byte) return true;
  return false;
}
