import * as z from 'zod/mini';
import { parseDecimal } from '../base/decimal.ts';

/* The analytics API as data: fields, enums, limits, page sizes, rate limits and messages of the nine endpoints. It
   yields the types, the server's validation, the client's parsing and the OpenAPI document. Sources: sections 2 to 8 of
   the specification; open points are decided here and documented in docs/local-server.md. */

export const BASE_PATH = '/analytics/v0';

/** Permissions of a token. */
export const SCOPES = ['analytics:read', 'budgets:write', 'context:use'] as const;
export type Scope = (typeof SCOPES)[number];

export const LIMITS = {
  maxRangeDays: 90,
  defaultRangeDays: 7,
  lookbackYears: 2,
  maxOverrides: 5_000,
  maxBodyBytes: 8 * 1024 * 1024,
  maxBodyDepth: 1_000,
} as const;

/** The days' figures are complete at this hour of the next day in UTC (section 1). */
export const METRICS_REFRESH_HOUR = 2;
export const CREDITS_REFRESH_MS = 90 * 60_000;

export interface RateLimit {
  /** Requests a minute in the long run. */
  readonly perMinute: number;
  /** Requests that may be sent at once. */
  readonly burst: number;
}

/** Limits of each caller for each group of endpoints (section 8). */
export const RATE_LIMITS = {
  'credit-usage-by-user': { perMinute: 30, burst: 10 },
  'cost-analytics': { perMinute: 30, burst: 10 },
  analytics: { perMinute: 60, burst: 20 },
} as const satisfies Record<string, RateLimit>;
export type RateGroup = keyof typeof RATE_LIMITS;

/** Duration for which a caller that exceeds a limit is refused. */
export const RATE_BLOCK_MS = 10_000;

export const GROUP_BY_KEYS = [
  'COST_ANALYTICS_GROUP_BY_PRODUCT',
  'COST_ANALYTICS_GROUP_BY_RESOURCE',
  'COST_ANALYTICS_GROUP_BY_USER',
  'COST_ANALYTICS_GROUP_BY_BYOK_STATUS',
  'COST_ANALYTICS_GROUP_BY_EXPERT',
] as const;
export type GroupByKey = (typeof GROUP_BY_KEYS)[number];

export const GRANULARITIES = ['COST_ANALYTICS_TIME_GRANULARITY_TOTAL', 'COST_ANALYTICS_TIME_GRANULARITY_DAY'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export const RESOURCE_TYPES = ['COST_ANALYTICS_RESOURCE_TYPE_MODEL', 'COST_ANALYTICS_RESOURCE_TYPE_COMPUTE'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

export const USER_TYPES = [
  'COST_ANALYTICS_USER_TYPE_USER',
  'COST_ANALYTICS_USER_TYPE_SERVICE_ACCOUNT',
  'COST_ANALYTICS_USER_TYPE_BOT',
] as const;
export type UserType = (typeof USER_TYPES)[number];

export const BYOK_STATUSES = ['COST_ANALYTICS_BYOK_STATUS_BYOK', 'COST_ANALYTICS_BYOK_STATUS_NON_BYOK'] as const;
export type ByokStatus = (typeof BYOK_STATUSES)[number];

export const BUDGET_RESOURCES = ['BUDGET_RESOURCE_CREDITS_CONSUMED', 'BUDGET_RESOURCE_USD_COST'] as const;
export type BudgetResource = (typeof BUDGET_RESOURCES)[number];

export const BUDGET_PERIODS = ['BUDGET_PERIOD_MONTHLY'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export type Plan = 'credits' | 'usd';

/** The resource that a budget limits under a billing plan. */
export const RESOURCE_OF_PLAN: Readonly<Record<Plan, BudgetResource>> = {
  credits: 'BUDGET_RESOURCE_CREDITS_CONSUMED',
  usd: 'BUDGET_RESOURCE_USD_COST',
};

/** A positive integer of at most 18 digits, or nothing, which clears the limit. */
export const BUDGET_LIMIT = /^$|^[1-9][0-9]{0,17}$/;

/** Every message of the API, with the specification's wording where it gives one. */
export const messages = {
  bothDates: 'date_filters must include both start_date and end_date',
  notADateText: (field: string): string => `${field} must be a string in YYYY-MM-DD format`,
  notADate: (field: string): string => `${field} must be a valid date in YYYY-MM-DD format`,
  tooLate: (field: string, isTodayAllowed: boolean): string =>
    `${field} cannot be later than ${isTodayAllowed ? 'today' : 'yesterday'} (UTC)`,
  tooOld: (field: string): string => `${field} cannot be more than ${LIMITS.lookbackYears} years ago`,
  startAfterEnd: 'start_date cannot be later than end_date',
  rangeTooLong: `date range cannot exceed ${LIMITS.maxRangeDays} days`,
  repeated: (field: string): string => `${field} must be given only once`,
  unknownFields: (fields: readonly string[]): string => `invalid query parameters: ${fields.join(', ')}`,
  oneOf: (field: string, values: readonly string[]): string => `${field} must be one of: ${values.join(', ')}`,
  mustBe: (field: string, what: string): string => `${field} must be ${what}`,
  invalidCursor: 'cursor is invalid for this request',
  emptyOverrides: 'overrides must not be empty',
  tooManyOverrides: `overrides cannot have more than ${LIMITS.maxOverrides} entries`,
  oneIdentity: (path: string): string => `${path} must have exactly one of user_email and service_account_name`,
  sameOverride: (path: string, other: string): string =>
    `${path} has the same identity, resource and period as ${other}`,
  unknownIdentities: (kind: IdentityField, names: readonly string[]): string =>
    `${kind}(s) not found on this organization: ${names.join(', ')}`,
  wrongResource: (resource: string, plan: Plan): string =>
    `resource ${resource} does not match the organization's billing plan, which needs ${RESOURCE_OF_PLAN[plan]}`,
  limit:
    'config.limit must be a positive integer of at most 18 digits without leading zeros, or empty to clear the limit',
  notJson: 'request body must be valid JSON in UTF-8',
  notAnObject: 'request body must be a JSON object',
  tooDeep: `request body must be at most ${LIMITS.maxBodyDepth} levels deep`,
  unauthenticated: 'missing or invalid authentication token',
  missingScope: (scope: Scope): string => `this token does not have the permission ${scope}`,
  notEnterprise: 'the analytics API is available only to enterprise customers',
  rateLimited: 'rate limit exceeded',
} as const;

/** The codes of `error.code`, and their status. */
export const ERROR_STATUS = {
  InvalidArgument: 400,
  Unauthenticated: 401,
  PermissionDenied: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  Conflict: 409,
  Gone: 410,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  ExpectationFailed: 417,
  ResourceExhausted: 429,
  HeadersTooLarge: 431,
  Internal: 500,
  ServiceUnavailable: 503,
  InsufficientStorage: 507,
  // Codes of the index, search and ask service. They follow the others of their status, which name a bare status.
  CheckpointNotFound: 404,
  NoModel: 422,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

export const errorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

// ── Parts of requests ────────────────────────────────────────────────────────────────────────────────────────────────

/** Stands for a repeated query parameter. */
export const REPEATED = Symbol('repeated');

/** One message for every issue of a parameter. */
function says(field: string, message: string): { error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === REPEATED ? messages.repeated(field) : message) };
}

/* Dates without rules: those depend on today and on each other, see dateRules.ts. */
const dateText = (description: string) =>
  z.nullish(z.string().check(z.meta({ format: 'date', description, examples: ['2026-11-14'] })));

const startDate = dateText('First day, inclusive, UTC.');
const endDate = dateText('Last day, inclusive, UTC.');
const date = z.optional(z.string().check(z.meta({ format: 'date', description: 'The day, UTC. Default: yesterday.' })));

const flag = (field: string, description: string) =>
  z.optional(z.boolean(says(field, messages.mustBe(field, 'true or false'))).check(z.meta({ description })));

const cursor = z.nullish(
  z
    .string(says('cursor', messages.mustBe('cursor', 'a string')))
    .check(z.meta({ description: '`next_cursor` of the page before; omit it or leave it empty for the first page.' })),
);

export interface PageSizes {
  readonly default: number;
  /** Upper bound; a larger `page_size` is reduced to it. */
  readonly maximum: number;
}

const wholeNumber = messages.mustBe('page_size', 'an integer of at least 1');
const pageSize = (sizes: PageSizes) =>
  z.nullish(
    z.number(says('page_size', wholeNumber)).check(
      z.gte(1, wholeNumber),
      z.multipleOf(1, wholeNumber),
      z.meta({
        type: 'integer',
        default: sizes.default,
        description: `Rows on a page; more than ${sizes.maximum} is taken for ${sizes.maximum}.`,
      }),
    ),
  );

const oneOf = <const V extends readonly string[]>(field: string, values: V) =>
  z.enum(values, says(field, messages.oneOf(field, values)));

/**
 * A list of strings, or of some of them. Checking ends at the first invalid item: `z.array` creates an issue for each,
 * and a body has room for millions.
 */
const texts = <V extends string>(field: string, description: string, values?: readonly V[]) => {
  const isItem = (item: unknown): boolean => (values ? values.includes(item as V) : typeof item === 'string');
  return z.nullish(
    z
      .custom<V[]>((list) => Array.isArray(list) && list.every(isItem), {
        error: ({ input }) =>
          values && Array.isArray(input)
            ? messages.oneOf(field, values)
            : messages.mustBe(field, 'an array of strings'),
      })
      .check(z.meta({ type: 'array', items: { type: 'string', ...(values && { enum: values }) }, description })),
  );
};

const userEmails = (field: string) => texts(field, 'E-mail addresses; upper and lower case are the same.');
const serviceAccounts = (field: string) =>
  texts(field, 'Names of service accounts, in their case; together with `user_emails`, either may match.');

// ── Parts of responses ───────────────────────────────────────────────────────────────────────────────────────────────

export const IDENTITY_FIELDS = ['user_email', 'service_account_name'] as const;
export type IdentityField = (typeof IDENTITY_FIELDS)[number];

const text = z.string();
const day = z.string().check(z.meta({ format: 'date' }));
const moment = z.string().check(z.meta({ format: 'date-time' }));
const count = z.int().check(z.gte(0));

/** A row that names exactly one account (section 2.1). */
const identified = <S extends z.core.$ZodLooseShape>(shape: S) =>
  z.union([
    z.object({ user_email: text, service_account_name: z.optional(z.never()), ...shape }),
    z.object({ user_email: z.optional(z.never()), service_account_name: text, ...shape }),
  ]);

/** The fields of a metrics object, in the order of section 2.2. */
export const METRICS = {
  total_modified_lines_of_code: 'Lines of code modified across all interactions',
  total_messages: 'Messages across all interaction types',
  total_tool_calls: 'Tool calls across all agent types',
  completions_count: 'Completion requests',
  completions_accepted: 'Completions accepted by users',
  completions_lines_of_code: 'Lines of code from completions',
  completions_suggested_lines_of_code: 'Lines suggested by completions before acceptance',
  chat_messages: 'Chat messages',
  remote_agent_messages: 'Remote Agent messages; historical',
  remote_agent_lines_of_code: 'Lines of code from Remote Agent; historical',
  ide_agent_messages: 'IDE Agent messages',
  ide_agent_lines_of_code: 'Lines of code from IDE Agent',
  cli_agent_interactive_messages: 'CLI Agent interactive messages',
  cli_agent_interactive_lines_of_code: 'Lines of code from CLI Agent interactive mode',
  cli_agent_non_interactive_messages: 'CLI Agent non-interactive messages',
  cli_agent_non_interactive_lines_of_code: 'Lines of code from CLI Agent non-interactive mode',
} as const;
export type MetricField = keyof typeof METRICS;
export const METRIC_FIELDS = Object.keys(METRICS) as readonly MetricField[];
export type Metrics = Record<MetricField, number>;

const metrics = z.object(
  Object.fromEntries(
    Object.entries(METRICS).map(([field, description]) => [field, count.check(z.meta({ description }))]),
  ) as Record<MetricField, typeof count>,
);

const pagination = z.object({
  next_cursor: z.optional(text.check(z.meta({ description: 'Empty, or absent, on the last page.' }))),
  has_more: z.boolean(),
});

const effectiveRange = { effective_start_date: day, effective_end_date: day, generated_at: moment };
const effectiveDay = { effective_date: day, generated_at: moment };

const amount = text.check(
  z.refine((value) => parseDecimal(value) !== undefined),
  z.meta({ format: 'decimal', pattern: String.raw`^-?\d+(\.\d+)?$` }),
);
/** A JSON number, or a string where the number is greater than 2^53 − 1. */
const tokens = z.union([count, text.check(z.regex(/^[1-9]\d{15,}$/))]);

/** Token counts of a cost metrics object, in the order of section 2.5. */
export const TOKEN_FIELDS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number];

const costMetrics = z.object({
  billed_amount_usd: amount,
  estimated_customer_cost_usd: amount,
  base_cost_usd: amount,
  surcharge_usd: amount,
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  credits_consumed: amount,
});
export type CostMetrics = z.infer<typeof costMetrics>;

const userInfo = z.object({
  user_type: z.optional(z.enum(USER_TYPES)),
  user_email: z.optional(text),
  service_account_name: z.optional(text),
  bot_name: z.optional(text),
});
export type UserInfo = z.infer<typeof userInfo>;

const groupByValues = z.object({
  product_display_name: z.optional(text),
  resource_display_name: z.optional(text),
  resource_type: z.optional(z.enum(RESOURCE_TYPES)),
  user_info: z.optional(userInfo.check(z.meta({ description: 'Without an identity where the account is deleted.' }))),
  byok_status: z.optional(z.enum(BYOK_STATUSES)),
  expert_info: z.optional(z.object({ expert_id: text, name: text })),
});
export type GroupByValues = z.infer<typeof groupByValues>;

// ── Budgets ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const budgetOverride = identified({
  resource: z.enum(BUDGET_RESOURCES),
  period: z.enum(BUDGET_PERIODS),
  config: z.object({ limit: text.check(z.regex(/^[1-9][0-9]{0,17}$/)) }),
});
export type BudgetOverride = z.infer<typeof budgetOverride>;

/**
 * Fields of an entry of set-user-budget-overrides besides its identity. An entry with an invalid field is a failure.
 */
export const overrideSettings = z.object({
  resource: oneOf('resource', BUDGET_RESOURCES),
  period: oneOf('period', BUDGET_PERIODS),
  config: z.object(
    { limit: z.string(messages.limit).check(z.regex(BUDGET_LIMIT, messages.limit)) },
    says('config', messages.mustBe('config', 'an object with a limit')),
  ),
});

const overrideEntry = z.union(
  IDENTITY_FIELDS.map((field) => z.strictObject({ [field]: text, ...overrideSettings.shape })) as unknown as [
    z.ZodMiniType<{ user_email: string; service_account_name?: never } & z.infer<typeof overrideSettings>>,
    z.ZodMiniType<{ user_email?: never; service_account_name: string } & z.infer<typeof overrideSettings>>,
  ],
);
export type OverrideEntry = z.infer<typeof overrideEntry>;

// ── Endpoints ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Rules for the days of a range: see dateRules.ts. */
export type RangeRules = 'metrics' | 'credits' | 'cost';

export interface Endpoint<Q extends z.ZodMiniType = z.ZodMiniType, R extends z.ZodMiniType = z.ZodMiniType> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly scope: Scope;
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

const exampleMetrics: Metrics = {
  total_modified_lines_of_code: 412,
  total_messages: 38,
  total_tool_calls: 57,
  completions_count: 240,
  completions_accepted: 96,
  completions_lines_of_code: 130,
  completions_suggested_lines_of_code: 390,
  chat_messages: 12,
  remote_agent_messages: 0,
  remote_agent_lines_of_code: 0,
  ide_agent_messages: 20,
  ide_agent_lines_of_code: 250,
  cli_agent_interactive_messages: 6,
  cli_agent_interactive_lines_of_code: 32,
  cli_agent_non_interactive_messages: 0,
  cli_agent_non_interactive_lines_of_code: 0,
};
const exampleRange = {
  effective_start_date: '2026-11-14',
  effective_end_date: '2026-11-20',
  generated_at: '2026-11-21T09:30:00Z',
};
const exampleDay = { effective_date: '2026-11-20', generated_at: '2026-11-21T09:30:00Z' };
const lastPage = { next_cursor: '', has_more: false };

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
