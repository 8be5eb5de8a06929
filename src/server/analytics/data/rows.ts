/** Rows as they arrive: some whole numbers that say what a row is of, and some figures. */
export class RawRows {
  readonly #columns: Int32Array[];
  #figures: Float64Array;
  readonly #width: number;
  #length: number;

  /** Begins with the rows of `base`, which is not changed. */
  constructor(columns: number, width: number, base?: SortedRows) {
    this.#width = width;
    this.#length = base?.length ?? 0;
    const room = Math.max(16, this.#length * 2);
    this.#columns = Array.from({ length: columns }, (_, column) => copied(base?.columns[column], new Int32Array(room)));
    this.#figures = copied(base?.figures, new Float64Array(room * width));
  }

  push(dimensions: readonly number[], figures: readonly number[]): void {
    if (this.#length === this.#columns[0]!.length) this.#grow();
    for (let column = 0; column < dimensions.length; column++)
      this.#columns[column]![this.#length] = dimensions[column]!;
    this.#figures.set(figures, this.#length * this.#width);
    this.#length++;
  }

  /**
   * All rows in the order of their columns, the first counting most, equal ones added up. `ranks` maps the
   * numbers of each column. Rows of zeros only are left out with `dropZeros`.
   */
  sorted(ranks: readonly (Int32Array | undefined)[], dropZeros = false): SortedRows {
    const columns = this.#columns.map((column, i) => renumbered(column.subarray(0, this.#length), ranks[i]));
    const order = sortedOrder(columns, this.#length);
    const width = this.#width;
    const result = columns.map(() => new Int32Array(this.#length));
    const figures = new Float64Array(this.#length * width);
    let length = 0;
    for (const row of order) {
      const at = row * width;
      if (dropZeros && this.#figures.subarray(at, at + width).every((figure) => figure === 0)) continue;
      const isSame = length > 0 && columns.every((column, i) => column[row] === result[i]![length - 1]);
      if (!isSame) {
        columns.forEach((column, i) => (result[i]![length] = column[row]!));
        length++;
      }
      for (let i = 0; i < width; i++) figures[(length - 1) * width + i]! += this.#figures[at + i]!;
    }
    return {
      length,
      columns: result.map((column) => column.slice(0, length)),
      figures: figures.slice(0, length * width),
    };
  }

  #grow(): void {
    const room = this.#length * 2;
    this.#columns.forEach((column, i) => (this.#columns[i] = copied(column, new Int32Array(room))));
    this.#figures = copied(this.#figures, new Float64Array(room * this.#width));
  }
}

export interface SortedRows {
  readonly length: number;
  readonly columns: readonly Int32Array[];
  /** Row by row. */
  readonly figures: Float64Array;
}

/** The numbers of the rows in the order of their columns, the first counting most. Equal rows stay as they are. */
export function sortedOrder(columns: readonly Int32Array[], length: number): Uint32Array {
  const order = Uint32Array.from({ length }, (_, row) => row);
  return order.sort((a, b) => {
    for (const column of columns) {
      const difference = column[a]! - column[b]!;
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

/** Where the rows of each value of a sorted column are. */
export function spans(column: Int32Array): ReadonlyMap<number, RowSpan> {
  const found = new Map<number, RowSpan>();
  for (let from = 0; from < column.length;) {
    const value = column[from]!;
    let to = from + 1;
    while (to < column.length && column[to] === value) to++;
    found.set(value, { from, to });
    from = to;
  }
  return found;
}

export interface RowSpan {
  readonly from: number;
  readonly to: number;
}

/** The first number from `from` to `to` for which it holds, where it holds for all numbers after one for which it does. */
export function lowerBound(from: number, to: number, holds: (at: number) => boolean): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

export function renumbered(column: Int32Array, ranks: Int32Array | undefined): Int32Array {
  return ranks ? column.map((id) => ranks[id]!) : column;
}

function copied<A extends Int32Array | Float64Array>(from: A | undefined, to: A): A {
  if (from) to.set(from);
  return to;
}
