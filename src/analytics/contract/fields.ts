import * as z from 'zod/mini';
import { parseDay } from '../../base/day.ts';
import { parseDecimal } from '../../base/decimal.ts';
import {
  BUDGET_LIMIT,
  BUDGET_PERIODS,
  BUDGET_RESOURCES,
  BYOK_STATUSES,
  IDENTITY_FIELDS,
  RESOURCE_TYPES,
  USER_TYPES,
  messages,
} from './terms.ts';

/* Fields and objects of requests and responses. */

/* eslint-disable @typescript-eslint/explicit-module-boundary-types -- zod infers the types of schemas. */

export const errorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

// ── Parts of requests ────────────────────────────────────────────────────────────────────────────────────────────────

/** Stands for a repeated query parameter. */
export const REPEATED = Symbol('repeated');

/** One message for every issue of a parameter. */
export function says(field: string, message: string): { error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === REPEATED ? messages.repeated(field) : message) };
}

/* Dates without rules: those depend on today and on each other, see dateRules.ts. */
const dateText = (description: string) =>
  z.nullish(z.string().check(z.meta({ format: 'date', description, examples: ['2026-11-14'] })));

export const startDate = dateText('First day, inclusive, UTC.');
export const endDate = dateText('Last day, inclusive, UTC.');
export const date = z.optional(
  z.string().check(z.meta({ format: 'date', description: 'The day, UTC. Default: yesterday.' })),
);

export const flag = (field: string, description: string) =>
  z.optional(z.boolean(says(field, messages.mustBe(field, 'true or false'))).check(z.meta({ description })));

export const cursor = z.nullish(
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
export const pageSize = (sizes: PageSizes) =>
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

export const oneOf = <const V extends readonly string[]>(field: string, values: V) =>
  z.enum(values, says(field, messages.oneOf(field, values)));

/**
 * A list of strings, or of some of them. Checking ends at the first invalid item: `z.array` creates an issue for each,
 * and a body has room for millions.
 */
export const texts = <V extends string>(field: string, description: string, values?: readonly V[]) => {
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

export const userEmails = (field: string) => texts(field, 'E-mail addresses; upper and lower case are the same.');
export const serviceAccounts = (field: string) =>
  texts(field, 'Names of service accounts, in their case; together with `user_emails`, either may match.');

// ── Parts of responses ───────────────────────────────────────────────────────────────────────────────────────────────

export const text = z.string();
export const day = z.string().check(
  z.refine((value) => parseDay(value) !== undefined),
  z.meta({ format: 'date' }),
);
const moment = z.string().check(z.refine(isMoment), z.meta({ format: 'date-time' }));
export const count = z.int().check(z.gte(0));

/** A row that names exactly one account (section 2.1). */
export const identified = <S extends z.core.$ZodLooseShape>(shape: S) =>
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

export const metrics = z.object(
  Object.fromEntries(
    Object.entries(METRICS).map(([field, description]) => [field, count.check(z.meta({ description }))]),
  ) as Record<MetricField, typeof count>,
);

export const pagination = z.object({
  next_cursor: z.optional(text.check(z.meta({ description: 'Empty, or absent, on the last page.' }))),
  has_more: z.boolean(),
});

export const effectiveRange = { effective_start_date: day, effective_end_date: day, generated_at: moment };
export const effectiveDay = { effective_date: day, generated_at: moment };

const amount = text.check(
  z.refine((value) => parseDecimal(value) !== undefined),
  z.meta({ format: 'decimal', pattern: String.raw`^-?\d+(\.\d+)?$` }),
);
/** A JSON number, or a string where the number is greater than 2^53 − 1. */
export const tokens = z.union([count, text.check(z.regex(/^[1-9]\d{15,}$/))]);

/** Token counts of a cost metrics object, in the order of section 2.5. */
export const TOKEN_FIELDS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number];

export const costMetrics = z.object({
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

export const groupByValues = z.object({
  product_display_name: z.optional(text),
  resource_display_name: z.optional(text),
  resource_type: z.optional(z.enum(RESOURCE_TYPES)),
  user_info: z.optional(userInfo.check(z.meta({ description: 'Without an identity where the account is deleted.' }))),
  byok_status: z.optional(z.enum(BYOK_STATUSES)),
  expert_info: z.optional(z.object({ expert_id: text, name: text })),
});
export type GroupByValues = z.infer<typeof groupByValues>;

// ── Budgets ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export const budgetOverride = identified({
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

export const overrideEntry = z.union(
  IDENTITY_FIELDS.map((field) => z.strictObject({ [field]: text, ...overrideSettings.shape })) as unknown as [
    z.ZodMiniType<{ user_email: string; service_account_name?: never } & z.infer<typeof overrideSettings>>,
    z.ZodMiniType<{ user_email?: never; service_account_name: string } & z.infer<typeof overrideSettings>>,
  ],
);
export type OverrideEntry = z.infer<typeof overrideEntry>;

/** ISO 8601, with or without a zone. `Date` itself takes many other texts. */
function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?$/.test(text) && !Number.isNaN(Date.parse(text));
}
