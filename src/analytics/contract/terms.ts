/* Names, enums, limits and messages of the analytics API. */

export const BASE_PATH = '/analytics/v0';

/** Permissions of a token. */
export const SCOPES = [
  'analytics:read',
  'budgets:write',
  'context:use',
  'repositories:read',
  'repositories:push',
  'webhooks:use',
] as const;
export type TokenScope = (typeof SCOPES)[number];

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

export const IDENTITY_FIELDS = ['user_email', 'service_account_name'] as const;
export type IdentityField = (typeof IDENTITY_FIELDS)[number];

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
    // A blank name would leave nothing to read in the list.
    `${kind}(s) not found on this organization: ${names.map((name) => (name.trim() ? name : `"${name}"`)).join(', ')}`,
  wrongResource: (resource: string, plan: Plan): string =>
    `resource ${resource} does not match the organization's billing plan, which needs ${RESOURCE_OF_PLAN[plan]}`,
  limit:
    'config.limit must be a positive integer of at most 18 digits without leading zeros, or empty to clear the limit',
  notJson: 'request body must be valid JSON in UTF-8',
  notAnObject: 'request body must be a JSON object',
  tooDeep: `request body must be at most ${LIMITS.maxBodyDepth} levels deep`,
  unauthenticated: 'missing or invalid authentication token',
  missingScope: (scope: string): string => `this token does not have the permission ${scope}`,
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
