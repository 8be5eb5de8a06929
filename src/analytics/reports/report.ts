import type { Day } from '../../base/day.ts';
import type { SextantError } from '../../base/errors.ts';
import type { AnalyticsData, Loaded } from '../client/analyticsData.ts';
import { daysOf, oldestDay, type DayRange } from '../dateRules.ts';
import { previousRange } from '../insights/compare.ts';

/** How good a report's figures are. */
export interface Quality {
  /** When the oldest of them were made: ISO 8601; `undefined` where there are none. */
  readonly asOf: string | undefined;
  /** Why the service could not be asked: the figures are what was known before. */
  readonly offline: SextantError | undefined;
  /** Days of which something is not known: the service could not be asked, or does not have them yet. */
  readonly missing: readonly DayRange[];
}

/** How many days of a range are known; a sum is one of those. */
export function countKnown(range: DayRange, { missing }: Pick<Loaded<unknown>, 'missing'>): number {
  return daysOf(range).filter((day) => !isMissing(day, missing)).length;
}

export function isMissing(day: Day, missing: readonly DayRange[]): boolean {
  return missing.some(({ first, last }) => day >= first && day <= last);
}

/** A report is as old as the oldest of what it is made of. */
export function qualityOf(...parts: readonly Loaded<unknown>[]): Quality {
  const known = parts.map(({ asOf }) => asOf).filter((asOf) => asOf !== undefined);
  return {
    asOf: known.sort()[0],
    offline: parts.find(({ offline }) => offline)?.offline,
    missing: parts.flatMap(({ missing }) => missing),
  };
}

/**
 * What `load` gives for as many days before a range; nothing where they cannot be asked for any more, or not all of them are
 * known, since what is left would look like growth.
 */
export async function loadBefore<Row>(
  data: AnalyticsData,
  range: DayRange,
  load: (before: DayRange) => Promise<Loaded<Row>>,
): Promise<readonly Row[] | undefined> {
  const before = previousRange(range);
  if (before.first < oldestDay(data.today)) return undefined;
  const { rows, missing } = await load(before);
  return missing.length > 0 ? undefined : rows;
}

/** `2026-11-21 09:30 UTC` */
export function describeMoment(moment: string | undefined): string {
  return moment === undefined ? '–' : `${moment.slice(0, 16).replace('T', ' ')} UTC`;
}
