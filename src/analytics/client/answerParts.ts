import { dayOf, formatDay, startOfDay, type Day } from '../../base/day.ts';
import { METRICS_REFRESH_HOUR } from '../contract.ts';
import type { DayRange } from '../dateRules.ts';
import type { CachedAnswer } from './answerCache.ts';

/** How an answer consists of days. */
export interface DayRules<Row> {
  /**
   * The day of a row, if an answer for some days consists of the answers for each; else an answer stands for the whole
   * range.
   */
  readonly dayOf?: (row: Row) => string;
  /** Whether the service has a day only when it is finished: until then its answer is empty. */
  readonly isNightly?: boolean;
}

/** Answers combined until they cover a range. */
export class AnswerParts<Row> {
  readonly rows: Row[] = [];
  /** Answered days without figures in the service yet. */
  readonly notYet: DayRange[] = [];
  readonly #range: DayRange;
  readonly #query: DayRules<Row>;
  #missing: readonly DayRange[];
  readonly #taken: CachedAnswer[] = [];

  constructor(range: DayRange, query: DayRules<Row>) {
    this.#range = range;
    this.#query = query;
    this.#missing = [range];
  }

  get rowCount(): number {
    return this.rows.length;
  }

  /** Figures that may still change determine the age of the whole. */
  get asOf(): string | undefined {
    const changing = this.#taken.filter((answer) => !isFinal(answer)).map(({ generatedAt }) => generatedAt);
    if (changing.length > 0) return changing.sort()[0];
    return this.#taken
      .map(({ generatedAt }) => generatedAt)
      .sort()
      .at(-1);
  }

  /** Days that are not covered yet. */
  missing(): readonly DayRange[] {
    return this.#missing;
  }

  /** Adds the rows of an answer for the days that are still missing. */
  add(answer: CachedAnswer): void {
    const { dayOf, isNightly = false } = this.#query;
    const { first, last } = this.#range;
    if (!dayOf) {
      if (answer.first !== first || answer.last !== last || this.#missing.length === 0) return;
      this.#take(answer, answer.rows as readonly Row[]);
      this.#missing = [];
      return;
    }
    for (const gap of this.#missing) {
      const part = { first: Math.max(gap.first, answer.first), last: Math.min(gap.last, answer.last) };
      if (part.first > part.last) continue;
      const known = isNightly ? Math.min(part.last, finishedIn(answer)) : part.last;
      if (known < part.last) this.notYet.push({ first: Math.max(part.first, known + 1), last: part.last });
      const [from, to] = [formatDay(part.first), formatDay(known)];
      this.#take(
        answer,
        (answer.rows as readonly Row[]).filter((row) => dayOf(row) >= from && dayOf(row) <= to),
      );
      this.#missing = this.#missing.flatMap((one) => (one === gap ? without(gap, part) : [one]));
    }
  }

  #take(answer: CachedAnswer, rows: readonly Row[]): void {
    for (const row of rows) this.rows.push(row);
    this.#taken.push(answer);
  }
}

function without(gap: DayRange, part: DayRange): DayRange[] {
  return [
    { first: gap.first, last: part.first - 1 },
    { first: part.last + 1, last: gap.last },
  ].filter(({ first, last }) => first <= last);
}

/** Whether every day of an answer was finished when it was fetched. */
export function isFinal(answer: Omit<CachedAnswer, 'rows'>): boolean {
  return answer.last <= finishedIn(answer);
}

/**
 * The newest day that was finished at the time of the fetch, by the local clock and the service's: either may be slow.
 */
export function finishedIn({ fetchedAt, generatedAt }: Pick<CachedAnswer, 'fetchedAt' | 'generatedAt'>): Day {
  return newestFinished(Math.min(fetchedAt, Date.parse(generatedAt)));
}

/** The newest day that was finished at a moment. */
export function newestFinished(ms: number): Day {
  const today = dayOf(ms);
  return ms - startOfDay(today) >= METRICS_REFRESH_HOUR * 3_600_000 ? today - 1 : today - 2;
}
