import { stemmer } from 'stemmer';
import { MAX_NUMBER, numberTerm, WORD } from './numbers.ts';
import { stemRussian } from './russian.ts';

/** Words too common in questions and code to distinguish anything. Neither indexed nor searched. */
export const STOPWORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been being by can could did do does doing for from had has have having how i if in into is it ' +
    'its itself me my no nor not of off on or our out over should so such than that the their them then there these they ' +
    'this those through to too up us was we were what when where which while who whom why will with would you your'
  ).split(' '),
);

/** Length of the longest word; a longer part of an identifier is data (a hash, a base64 blob). */
export const MAX_WORD = 40;

/**
 * Splits an identifier into its words: `indexHtmlMiddleware`, `index_html`, `HTTPServer2`, `größeÄndern`. Parts are in
 * lower case and {@link withoutAccents}. Text without case, such as Chinese, gives overlapping pairs of characters.
 */
export function splitIdentifier(identifier: string): string[] {
  if (/^\w*$/.test(identifier)) return splitAscii(identifier);
  const parts: string[] = [];
  for (const [run] of withoutAccents(identifier).matchAll(PARTS)) {
    if (UNSPACED.test(run)) pushPairs(run, parts);
    else parts.push(lowerCase(run));
  }
  return parts;
}

/** Marks that people leave out as they type: accents, the vowels of Hebrew and Arabic. Without its breve, `й` is another letter. */
const ACCENTS = /(?<![иИ])[\u0300-\u036f]|[\u0591-\u05bd\u05bf-\u05c7\u064b-\u0655\u0670]/g;
/** Letters that Unicode does not take apart, and what stands for each. */
const PLAIN = new Map(
  ['ßss', 'ẞSS', 'øo', 'ØO', 'đd', 'ĐD', 'łl', 'ŁL', 'ıi'].map((pair) => [pair[0]!, pair.slice(1)]),
);

/**
 * A text without accents, and in the usual form of letters that Unicode has in several: half as wide, as a ligature. Users type
 * `configuracao` for `configuração`, and code is full of names without accents.
 */
export function withoutAccents(text: string): string {
  const plain = text.normalize('NFKD').replace(ACCENTS, '').normalize();
  return plain.replace(/[ßẞøØđĐłŁı]/g, (letter) => PLAIN.get(letter)!);
}

/** A text in small letters; Greek has two small sigmas. */
export function lowerCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** The words of a text, in lower case, in the order of their tokens: those of {@link writtenWords}. */
export function* wordsIn(text: string): Generator<string, void, void> {
  for (const [token] of text.matchAll(WORD)) yield* writtenWords(token);
}

/** The parts of a token of `WORD`: a number is one part, a name or word is split by {@link splitIdentifier}. */
export function splitToken(token: string): string[] {
  const number = numberTerm(token);
  return number === undefined ? splitIdentifier(token) : [number];
}

const CHARACTER_WORD = /[\p{Script=Han}\p{Script=Hangul}]/gu;

/**
 * The words of a token in a text: its parts, and each character of Chinese and Korean, which may be a word by itself: `锁` in
 * `分布式锁`. A query has such a word only where it stands alone.
 */
export function writtenWords(token: string, parts = splitToken(token)): string[] {
  if (!isUnspaced(token)) return parts;
  const known = new Set(parts);
  const characters = new Set(withoutAccents(token).match(CHARACTER_WORD));
  return [...parts, ...[...characters].filter((one) => !known.has(one))];
}

/** Scripts with no spaces between words. Some of their letters belong to several, such as the `ー` of `サーバー`. */
const UNSPACED_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const UNSPACED_LETTER = String.raw`[[${UNSPACED_SCRIPTS.map((script) => String.raw`\p{scx=${script}}`).join('')}]&&[\p{L}\p{M}\p{N}]]`;
const UNSPACED = new RegExp(UNSPACED_LETTER, 'v');
const PARTS = new RegExp(
  `${UNSPACED_LETTER}+` +
    String.raw`|\p{Lu}+(?!\p{Ll})\p{M}*|\p{Lu}?(?:(?!${UNSPACED_LETTER})[\p{Ll}\p{Lo}\p{Lt}\p{Lm}\p{M}])+|\p{Lu}+|\p{N}+`,
  'gv',
);

/** The parts of ASCII identifiers, as {@link splitIdentifier} finds them, without strings. */
export class AsciiParts {
  count = 0;
  /** Offsets of each part's first byte and of the byte after its last. */
  starts = new Int32Array(128);
  ends = new Int32Array(128);

  /** Splits the bytes from `start` to `end`. Returns false, without a result, if there is a byte above 127. */
  split(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start > this.starts.length) {
      this.starts = new Int32Array((end - start) * 2);
      this.ends = new Int32Array((end - start) * 2);
    }
    let count = 0;
    let at = start;
    while (at < end) {
      const from = at;
      const kind = KIND[bytes[at++]!]!;
      if (kind === NEITHER) continue;
      if (kind === FOREIGN) return false;
      while (at < end && KIND[bytes[at]!] === kind) at++;
      if (kind === UPPER && at < end && KIND[bytes[at]!] === LOWER) {
        // The last of several capitals before a small letter begins the next part: HTTPServer.
        if (at - from > 1) at--;
        else while (at < end && KIND[bytes[at]!] === LOWER) at++;
      }
      this.starts[count] = from;
      this.ends[count++] = at;
    }
    this.count = count;
    return true;
  }
}

const NEITHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const FOREIGN = 4;
const KIND = new Uint8Array(256).fill(FOREIGN, 128);
KIND.fill(LOWER, 0x61, 0x7b).fill(UPPER, 0x41, 0x5b).fill(DIGIT, 0x30, 0x3a);

/** Splits by the same rules for the letters of nearly all identifiers, in a fifth of the time. */
function splitAscii(identifier: string): string[] {
  return identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g)?.map((part) => part.toLowerCase()) ?? [];
}

function pushPairs(run: string, parts: string[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) parts.push(run);
  for (let i = 0; i + 1 < characters.length; i++) parts.push(characters[i]! + characters[i + 1]!);
}

/** Whether a text has letters of a script with no spaces between words. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

/** Porter's stem of a word in lower case, or that of a Russian one. Words with digits or other scripts stay as they are. */
export function stem(word: string): string {
  if (/^[a-z]{3,}$/.test(word)) {
    const stemmed = stemmer(word);
    // It leaves `ad` of `adding`, but `add` as it is.
    const doubled = stemmed + stemmed.slice(1);
    return stemmed.length === 2 && word.startsWith(doubled) ? doubled : stemmed;
  }
  return /^[\u0400-\u052f]{4,}$/.test(word) ? stemRussian(word) : word;
}

export function isStopword(word: string): boolean {
  return STOPWORDS.has(word);
}

/** Whether a number or a part of an identifier is worth indexing: more than a letter or digit, less than a blob. */
export function isIndexable(word: string): boolean {
  if (word.length <= 1) return isUnspaced(word);
  return word.length <= MAX_WORD ? !STOPWORDS.has(word) : word.length <= MAX_NUMBER && isNumber(word);
}

/** Whether a text has a word that {@link isIndexable}. */
export function hasIndexable(text: string): boolean {
  for (const word of wordsIn(text)) if (isIndexable(word)) return true;
  return false;
}

/** Whether a part of a token is a number of more than one digit. */
export function isNumber(part: string): boolean {
  return part.length > 1 && /^\d/.test(part);
}
