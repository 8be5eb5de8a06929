import { CREDITS_REFRESH_MS, endpoints, type ResponseOf } from '../../analytics/contract.ts';
import { describeRange, resolveRange } from '../../analytics/dateRules.ts';
import { identityFields } from '../../analytics/identity.ts';
import { formatSeconds } from '../../base/clock.ts';
import { formatDay } from '../../base/day.ts';
import type { Exchange } from '../http/exchange.ts';
import type { AnalyticsContext } from './context.ts';
import { checkPage, pageSizeOf, takePage } from './paging.ts';
import { readQuery } from './query.ts';

/** Credits per user: section 4.9. */
export function creditUsageByUser(context: AnalyticsContext, exchange: Exchange): ResponseOf<'creditUsageByUser'> {
  const { clock, cursors } = context;
  const raw = readQuery(endpoints.creditUsageByUser, exchange);
  const { request, dates, after, pagination } = checkPage({
    name: 'creditUsageByUser',
    raw,
    now: clock.now(),
    cursors,
    dates: (today) => resolveRange('credits', raw.start_date, raw.end_date, today),
    bind: ({ start_date, end_date, by_date = false, by_model = false }) => [start_date, end_date, by_date, by_model],
  });
  const { by_date: date = false, by_model: model = false } = request;
  const rows = context.facts().credits(dates, { date, model }, after);
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
      generated_at: formatSeconds(Math.floor(clock.now() / CREDITS_REFRESH_MS) * CREDITS_REFRESH_MS),
      returned_record_count: page.rows.length,
    },
  };
}
