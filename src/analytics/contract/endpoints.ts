import * as z from 'zod/mini';
import { exampleDay, exampleMetrics, exampleRange, lastPage } from './examples.ts';
import {
  says,
  startDate,
  endDate,
  date,
  flag,
  cursor,
  type PageSizes,
  pageSize,
  oneOf,
  texts,
  userEmails,
  serviceAccounts,
  text,
  day,
  count,
  identified,
  metrics,
  pagination,
  effectiveRange,
  effectiveDay,
  costMetrics,
  groupByValues,
  budgetOverride,
  overrideEntry,
} from './fields.ts';
import {
  BASE_PATH,
  BUDGET_PERIODS,
  BUDGET_RESOURCES,
  GRANULARITIES,
  GROUP_BY_KEYS,
  LIMITS,
  type RateGroup,
  type TokenScope,
  messages,
} from './terms.ts';

/** Rules for the days of a range: see dateRules.ts. */
export type RangeRules = 'metrics' | 'credits' | 'cost';

export interface Endpoint<Q extends z.ZodMiniType = z.ZodMiniType, R extends z.ZodMiniType = z.ZodMiniType> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly scope: TokenScope;
  readonly rateGroup: RateGroup;
  readonly summary: string;
  readonly pageSize?: PageSizes;
  /** The query of a GET, with numbers and booleans as such, or the body of a POST. */
  readonly request: Q;
  readonly response: R;
  readonly example: { readonly request: z.input<Q>; readonly response: z.input<R> };
}

function endpoint<Q extends z.ZodMiniType, R extends z.ZodMiniType>(definition: Endpoint<Q, R>): Endpoint<Q, R> {
  return definition;
}

const sizes = {
  dau: { default: 100, maximum: 250 },
  activity: { default: 50, maximum: 100 },
  credits: { default: 100, maximum: 500 },
  cost: { default: 100, maximum: 1000 },
} as const satisfies Record<string, PageSizes>;

export const endpoints = {
  dauCount: endpoint({
    method: 'GET',
    path: `${BASE_PATH}/dau-count`,
    scope: 'analytics:read',
    rateGroup: 'analytics',
    summary: 'Daily active user counts over a date range',
    request: z.object({ start_date: startDate, end_date: endDate }),
    response: z.object({
      daily_active_user_counts: z.array(z.object({ date: day, user_count: count })),
      metadata: z.object({ ...effectiveRange, total_days: count }),
    }),
    example: {
      request: { start_date: '2026-11-19', end_date: '2026-11-20' },
      response: {
        daily_active_user_counts: [
          { date: '2026-11-19', user_count: 41 },
          { date: '2026-11-20', user_count: 38 },
        ],
        metadata: { ...exampleRange, effective_start_date: '2026-11-19', total_days: 2 },
      },
    },
  }),

  dau: endpoint({
    method: 'GET',
    path: `${BASE_PATH}/dau`,
    scope: 'analytics:read',
    rateGroup: 'analytics',
    summary: 'Active users on one date',
    pageSize: sizes.dau,
    request: z.object({ date, cursor, page_size: pageSize(sizes.dau) }),
    response: z.object({
      users: z.array(identified({})),
      pagination,
      metadata: z.object({ ...effectiveDay, returned_user_count: count }),
    }),
    example: {
      request: { date: '2026-11-20' },
      response: {
        users: [{ user_email: 'ada@example.com' }, { service_account_name: 'nightly-build' }],
        pagination: lastPage,
        metadata: { ...exampleDay, returned_user_count: 2 },
      },
    },
  }),

  dailyUsage: endpoint({
    method: 'GET',
    path: `${BASE_PATH}/daily-usage`,
    scope: 'analytics:read',
    rateGroup: 'analytics',
    summary: 'Usage metrics of the organization per day; days without activity are omitted',
    request: z.object({ start_date: startDate, end_date: endDate }),
    response: z.object({
      daily_usage: z.array(z.object({ date: day, metrics })),
      metadata: z.object({ ...effectiveRange, total_days: count }),
    }),
    example: {
      request: {},
      response: {
        daily_usage: [{ date: '2026-11-20', metrics: exampleMetrics }],
        metadata: { ...exampleRange, total_days: 1 },
      },
    },
  }),

  userActivity: endpoint({
    method: 'GET',
    path: `${BASE_PATH}/user-activity`,
    scope: 'analytics:read',
    rateGroup: 'analytics',
    summary: 'Metrics per user, summed over a date range; users without activity are omitted',
    pageSize: sizes.activity,
    request: z.object({ start_date: startDate, end_date: endDate, cursor, page_size: pageSize(sizes.activity) }),
    response: z.object({
      users: z.array(identified({ active_days: count, metrics })),
      pagination,
      metadata: z.object({ ...effectiveRange, total_days: count, returned_user_count: count }),
    }),
    example: {
      request: { page_size: 1 },
      response: {
        users: [{ user_email: 'ada@example.com', active_days: 4, metrics: exampleMetrics }],
        pagination: { next_cursor: 'q0s2Zm9vYmFy', has_more: true },
        metadata: { ...exampleRange, total_days: 7, returned_user_count: 1 },
      },
    },
  }),

  dailyUserActivityByEditorLanguage: endpoint({
    method: 'GET',
    path: `${BASE_PATH}/daily-user-activity-by-editor-language`,
    scope: 'analytics:read',
    rateGroup: 'analytics',
    summary: 'Metrics per user, language and editor on one date',
    pageSize: sizes.activity,
    request: z.object({ date, cursor, page_size: pageSize(sizes.activity) }),
    response: z.object({
      records: z.array(identified({ language: text, editor: text, metrics })),
      pagination,
      metadata: z.object({ ...effectiveDay, returned_record_count: count }),
    }),
    example: {
      request: {},
      response: {
        records: [
          { user_email: 'ada@example.com', language: 'TypeScript', editor: 'VS Code', metrics: exampleMetrics },
        ],
        pagination: lastPage,
        metadata: { ...exampleDay, returned_record_count: 1 },
      },
    },
  }),

  creditUsageByUser: endpoint({
    method: 'GET',
    path: `${BASE_PATH}/credit-usage-by-user`,
    scope: 'analytics:read',
    rateGroup: 'credit-usage-by-user',
    summary: 'Credits consumed per user, with optional breakdowns by date and by model',
    pageSize: sizes.credits,
    request: z.object({
      start_date: startDate,
      end_date: endDate,
      by_date: flag('by_date', 'A row for each date.'),
      by_model: flag('by_model', 'A row for each model.'),
      cursor,
      page_size: pageSize(sizes.credits),
    }),
    response: z.object({
      records: z.array(identified({ credits_consumed: count, date: z.optional(day), model_name: z.optional(text) })),
      pagination,
      metadata: z.object({ ...effectiveRange, returned_record_count: count }),
    }),
    example: {
      request: { by_date: true, by_model: true },
      response: {
        records: [{ user_email: 'ada@example.com', date: '2026-11-20', model_name: 'sonnet', credits_consumed: 1250 }],
        pagination: lastPage,
        metadata: { ...exampleRange, generated_at: '2026-11-21T09:00:00Z', returned_record_count: 1 },
      },
    },
  }),

  costAnalytics: endpoint({
    method: 'POST',
    path: `${BASE_PATH}/cost-analytics`,
    scope: 'analytics:read',
    rateGroup: 'cost-analytics',
    summary: 'Cost and tokens, grouped and filtered',
    pageSize: sizes.cost,
    request: z.strictObject({
      start_date: startDate,
      end_date: endDate,
      group_by_keys: texts(
        'group_by_keys',
        'None means one total. Grouping by user returns personal data.',
        GROUP_BY_KEYS,
      ),
      granularity: z.nullish(oneOf('granularity', GRANULARITIES)),
      filters: z.nullish(
        z.strictObject(
          {
            user_emails: userEmails('filters.user_emails'),
            service_account_names: serviceAccounts('filters.service_account_names'),
            product_names: texts('filters.product_names', 'Products to include.'),
            resource_names: texts('filters.resource_names', 'Resources, such as models, to include.'),
            expert_ids: texts('filters.expert_ids', 'Experts to include.'),
          },
          says('filters', messages.mustBe('filters', 'an object')),
        ),
      ),
      cursor,
      page_size: pageSize(sizes.cost),
    }),
    response: z.object({
      data_points: z.array(
        z.object({ start_date: day, end_date: day, cost_metrics: costMetrics, group_by_values: groupByValues }),
      ),
      pagination,
      metadata: z.object({ ...effectiveRange, returned_data_point_count: count }),
    }),
    example: {
      request: {
        start_date: '2026-11-14',
        end_date: '2026-11-20',
        group_by_keys: ['COST_ANALYTICS_GROUP_BY_RESOURCE'],
        granularity: 'COST_ANALYTICS_TIME_GRANULARITY_TOTAL',
        filters: { user_emails: ['ada@example.com'] },
      },
      response: {
        data_points: [
          {
            start_date: '2026-11-14',
            end_date: '2026-11-20',
            cost_metrics: {
              billed_amount_usd: '12.5',
              estimated_customer_cost_usd: '12.5',
              base_cost_usd: '10',
              surcharge_usd: '2.5',
              input_tokens: 1_200_000,
              output_tokens: 80_000,
              cache_read_tokens: '9007199254740993',
              cache_write_tokens: 0,
              credits_consumed: '1250',
            },
            group_by_values: {
              resource_display_name: 'sonnet',
              resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL',
            },
          },
        ],
        pagination: lastPage,
        metadata: { ...exampleRange, returned_data_point_count: 1 },
      },
    },
  }),

  getUserBudgetOverrides: endpoint({
    method: 'POST',
    path: `${BASE_PATH}/get-user-budget-overrides`,
    scope: 'analytics:read',
    rateGroup: 'analytics',
    summary: 'Budget overrides of the organization',
    request: z.strictObject({
      user_emails: userEmails('user_emails'),
      service_account_names: serviceAccounts('service_account_names'),
      resource: z.nullish(oneOf('resource', BUDGET_RESOURCES)),
      period: z.nullish(oneOf('period', BUDGET_PERIODS)),
    }),
    response: z.object({ overrides: z.array(budgetOverride) }),
    example: {
      request: { user_emails: ['ada@example.com'] },
      response: {
        overrides: [
          {
            user_email: 'ada@example.com',
            resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED',
            period: 'BUDGET_PERIOD_MONTHLY',
            config: { limit: '5000' },
          },
        ],
      },
    },
  }),

  setUserBudgetOverrides: endpoint({
    method: 'POST',
    path: `${BASE_PATH}/set-user-budget-overrides`,
    scope: 'budgets:write',
    rateGroup: 'analytics',
    summary: 'Sets or clears budget overrides; valid entries are applied even when others fail',
    request: z.strictObject({
      overrides: z
        .array(overrideEntry)
        .check(z.minLength(1), z.maxLength(LIMITS.maxOverrides), z.meta({ description: 'No two of one kind.' })),
    }),
    response: z.object({ failures: z.array(identified({ error_message: text })) }),
    example: {
      request: {
        overrides: [
          {
            user_email: 'ada@example.com',
            resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED',
            period: 'BUDGET_PERIOD_MONTHLY',
            config: { limit: '5000' },
          },
        ],
      },
      response: { failures: [] },
    },
  }),
} as const;

export type EndpointName = keyof typeof endpoints;
export type RequestOf<N extends EndpointName> = z.input<(typeof endpoints)[N]['request']>;
export type ResponseOf<N extends EndpointName> = z.output<(typeof endpoints)[N]['response']>;
