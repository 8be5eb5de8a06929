import { escapeRegExp } from '../../../base/regExp.ts';
import { WORD } from '../../analyze/numbers.ts';
import { bestDocuments } from '../bestDocuments.ts';
import { Position } from '../phrase.ts';
import { fewOf, isRepeated, readable, textOf, unlessAll, weigh, type Pinned, type PinRequest } from './pinned.ts';

/** Number of files that are read for a message. */
const MAX_READ = 96;
/** Numbers of words of a message, least number of those of its template, their least share, and a number that is enough. */
const MIN_WORDS = 5;
const MAX_WORDS = 60;
const MIN_OWN = 4;
const MIN_SHARE = 0.4;
const ENOUGH = 6;
/** Longest line that is searched for templates; longer ones are rarely written by hand. */
const MAX_LINE = 1_000;
/** What a message has: values, or a full stop. */
const MESSAGE = /^(?!(?:how|what|where|which|who|why)\b).*(?:[\d"'`/:()[\]{}=]|\.$)/i;
/** What stands for a value: `%s`, `%-5.2f`, `{name}`, `${name}`, `$name`, `#{name}`, `:name`; with letters beside it, as in `(%ss)`. */
const VALUE =
  /(?:\b\w+)?(?:[$#]?\{[^{}\n]*(?:\}|$)|%[-+#0]?[\d.*]{0,6}(?:l{1,2}|h|z)?[a-z@]|\$[A-Za-z_]\w*|(?<![\w:]):[a-z]\w*)\w*/gi;
const QUOTE = /["'`]/g;

/** The words of a template between its values. */
type Template = readonly (readonly string[])[];

/**
 * The documents with a string that gives a message when its values are filled in: `reference %s is already checked out`. Of the
 * best documents, those whose string explains the most words of the message.
 */
export function* findFilled(request: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const { typed, folders, isAside } = request;
  const words = wordsOf(typed);
  if (words.length < MIN_WORDS || words.length > MAX_WORDS || !MESSAGE.test(typed)) return [];
  const best = bestDocuments(readable(request), MAX_READ).flatMap(({ scores, documents }) =>
    documents.map((document) => ({ scores, document })),
  );
  const found: { readonly pinned: Pinned; readonly own: number }[] = [];
  for (const candidate of best) {
    yield;
    const match = templateIn(textOf(candidate, folders) ?? '', words);
    if (match)
      found.push({ pinned: { ...candidate, line: match.line, worth: 1, feature: 'verbatim' }, own: match.own });
  }
  const fitting = unlessAll(found, ({ pinned }) => isRepeated(pinned, isAside));
  const most = Math.max(...fitting.map(({ own }) => own));
  const pinned = fitting.filter(({ own }) => own === most).map((one) => one.pinned);
  return fewOf(pinned, isAside).map((one) => weigh(one, isAside));
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(([word]) => word.toLowerCase());
}

/** The first line with the template that has the most words of the message. */
function templateIn(
  text: string,
  message: readonly string[],
): { readonly line: number; readonly own: number } | undefined {
  let best: { readonly line: number; readonly own: number } | undefined;
  const lower = text.toLowerCase();
  const least = leastOwn(message);
  const having = message.filter((word) => lower.includes(word)).sort((a, b) => b.length - a.length);
  // A template has one at least of any words that are too many to be the others.
  const some = having.slice(0, having.length - Math.ceil(least) + 1);
  if (some.length === 0 || having.length < least) return undefined;
  const position = new Position(text);
  const anchor = new RegExp(`\\b(?:${some.map(escapeRegExp).join('|')})\\b`, 'gi');
  let end = 0;
  for (const { index: at } of text.matchAll(anchor)) {
    if (at < end) continue;
    const start = text.lastIndexOf('\n', at) + 1;
    const stop = text.indexOf('\n', at);
    end = stop < 0 ? text.length : stop;
    if (end - start > MAX_LINE) continue;
    const line = text.slice(start, end);
    for (const { 0: quote, index } of line.matchAll(QUOTE)) {
      const rest = line.slice(index + 1);
      const end = rest.indexOf(quote);
      const own = ownWords(templateOf(end < 0 ? rest : rest.slice(0, end)), message);
      if (own > (best?.own ?? 0)) best = { line: position.at(at).line, own };
    }
  }
  return best;
}

function leastOwn(message: readonly string[]): number {
  return Math.min(ENOUGH, Math.max(MIN_OWN, MIN_SHARE * message.length));
}

function templateOf(literal: string): Template {
  return literal
    .split(VALUE)
    .map(wordsOf)
    .filter((words) => words.length > 0);
}

/** Number of words of a template, if the message has them all in order, and is mostly of them; else 0. */
function ownWords(template: Template, message: readonly string[]): number {
  const own = template.reduce((sum, words) => sum + words.length, 0);
  if (own < leastOwn(message)) return 0;
  let at = 0;
  for (const words of template) {
    while (at + words.length <= message.length && !words.every((word, i) => message[at + i] === word)) at++;
    if (at + words.length > message.length) return 0;
    at += words.length;
  }
  return own;
}
