import { increment } from './collections.ts';
import { escapeRegExp } from './regExp.ts';

/** Facts that a report must not contain. */
export interface PrivateFacts {
  readonly home: string;
  readonly user: string;
  readonly host: string;
  /** Absolute folders; each becomes `<folder N>`, with N by this order. */
  readonly folders: readonly string[];
  /** File names that no pattern recognizes: those with spaces. */
  readonly names?: readonly string[];
}

export type RedactedKind = 'path' | 'user' | 'host' | 'e-mail' | 'address' | 'token';

const LONGEST_LINE = 2_000;

/** Kinds of text that are replaced as a whole; the first kind wins if several begin at one position. */
const ORDER = [
  'folder',
  'home',
  'name',
  'token',
  'email',
  'quoted',
  'address',
  'path',
  'file',
  'user',
  'host',
] as const;
type Group = (typeof ORDER)[number];

const SEGMENT = String.raw`[^\s\\/'"\x60<>|:;,()\[\]{}]`;
const PATTERNS: Readonly<Partial<Record<Group, string>>> = {
  token: [
    String.raw`\b(?:bearer|basic)\s+[\w.~+/=-]{4,}`,
    String.raw`\b(?:whsec|ghp|gho|ghs|ghu|ghr|github_pat|glpat|sk|pk|rk|xox[abprs]|npm|hf)[_-][\w-]{8,}`,
    String.raw`\b(?:akia|asia)[0-9a-z]{16}\b`,
    String.raw`\beyj[\w-]{6,}\.[\w-]+(?:\.[\w-]+)?`,
    String.raw`[\w-]*(?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s*[:=]\s*(?:(?:bearer|basic)\s+)?(?:"[^"]*"|'[^']*'|\S+)`,
    // Keys and hashes: long, and with both letters and digits.
    String.raw`(?<![\w/.+-])(?=[\w+=-]*\d)(?=[\w+=-]*[a-z])[\w+=-]{24,}(?![\w+=-]*[/.\\])`,
  ].join('|'),
  email: String.raw`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]*\p{L}`,
  quoted: String.raw`'[^'\n]*[\\/.][^'\n]*'|"[^"\n]*[\\/.][^"\n]*"|“[^”\n]*[\\/.][^”\n]*”`,
  address: String.raw`\b[a-z][a-z0-9+.-]*://[^\s'"]+|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}(?![\w:])`,
  path: String.raw`(?:[a-z]:[\\/]|~[\\/]|[\\/]+)${SEGMENT}+(?:[\\/]+${SEGMENT}*)*|${SEGMENT}+(?:[\\/]+${SEGMENT}*)+`,
  file: String.raw`[\p{L}\p{N}_@+~.-]*[\p{L}\p{N}_+~-]\.[\p{L}_][\p{L}\p{N}_~-]*(?:\.[\p{L}\p{N}_~-]+)*|(?<![\p{L}\p{N}.])\.[\p{L}_][\p{L}\p{N}_.-]*`,
};

/** Names of Sextant and of its languages, which identify no person. */
const OURS =
  /^(?:(?:segment[-.\d]+\.sxs|deletions[-.\d]+\.sxd|manifest(?:\.\d+)?(?:\.copy)?\.json|files\.json|writer\.\d+\.lock|log\.txt)|sextant(?:\.[a-z]+)+|(?:files|search)\.exclude|node\.js|\.gitignore|\.sextantignore|\d[\d.,]*\/\d[\d.,]*)\.?$/i;

/**
 * Removes identity and location from texts: home folder, user, host, e-mail and network addresses, tokens, and names of
 * files. Removes all text that may be private. Within one report a path is always the same `<path N>`, and keeps its
 * extension, so that lines can be understood together.
 */
export class Redactor {
  readonly #facts: PrivateFacts;
  readonly #expression: RegExp;
  readonly #paths = new Map<string, number>();
  readonly #counts = new Map<RedactedKind, number>();

  constructor(facts: PrivateFacts) {
    this.#facts = facts;
    const patterns: Readonly<Partial<Record<Group, string | undefined>>> = {
      ...PATTERNS,
      folder: anyOf(facts.folders, String.raw`(?![\p{L}\p{N}_-])`),
      home: anyOf([facts.home], String.raw`(?![\p{L}\p{N}_-])`),
      name: anyOf(facts.names ?? [], ''),
      user: word(facts.user),
      host: word(facts.host),
    };
    const source = ORDER.flatMap((group) => (patterns[group] ? [`(?<${group}>${patterns[group]})`] : []));
    this.#expression = new RegExp(source.join('|'), 'giu');
  }

  /** Number of removed texts so far, by kind. */
  get counts(): Readonly<Partial<Record<RedactedKind, number>>> {
    return Object.fromEntries(this.#counts);
  }

  /**
   * Redacts a text. Lines over {@link LONGEST_LINE} characters are cut: no one reads them, and they could take seconds.
   */
  redact(text: string): string {
    const lines = text
      .split('\n')
      .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
    return lines.join('\n').replace(this.#expression, (...match: unknown[]) => {
      const groups = match.at(-1) as Readonly<Record<Group, string | undefined>>;
      const group = ORDER.find((one) => groups[one] !== undefined)!;
      return this.#replace(group, groups[group]!);
    });
  }

  /** The same value with all its strings redacted. Names of fields stay. */
  redactAll<T>(value: T): T {
    if (typeof value === 'string') return this.redact(value) as T;
    if (Array.isArray(value)) return value.map((item: unknown) => this.redactAll(item)) as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.redactAll(item)])) as T;
  }

  #replace(group: Group, found: string): string {
    switch (group) {
      case 'folder': {
        const number = this.#facts.folders.findIndex((folder) => folder.toLowerCase() === found.toLowerCase()) + 1;
        return this.#count('path', `<folder ${number}>`);
      }
      case 'home':
        return this.#count('path', '~');
      case 'token':
        return this.#count('token', '<token>');
      case 'email':
        return this.#count('e-mail', '<e-mail>');
      case 'address':
        return this.#count('address', '<address>');
      case 'user':
        return this.#count('user', '<user>');
      case 'host':
        return this.#count('host', '<host>');
      case 'quoted':
        return OURS.test(found.slice(1, -1)) ? found : `${found[0]!}${this.#path(found.slice(1, -1))}${found.at(-1)!}`;
      case 'name':
      case 'path':
      case 'file':
        return OURS.test(found) ? found : this.#path(found);
    }
  }

  #path(found: string): string {
    const isEnd = found.endsWith('.');
    const path = isEnd ? found.slice(0, -1) : found;
    const number = this.#paths.get(path) ?? this.#paths.size + 1;
    this.#paths.set(path, number);
    const extension = /[^\\/.]\.([a-z]\w{0,4})$/i.exec(path)?.[1];
    const isTelling = extension !== undefined && extension.toLowerCase() !== this.#facts.user.toLowerCase();
    return this.#count('path', `<path ${number}>${isTelling ? `.${extension}` : ''}${isEnd ? '.' : ''}`);
  }

  #count(kind: RedactedKind, replacement: string): string {
    increment(this.#counts, kind);
    return replacement;
  }
}

/** Pattern of any of some texts, the longest first, as one may be the beginning of another. */
function anyOf(texts: readonly string[], end: string): string | undefined {
  const usable = texts.filter((text) => text.length > 1).sort((a, b) => b.length - a.length);
  return usable.length === 0 ? undefined : `(?:${usable.map(escapeRegExp).join('|')})${end}`;
}

/** Pattern of a name by itself, not as a part of a word. */
function word(name: string): string | undefined {
  if (name === '') return undefined;
  return String.raw`(?<![\p{L}\p{N}_])${escapeRegExp(name)}(?![\p{L}\p{N}_])`;
}
