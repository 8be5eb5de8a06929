import { afterAttributes } from './attributes.ts';
import { allLetters, type DefinitionKind, type Language } from './language.ts';
import type { SourceScan } from './scanner.ts';
import { isLevel } from './tabs.ts';

/**
 * Pattern of an enum's member. Anything else in an enum has a type or a keyword before its name, except the names
 * excluded here.
 */
const MEMBER = allLetters(/^\s*,?\s*(?:case\s+)?(?!(?:init|static|subscript)\b)([a-zA-Z_]\w*)\s*(?:[=,;({]|\/[/*]|$)/);
const NEXT_MEMBER = allLetters(/^\s*([a-zA-Z_]\w*)\s*(?:=[^=]*)?;?\s*$/);

/** The members that follow the first one of a list, as far as no bracket or string is between them. */
function membersAfter(list: string): string[] {
  const [plain = ''] = /^[^'"`({[/}]*/.exec(list) ?? [];
  return plain
    .split(',')
    .slice(1)
    .flatMap((part) => NEXT_MEMBER.exec(part)?.[1] ?? []);
}

/** The members of an enum that is on one line: `enum Rig { SLOOP, KETCH }`. */
export function membersOnLine(text: string): string[] {
  const list = /\{([^{}]*)\}/.exec(text)?.[1];
  if (list === undefined) return [];
  const first = MEMBER.exec(list.replace(/;.*$/, ''))?.[1];
  return first === undefined ? [] : [first, ...membersAfter(list)];
}

interface Type {
  readonly name: string;
  readonly kind: DefinitionKind;
  readonly line: number;
  readonly end: number;
}

export interface Member {
  readonly name: string;
  readonly kind: 'function' | 'method' | 'variable';
  /** The type named on the line. */
  readonly container?: string;
}

interface Open extends Type {
  /** The first member, which has the indentation of all. */
  readonly first: number;
  /** The line that opens the body. */
  readonly body: number;
}

/** Largest distance from the name of a type to its brace. */
const MAX_HEAD_LINES = 24;
/** Largest distance from the brace to the first member. */
const MAX_COMMENT_LINES = 200;
const NONE: readonly string[] = [];
const COMMA = ','.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const OPEN_BRACE = '{'.charCodeAt(0);

/** Finds members by their position: one a line in the body of their type, all indented like the first. */
export class Members {
  readonly #scan: SourceScan;
  readonly #language: Language;
  readonly #quiet: Uint8Array;
  readonly #open: Open[] = [];

  constructor(scan: SourceScan, language: Language, quiet: Uint8Array) {
    this.#scan = scan;
    this.#language = language;
    this.#quiet = quiet;
  }

  /** The container of the members of the current line: an enum without a name is called `enum`. */
  get container(): string {
    const { name = '' } = this.#open.at(-1) ?? {};
    return name === '' ? 'enum' : name;
  }

  open(type: Type): void {
    if (type.kind !== 'enum' && this.#language.signature === undefined) return;
    const body = this.#bodyOf(type);
    const first = this.#firstIn(body, type.end);
    const isInside =
      first > body && (type.kind === 'enum' || this.#scan.indent[first]! > this.#scan.indent[type.line]!);
    if (isInside) this.#open.push({ ...type, body, first });
  }

  /** The names of an enum's members on a line. Call it for each line in order. */
  enumerators(line: number): readonly string[] {
    const type = this.#typeAt(line);
    if (type?.kind !== 'enum') return NONE;
    const text = this.#text(line);
    const first = MEMBER.exec(text)?.[1];
    // A constructor has the name of its type.
    if (first === undefined || first === type.name) return NONE;
    return [first, ...membersAfter(text.slice(text.indexOf(first)))];
  }

  /** A method or property of a type, or a function of a namespace, on a line, which there needs neither modifiers nor a body. */
  member(line: number): Member | undefined {
    const type = this.#typeAt(line);
    if (type === undefined || type.kind === 'enum') return undefined;
    const groups = this.#language.signature?.exec(this.#text(line))?.groups;
    if (groups === undefined) return undefined;
    if (groups.property !== undefined) return { name: groups.property, kind: 'variable' };
    const name = groups.name ?? (groups.type === type.name ? groups.type : undefined);
    if (name === undefined) return undefined;
    const { container } = groups;
    const kind = type.kind === 'module' && container === undefined ? 'function' : 'method';
    return { name, kind, ...(container !== undefined && { container }) };
  }

  #typeAt(line: number): Open | undefined {
    if (this.#open.length === 0) return undefined;
    while (this.#open.length > 0 && this.#open.at(-1)!.end <= line) this.#open.pop();
    const type = this.#open.at(-1);
    if (!type || line <= type.body) return undefined;
    if (this.#scan.indent[line] === this.#scan.indent[type.first]) return type;
    // A comma before a member takes the place of a space.
    const isMember =
      type.kind === 'enum' && (this.#scan.firstByte[line] === COMMA || isLevel(this.#scan, line, type.first));
    return isMember ? type : undefined;
  }

  #bodyOf({ line, end }: Type): number {
    const limit = Math.min(end, line + MAX_HEAD_LINES);
    for (let at = line; at < limit; at++) if (this.#scan.lastByte[at] === OPEN_BRACE) return at;
    return line;
  }

  #firstIn(body: number, end: number): number {
    const { indent } = this.#scan;
    for (let at = body + 1; at < Math.min(end, body + MAX_COMMENT_LINES); at++)
      if (indent[at]! >= 0 && this.#quiet[at] === 0 && !this.#isLabel(at)) return at;
    return -1;
  }

  /** Whether a line is a label such as `public:`, which is left of the members. */
  #isLabel(line: number): boolean {
    return this.#scan.lastByte[line] === COLON && !this.#scan.line(line, 300).includes('(');
  }

  #text(line: number): string {
    return afterAttributes(this.#scan.line(line, 300), this.#language);
  }
}
