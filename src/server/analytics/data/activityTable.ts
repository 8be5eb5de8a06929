import { METRIC_FIELDS, type Metrics } from '../../../analytics/contract.ts';
import type { DayRange } from '../../../analytics/dateRules.ts';
import type { Day } from '../../../base/day.ts';
import { spans, starts, type SortedRows, type Span } from './rows.ts';

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
    this.#days = spans(rows.columns[DAY]!);
    const accountDays = this.#accountDays();
    this.#starts = starts(accountDays.accounts, accounts);
    this.#activeDays = accountDays.days;
    this.#running = accountDays.running;
    this.#totals = accountDays.totals;
  }

  /** Each metric's sum over everything. */
  totals(): number[] {
    return Array.from(this.#totals);
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
    return metricsAt(this.rows.figures, row * WIDTH);
  }

  /** What an account did in a range; `undefined` where that is nothing. */
  activity(
    account: number,
    { first, last }: DayRange,
  ): { readonly activeDays: number; readonly metrics: Metrics } | undefined {
    const [start, end] = [this.#starts[account]!, this.#starts[account + 1]!];
    const from = firstFrom(this.#activeDays, start, end, first);
    const to = firstFrom(this.#activeDays, from, end, last + 1);
    if (from === to) return undefined;
    const running = this.#running;
    const [after, before] = [to * WIDTH, from * WIDTH];
    for (let metric = 0; metric < WIDTH; metric++)
      scratch[metric] = running[after + metric]! - running[before + metric]!;
    if (running instanceof Uint32Array)
      for (let metric = 0; metric < WIDTH; metric++) scratch[metric] = scratch[metric]! >>> 0;
    return { activeDays: to - from, metrics: metricsAt(scratch, 0) };
  }

  #accountDays(): {
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
      this.#usage.set(day, { accounts: starts.length - first, metrics: metricsAt(totals, 0) });
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

/** The first row from `start` to `end` of a sorted column that has at least this value. */
function firstFrom(column: Int32Array, start: number, end: number, value: number): number {
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (column[middle]! >= value) end = middle;
    else start = middle + 1;
  }
  return start;
}

/** Differences on their way into an answer. */
const scratch = new Float64Array(WIDTH);

/** The same number as a small integer where it is one: kept without a box of its own, and written into JSON at half the cost. */
function whole(figure: number): number {
  return (figure | 0) === figure ? figure | 0 : figure;
}

/** Written out, since a loop over names takes five times as long. */
function metricsAt(figures: Float64Array, at: number): Metrics {
  return {
    total_modified_lines_of_code: whole(figures[at + 0]!),
    total_messages: whole(figures[at + 1]!),
    total_tool_calls: whole(figures[at + 2]!),
    completions_count: whole(figures[at + 3]!),
    completions_accepted: whole(figures[at + 4]!),
    completions_lines_of_code: whole(figures[at + 5]!),
    completions_suggested_lines_of_code: whole(figures[at + 6]!),
    chat_messages: whole(figures[at + 7]!),
    remote_agent_messages: whole(figures[at + 8]!),
    remote_agent_lines_of_code: whole(figures[at + 9]!),
    ide_agent_messages: whole(figures[at + 10]!),
    ide_agent_lines_of_code: whole(figures[at + 11]!),
    cli_agent_interactive_messages: whole(figures[at + 12]!),
    cli_agent_interactive_lines_of_code: whole(figures[at + 13]!),
    cli_agent_non_interactive_messages: whole(figures[at + 14]!),
    cli_agent_non_interactive_lines_of_code: whole(figures[at + 15]!),
  };
}
