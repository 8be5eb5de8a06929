import { daysOf, type DayRange } from '../../../analytics/dateRules.ts';
import type { Day } from '../../../base/day.ts';
import { generationOn } from './calendar.ts';
import type { Schedule } from './directory.ts';
import { SUMS, type CostLine, type Workdays } from './workdays.ts';

/** Number of days counted at once where each is needed separately. */
const DAYS_AT_ONCE = 16;

/**
 * The costs of everybody in a range of days, or on each of them. Who has which workday is only counted; what the workdays cost
 * is multiplied by the counts afterwards, so that ten thousand people in three months cost little more than the counting.
 */
export class CommonCosts {
  readonly #workdays: Workdays;
  readonly #range: DayRange;
  readonly #isByDay: boolean;
  /** The first day of the range, less the longest delay; and the generation on it and each day after it. */
  readonly #origin: Day;
  readonly #generationOn: Int32Array;
  readonly #firstGeneration: number;
  readonly #generations: number;
  /** How many counts there are for a day, by workday, own key and generation of the models. */
  readonly #width: number;
  readonly #counts: Uint32Array;
  /** Of each day, where in its counts something is. */
  #used: number[][] = [];
  /** What is counted now. */
  #counted: DayRange | undefined;

  /** `isByDay` says whether the days are to be known apart. */
  constructor(workdays: Workdays, range: DayRange, maxDelay: number, isByDay: boolean) {
    const { first, last } = range;
    this.#workdays = workdays;
    this.#range = range;
    this.#isByDay = isByDay;
    this.#origin = first - maxDelay;
    this.#generationOn = Int32Array.from(daysOf({ first: this.#origin, last }), (day) => generationOn(day, 0));
    this.#firstGeneration = this.#generationOn[0]!;
    this.#generations = this.#generationOn.at(-1)! - this.#firstGeneration + 1;
    this.#width = workdays.length * 2 * this.#generations;
    this.#counts = new Uint32Array(this.#width * (isByDay ? Math.min(DAYS_AT_ONCE, last - first + 1) : 1));
  }

  /** The days to be counted for what is known of `day`; `undefined` where they are counted already. */
  uncounted(day: Day): DayRange | undefined {
    const known = this.#counted;
    if (known && known.first <= day && day <= known.last) return undefined;
    const { last } = this.#range;
    return this.#isByDay ? { first: day, last: Math.min(last, day + DAYS_AT_ONCE - 1) } : this.#range;
  }

  /** Begins to count these days. */
  begin(days: DayRange): void {
    this.#used.forEach((used, i) => {
      for (const at of used) this.#counts[i * this.#width + at] = 0;
    });
    this.#used = daysOf(this.#isByDay ? days : { first: 0, last: 0 }).map(() => []);
    this.#counted = days;
  }

  /** Adds what an account has used on the days of a schedule, which are those that are counted. */
  add({ first, workdays }: Schedule, delay: number, byok: 0 | 1): void {
    const origin = first - delay - this.#origin;
    for (let i = 0; i < workdays.length; i++) {
      const workday = workdays[i]!;
      if (workday < 0) continue;
      const generation = this.#generationOn[origin + i]! - this.#firstGeneration;
      const at = (workday * 2 + byok) * this.#generations + generation;
      const place = this.#isByDay ? i : 0;
      if (this.#counts[place * this.#width + at]!++ === 0) this.#used[place]!.push(at);
    }
  }

  /**
   * For each sort of line, key and generation that there is on a day, or in the whole range: the sums, which begin at `at` in
   * `cells`.
   */
  forEach(
    day: Day,
    visit: (line: CostLine, key: 0 | 1, generation: number, cells: Float64Array, at: number) => void,
  ): void {
    const { sorts, lineFrom, lineSort, lineAmounts } = this.#workdays;
    const generations = this.#generations;
    const place = this.#isByDay ? day - this.#counted!.first : 0;
    const cells = new Float64Array(sorts.length * 2 * generations * SUMS);
    for (const at of this.#used[place]!) {
      const count = this.#counts[place * this.#width + at]!;
      const generation = at % generations;
      const rest = (at - generation) / generations;
      const key = rest & 1;
      const workday = rest >> 1;
      for (let line = lineFrom[workday]!; line < lineFrom[workday + 1]!; line++) {
        const cell = ((lineSort[line]! * 2 + key) * generations + generation) * SUMS;
        const amounts = (line * 2 + key) * SUMS;
        for (let i = 0; i < SUMS; i++) cells[cell + i]! += count * lineAmounts[amounts + i]!;
      }
    }
    for (let at = 0; at < cells.length; at += SUMS) {
      // What is used has a base cost.
      if (cells[at + 1] === 0) continue;
      const cell = at / SUMS;
      const generation = cell % generations;
      const rest = (cell - generation) / generations;
      visit(sorts[rest >> 1]!, (rest & 1) as 0 | 1, this.#firstGeneration + generation, cells, at);
    }
  }
}
