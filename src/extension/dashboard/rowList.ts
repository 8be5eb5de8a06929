import { formatCell, type Cell, type Column, type Table } from '../../analytics/reports/table.ts';
import type { Identity } from '../../analytics/identity.ts';
import type { List } from '../../protocol/dashboardChoices.ts';
import type { ListedRow, RowList, Tone } from '../../protocol/dashboardView.ts';
import { matchesFilter } from './figures.ts';

/** A row before formatting. The filter matches its first cell and its groups. */
export interface SourceRow {
  readonly id: string;
  readonly cells: readonly Cell[];
  readonly tone: Tone;
  readonly used: number | null;
  /** The account of the row. */
  readonly identity?: Identity;
  /** Names of its groups. */
  readonly groups?: readonly string[];
}

export interface ListColumn extends Column {
  readonly about: string;
}

/** The number of arrangements of all lists. */
let lastVersion = 0;

/**
 * A long list, sorted and filtered in the extension: the page requests the rows in view and never has all of them.
 * Unknown values come last in each order; rows with equal values are in the order of their names.
 */
export class SortedList {
  readonly #list: List;
  readonly #columns: readonly ListColumn[];
  readonly #caption: string;
  #rows: readonly SourceRow[] = [];
  #shown: readonly SourceRow[] = [];
  #filter = '';
  #column: string;
  #descending: boolean;
  #version = 0;

  constructor(list: List, columns: readonly ListColumn[], caption: string, sort: string, descending = true) {
    this.#list = list;
    this.#columns = columns;
    this.#caption = caption;
    this.#column = sort;
    this.#descending = descending;
  }

  get columns(): readonly ListColumn[] {
    return this.#columns;
  }

  fill(rows: readonly SourceRow[], filter: string): void {
    if (rows === this.#rows && filter === this.#filter) return;
    this.#rows = rows;
    this.#filter = filter;
    this.#arrange();
  }

  sort(column: string, descending: boolean): void {
    if (!this.#columns.some(({ name }) => name === column)) return;
    this.#column = column;
    this.#descending = descending;
    this.#arrange();
  }

  rows(from: number, count: number): ListedRow[] {
    return this.#shown.slice(from, from + count).map(({ id, cells, tone, used }) => ({
      id,
      tone,
      used,
      cells: cells.flatMap((cell, i) => (this.#columns[i]!.isDetail ? [] : [formatCell(cell, this.#columns[i]!)])),
    }));
  }

  /** The filtered rows in the current order. */
  get table(): Table {
    return { columns: this.#columns, rows: this.#shown.map(({ cells }) => cells) };
  }

  get state(): RowList {
    return {
      list: this.#list,
      version: this.#version,
      count: this.#shown.length,
      all: this.#rows.length,
      columns: this.#columns.flatMap(({ name, title, about, kind, isDetail }) =>
        isDetail ? [] : [{ id: name, title, about, isNumber: kind !== 'text' }],
      ),
      sort: this.#column,
      descending: this.#descending,
      caption: this.#caption,
    };
  }

  #arrange(): void {
    const i = this.#columns.findIndex(({ name }) => name === this.#column);
    const sign = this.#descending ? -1 : 1;
    this.#shown = this.#rows
      .filter(({ cells, groups = [] }) =>
        [String(cells[0]), ...groups].some((name) => matchesFilter(name, this.#filter)),
      )
      .sort((a, b) => order(a.cells[i], b.cells[i], sign) || order(a.cells[0], b.cells[0], 1));
    // A page keeps the rows of a version, also when another list takes the place of this one.
    this.#version = ++lastVersion;
  }
}

/** Sorts names as dictionaries do, `Österreich` before `Zürich`: ten thousand in 15 ms. */
const NAMES = new Intl.Collator('en');

function order(a: Cell, b: Cell, sign: number): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  if (typeof a === 'string' && typeof b === 'string') return sign * NAMES.compare(a, b);
  return a < b ? -sign : sign;
}
