import { endpoints, type ResponseOf } from '../../analytics/contract.ts';
import { describeRange, resolveDay, resolveRange, type DayRange } from '../../analytics/dateRules.ts';
import { identityFields } from '../../analytics/identity.ts';
import { formatSeconds } from '../../base/clock.ts';
import { formatDay, type Day } from '../../base/day.ts';
import type { Exchange } from '../http/exchange.ts';
import type { AnalyticsContext } from './context.ts';
import { checkPage, pageSizeOf, takePage, withData, type CheckedPage } from './paging.ts';
import { readQuery } from './query.ts';

/* Active users, usage and activity: sections 4.4 to 4.8. */

type RangeEndpoint = 'dauCount' | 'dailyUsage' | 'userActivity';
type DayEndpoint = 'dau' | 'dailyUserActivityByEditorLanguage';

export function dauCount(context: AnalyticsContext, exchange: Exchange): ResponseOf<'dauCount'> {
  const { dates, newest } = checkRange('dauCount', context, exchange);
  const known = context.facts().activeCounts(withData(dates, newest));
  const counts: ResponseOf<'dauCount'>['daily_active_user_counts'] = [];
  for (let day = dates.first; day <= dates.last; day++)
    counts.push({ date: formatDay(day), user_count: known[day - dates.first] ?? 0 });
  return {
    daily_active_user_counts: counts,
    metadata: { ...describeRange(dates), generated_at: generatedAt(context), total_days: counts.length },
  };
}

export function dau(context: AnalyticsContext, exchange: Exchange): ResponseOf<'dau'> {
  const { request, dates: day, newest, after, pagination } = checkDay('dau', context, exchange);
  const rows = day > newest ? [] : context.facts().activeAccounts(day, after);
  const page = takePage(rows, pageSizeOf('dau', request.page_size, exchange));
  return {
    users: page.rows.map(({ identity }) => identityFields(identity)),
    pagination: pagination(page.last),
    metadata: {
      effective_date: formatDay(day),
      generated_at: generatedAt(context),
      returned_user_count: page.rows.length,
    },
  };
}

export function dailyUsage(context: AnalyticsContext, exchange: Exchange): ResponseOf<'dailyUsage'> {
  const { dates, newest } = checkRange('dailyUsage', context, exchange);
  const known = withData(dates, newest);
  const usage = context
    .facts()
    .usage(known)
    .flatMap((metrics, i) => (metrics ? [{ date: formatDay(known.first + i), metrics }] : []));
  return {
    daily_usage: usage,
    metadata: { ...describeRange(dates), generated_at: generatedAt(context), total_days: usage.length },
  };
}

export function userActivity(context: AnalyticsContext, exchange: Exchange): ResponseOf<'userActivity'> {
  const { request, dates, newest, after, pagination } = checkRange('userActivity', context, exchange);
  const rows = context.facts().activity(withData(dates, newest), after);
  const page = takePage(rows, pageSizeOf('userActivity', request.page_size, exchange));
  return {
    users: page.rows.map(({ identity, activeDays, metrics }) => ({
      ...identityFields(identity),
      active_days: activeDays,
      metrics,
    })),
    pagination: pagination(page.last),
    metadata: {
      ...describeRange(dates),
      generated_at: generatedAt(context),
      total_days: dates.last - dates.first + 1,
      returned_user_count: page.rows.length,
    },
  };
}

export function dailyUserActivityByEditorLanguage(
  context: AnalyticsContext,
  exchange: Exchange,
): ResponseOf<'dailyUserActivityByEditorLanguage'> {
  const name = 'dailyUserActivityByEditorLanguage';
  const { request, dates: day, newest, after, pagination } = checkDay(name, context, exchange);
  const rows = day > newest ? [] : context.facts().editorLanguages(day, after);
  const page = takePage(rows, pageSizeOf(name, request.page_size, exchange));
  return {
    records: page.rows.map(({ identity, language, editor, metrics }) => ({
      ...identityFields(identity),
      language,
      editor,
      metrics,
    })),
    pagination: pagination(page.last),
    metadata: {
      effective_date: formatDay(day),
      generated_at: generatedAt(context),
      returned_record_count: page.rows.length,
    },
  };
}

function checkRange<N extends RangeEndpoint>(
  name: N,
  { clock, cursors }: AnalyticsContext,
  exchange: Exchange,
): CheckedPage<N, DayRange> {
  const raw = readQuery(endpoints[name], exchange);
  return checkPage<N, DayRange>({
    name,
    raw,
    now: clock.now(),
    cursors,
    dates: (today) => resolveRange('metrics', raw.start_date, raw.end_date, today),
    bind: ({ start_date, end_date }) => [start_date, end_date],
  });
}

function checkDay<N extends DayEndpoint>(
  name: N,
  { clock, cursors }: AnalyticsContext,
  exchange: Exchange,
): CheckedPage<N, Day> {
  const raw = readQuery(endpoints[name], exchange);
  return checkPage<N, Day>({
    name,
    raw,
    now: clock.now(),
    cursors,
    dates: (today) => resolveDay(raw.date, today),
    bind: ({ date }) => [date],
  });
}

function generatedAt({ clock }: AnalyticsContext): string {
  return formatSeconds(clock.now());
}
