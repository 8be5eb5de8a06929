import { stem } from '../analyze/words.ts';
import { Field } from '../index/format.ts';
import type { Segment } from '../index/snapshot.ts';
import { letterNumber, MAX_LETTERS, type WordCursor } from '../index/wordList.ts';
import { isLiving } from './collection.ts';

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
  const scan = new WordScan(typed, maxEdits);
  const found = new Map<string, Found>();
  for (const segment of segments) {
    scan.run(segment.reader.words(letterNumber(typed.charCodeAt(0))), (near, edits, frequency) => {
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

/** Cells of a row: the typed letters, and a cell before them and behind. */
const ROW = 32;

/**
 * Compares ordered words with a typed one by optimal string alignment. There is a row of edits for each letter of the current
 * word: words that share their beginning share its rows, and a beginning with too many edits skips all words that share it.
 */
class WordScan {
  readonly #typed: Uint8Array;
  readonly #maxEdits: number;
  readonly #rows = new Uint8Array(ROW * (MAX_LETTERS + 1));

  constructor(typed: string, maxEdits: number) {
    this.#typed = Buffer.from(typed, 'latin1');
    this.#maxEdits = maxEdits;
    this.#rows.fill(maxEdits + 1);
    for (let j = 0; j <= maxEdits; j++) this.#rows[j] = j;
  }

  /** Passes each word of at most the allowed edits to `meet`. All words begin with the typed one's first letter. */
  run(cursor: WordCursor, meet: (word: string, edits: number, frequency: number) => void): void {
    const maxEdits = this.#maxEdits;
    const end = this.#typed.length;
    for (let depth = cursor.next(); depth >= 0;) {
      let dead = 0;
      while (depth < cursor.length && dead === 0) {
        depth++;
        if (this.#row(cursor.letters, depth) > maxEdits) dead = depth;
      }
      if (dead > 0) {
        depth = cursor.next(dead);
        continue;
      }
      const edits = Math.abs(end - cursor.length) > maxEdits ? maxEdits + 1 : this.#rows[cursor.length * ROW + end]!;
      if (edits <= maxEdits) meet(cursor.text(), edits, cursor.frequency);
      depth = cursor.next();
    }
  }

  /** Computes the row after `depth` letters, where it may be within the allowed edits. Returns its least number. */
  #row(letters: Uint8Array, depth: number): number {
    const rows = this.#rows;
    const typed = this.#typed;
    const tooMany = this.#maxEdits + 1;
    const row = depth * ROW;
    const above = row - ROW;
    const letter = letters[depth - 1];
    const before = depth > 1 ? letters[depth - 2] : -1;
    const first = Math.max(depth - this.#maxEdits, 0);
    const last = Math.min(depth + this.#maxEdits, typed.length);
    let least = tooMany;
    if (first > 0) rows[row + first - 1] = tooMany;
    for (let j = first; j <= last; j++) {
      let edits = rows[above + j]! + 1;
      if (j > 0) {
        const added = rows[row + j - 1]! + 1;
        if (added < edits) edits = added;
        const replaced = rows[above + j - 1]! + (typed[j - 1] === letter ? 0 : 1);
        if (replaced < edits) edits = replaced;
        if (j > 1 && typed[j - 1] === before && typed[j - 2] === letter) {
          edits = Math.min(edits, rows[above - ROW + j - 2]! + 1);
        }
      }
      if (edits > tooMany) edits = tooMany;
      rows[row + j] = edits;
      if (edits < least) least = edits;
    }
    // The next row reads one cell beyond its own last but one.
    if (last < typed.length) rows[row + last + 1] = tooMany;
    return least;
  }
}
