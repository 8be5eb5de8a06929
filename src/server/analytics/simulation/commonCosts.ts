import type { DayRange } from '../../../analytics/dateRules.ts';
import type { Day } from '../../../base/day.ts';
import { generationOn } from './calendar.ts';
import { SUMS, type Line, type Workdays } from './workdays.ts';

/**
 * The costs of everybody in a range of days. Who has which workday is only counted; what the workdays cost is multiplied by
 * the counts afterwards, so that ten thousand people in three months cost little more than the counting.
 */
export class CommonCosts {
  readonly #workdays: Workdays;
  readonly #firstGeneration: number;
  readonly #generations: number;
  /** By workday, own key and generation of the models. */
  readonly #counts: Uint32Array;
  #used: number[] = [];

  constructor(workdays: Workdays, { first, last }: DayRange, maxDelay: number) {
    this.#workdays = workdays;
    this.#firstGeneration = generationOn(first, maxDelay);
    this.#generations = generationOn(last, 0) - this.#firstGeneration + 1;
    this.#counts = new Uint32Array(workdays.length * 2 * this.#generations);
  }

  add(workday: number, day: Day, delay: number, byok: 0 | 1): void {
    const at = (workday * 2 + byok) * this.#generations + generationOn(day, delay) - this.#firstGeneration;
    if (this.#counts[at]!++ === 0) this.#used.push(at);
  }

  clear(): void {
    for (const at of this.#used) this.#counts[at] = 0;
    this.#used = [];
  }

  /** For each sort of line, key and generation that there is: the sums, which begin at `at` in `cells`. */
  forEach(visit: (line: Line, key: 0 | 1, generation: number, cells: Float64Array, at: number) => void): void {
    const { sorts, lineFrom, lineSort, lineAmounts } = this.#workdays;
    const generations = this.#generations;
    const cells = new Float64Array(sorts.length * 2 * generations * SUMS);
    for (const at of this.#used) {
      const count = this.#counts[at]!;
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
