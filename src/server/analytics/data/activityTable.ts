import { METRIC_FIELDS, type Metrics } from '../../../analytics/contract.ts';
import type { DayRange } from '../../../analytics/dateRules.ts';
import type { Day } from '../../../base/day.ts';
import { lowerBound, spans, starts, type SortedRows, type Span } from './rows.ts';

const WIDTH = METRIC_FIELDS.length;
const [DAY, ACCOUNT, LANGUAGE, EDITOR] = [0, 1, 2, 3];

/**
 * Metrics by day, account, language and editor. Beside them are running totals per account and day, so that what an account
 * did in a range is a difference of two rows, however long the range is.
 */
export class ActivityTable {
  readonly rows: SortedRows;
  readonly #days: ReadonlyMap<Day, Span>;
  readonly #usage = new Map<Day, { readonly accounts: number; readonly metrics: Metrics }>();
  /** Where the rows of account and day of each account begin; they are in this order. */
  readonly #starts: Int32Array;
  readonly #activeDays: Int32Array;
  /** At row n the metrics of all rows of account and day before n. Exact: no metric's sum is above 2^53 - 1. */
  readonly #running: Float64Array;

  /** Columns: day, account, language, editor; `accounts` is how many there are. */
  constructor(rows: SortedRows, accounts: number) {
    this.rows = rows;
    this.#days = spans(rows.columns[DAY]!);
    const accountDays = this.#accountDays();
    this.#starts = starts(accountDays.accounts, accounts);
    this.#activeDays = accountDays.days;
    this.#running = accountDays.running;
  }

  /** Each metric's sum over everything. */
  totals(): number[] {
    return Array.from(this.#running.subarray(-WIDTH));
  }

  accountsOn(day: Day): number {
    return this.#usage.get(day)?.accounts ?? 0;
  }

  usageOn(day: Day): Metrics | undefined {
    return this.#usage.get(day)?.metrics;
  }

  rowsOn(day: Day): Span | undefined {
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

  metrics(row: number): Metrics {
    return difference(this.rows.figures, row * WIDTH, NOTHING, 0);
  }

  /** What an account did in a range; `undefined` where that is nothing. */
  activity(
    account: number,
    { first, last }: DayRange,
  ): { readonly activeDays: number; readonly metrics: Metrics } | undefined {
    const [start, end] = [this.#starts[account]!, this.#starts[account + 1]!];
    const from = lowerBound(start, end, (row) => this.#activeDays[row]! >= first);
    const to = lowerBound(from, end, (row) => this.#activeDays[row]! > last);
    if (from === to) return undefined;
    const metrics = difference(this.#running, to * WIDTH, this.#running, from * WIDTH);
    return { activeDays: to - from, metrics };
  }

  #accountDays(): { readonly accounts: Int32Array; readonly days: Int32Array; readonly running: Float64Array } {
    const { columns, figures, length } = this.rows;
    // One row of account and day for each run of rows, in the order of days; then put into the order of accounts.
    const starts: number[] = [];
    for (const [day, { from, to }] of this.#days) {
      const first = starts.length;
      for (let row = from; row < to; row++)
        if (row === from || columns[ACCOUNT]![row] !== columns[ACCOUNT]![row - 1]) starts.push(row);
      const totals = new Float64Array(WIDTH);
      for (let row = from; row < to; row++) addFigures(totals, 0, figures, row);
      this.#usage.set(day, { accounts: starts.length - first, metrics: difference(totals, 0, NOTHING, 0) });
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
    return { accounts, days, running };
  }
}

function addFigures(totals: Float64Array, at: number, figures: Float64Array, row: number): void {
  for (let metric = 0; metric < WIDTH; metric++) totals[at + metric]! += figures[row * WIDTH + metric]!;
}

const NOTHING = new Float64Array(WIDTH);

/** What the figures at one place are more than those at another. Written out, since a loop over names takes five times as long. */
function difference(plus: Float64Array, at: number, minus: Float64Array, from: number): Metrics {
  return {
    total_modified_lines_of_code: plus[at + 0]! - minus[from + 0]!,
    total_messages: plus[at + 1]! - minus[from + 1]!,
    total_tool_calls: plus[at + 2]! - minus[from + 2]!,
    completions_count: plus[at + 3]! - minus[from + 3]!,
    completions_accepted: plus[at + 4]! - minus[from + 4]!,
    completions_lines_of_code: plus[at + 5]! - minus[from + 5]!,
    completions_suggested_lines_of_code: plus[at + 6]! - minus[from + 6]!,
    chat_messages: plus[at + 7]! - minus[from + 7]!,
    remote_agent_messages: plus[at + 8]! - minus[from + 8]!,
    remote_agent_lines_of_code: plus[at + 9]! - minus[from + 9]!,
    ide_agent_messages: plus[at + 10]! - minus[from + 10]!,
    ide_agent_lines_of_code: plus[at + 11]! - minus[from + 11]!,
    cli_agent_interactive_messages: plus[at + 12]! - minus[from + 12]!,
    cli_agent_interactive_lines_of_code: plus[at + 13]! - minus[from + 13]!,
    cli_agent_non_interactive_messages: plus[at + 14]! - minus[from + 14]!,
    cli_agent_non_interactive_lines_of_code: plus[at + 15]! - minus[from + 15]!,
  };
}
