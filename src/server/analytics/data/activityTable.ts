import { METRIC_FIELDS } from '../../../analytics/contract.ts';
import type { DayRange } from '../../../analytics/dateRules.ts';
import type { Day } from '../../../base/day.ts';
import type { Figures } from '../factSource.ts';
import { DayIndex } from './dayIndex.ts';
import { spans, type SortedRows, type RowSpan } from './rows.ts';

const WIDTH = METRIC_FIELDS.length;
const [DAY, ACCOUNT, LANGUAGE, EDITOR] = [0, 1, 2, 3];

/** Number of accounts whose rows are fetched at once. */
const BLOCK = 32;
/** Where in the running totals the ranges of a block's accounts begin and end. */
const befores = new Int32Array(BLOCK);
const afters = new Int32Array(BLOCK);
/** Means nothing: what is read and not used would not be read. */
const touched = new Uint32Array(1);

export interface AccountActivity {
  readonly account: number;
  /** Distinct days with activity. */
  readonly activeDays: number;
  readonly figures: Figures;
}

/**
 * Metrics by day, account, language and editor. Beside them are running totals per account and day, so that what an account
 * did in a range is a difference of two rows, however long the range is.
 */
export class ActivityTable {
  readonly rows: SortedRows;
  readonly #days: ReadonlyMap<Day, RowSpan>;
  /** Of all accounts together. */
  readonly #usage = new Map<Day, Figures>();
  readonly #firstDay: Day;
  /** How many were active on each day from the first on. */
  readonly #accountsOn: Int32Array;
  /** Where the rows of account and day are in the running totals. */
  readonly #accountDays: DayIndex;
  /**
   * At row n the metrics of all rows of account and day before n. Where no account has 2^32 of anything they are counted
   * modulo that, since what is wanted are differences within an account: half the memory to fetch. Else they are
   * exact, as no metric's sum is above 2^53 - 1.
   */
  readonly #running: Uint32Array | Float64Array;
  readonly #totals: Float64Array;

  /** Columns: day, account, language, editor; `accounts` is how many there are. */
  constructor(rows: SortedRows, accounts: number) {
    this.rows = rows;
    const days = rows.columns[DAY]!;
    this.#days = spans(days);
    this.#firstDay = days[0] ?? 0;
    this.#accountsOn = new Int32Array(rows.length === 0 ? 0 : days.at(-1)! - this.#firstDay + 1);
    const sums = this.#addUp();
    this.#accountDays = new DayIndex(sums.accounts, sums.days, accounts);
    this.#running = sums.running;
    this.#totals = sums.totals;
  }

  /** Each metric's sum over everything. */
  totals(): number[] {
    return Array.from(this.#totals);
  }

  accountsOn(day: Day): number {
    return this.#accountsOn[day - this.#firstDay] ?? 0;
  }

  usageOn(day: Day): Figures | undefined {
    return this.#usage.get(day);
  }

  rowsOn(day: Day): RowSpan | undefined {
    return this.#days.get(day);
  }

  account(row: number): number {
    return this.rows.columns[ACCOUNT]![row]!;
  }

  language(row: number): number {
    return this.rows.columns[LANGUAGE]![row]!;
  }

  editor(row: number): number {
    return this.rows.columns[EDITOR]![row]!;
  }

  figures(row: number): Figures {
    return [...this.rows.figures.subarray(row * WIDTH, (row + 1) * WIDTH)];
  }

  /** What accounts from `first` up to `end` did in a range, `limit` or some more of those that did anything. */
  activity(first: number, end: number, range: DayRange, limit: number): AccountActivity[] {
    const rows: AccountActivity[] = [];
    for (let from = first; from < end && rows.length < limit; from += BLOCK)
      this.#addBlock(rows, from, Math.min(end, from + BLOCK), range);
    return rows;
  }

  /**
   * Two rows of running totals of each account are somewhere in much memory, and to fetch them takes longer than all else. So
   * they are touched beforehand, many at once, for which a processor does not wait one by one.
   */
  #addBlock(rows: AccountActivity[], first: number, end: number, range: DayRange): void {
    const running = this.#running;
    for (let account = first; account < end; account++) {
      befores[account - first] = this.#accountDays.rowFrom(account, range.first) * WIDTH;
      afters[account - first] = this.#accountDays.rowFrom(account, range.last + 1) * WIDTH;
    }
    for (let i = 0; i < end - first; i++) {
      const [before, after] = [befores[i]!, afters[i]!];
      // A row is rarely in one line of the cache.
      touched[0]! ^= running[before]! ^ running[after]! ^ running[before + WIDTH - 1]! ^ running[after + WIDTH - 1]!;
    }
    for (let i = 0; i < end - first; i++) {
      const [before, after] = [befores[i]!, afters[i]!];
      if (before === after) continue;
      const figures = running instanceof Uint32Array ? wrapped(running, before, after) : exact(running, before, after);
      rows.push({ account: first + i, activeDays: (after - before) / WIDTH, figures });
    }
  }

  #addUp(): {
    readonly accounts: Int32Array;
    readonly days: Int32Array;
    readonly running: Uint32Array | Float64Array;
    readonly totals: Float64Array;
  } {
    const { columns, figures, length } = this.rows;
    // One row of account and day for each run of rows, in the order of days; then put into the order of accounts.
    const starts: number[] = [];
    for (const [day, { from, to }] of this.#days) {
      const first = starts.length;
      for (let row = from; row < to; row++)
        if (row === from || columns[ACCOUNT]![row] !== columns[ACCOUNT]![row - 1]) starts.push(row);
      const totals = new Float64Array(WIDTH);
      for (let row = from; row < to; row++) addFigures(totals, 0, figures, row);
      this.#accountsOn[day - this.#firstDay] = starts.length - first;
      this.#usage.set(day, [...totals]);
    }
    const order = Uint32Array.from(starts.keys()).sort(
      (a, b) => columns[ACCOUNT]![starts[a]!]! - columns[ACCOUNT]![starts[b]!]! || a - b,
    );
    const accounts = new Int32Array(starts.length);
    const days = new Int32Array(starts.length);
    const running = new Float64Array((starts.length + 1) * WIDTH);
    order.forEach((run, at) => {
      const [from, to] = [starts[run]!, starts[run + 1] ?? length];
      accounts[at] = columns[ACCOUNT]![from]!;
      days[at] = columns[DAY]![from]!;
      running.copyWithin((at + 1) * WIDTH, at * WIDTH, (at + 1) * WIDTH);
      for (let row = from; row < to; row++) addFigures(running, (at + 1) * WIDTH, figures, row);
    });
    const totals = running.slice(-WIDTH);
    return {
      accounts,
      days,
      totals,
      running: isSmall(accounts, running) ? new Uint32Array(running) : running,
    };
  }
}

/** The difference of two rows of metrics that are counted modulo 2^32. */
export function wrapped(running: Uint32Array, before: number, after: number): number[] {
  const figures = new Array<number>(WIDTH);
  for (let i = 0; i < WIDTH; i++) figures[i] = (running[after + i]! - running[before + i]!) >>> 0;
  return figures;
}

function exact(running: Float64Array, before: number, after: number): number[] {
  const figures = new Array<number>(WIDTH);
  for (let i = 0; i < WIDTH; i++) figures[i] = running[after + i]! - running[before + i]!;
  return figures;
}

function addFigures(totals: Float64Array, at: number, figures: Float64Array, row: number): void {
  for (let metric = 0; metric < WIDTH; metric++) totals[at + metric]! += figures[row * WIDTH + metric]!;
}

/** Whether no account's running totals grow by 2^32 or more. */
function isSmall(accounts: Int32Array, running: Float64Array): boolean {
  for (let from = 0, to = 0; from < accounts.length; from = to) {
    while (to < accounts.length && accounts[to] === accounts[from]) to++;
    for (let metric = 0; metric < WIDTH; metric++)
      if (running[to * WIDTH + metric]! - running[from * WIDTH + metric]! >= 2 ** 32) return false;
  }
  return true;
}
