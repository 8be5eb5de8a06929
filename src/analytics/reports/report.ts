import { formatDay, type Day } from '../../base/day.ts';
import type { SextantError } from '../../base/errors.ts';
import type { AnalyticsData, Loaded } from '../client/analyticsData.ts';
import { daysOf, oldestDay, type DayRange } from '../dateRules.ts';
import { previousRange } from '../insights/compare.ts';

/** Quality of a report's figures. */
export interface Quality {
  /** Time of the oldest figures: ISO 8601; `undefined` without any. */
  readonly asOf: string | undefined;
  /** The error of an unreachable service: the figures then come from the cache. */
  readonly offline: SextantError | undefined;
  /** Days with unknown figures: the service was unreachable, or does not have them yet. */
  readonly missing: readonly DayRange[];
}

/** Active people a day above which those of each day take more than some minutes of requests. */
export const MOST_ACTIVE = 2_000;

/** The number of known days in a range; a sum covers those. */
export function countKnown(range: DayRange, { missing }: Pick<Loaded<unknown>, 'missing'>): number {
  return daysOf(range).filter((day) => !isMissing(day, missing)).length;
}

export function isMissing(day: Day, missing: readonly DayRange[]): boolean {
  return missing.some(({ first, last }) => day >= first && day <= last);
}

/** Quality of a report: as old as the oldest of its parts. */
export function qualityOf(...parts: readonly (Pick<Loaded<unknown>, keyof Quality> | Quality)[]): Quality {
  const known = parts.map(({ asOf }) => asOf).filter((asOf) => asOf !== undefined);
  return {
    asOf: known.sort()[0],
    offline: parts.find(({ offline }) => offline)?.offline,
    missing: parts.flatMap(({ missing }) => missing),
  };
}

/**
 * The result of `load` for the previous period, or for another one to compare with. Undefined if the service no longer has it, or not all its days are
 * known, since the gap would look like growth.
 */
export async function loadBefore<Row>(
  data: AnalyticsData,
  range: DayRange,
  load: (before: DayRange) => Promise<Pick<Loaded<Row>, 'rows' | 'missing'>>,
  before = previousRange(range),
): Promise<readonly Row[] | undefined> {
  if (before.first < oldestDay(data.today)) return undefined;
  const { rows, missing } = await load(before);
  return missing.length > 0 ? undefined : rows;
}

/** Another period to compare with than the previous one. */
export interface Compared {
  readonly before?: DayRange | undefined;
}

/** `2026-11-14 to 2026-11-20` */
export function describeDays({ first, last }: DayRange): string {
  return first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`;
}

/** `2026-11-21 09:30 UTC` */
export function describeMoment(moment: string | undefined): string {
  return moment === undefined ? '–' : `${moment.slice(0, 16).replace('T', ' ')} UTC`;
}
