import { DOCUMENTS } from '../../analyze/languages.ts';
import { isStopword, wordsIn } from '../../analyze/words.ts';
import { DefinitionCursor } from '../../index/documents.ts';
import { isChangeLog } from '../fileForms.ts';
import type { Pinned, PinRequest } from './pinned.ts';
import { stemOf } from '../wordMatch.ts';

const HOW_TO = /^how (?:to|(?:do|can|could|should|would) (?:i|we|you|one))\s/i;
/** Words for doing something, which the heading about it may leave out: _Unit tests_ for running the tests. */
const DOING: ReadonlySet<string> = new Set('do execute get make perform run set start use'.split(' ').map(stemOf));
/** Least share of the words of a heading that the question has. */
const MIN_SHARE = 0.5;
const MAX_SECTIONS = 4;
/** Worth that each of them has less than the one before: more than their other features may differ by. */
const STEP = 0.1;

/** Whether a question is how to do something. */
export function isHowTo(question: string): boolean {
  return HOW_TO.test(question);
}

/**
 * The pages with a section about what a question wants to do, those first whose heading says little else, and in outer folders:
 * `how do I run the tests` is answered under _Running tests_ rather than by a function `runTests`.
 */
export function* findHowTo({ typed, query, all }: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const { words } = query;
  const needed = words.filter((word) => !DOING.has(word));
  if (needed.length === 0 || !isHowTo(typed)) return [];
  // Most headings lack them; forms of a word begin alike.
  const begins = needed.map((word) => word.slice(0, 3));
  const omitted = new Set([...words.keys()].filter((i) => DOING.has(words[i]!)));
  const found: { readonly pinned: Pinned; readonly fit: number; readonly depth: number }[] = [];
  for (const scores of all) {
    const { reader } = scores;
    for (const document of scores.documentsWithAll('definition', omitted)) {
      yield;
      if (!DOCUMENTS.has(reader.languageOf(document))) continue;
      const path = reader.pathOf(document);
      if (isChangeLog(path)) continue;
      const cursor = new DefinitionCursor(reader.detailsOf(document));
      let best = { fit: 0, line: 0 };
      while (cursor.next()) {
        const heading = cursor.name();
        const lower = heading.toLowerCase();
        if (!begins.every((letters) => lower.includes(letters))) continue;
        const fit = fitOf(heading, words, needed);
        if (fit > best.fit) best = { fit, line: cursor.line };
      }
      if (best.fit === 0) continue;
      const pinned = { scores, document, line: best.line, worth: 1, feature: 'section' } as const;
      found.push({ pinned, fit: best.fit, depth: path.split('/').length });
    }
  }
  return found
    .sort((a, b) => b.fit - a.fit || a.depth - b.depth)
    .slice(0, MAX_SECTIONS)
    .map(({ pinned }, i) => ({ ...pinned, worth: 1 - i * STEP }));
}

/** The words that a heading and the question share, of both; 0 if the heading lacks a needed one, or is mostly about others. */
function fitOf(heading: string, words: readonly string[], needed: readonly string[]): number {
  const own = new Set([...wordsIn(heading)].filter((word) => !isStopword(word)).map(stemOf));
  if (!needed.every((word) => own.has(word))) return 0;
  const shared = words.filter((word) => own.has(word)).length;
  return shared < MIN_SHARE * own.size ? 0 : (2 * shared) / (own.size + words.length);
}
