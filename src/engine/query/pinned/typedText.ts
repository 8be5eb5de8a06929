import { DOCUMENTS } from '../../analyze/languages.ts';
import { WORD } from '../../analyze/numbers.ts';
import type { SegmentScores } from '../collect.ts';
import type { SearchedFolder } from '../hits.ts';
import { compileLine, compilePart, compilePhrase, compileWords, type Phrase } from '../phrase.ts';
import {
  candidatesIn,
  fewOf,
  isRepeated,
  MAX_PINNED,
  readable,
  textOf,
  weigh,
  type Candidate,
  type IsAside,
  type Pinned,
  type PinRequest,
} from './pinned.ts';
import { findNamedCode } from './typedPaths.ts';

/** Least number, and share, of the words of a message that identify it. */
const MIN_PART_WORDS = 4;
const MIN_PART = 0.75;
/** Largest number of words of a message that is searched for its parts. */
const MAX_PART_WORDS = 150;
/** Pages that quote a question do not answer it; a pasted sentence has this number of words. */
const MIN_PROSE_WORDS = 7;
/** Worth of a part of a text, or of a line with its words, of what the whole one is worth. */
const PART = 0.8;
/** Worth of code as it is typed, of what its words are worth. */
const EXACT = 1.2;
/** Pattern of a word, or of a number with the sign that was typed. */
const SIGNED = new RegExp(String.raw`(?:(?<!\S)-(?=\d))?(?:${WORD.source})`, WORD.flags);

/** Whether a text has characters that code has and a question has not. */
export function isCode(text: string): boolean {
  return /[()[\]{};=<>]|->|::/.test(text);
}

/** The documents that have the typed text: see `findVerbatim`; else those whose names it has. */
export function* findTyped(request: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const verbatim = yield* findVerbatim(request);
  return verbatim.length > 0 ? verbatim : findNamedCode(request);
}

/**
 * The documents that have the words in their order, stop words included, if these are few: pasted lines and messages are
 * searched for themselves, in code before the tests that repeat them. Of a message of which nothing has all words, most of
 * them in a row are enough: the others may have been filled in. So they are in code of a message that only tests and pages
 * have in full. `likeRegex` matches instead of the words.
 */
function* findVerbatim(request: PinRequest): Generator<undefined, Pinned[], void> {
  const { typed: text, likeRegex, all, folders, isAside } = request;
  const typed = [...text.matchAll(WORD)].map(([word]) => word);
  const count = all[0]?.words ?? 0;
  if (typed.length < 2 || count === 0) return [];
  const isShort = typed.length < MIN_PROSE_WORDS;
  const signed = [...text.matchAll(SIGNED)].map(([word]) => word);
  const searched = readable(request);
  const isPasted = likeRegex !== undefined || isCode(text);
  const having = candidatesIn(searched, count, (scores) => scores.documentsWithAll(), isPasted, isAside);
  const patterns = [
    ...(isPasted ? [{ pattern: compilePhrase(text), worth: EXACT }] : []),
    { pattern: likeRegex ?? compileWords(text), worth: 1 },
    ...(isShort && !likeRegex ? [{ pattern: compileLine(signed), worth: PART }] : []),
  ];
  const matches = yield* findMatches(patterns, having, folders, isAside);
  const found = matches.filter(
    ({ scores, document }) => !isShort || !DOCUMENTS.has(scores.reader.languageOf(document)),
  );
  const isMessage = typed.length > MIN_PART_WORDS && typed.length <= MAX_PART_WORDS && count >= MIN_PART_WORDS - 1;
  const weighed = found.map((one) => weigh(one, isAside));
  if (likeRegex || !isMessage || found.some((one) => !isRepeated(one, isAside))) return weighed;
  const havingMost = new Map<SegmentScores, Set<number>>();
  for (const scores of searched) {
    const documents = new Set<number>();
    for (let word = 0; word < count; word++) {
      yield;
      for (const document of scores.documentsWithAll('body', new Set([word]))) documents.add(document);
    }
    havingMost.set(scores, documents);
  }
  const least = Math.max(MIN_PART_WORDS, Math.ceil(MIN_PART * typed.length));
  const longestIn = compilePart(typed, least);
  const parts: { readonly length: number; readonly pinned: Pinned }[] = [];
  for (const candidate of candidatesIn(searched, count, (scores) => [...havingMost.get(scores)!], false, isAside)) {
    yield;
    // A test with a part of a message says less about it than its words do.
    if (isRepeated(candidate, isAside)) continue;
    const part = longestIn(textOf(candidate, folders) ?? '');
    if (!part) continue;
    const pinned = { ...candidate, line: part.line, worth: PART, feature: 'verbatim' } as const;
    parts.push({ length: Math.min(part.length, typed.length - 1), pinned });
  }
  const most = Math.max(...parts.map(({ length }) => length));
  const best = parts.filter(({ length }) => length === most).map(({ pinned }) => pinned);
  return [...weighed, ...fewOf(best, isAside)];
}

/** Matches of the first pattern that is in few of the documents, and of the others as far as those are few, too. */
function* findMatches(
  patterns: readonly { readonly pattern: Pick<Phrase, 'firstIn'> | undefined; readonly worth: number }[],
  candidates: readonly Candidate[],
  folders: readonly SearchedFolder[],
  isAside: IsAside,
): Generator<undefined, Pinned[], void> {
  const found = patterns.map((): Pinned[] => []);
  for (const { scores, document } of candidates) {
    yield;
    const text = textOf({ scores, document }, folders);
    if (text === undefined) continue;
    for (const [i, { pattern, worth }] of patterns.entries()) {
      const match = pattern?.firstIn(text);
      if (!match) continue;
      found[i]!.push({ scores, document, line: match.line, worth, feature: 'verbatim' });
      break;
    }
    if (found[0]!.length > MAX_PINNED && fewOf(found[0]!, isAside).length === 0) return [];
  }
  const pinned: Pinned[] = [];
  for (const those of found) {
    const few = fewOf(those, isAside, MAX_PINNED - pinned.length);
    if (few.length === 0 && those.length > 0) break;
    pinned.push(...few);
  }
  return pinned;
}
