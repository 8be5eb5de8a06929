import fc from 'fast-check';
import { METRIC_FIELDS, TOKEN_FIELDS, type Plan } from '../../src/analytics/contract.ts';
import { dayOf, firstOfMonth, formatDay, type Day } from '../../src/base/day.ts';
import type { DataRecordInput } from '../../src/server/testing.ts';

/*
 * Generated organizations, and their figures computed from the facts themselves: whole cents, credits and tokens in plain
 * sums, and nothing of the product.
 */

type Tokens = Readonly<Record<(typeof TOKEN_FIELDS)[number], number>>;

/** Spending and use of an account on a day. */
export interface Fact {
  readonly who: string;
  readonly day: Day;
  readonly model: string;
  readonly product: string;
  readonly isByok: boolean;
  readonly cents: number;
  /** The part of the cents that is base cost. */
  readonly baseCents: number;
  readonly credits: number;
  readonly tokens: Tokens;
  readonly messages: number;
  readonly lines: number;
}

export interface Organization {
  readonly plan: Plan;
  readonly now: number;
  readonly facts: readonly Fact[];
  /** Monthly limits by account. */
  readonly limits: ReadonlyMap<string, number>;
}

/** Accounts: addresses have an @, the last one is a service account. */
const ACCOUNTS = ['ada@x.io', 'bob@x.io', 'cora@x.io', 'nightly'] as const;
const MODELS = ['cedar', 'opus', 'machine'] as const;
const HOUR = 3_600_000;
/** Hours after its end (UTC) at which a day has its cost. */
const LATE = 2 * HOUR;

/** A fact without an amount. */
export const NOTHING: Omit<Fact, 'day'> = {
  ...{ who: ACCOUNTS[0], model: MODELS[0], product: 'Chat', isByok: false },
  ...{ cents: 0, baseCents: 0, credits: 0, messages: 0, lines: 0 },
  tokens: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
};

const fact = (today: Day): fc.Arbitrary<Fact> =>
  fc
    .record({
      who: fc.constantFrom(...ACCOUNTS),
      day: fc.nat(59).map((back) => today - back),
      model: fc.constantFrom(...MODELS),
      product: fc.constantFrom('Chat', 'Agent'),
      isByok: fc.boolean(),
      cents: fc.integer({ min: 1, max: 99_999 }),
      base: fc.nat(100),
      credits: fc.integer({ min: 1, max: 5_000 }),
      tokens: fc.record(
        Object.fromEntries(TOKEN_FIELDS.map((field) => [field, fc.nat(10 ** 9)])) as Record<
          keyof Tokens,
          fc.Arbitrary<number>
        >,
      ),
      messages: fc.nat(50),
      lines: fc.nat(50),
    })
    .map(({ base, ...one }) => {
      const tokens = one.model === 'machine' ? NOTHING.tokens : one.tokens;
      // A day without any use is no active day.
      const messages = one.lines > 0 ? one.messages : Math.max(1, one.messages);
      return { ...one, tokens, messages, baseCents: Math.floor((one.cents * base) / 100) };
    });

/** Organizations at any hour of two months, with the first days of one. */
export const organizations: fc.Arbitrary<Organization> = fc
  .record({ plan: fc.constantFrom<Plan>('credits', 'usd'), hour: fc.nat(24 * 40) })
  .chain(({ plan, hour }) => {
    const now = Date.UTC(2026, 9, 28) + hour * HOUR;
    return fc.record({
      plan: fc.constant(plan),
      now: fc.constant(now),
      facts: fc.array(fact(dayOf(now)), { minLength: 1, maxLength: 60 }),
      limits: fc
        .array(fc.tuple(fc.constantFrom(...ACCOUNTS), fc.integer({ min: 1, max: 20_000 })), { minLength: 1 })
        .map((limits) => new Map(limits)),
    });
  });

/** The newest day with cost. */
export function newestOf({ now }: Organization): Day {
  return dayOf(now - LATE) - 1;
}

const identityOf = (who: string): object => (who.includes('@') ? { user_email: who } : { service_account_name: who });

/** The records of a data file. */
export function recordsOf({ plan, facts, limits }: Organization): DataRecordInput[] {
  const zeros = Object.fromEntries(METRIC_FIELDS.map((field) => [field, 0]));
  const usd = (cents: number): string => (cents / 100).toFixed(2);
  return [
    { kind: 'org', plan, enterprise: true },
    ...ACCOUNTS.map((who) => ({ kind: who.includes('@') ? 'user' : 'service_account', ...identityOf(who) })),
    ...facts.flatMap(({ who, day, model, product, isByok, cents, baseCents, credits, tokens, messages, lines }) => {
      const date = formatDay(day);
      return [
        {
          ...{ kind: 'activity', date, ...identityOf(who), language: 'Go', editor: 'CLI' },
          metrics: { ...zeros, total_messages: messages, completions_lines_of_code: lines },
        },
        ...(plan === 'credits'
          ? [{ kind: 'credits', date, ...identityOf(who), model_name: model, credits_consumed: credits }]
          : []),
        {
          ...{ kind: 'cost', date, product_display_name: product, resource_display_name: model },
          resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL',
          byok_status: `COST_ANALYTICS_BYOK_STATUS_${isByok ? 'BYOK' : 'NON_BYOK'}`,
          user_info: identityOf(who),
          cost_metrics: {
            ...{ billed_amount_usd: usd(cents), base_cost_usd: usd(baseCents) },
            ...{ credits_consumed: plan === 'credits' ? String(credits) : '0', ...tokens },
          },
        },
      ];
    }),
    ...[...limits].map(([who, limit]) => ({
      ...{ kind: 'override', ...identityOf(who), period: 'BUDGET_PERIOD_MONTHLY', config: { limit: String(limit) } },
      resource: plan === 'usd' ? 'BUDGET_RESOURCE_USD_COST' : 'BUDGET_RESOURCE_CREDITS_CONSUMED',
    })),
  ];
}

/** Spending of the month so far, in hundredths of the plan's unit: credits up to today, dollars up to the newest day. */
export function spentThisMonth(organization: Organization, who?: string): number {
  const { plan, now, facts } = organization;
  const last = plan === 'credits' ? dayOf(now) : newestOf(organization);
  const month = firstOfMonth(dayOf(now));
  return facts
    .filter((one) => one.day >= month && one.day <= last && (who === undefined || one.who === who))
    .reduce((sum, one) => sum + hundredths(organization, one), 0);
}

/** What a fact cost, in hundredths of the plan's unit. */
export function hundredths({ plan }: Organization, { credits, cents }: Fact): number {
  return plan === 'credits' ? 100 * credits : cents;
}
