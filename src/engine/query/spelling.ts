import { stem } from '../analyze/words.ts';
import { Field } from '../index/format.ts';
import type { Segment } from '../index/snapshot.ts';
import { letterNumber, MAX_LETTERS, type WordCursor } from '../index/wordList.ts';
import { isLiving } from './collection.ts';
import { EditRows } from './editRows.ts';

/** An indexed word that differs from a typed one by few typing mistakes. */
export interface NearWord {
  /** Small ASCII letters. */
  readonly word: string;
  /** Number of letters to add, omit, replace or swap with their neighbour. */
  readonly edits: number;
  /** Number of chunks that have the word in any form, in the segments that list it; removed documents may be among them. */
  readonly frequency: number;
}

/** Shorter words have too many neighbours. */
const MIN_TYPED = 4;
/** Number of letters from which a word may have two mistakes. */
const MIN_TYPED_TWICE = 7;
/** A path's words have terms of their own. */
const FIELDS = [Field.body, Field.fileName, Field.folder];

/**
 * Finds the indexed words that are nearest to a typed one which no document has: with the fewest edits first, of those the most
 * frequent, then the shortest, then in alphabetical order. The first letter must agree. A word of 4 to 6 letters may have one
 * edit, a longer one two. Of words with one stem only the first is returned, since a search finds the same for all of them.
 * Returns none for a word that is indexed, or that has other characters than ASCII letters.
 */
export function nearestWords(word: string, segments: readonly Segment[], limit = 3): NearWord[] {
  const typed = word.toLowerCase();
  if (!/^[a-z]+$/.test(typed) || typed.length < MIN_TYPED) return [];
  const maxEdits = typed.length < MIN_TYPED_TWICE ? 1 : 2;
  if (typed.length > MAX_LETTERS + maxEdits) return [];
  const rows = new EditRows(typed, maxEdits);
  const found = new Map<string, Found>();
  for (const segment of segments) {
    scan(segment.reader.words(letterNumber(typed.charCodeAt(0))), rows, maxEdits, (near, edits, frequency) => {
      const one = found.get(near);
      if (!one) found.set(near, { word: near, edits, frequency, segments: [segment] });
      else {
        one.frequency += frequency;
        one.segments.push(segment);
      }
    });
  }
  const stems = new Set<string>();
  const nearest: NearWord[] = [];
  for (const { word: text, edits, frequency, segments: those } of [...found.values()].sort(inOrder)) {
    if (nearest.length >= limit) break;
    if (stems.has(stem(text)) || !those.some((segment) => isIn(segment, text))) continue;
    if (edits === 0) return [];
    stems.add(stem(text));
    nearest.push({ word: text, edits, frequency });
  }
  return nearest;
}

interface Found {
  readonly word: string;
  readonly edits: number;
  frequency: number;
  /** Segments that list the word. */
  readonly segments: Segment[];
}

function inOrder(a: Found, b: Found): number {
  return a.edits - b.edits || b.frequency - a.frequency || a.word.length - b.word.length || (a.word < b.word ? -1 : 1);
}

/** Whether a document that is not deleted has a word that the segment lists. */
function isIn(segment: Segment, word: string): boolean {
  const text = stem(word);
  return segment.deletedCount === 0 || FIELDS.some((field) => isLiving(segment, { field, text }));
}

/** Passes each word of at most the allowed edits to `meet`. All words begin with the typed one's first letter. */
function scan(
  cursor: WordCursor,
  rows: EditRows,
  maxEdits: number,
  meet: (word: string, edits: number, frequency: number) => void,
): void {
  for (let depth = cursor.next(); depth >= 0;) {
    let dead = 0;
    while (depth < cursor.length && dead === 0) {
      depth++;
      if (rows.compute(cursor.letters, depth) > maxEdits) dead = depth;
    }
    if (dead > 0) {
      depth = cursor.next(dead);
      continue;
    }
    const edits = rows.edits(cursor.length);
    if (edits <= maxEdits) meet(cursor.text(), edits, cursor.frequency);
    depth = cursor.next();
  }
}
