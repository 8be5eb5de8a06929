import type { Day } from '../../base/day.ts';
import { isCancelled, type SextantError } from '../../base/errors.ts';
import type { AnalyticsData, LoadOptions } from '../client/analyticsData.ts';
import { endpoints, RATE_LIMITS } from '../contract.ts';
import { daysOf, type DayRange } from '../dateRules.ts';
import { UsageTally, type PairUsage, type Usage } from '../insights/people.ts';
import type { Quality } from './report.ts';

/** Usage by language and editor, of the days loaded so far. */
export interface LanguageReport extends Quality {
  readonly range: DayRange;
  readonly languages: readonly Usage[];
  readonly editors: readonly Usage[];
  readonly pairs: readonly PairUsage[];
  /** Messages of an account in each language, the most first. */
  readonly languagesOf: UsageTally['languagesOf'];
  readonly daysDone: number;
  readonly days: number;
  /** Rows received of the current day. */
  readonly rows: number;
  /** Estimated time for the rest, if known. */
  readonly secondsLeft: number | undefined;
}

const PER_PAGE = endpoints.dailyUserActivityByEditorLanguage.pageSize?.maximum ?? 1;
const { perMinute } = RATE_LIMITS[endpoints.dailyUserActivityByEditorLanguage.rateGroup];

/**
 * Loads day after day, the newest first, and reports each: a day is some hundred requests for ten thousand people, so a
 * quarter takes hours. Each day is stored when it arrives; a cancelled load resumes where it stopped. Returns the days
 * so far, also when cancelled.
 */
export async function loadLanguages(
  data: AnalyticsData,
  range: DayRange,
  options: LoadOptions,
  onChange: (report: LanguageReport) => void,
): Promise<LanguageReport> {
  const tally = new UsageTally();
  const days = daysOf(range).reverse();
  const missing: Day[] = [];
  let asOf: string | undefined;
  let offline: SextantError | undefined;
  let done = 0;
  let rowsSoFar = 0;
  const report = (rows: number): LanguageReport => ({
    range,
    languages: tally.by('language'),
    editors: tally.by('editor'),
    pairs: tally.pairs(),
    languagesOf: (key) => tally.languagesOf(key),
    daysDone: done,
    days: days.length,
    rows,
    secondsLeft: done === 0 || done === days.length ? undefined : secondsFor(((days.length - done) * rowsSoFar) / done),
    asOf,
    offline,
    missing: missing.map((day) => ({ first: day, last: day })),
  });
  // Cached days are returned at once; the others are requested then.
  const unknown: Day[] = [];
  for (const day of days) {
    const known = await data.languages({ first: day, last: day }, { cachedOnly: true });
    if (known.missing.length > 0 || options.refresh === true) unknown.push(day);
    else take(known);
  }
  onChange(report(0));
  if (options.cachedOnly) return report(0);
  try {
    for (const day of unknown) {
      if (offline) {
        missing.push(day);
        continue;
      }
      const onProgress = (rows: number): void => onChange(report(rows));
      const loaded = await data.languages({ first: day, last: day }, { ...options, onProgress });
      if (loaded.missing.length > 0) missing.push(day);
      else take(loaded);
      ({ offline } = loaded);
      onChange(report(0));
    }
  } catch (error) {
    if (!isCancelled(error)) throw error;
  }
  return report(0);

  function take(loaded: Awaited<ReturnType<AnalyticsData['languages']>>): void {
    tally.add(loaded.rows);
    rowsSoFar += loaded.rows.length;
    asOf = asOf === undefined || (loaded.asOf !== undefined && loaded.asOf < asOf) ? loaded.asOf : asOf;
    done++;
  }
}

/** Time at the sustained rate of the service. */
function secondsFor(rows: number): number {
  return Math.ceil(rows / PER_PAGE / perMinute) * 60;
}
