import {
  GRANULARITIES,
  TOKEN_FIELDS,
  type CostMetrics,
  type GroupByKey,
  type RequestOf,
  type ResponseOf,
  type TokenField,
} from '../../analytics/contract.ts';
import { describeRange, resolveRange } from '../../analytics/dateRules.ts';
import { identityKey } from '../../analytics/identity.ts';
import { formatTime } from '../../base/clock.ts';
import { formatDay } from '../../base/day.ts';
import { formatDecimal } from '../../base/decimal.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { AnalyticsContext } from './context.ts';
import type { CostFilters, CostGrouping, CostFact, CostSums } from './factSource.ts';
import { checkPage, pageSizeOf, takePage, withData } from './paging.ts';
import { readJson } from './query.ts';

const NO_SUMS: CostSums = { billed: 0n, base: 0n, byokBase: 0n, credits: 0n, tokens: TOKEN_FIELDS.map(() => 0n) };

/** Cost and tokens, grouped and filtered: section 4.10. */
export async function costAnalytics(
  context: AnalyticsContext,
  exchange: HttpExchange,
): Promise<ResponseOf<'costAnalytics'>> {
  const raw = readJson(await exchange.body());
  const { clock, cursors } = context;
  const { request, dates, newest, after, pagination } = checkPage({
    name: 'costAnalytics',
    raw,
    now: clock.now(),
    cursors,
    dates: (today) => resolveRange('cost', raw.start_date, raw.end_date, today),
    bind: bound,
  });
  const by = grouping(request);
  const facts = context.facts();
  const rows = withTotal(facts.cost(withData(dates, newest), by, filters(request), after), by, after !== undefined);
  const page = takePage(rows, pageSizeOf('costAnalytics', request.page_size, exchange));
  const { enterprise } = facts.organization;
  return {
    data_points: page.rows.map(({ day, values, sums }) => ({
      start_date: formatDay(day ?? dates.first),
      end_date: formatDay(day ?? dates.last),
      cost_metrics: costMetricsOf(sums, enterprise),
      group_by_values: values,
    })),
    pagination: pagination(page.last),
    metadata: {
      ...describeRange(dates),
      generated_at: formatTime(clock.now()),
      returned_data_point_count: page.rows.length,
    },
  };
}

/**
 * Section 2.5 for a sum over usage with the customer's own key (BYOK) and without. Without, the surcharge is billed minus
 * base, and the estimated cost is what is billed. With, the surcharge is all that is billed, and the estimated cost is base
 * plus surcharge on enterprise, else what is billed.
 */
export function costMetricsOf({ billed, base, byokBase, credits, tokens }: CostSums, enterprise: boolean): CostMetrics {
  return {
    billed_amount_usd: formatDecimal(billed),
    estimated_customer_cost_usd: formatDecimal(enterprise ? billed + byokBase : billed),
    base_cost_usd: formatDecimal(base),
    surcharge_usd: formatDecimal(billed - (base - byokBase)),
    ...(Object.fromEntries(TOKEN_FIELDS.map((field, i) => [field, tokenCount(tokens[i]!)])) as Record<
      TokenField,
      number | string
    >),
    credits_consumed: formatDecimal(credits),
  };
}

function tokenCount(count: bigint): number | string {
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? String(count) : Number(count);
}

/** One total of everything is there also where everything is nothing. */
function* withTotal(rows: Iterable<CostFact>, by: CostGrouping, isLaterPage: boolean): Generator<CostFact> {
  let isEmpty = true;
  for (const row of rows) {
    isEmpty = false;
    yield row;
  }
  const isTotal = !Object.values(by).some(Boolean);
  if (isEmpty && isTotal && !isLaterPage) yield { key: [], values: {}, sums: NO_SUMS };
}

function grouping({ group_by_keys, granularity }: RequestOf<'costAnalytics'>): CostGrouping {
  const has = (key: GroupByKey): boolean => group_by_keys?.includes(key) ?? false;
  return {
    byDay: granularity === GRANULARITIES[1],
    byProduct: has('COST_ANALYTICS_GROUP_BY_PRODUCT'),
    byResource: has('COST_ANALYTICS_GROUP_BY_RESOURCE'),
    byUser: has('COST_ANALYTICS_GROUP_BY_USER'),
    byByok: has('COST_ANALYTICS_GROUP_BY_BYOK_STATUS'),
    byExpert: has('COST_ANALYTICS_GROUP_BY_EXPERT'),
  };
}

/** Users and service accounts are one filter: either may match. */
function filters({ filters }: RequestOf<'costAnalytics'>): CostFilters {
  const identities = [
    ...(filters?.user_emails ?? []).map((name) => identityKey({ kind: 'user_email', name })),
    ...(filters?.service_account_names ?? []).map((name) => identityKey({ kind: 'service_account_name', name })),
  ];
  // The empty name stands for no expert and no resource in the data, which no filter includes.
  const list = (field: string, names: readonly string[] | null | undefined): object =>
    names && names.length > 0 ? { [field]: new Set(names.filter((name) => name !== '')) } : {};
  return {
    ...list('identities', identities),
    ...list('products', filters?.product_names),
    ...list('resources', filters?.resource_names),
    ...list('experts', filters?.expert_ids),
  };
}

/** The order of keys and of a filter's values makes no other query. */
function bound(request: RequestOf<'costAnalytics'>): unknown {
  const { identities, products, resources, experts } = filters(request);
  const sorted = [identities, products, resources, experts].map((names) => names && [...names].sort());
  return [grouping(request), sorted];
}
