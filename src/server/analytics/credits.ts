import { CREDITS_REFRESH_MS, endpoints, type ResponseOf } from '../../analytics/contract.ts';
import { describeRange, resolveRange } from '../../analytics/dateRules.ts';
import { identityFields } from '../../analytics/identity.ts';
import { formatTime } from '../../base/clock.ts';
import { dayOf, formatDay } from '../../base/day.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { AnalyticsContext } from './context.ts';
import { checkPage, pageSizeOf, takePage } from './paging.ts';
import { readQuery } from './query.ts';

/** Credits per user: section 4.9. */
export function creditUsageByUser(context: AnalyticsContext, exchange: HttpExchange): ResponseOf<'creditUsageByUser'> {
  const { clock, cursors } = context;
  const raw = readQuery(endpoints.creditUsageByUser, exchange);
  const { request, dates, after, pagination } = checkPage({
    name: 'creditUsageByUser',
    raw,
    now: clock.now(),
    cursors,
    dates: (today) => resolveRange('credits', raw.start_date, raw.end_date, today),
    bind: ({ by_date = false, by_model = false }) => [by_date, by_model],
  });
  const { by_date: date = false, by_model: model = false } = request;
  const asOf = clock.now() - context.creditsLagMs;
  const known = { first: dates.first, last: Math.min(dates.last, dayOf(asOf)) };
  const rows = context.facts().credits(known, { date, model }, after, asOf);
  const page = takePage(rows, pageSizeOf('creditUsageByUser', request.page_size, exchange));
  return {
    records: page.rows.map(({ identity, credits, day, model }) => ({
      ...identityFields(identity),
      ...(day !== undefined && { date: formatDay(day) }),
      ...(model !== undefined && { model_name: model }),
      credits_consumed: credits,
    })),
    pagination: pagination(page.last),
    metadata: {
      ...describeRange(dates),
      // As of the last refresh; the figures are nevertheless those of this moment.
      generated_at: formatTime(Math.floor(asOf / CREDITS_REFRESH_MS) * CREDITS_REFRESH_MS),
      returned_record_count: page.rows.length,
    },
  };
}
