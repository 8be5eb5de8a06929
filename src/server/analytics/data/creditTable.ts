import type { DayRange } from '../../../analytics/dateRules.ts';
import type { Day } from '../../../base/day.ts';
import { lowerBound, sortedOrder, spans, type SortedRows, type RowSpan } from './rows.ts';

const [ACCOUNT, DAY, MODEL] = [0, 1, 2];

/** Credits by account, day and model, and the same rows in the order of days. */
export class CreditTable {
  readonly rows: SortedRows;
  readonly #accounts: ReadonlyMap<number, RowSpan>;
  /** At row n the credits of all rows before n. Exact: the sum of all credits is not above 2^53 - 1. */
  readonly #running: Float64Array;
  readonly #byDay: Uint32Array;
  readonly #days: ReadonlyMap<Day, RowSpan>;

  /** Columns: account, day, model. */
  constructor(rows: SortedRows) {
    this.rows = rows;
    const [accounts, days, models] = rows.columns as [Int32Array, Int32Array, Int32Array];
    this.#accounts = spans(accounts);
    this.#running = new Float64Array(rows.length + 1);
    for (let row = 0; row < rows.length; row++) this.#running[row + 1] = this.#running[row]! + rows.figures[row]!;
    this.#byDay = sortedOrder([days, accounts, models], rows.length);
    this.#days = spans(Int32Array.from(this.#byDay, (row) => days[row]!));
  }

  total(): number {
    return this.#running[this.rows.length]!;
  }

  account(row: number): number {
    return this.rows.columns[ACCOUNT]![row]!;
  }

  model(row: number): number {
    return this.rows.columns[MODEL]![row]!;
  }

  credits(row: number): number {
    return this.rows.figures[row]!;
  }

  /** The rows of an account in a range: in the order of days and models. */
  rowsOf(account: number, { first, last }: DayRange): RowSpan | undefined {
    const span = this.#accounts.get(account);
    if (!span) return undefined;
    const days = this.rows.columns[DAY]!;
    const from = lowerBound(span.from, span.to, (row) => days[row]! >= first);
    const to = lowerBound(from, span.to, (row) => days[row]! > last);
    return from === to ? undefined : { from, to };
  }

  sum({ from, to }: RowSpan): number {
    return this.#running[to]! - this.#running[from]!;
  }

  /** The numbers of a day's rows, in the order of accounts and models. */
  rowsOn(day: Day): Uint32Array {
    const span = this.#days.get(day);
    return span ? this.#byDay.subarray(span.from, span.to) : new Uint32Array();
  }
}
