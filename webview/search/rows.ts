import type { ShownFile, ShownPlace, TextSpan } from '../../src/protocol/searchView.ts';

/** A row of the list: a file, or a place in the file above it. */
export interface Row {
  readonly file: ShownFile;
  /** Index of the file among all. */
  readonly at: number;
  /** Missing in a file's own row. */
  readonly place?: ShownPlace;
}

/** Heights of rows in pixels, which depend on the editor's font. */
export interface RowHeights {
  /** A row of one line. */
  readonly line: number;
  /** A place with its definition above the line. */
  readonly double: number;
}

/** Rows above and below the visible ones, so that a short scroll shows no gap. */
const SPARE = 10;

/** The rows of all files, and their positions: only those in view are drawn, so the number of results does not matter. */
export class RowLayout {
  readonly rows: readonly Row[];
  /** The top of each row, and the end of the last one. */
  readonly #tops: Float64Array;

  /** `folded` has the keys of files whose places are hidden. */
  constructor(files: readonly ShownFile[], folded: ReadonlySet<string>, heights: RowHeights) {
    const rows: Row[] = [];
    for (const [at, file] of files.entries()) {
      rows.push({ file, at });
      if (!folded.has(file.key)) for (const place of file.places) rows.push({ file, at, place });
    }
    this.rows = rows;
    this.#tops = new Float64Array(rows.length + 1);
    for (const [i, { place }] of rows.entries())
      this.#tops[i + 1] = this.#tops[i]! + (place?.symbol ? heights.double : heights.line);
  }

  get height(): number {
    return this.#tops[this.rows.length]!;
  }

  topOf(index: number): number {
    return this.#tops[index]!;
  }

  heightOf(index: number): number {
    return this.#tops[index + 1]! - this.#tops[index]!;
  }

  /** The rows to draw: `from` inclusive, `to` exclusive. */
  inView(scrollTop: number, height: number): { readonly from: number; readonly to: number } {
    const from = Math.max(0, this.#at(scrollTop) - SPARE);
    return { from, to: Math.min(this.rows.length, this.#at(scrollTop + height) + 1 + SPARE) };
  }

  /** The scroll position that shows a row; the present one if it does. */
  scrollTo(index: number, scrollTop: number, height: number): number {
    const top = this.topOf(index);
    const bottom = top + this.heightOf(index);
    if (top < scrollTop) return top;
    return bottom > scrollTop + height ? bottom - height : scrollTop;
  }

  /** The row about a page below or above another. */
  pageFrom(index: number, pixels: number): number {
    return this.#at(Math.max(0, Math.min(this.height - 1, this.topOf(index) + pixels)));
  }

  /** Index of the row of a place, or else of its file; -1 for none. */
  find(fileKey: string, line: number | undefined): number {
    const file = this.rows.findIndex((row) => row.file.key === fileKey);
    if (file < 0 || line === undefined) return file;
    for (let i = file + 1; this.rows[i]?.file.key === fileKey; i++) if (this.rows[i]!.place?.line === line) return i;
    return file;
  }

  /** Index of the first place at or after a row; -1 for none. */
  firstPlace(from = 0): number {
    return this.rows.findIndex(({ place }, i) => i >= from && place !== undefined);
  }

  /** The row at a position. */
  #at(y: number): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tops[middle + 1]! <= y) low = middle + 1;
      else high = middle;
    }
    return Math.min(low, Math.max(0, this.rows.length - 1));
  }
}

/** Least number of characters shown before a match that would else be cut off; a wide row shows more. */
const BEFORE_MATCH = 20;

/**
 * Where to begin a line of code so that its first match is in view: 0, or the beginning of a word before the match. `width` is
 * in characters.
 */
export function shownFrom(text: string, marks: readonly TextSpan[], width: number): number {
  const [first] = marks;
  if (!first || first.end <= width) return 0;
  // The match itself has the room first, and the ellipsis takes one character.
  const room = width - (first.end - first.start) - 1;
  const before = Math.max(0, Math.min(Math.max(BEFORE_MATCH, Math.floor(width / 3)), room));
  const from = Math.max(0, first.start - before);
  const word = text.slice(from, first.start).search(/(?<=[^\p{L}\p{N}_])[\p{L}\p{N}_]/u);
  return from === 0 ? 0 : from + Math.max(0, word);
}

/**
 * The matches to mark in a line that is shown from a character on: not those behind its end, whose background the browser would draw
 * beside the ellipsis.
 */
export function marksInView(marks: readonly TextSpan[], from: number, width: number): readonly TextSpan[] {
  const end = from + width - (from > 0 ? 2 : 1);
  return marks.filter(({ start }) => start < end);
}
