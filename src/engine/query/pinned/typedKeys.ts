import { escapeRegExp } from '../../../base/regExp.ts';
import { wordsIn } from '../../analyze/words.ts';
import { Position } from '../phrase.ts';
import { stemOf } from '../wordMatch.ts';
import {
  candidatesIn,
  isRepeated,
  MAX_PINNED,
  MAX_READ,
  readable,
  textOf,
  type Candidate,
  type Pinned,
  type PinRequest,
} from './pinned.ts';

/** An option of a command line or a key of a setting, as a query asks for it. */
export interface TypedKey {
  readonly kind: 'option' | 'setting';
  /** The words of its name, in lower case. */
  readonly words: readonly string[];
  /** The word of the query that is not part of it, such as `configured`. */
  readonly role?: string;
}

/** A key in a text. */
export interface KeyMatch {
  /** How surely it is the key: 3 where an option is defined or a setting gets its value, 2 for a whole string, 1 for a name. */
  readonly worth: number;
  readonly offset: number;
}

const LONG_OPTION = /^--([a-z][\w-]+)$/i;
const OPTION = /^(?:the )?(.+?) (option|flag|switch)$/i;
const SETTING =
  /^where (?:is|are|do i|do we|can i) (?:the )?(.+?)(?: (?:setting|option))? (configured|configure|set|defined)\??$/i;
/** A name alone. Those in capitals are variables of the environment, which are searched for what reads them. */
const BARE = /^(?=.*[a-z])\w[\w.-]*$/;
const MAX_WORDS = 8;

/**
 * The key that a query asks for: `--dry-run`, `dry run option`, `where is the proxy url configured`, `proxy_url`. `isName` tells
 * whether the query is the name of no definition.
 */
export function parseKey(text: string, isName: boolean): TypedKey | undefined {
  const [, option = LONG_OPTION.exec(text)?.[1], optionRole] = OPTION.exec(text) ?? [];
  const [, setting = isName ? BARE.exec(text)?.[0] : undefined, settingRole] = SETTING.exec(text) ?? [];
  const name = setting ?? option;
  if (name === undefined) return undefined;
  const words = [...wordsIn(name)];
  // A single word is too common to be recognized as the key of a setting.
  if (words.length > MAX_WORDS || words.length < (setting || optionRole ? 2 : 1)) return undefined;
  const role = settingRole ?? optionRole;
  return { kind: setting === undefined ? 'option' : 'setting', words, ...(role && { role: role.toLowerCase() }) };
}

const DEFINED = 3;
const STRING = 2;
const NAME = 1;
/** What parsers of command lines have before an option's name, and what a table of C's `getopt_long` has behind it. */
const DEFINES =
  /(?<![a-z])(?:(?!has|get|is)\w*(?:option|argument|arg|flag|switch)s?(?:\(\))?|opts?|long|\w+VarP?(?=\())(?:(?:\.|::)\w+)?\W*(?:&[\w.]+,\s*)?$/i;
const GETOPT = /^["']\s*,\s*(?:no|required|optional)_argument/;
/** What a line has before a setting that gets its value there, and behind it. */
const LINE_BEFORE = /(?:^|\n)[ \t]*(?:-[ \t]+|export[ \t]+)?$/;
const VALUE_BEHIND = /^["'`]?[ \t]*(?::(?!:)|=(?!=))/;
/** Characters before a name that are looked at. */
const BEFORE = 80;

/** Whether a match is where the option is defined, or the setting gets its value. */
export function isDefined(match: KeyMatch | undefined): boolean {
  return match?.worth === DEFINED;
}

/** Makes a function that finds the surest match of a key in any spelling: `max_age`, `maxAge`, `max-age` and `max.age`. */
export function keyFinder({ kind, words }: TypedKey): (text: string) => KeyMatch | undefined {
  const name = words.map(escapeRegExp).join('[-_.]?');
  const pattern =
    kind === 'option'
      ? new RegExp(`(["'\`])(?:(?:-\\w(?:, ?|\\|| ))?--)?${name}(?:[= ][^"'\`\\n]*)?(?=\\1)`, 'gi')
      : new RegExp(`(["'\`]?)(?<![A-Za-z0-9])${name}(?![A-Za-z0-9])`, 'gi');
  return (text) => {
    let best: KeyMatch | undefined;
    for (const {
      0: { length },
      1: quote,
      index: offset,
    } of text.matchAll(pattern)) {
      const worth = worthOf(
        kind,
        quote!,
        text.slice(Math.max(0, offset - BEFORE), offset),
        text.slice(offset + length, offset + length + BEFORE),
      );
      if (!best || worth > best.worth) best = { worth, offset };
      if (worth === DEFINED) break;
    }
    return best;
  };
}

function worthOf(kind: TypedKey['kind'], quote: string, before: string, behind: string): number {
  if (kind === 'setting') {
    // A string may go on behind the name: `"max_age:%s"`.
    const isWhole = behind.startsWith(quote);
    if (isWhole && LINE_BEFORE.test(before) && VALUE_BEHIND.test(behind)) return DEFINED;
    return quote !== '' && isWhole ? STRING : NAME;
  }
  // Its short name may come first: `'-c', '--critical'`.
  return DEFINES.test(before.replace(/(["'])-\w\1,\s*$/, '')) || GETOPT.test(behind) ? DEFINED : STRING;
}

/**
 * The documents with the option or the wanted key of a setting, if these are few: first those that define it. Tests, pages and the
 * like only use it.
 */
export function* findKeys(request: PinRequest): Generator<undefined, Pinned[], void> {
  const { typed, query, name, folders, isAside } = request;
  const isName = name === 'used';
  const key = parseKey(typed, isName);
  if (!key) return [];
  const omitted = new Set(key.role === undefined ? [] : [query.words.indexOf(stemOf(key.role))]);
  const searched = readable(request);
  const skips = (one: Candidate): boolean => isRepeated(one, isAside);
  const number = MAX_READ.length;
  const folded = key.words.join('');
  const named = candidatesIn(searched, number, (scores) => scores.documentsWithName(folded), false, skips);
  const having = isName
    ? []
    : candidatesIn(searched, number, (scores) => scores.documentsWithAll('body', omitted), true, skips);
  const isNamed = (one: Candidate): boolean =>
    named.some(({ scores, document }) => scores === one.scores && document === one.document);
  const candidates = [...named, ...having.filter((one) => !isNamed(one))];
  const find = keyFinder(key);
  const pinned: Pinned[] = [];
  for (const candidate of candidates) {
    yield;
    if (skips(candidate)) continue;
    const text = textOf(candidate, folders) ?? '';
    const match = find(text);
    if (!match || (isName && !isDefined(match))) continue;
    const { line } = new Position(text).at(match.offset);
    pinned.push({ ...candidate, line, worth: match.worth / DEFINED, feature: 'key' });
  }
  const most = Math.max(...pinned.map(({ worth }) => worth));
  const best = pinned.length > MAX_PINNED ? pinned.filter(({ worth }) => worth === most) : pinned;
  return best.length > MAX_PINNED ? [] : best;
}
