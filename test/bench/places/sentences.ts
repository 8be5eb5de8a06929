import { splitIdentifier, isIndexable } from '../../../src/engine/analyze/words.ts';
import type { Definition } from '../../../src/engine/analyze/definitions.ts';

/** The first sentence of a comment: its text, and its characters by line. */
interface Sentence {
  readonly text: string;
  readonly hidden: readonly (readonly [line: number, from: number, to: number])[];
}

/** Beginnings of a comment's lines, and of what documents a definition in Python and Elixir. */
const MARK =
  /^\s*(?:@(?:module|type)?doc\s+(?:~S)?"+|[rRbBuU]{0,2}(?:"""|''')|\/\*+[!<]*|\*+(?!\/)|\/\/[/!]*<?|#+(?!\[|include|define|if|endif|pragma|region|nullable)|--+\[*=*\[*|\{-|%+|;+)\s?[|^]?/;
const END = /\s*(?:\*+\/|"""|'''|-\}|\]\])\s*$/;
/** Lines that end a sentence: tags, sections, and lines of signs. */
const TAG =
  /^\s*(?:[@\\:][a-z]|[-=*~#+_]{3}|(?:args|arguments|parameters|params|returns?|example)s?:?\s*$|>>>|\||```)/i;
const UNWANTED =
  /copyright|licen[sc]e|todo|fixme|xxx|deprecat|eslint|noinspection|generated|https?:|see also|^see |^same as|\bjshint|\btslint|@internal|\bwe\b|\bour\b|\bI\b|^note\b|^warning|^implements? |^overrides? /i;
const MIN_WORDS = 4;
const MAX_WORDS = 20;

/**
 * The first sentence of what documents a definition: the comment above or, without one, the string beneath. `undefined` if
 * there is none.
 */
export function firstSentence(lines: readonly string[], { start, line, end }: Definition): Sentence | undefined {
  return sentenceIn(lines, start, line - 1) ?? docstring(lines, line, end);
}

function docstring(lines: readonly string[], line: number, end: number): Sentence | undefined {
  let at = line;
  while (at < end && at < line + 12 && !/:\s*(?:#.*)?$/.test(lines[at]!)) at++;
  const first = lines[at + 1];
  if (first === undefined || at >= end || !/^\s*[rRbBuU]{0,2}(?:"""|''')/.test(first)) return undefined;
  let last = at + 1;
  const isClosed = /(?:"""|''').*(?:"""|''')/.test(first);
  while (!isClosed && last < end && (last === at + 1 || !/"""|'''/.test(lines[last]!))) last++;
  return sentenceIn(lines, at + 1, last, true);
}

function sentenceIn(lines: readonly string[], from: number, to: number, isText = false): Sentence | undefined {
  const hidden: [number, number, number][] = [];
  let text = '';
  let isOpen = isText;
  for (let line = from; line <= to; line++) {
    const whole = lines[line]!;
    const mark = MARK.exec(whole)?.[0];
    if (mark === undefined && !isOpen) {
      // An attribute may stand before a comment and after it.
      if (text !== '') break;
      continue;
    }
    if (mark !== undefined && /\/\*|"""|'''|\{-|--\[/.test(mark)) isOpen = true;
    const begin = mark?.length ?? /^\s*/.exec(whole)![0].length;
    const ending = END.exec(whole.slice(begin));
    const content = whole.slice(begin, ending ? begin + ending.index : undefined);
    if (ending && (mark === undefined || ending[0].trim() !== '' || !isText)) isOpen = false;
    if (content.trim() === '' ? text !== '' : TAG.test(content)) break;
    if (content.trim() === '') continue;
    const sentence = /^(?:.*?[^.\s]{2,}[.!?](?=\s|$)(?! [a-z(]))/.exec(content)?.[0];
    const taken = sentence ?? content;
    hidden.push([line, begin, begin + taken.length]);
    text += ` ${taken.trim()}`;
    if (sentence !== undefined || text.length > 400) break;
  }
  return text === '' ? undefined : { text: text.trim(), hidden };
}

/** How much of the sentences is hidden: all their words, or every second one, as of a question in other words. */
export type Hiding = 'all' | 'half';

/** The lines with the words of sentences replaced by spaces, so that no line moves. */
export function hide(lines: readonly string[], sentences: readonly Sentence[], hiding: Hiding = 'all'): string[] {
  const result = [...lines];
  for (const { hidden } of sentences) {
    let words = 0;
    for (const [line, from, to] of hidden) {
      const text = result[line]!;
      const kept = text.slice(from, to).replace(/\S+/g, (word) => {
        const isKept = hiding === 'half' && word.length > 3 && words++ % 2 === 1;
        return isKept ? word : ' '.repeat(word.length);
      });
      result[line] = text.slice(0, from) + kept + text.slice(to);
    }
  }
  return result;
}

/** A question from a sentence on a definition; `undefined` if the sentence asks for nothing, or has the name. */
export function questionOf({ text }: Sentence, name: string): string | undefined {
  if (UNWANTED.test(text)) return undefined;
  const plain = text
    .replace(/\{@\w+\s+([^}]*)\}/g, '$1')
    .replace(/<[^>]*>|[`*_[\]{}|]+(?=\s|$)|(?<=\s|^)[`*_[\]{}|]+|`/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  // In Go, a comment begins with the name.
  const own = name.split(/[.:#]+/).at(-1)!;
  const rest = plain.startsWith(`${own} `) ? plain.slice(own.length + 1) : plain;
  const question = rest.replace(/[.!?,;:\s]+$/, '');
  const letters = question.replace(/[^a-z ]/gi, '').length;
  if (letters < 0.85 * question.length || !/[a-z]{3}/.test(question)) return undefined;
  const words = question.match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const folded = splitIdentifier(name).join('');
  const isCompound = splitIdentifier(name).length > 1;
  if (isCompound && words.some((word) => splitIdentifier(word).join('') === folded)) return undefined;
  const content = new Set(words.flatMap((word) => splitIdentifier(word)).filter(isIndexable));
  return content.size >= MIN_WORDS && content.size <= MAX_WORDS ? question : undefined;
}
