/*
 * Syntax of regular expressions: that of RE2, https://github.com/google/re2/wiki/Syntax. Parsed here as well as by the library
 * that matches, since that is loaded only for a search, and a query's problems are needed before.
 */

/** Kinds of characters, by which an analyzer splits a name: bits of a mask. */
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
/** Any other ASCII character. */
export const OTHER = 8;
/** Any character that is not ASCII. */
export const FOREIGN = 16;
export const ANY = LOWER | UPPER | DIGIT | OTHER | FOREIGN;

export type RegexNode =
  | { readonly kind: 'character'; readonly text: string; readonly ignoresCase: boolean }
  /** One of a set of characters; `mask` has their kinds. */
  | { readonly kind: 'set'; readonly mask: number }
  /** A position at which a name begins or ends, or, if it is no border, is between two characters of one kind. */
  | { readonly kind: 'position'; readonly isBorder: boolean }
  | { readonly kind: 'sequence'; readonly nodes: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly nodes: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly node: RegexNode; readonly min: number; readonly max: number };

/** An expression that cannot be searched for; `at` is the offset of the fault in its text. */
export interface RegexFault {
  readonly message: string;
  readonly at: number;
}

/** Limits of RE2. */
const MAX_REPEATS = 1000;
const MAX_DEPTH = 200;

/** Parses an expression; only the flag `i` matters here. */
export function parseRegex(text: string, flags: string): RegexNode | RegexFault {
  try {
    return new RegexParser(text, flags).parse();
  } catch (error) {
    if (error instanceof Fault) return { message: error.message, at: error.at };
    throw error;
  }
}

export function isFault(parsed: RegexNode | RegexFault): parsed is RegexFault {
  return 'message' in parsed;
}

class Fault extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** ASCII characters by number, and whether any other is in the set. */
class CharacterSet {
  readonly #ascii = new Uint8Array(128);
  #isForeign = false;

  add(from: number, to = from): void {
    for (let code = from; code <= to && code < 128; code++) this.#ascii[code] = 1;
    if (to >= 128) this.#isForeign = true;
  }

  /** Adds the members of another set, or all characters that are not in it. */
  addSet(other: CharacterSet, isNegated: boolean): void {
    for (let code = 0; code < 128; code++) if ((other.#ascii[code] === 1) !== isNegated) this.add(code);
    // Which other characters are in a set is not known.
    if (isNegated || other.#isForeign) this.#isForeign = true;
  }

  ignoreCase(): void {
    for (let code = 0x41; code <= 0x5a; code++) {
      const has = this.#ascii[code]! | this.#ascii[code + 32]!;
      this.#ascii[code] = has;
      this.#ascii[code + 32] = has;
    }
    // Two letters beyond ASCII are forms of k and s.
    this.#isForeign ||= this.#ascii[0x6b] === 1 || this.#ascii[0x73] === 1;
    if (this.#isForeign) for (const letter of 'ksKS') this.add(letter.charCodeAt(0));
  }

  toNode(): RegexNode {
    let mask = this.#isForeign ? FOREIGN : 0;
    for (let code = 0; code < 128; code++) if (this.#ascii[code] === 1) mask |= kindOf(code);
    return { kind: 'set', mask };
  }
}

/** The kind of a character by its code. */
export function kindOf(code: number): number {
  if (code >= 128) return FOREIGN;
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  return code >= 0x30 && code <= 0x39 ? DIGIT : OTHER;
}

const setOf = (...ranges: readonly (readonly [from: string, to: string])[]): CharacterSet => {
  const set = new CharacterSet();
  for (const [from, to] of ranges) set.add(from.charCodeAt(0), to.charCodeAt(0));
  return set;
};

const DIGITS = setOf(['0', '9']);
const SPACES = setOf(['\t', '\n'], ['\f', '\r'], [' ', ' ']);
const WORDS = setOf(['a', 'z'], ['A', 'Z'], ['0', '9'], ['_', '_']);
const CLASSES: Readonly<Record<string, CharacterSet>> = { d: DIGITS, s: SPACES, w: WORDS };

/** Classes such as `[:alpha:]`. */
const POSIX: Readonly<Record<string, CharacterSet>> = {
  alnum: setOf(['a', 'z'], ['A', 'Z'], ['0', '9']),
  alpha: setOf(['a', 'z'], ['A', 'Z']),
  ascii: setOf(['\0', '\x7f']),
  blank: setOf(['\t', '\t'], [' ', ' ']),
  cntrl: setOf(['\0', '\x1f'], ['\x7f', '\x7f']),
  digit: DIGITS,
  graph: setOf(['!', '~']),
  lower: setOf(['a', 'z']),
  print: setOf([' ', '~']),
  punct: setOf(['!', '/'], [':', '@'], ['[', '`'], ['{', '~']),
  space: setOf(['\t', '\r'], [' ', ' ']),
  upper: setOf(['A', 'Z']),
  word: WORDS,
  xdigit: setOf(['0', '9'], ['a', 'f'], ['A', 'F']),
};

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const LOOKAROUND = /^\(\?<?[=!]/;
const GROUP = /^\(\?(?:P?<(?<name>[^>]*)>|(?<flags>[a-zA-Z]*(?:-[a-zA-Z]+)?)(?<end>[:)]))/;
const COUNT = /^\{(?<min>\d+)(?:(?<comma>,)(?<max>\d*))?\}/;

class RegexParser {
  readonly #text: string;
  #ignoresCase: boolean;
  #at = 0;
  #depth = 0;
  readonly #names = new Set<string>();

  constructor(text: string, flags: string) {
    this.#text = text;
    this.#ignoresCase = flags.includes('i');
  }

  parse(): RegexNode {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new Fault('This ) closes nothing: write \\) for the character.', this.#at);
    return node;
  }

  #choice(): RegexNode {
    const before = this.#ignoresCase;
    if (++this.#depth > MAX_DEPTH) throw new Fault('These parentheses are too deep.', this.#at);
    const nodes = [this.#sequence()];
    while (this.#text[this.#at] === '|') {
      this.#at++;
      nodes.push(this.#sequence());
    }
    this.#depth--;
    this.#ignoresCase = before;
    return nodes.length === 1 ? nodes[0]! : { kind: 'choice', nodes };
  }

  #sequence(): RegexNode {
    const nodes: RegexNode[] = [];
    while (this.#at < this.#text.length && !/[|)]/.test(this.#text[this.#at]!)) {
      const start = this.#at;
      if (this.#literalText(nodes)) continue;
      // After a group of flags alone, a repetition is that of the part before.
      const node = this.#atom() ?? nodes.pop();
      if (node) nodes.push(this.#repeated(node, start));
    }
    return { kind: 'sequence', nodes };
  }

  /** Parses `\Q…\E`, text without meaning. */
  #literalText(nodes: RegexNode[]): boolean {
    if (!this.#text.startsWith('\\Q', this.#at)) return false;
    const end = this.#text.indexOf('\\E', this.#at);
    const literal = this.#text.slice(this.#at + 2, end < 0 ? undefined : end);
    const start = this.#at;
    this.#at = end < 0 ? this.#text.length : end + 2;
    const characters = Array.from(literal, (text) => this.#character(text));
    // After an empty text, a repetition is that of the part before.
    const last = characters.pop() ?? nodes.pop();
    nodes.push(...characters);
    if (last) nodes.push(this.#repeated(last, start));
    return true;
  }

  #atom(): RegexNode | undefined {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at)!);
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '\\':
        return this.#escape();
      case '.':
        this.#at++;
        return { kind: 'set', mask: ANY };
      case '^':
      case '$':
        this.#at++;
        return { kind: 'position', isBorder: true };
      case '*':
      case '+':
      case '?':
        throw new Fault(`There is nothing before this ${character} to repeat: write \\${character}.`, this.#at);
      default:
        if (character === '{' && COUNT.test(this.#text.slice(this.#at))) {
          throw new Fault('There is nothing before this { to repeat: write \\{.', this.#at);
        }
        this.#at += character.length;
        return this.#character(character);
    }
  }

  #character(text: string): RegexNode {
    return { kind: 'character', text, ignoresCase: this.#ignoresCase };
  }

  /** Parses `(…)`, `(?:…)`, `(?i:…)` and `(?<name>…)`; `(?i)` has no node. */
  #group(): RegexNode | undefined {
    const start = this.#at;
    const rest = this.#text.slice(start);
    if (!rest.startsWith('(?')) {
      this.#at++;
      return this.#closed(start);
    }
    if (LOOKAROUND.test(rest)) {
      throw new Fault('Looking ahead and behind is not supported: it may take too long.', start);
    }
    const match = GROUP.exec(rest);
    const { name, flags = '', end } = match?.groups ?? {};
    if (!match || /[^imsU-]/.test(flags) || (name !== undefined && !/^\w+$/.test(name))) {
      throw new Fault('This kind of parentheses is not supported: use (…) or (?:…).', start);
    }
    if (name !== undefined && this.#names.has(name)) throw new Fault('This name of a group occurs twice.', start);
    if (name !== undefined) this.#names.add(name);
    this.#at += match[0].length;
    const before = this.#ignoresCase;
    const [on = '', off = ''] = flags.split('-');
    this.#ignoresCase = (before || on.includes('i')) && !off.includes('i');
    if (end === ')') return undefined;
    const node = this.#closed(start);
    this.#ignoresCase = before;
    return node;
  }

  #closed(start: number): RegexNode {
    const node = this.#choice();
    if (this.#text[this.#at] !== ')')
      throw new Fault('This ( is not closed: add ), or write \\( for the character.', start);
    this.#at++;
    // A group, so that what follows repeats all of it.
    return { kind: 'sequence', nodes: [node] };
  }

  #repeated(node: RegexNode, start: number): RegexNode {
    let repeated = node;
    for (let count = 0; ; count++) {
      const from = this.#at;
      const range = this.#range();
      if (!range) return repeated;
      if (count > 0) throw new Fault('This repeats a repetition: put parentheses around one of them.', from);
      if (this.#text[this.#at] === '?') this.#at++;
      const [min, max] = range;
      repeated = { kind: 'repeat', node, min, max };
      const largest = Math.max(min, max === Infinity ? 0 : max);
      if (largest > MAX_REPEATS || (largest >= 2 && repeatsOf(repeated) > MAX_REPEATS)) {
        throw new Fault(`A part may be repeated ${MAX_REPEATS} times.`, start);
      }
      if (max < min) throw new Fault('The first number must not be above the second.', from);
    }
  }

  #range(): readonly [number, number] | undefined {
    const sign = this.#text[this.#at];
    if (sign === '*' || sign === '+' || sign === '?') {
      this.#at++;
      return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity];
    }
    const count = sign === '{' ? COUNT.exec(this.#text.slice(this.#at, this.#at + 40)) : null;
    if (!count) return undefined;
    this.#at += count[0].length;
    const { min = '', comma, max } = count.groups!;
    if (comma === undefined) return [Number(min), Number(min)];
    return [Number(min), max === '' ? Infinity : Number(max)];
  }

  #escape(): RegexNode {
    const start = this.#at;
    const next = this.#text[start + 1];
    if (next === 'b' || next === 'B' || next === 'A' || next === 'z') {
      this.#at += 2;
      return { kind: 'position', isBorder: next !== 'B' };
    }
    if (next === 'C') throw new Fault('\\C is not supported.', start);
    const set = this.#escapedSet();
    if (set) {
      if (this.#ignoresCase) set.ignoreCase();
      return set.toNode();
    }
    return this.#character(String.fromCodePoint(this.#escapedCharacter()));
  }

  /** Parses `\d`, `\W`, `\p{Greek}` and their like. */
  #escapedSet(): CharacterSet | undefined {
    const letter = this.#text[this.#at + 1] ?? '';
    const known = CLASSES[letter.toLowerCase()];
    const set = new CharacterSet();
    if (known) {
      this.#at += 2;
      set.addSet(known, letter !== letter.toLowerCase());
      return set;
    }
    if (letter !== 'p' && letter !== 'P') return undefined;
    const name = /^\\[pP](?:\{\^?(\w+)\}|([A-Z]))/.exec(this.#text.slice(this.#at, this.#at + 60));
    if (!name || !isUnicodeClass(name[1] ?? name[2]!))
      throw new Fault('No class of characters has this name.', this.#at);
    this.#at += name[0].length;
    // Which ASCII characters such a class has is not looked up.
    set.add(0, 128);
    return set;
  }

  #escapedCharacter(): number {
    const start = this.#at;
    const rest = this.#text.slice(start + 1, start + 16);
    const hex = /^x(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{2}))/.exec(rest);
    const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
    if (hex) {
      const code = Number.parseInt(hex[1] ?? hex[2]!, 16);
      if (code <= 0x10ffff) {
        this.#at += 1 + hex[0].length;
        return code;
      }
    } else if (octal) {
      this.#at += 1 + octal[0].length;
      return Number.parseInt(octal[0], 8);
    }
    const character = rest[0];
    if (character === undefined) throw new Fault('A backslash is at the end: write \\\\ for the character.', start);
    const code =
      CONTROLS[character] ?? (/[^A-Za-z0-9\u0080-\uffff]/.test(character) ? character.charCodeAt(0) : undefined);
    if (code === undefined) {
      const what = /[1-9]/.test(character) ? 'Repeating a group' : `\\${character}`;
      throw new Fault(`${what} is not supported here.`, start);
    }
    this.#at += 2;
    return code;
  }

  #class(): RegexNode {
    const start = this.#at++;
    const isNegated = this.#text[this.#at] === '^';
    if (isNegated) this.#at++;
    const set = new CharacterSet();
    for (let isFirst = true; isFirst || this.#text[this.#at] !== ']'; isFirst = false) {
      if (this.#at >= this.#text.length) {
        throw new Fault('This [ is not closed: add ], or write \\[ for the character.', start);
      }
      this.#classPart(set);
    }
    this.#at++;
    if (this.#ignoresCase) set.ignoreCase();
    if (!isNegated) return set.toNode();
    const other = new CharacterSet();
    other.addSet(set, true);
    return other.toNode();
  }

  #classPart(set: CharacterSet): void {
    const rest = this.#text.slice(this.#at, this.#at + 200);
    if (rest.startsWith('[:') && rest.indexOf(':]', 1) > 0) {
      const posix = /^\[:(\^?)(\w+):\]/.exec(rest);
      const known = POSIX[posix?.[2] ?? ''];
      if (!posix || !known) throw new Fault('No class of characters has this name.', this.#at);
      this.#at += posix[0].length;
      set.addSet(known, posix[1] === '^');
      return;
    }
    const escaped = this.#text[this.#at] === '\\' ? this.#escapedSet() : undefined;
    if (escaped) {
      set.addSet(escaped, false);
      return;
    }
    const start = this.#at;
    const from = this.#classCharacter();
    const isRange = this.#text[this.#at] === '-' && !/^\]?$/.test(this.#text[this.#at + 1] ?? '');
    if (!isRange) {
      set.add(from);
      return;
    }
    this.#at++;
    const to = this.#classCharacter();
    if (to < from) throw new Fault('A range in these brackets runs backwards: write it as [a-z].', start);
    set.add(from, to);
  }

  #classCharacter(): number {
    if (this.#text[this.#at] === '\\') return this.#escapedCharacter();
    const code = this.#text.codePointAt(this.#at)!;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }
}

/** Number of copies of the innermost part of nested repetitions. */
function repeatsOf(node: RegexNode): number {
  if (node.kind === 'sequence' || node.kind === 'choice') return Math.max(1, ...node.nodes.map(repeatsOf));
  if (node.kind !== 'repeat') return 1;
  const times = node.max === Infinity ? node.min : node.max;
  return Math.max(1, times) * repeatsOf(node.node);
}

function isUnicodeClass(name: string): boolean {
  if (name === 'Any' || /^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/.test(name)) return true;
  try {
    return new RegExp(String.raw`\p{Script=${name}}`, 'u').source !== '';
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
