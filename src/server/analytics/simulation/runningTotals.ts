import type { DayRange } from '../../../analytics/dateRules.ts';
import { wrapped } from '../data/activityTable.ts';
import type { Figures } from '../factSource.ts';
import { Schedule, type Directory } from './directory.ts';
import { METRIC_COUNT, type Workdays } from './workdays.ts';

/** Some 650 accounts over two years. */
const MAX_BYTES = 32e6;

interface Totals {
  /** How many days with activity there are before each day. */
  readonly days: Uint16Array;
  /** At day n the metrics of all days before n, modulo 2^32: what is wanted are differences of at most a quarter. */
  readonly metrics: Uint32Array;
}

/**
 * What accounts have done up to each day of a range, computed at the first request: a part of the range is then a
 * difference. Of large organizations only the first requested accounts are kept; of the others each answer adds up the days.
 */
export class RunningTotals {
  readonly range: DayRange;
  readonly #directory: Directory;
  readonly #workdays: Workdays;
  readonly #schedule: Schedule;
  readonly #of = new Map<number, Totals>();
  readonly #maxAccounts: number;

  constructor(directory: Directory, workdays: Workdays, range: DayRange) {
    this.range = range;
    this.#directory = directory;
    this.#workdays = workdays;
    this.#schedule = new Schedule(range);
    this.#maxAccounts = Math.floor(MAX_BYTES / ((this.#schedule.workdays.length + 1) * (METRIC_COUNT * 4 + 2)));
  }

  isOf(directory: Directory, { first, last }: DayRange): boolean {
    return this.#directory === directory && this.range.first === first && this.range.last === last;
  }

  /** `undefined` where it is not kept. */
  activity(account: number, { first, last }: DayRange): { activeDays: number; figures: Figures } | undefined {
    const totals = this.#of.get(account) ?? this.#make(account);
    if (!totals) return undefined;
    const { days, metrics } = totals;
    const [from, to] = [first - this.range.first, last + 1 - this.range.first];
    const figures = wrapped(metrics, from * METRIC_COUNT, to * METRIC_COUNT);
    return { activeDays: days[to]! - days[from]!, figures };
  }

  #make(account: number): Totals | undefined {
    if (this.#of.size >= this.#maxAccounts) return undefined;
    const { workdays } = this.#schedule;
    const days = new Uint16Array(workdays.length + 1);
    const metrics = new Uint32Array((workdays.length + 1) * METRIC_COUNT);
    const totals = { days, metrics };
    this.#of.set(account, totals);
    if (this.#directory.schedule(account, this.#schedule) === 0) return totals;
    const { totals: of } = this.#workdays;
    workdays.forEach((workday, day) => {
      days[day + 1] = days[day]! + Number(workday >= 0);
      for (let i = 0, at = day * METRIC_COUNT; i < METRIC_COUNT; i++, at++)
        metrics[at + METRIC_COUNT] = metrics[at]! + (workday < 0 ? 0 : of[workday * METRIC_COUNT + i]!);
    });
    return totals;
  }
}
