/**
 * Compares texts in alphabetical order with a typed one, by optimal string alignment of their bytes. There is a row of edits for
 * each letter of the current text: texts that share their beginning share its rows, and a beginning with too many edits is
 * that of no text that is near enough.
 */
export class EditRows {
  readonly #typed: Uint8Array;
  readonly #maxEdits: number;
  /** Cells of a row: the typed letters, and a cell before them and behind. */
  readonly #width: number;
  readonly #rows: Uint8Array;

  constructor(typed: string, maxEdits: number) {
    this.#typed = Buffer.from(typed, 'latin1');
    this.#maxEdits = maxEdits;
    this.#width = typed.length + 2;
    this.#rows = new Uint8Array(this.#width * (typed.length + maxEdits + 1)).fill(maxEdits + 1);
    for (let j = 0; j <= maxEdits; j++) this.#rows[j] = j;
  }

  /** The edits between the typed text and the first `length` letters, whose rows are computed; too many is one more than allowed. */
  edits(length: number): number {
    const isNear = Math.abs(this.#typed.length - length) <= this.#maxEdits;
    return isNear ? this.#rows[length * this.#width + this.#typed.length]! : this.#maxEdits + 1;
  }

  /** Computes the row after `depth` letters, where it may be within the allowed edits. Returns its least number. */
  compute(letters: Uint8Array, depth: number): number {
    const rows = this.#rows;
    const typed = this.#typed;
    const width = this.#width;
    const tooMany = this.#maxEdits + 1;
    if (depth > typed.length + this.#maxEdits) return tooMany;
    const row = depth * width;
    const above = row - width;
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
          edits = Math.min(edits, rows[above - width + j - 2]! + 1);
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
