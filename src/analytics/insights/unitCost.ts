import type { Decimal } from '../../base/decimal.ts';
import { TOKEN_FIELDS, type TokenField } from '../contract.ts';
import { amountOf, nameIn, type CostPoint, type Dimension, type Measure } from './amounts.ts';
import type { Share } from './compare.ts';

const MILLION = 1_000_000n;

/** Tokens and the parts of the cost of one subject. */
export interface UnitCost {
  readonly key: string;
  readonly name: string;
  readonly tokens: Readonly<Record<TokenField, bigint>>;
  readonly allTokens: bigint;
  readonly base: Decimal;
  readonly surcharge: Decimal;
  readonly amount: Decimal;
  /** The amount per million tokens of all kinds, rounded down; undefined without tokens. */
  readonly perMillion: Decimal | undefined;
  /** Input that came from the cache, as a share of all input: 0.25 is a quarter; undefined without input. */
  readonly cacheShare: number | undefined;
}

/** The subject of a point: a dimension of the service, or another one. */
export type SubjectOf = Dimension | ((point: CostPoint) => Omit<Share, 'amount'>);

/** Tokens and cost of each subject, the largest amount first. The points have to be grouped by a dimension. */
export function unitCosts(points: Iterable<CostPoint>, subject: SubjectOf, measure: Measure): UnitCost[] {
  const groups = new Map<string, { readonly name: string; readonly points: CostPoint[] }>();
  for (const point of points) {
    const { key, name } = typeof subject === 'string' ? nameIn(point, subject) : subject(point);
    const group = groups.get(key) ?? { name, points: [] };
    groups.set(key, group);
    group.points.push(point);
  }
  const costs = [...groups].map(([key, group]) => ({ ...unitCostOf(group.points, measure), key, name: group.name }));
  return costs.sort((a, b) => (a.amount === b.amount ? (a.name < b.name ? -1 : 1) : a.amount > b.amount ? -1 : 1));
}

/** Tokens and cost of some points together. */
export function unitCostOf(points: Iterable<CostPoint>, measure: Measure): Omit<UnitCost, 'key' | 'name'> {
  const tokens: Record<TokenField, bigint> = {
    input_tokens: 0n,
    output_tokens: 0n,
    cache_read_tokens: 0n,
    cache_write_tokens: 0n,
  };
  let [base, surcharge, amount] = [0n, 0n, 0n];
  for (const { cost_metrics: metrics } of points) {
    for (const field of TOKEN_FIELDS) tokens[field] += BigInt(metrics[field]);
    base += amountOf(metrics.base_cost_usd);
    surcharge += amountOf(metrics.surcharge_usd);
    amount += amountOf(metrics[measure]);
  }
  const allTokens = TOKEN_FIELDS.reduce((sum, field) => sum + tokens[field], 0n);
  const input = tokens.input_tokens + tokens.cache_read_tokens + tokens.cache_write_tokens;
  return {
    tokens,
    allTokens,
    base,
    surcharge,
    amount,
    perMillion: allTokens === 0n ? undefined : (amount * MILLION) / allTokens,
    cacheShare: input === 0n ? undefined : Number((tokens.cache_read_tokens * 10_000n) / input) / 10_000,
  };
}

/** A change of cost between two periods, divided into its causes. Their sum is the change. */
export interface CostChange {
  readonly before: Decimal;
  readonly now: Decimal;
  /** More or fewer tokens, at the earlier shares and prices of models. */
  readonly volume: Decimal;
  /** Other shares of the models, at their earlier prices. */
  readonly mix: Decimal;
  /** Other prices of the same models; of a model without an earlier price, its deviation from the earlier mean. */
  readonly price: Decimal;
  /** Cost of subjects without tokens, such as machines. */
  readonly other: Decimal;
}

/**
 * Divides the change of cost into volume, mix and price by model. With tokens q and prices p of each model, 0 before and
 * 1 now, Q their sum and P the mean price: volume is (Q1 − Q0) × P0, mix is Σ (q1 × p0) − Q1 × P0, price is
 * Σ q1 × (p1 − p0). Volume and mix are rounded to 38 digits, and price takes the rest, so that nothing is lost.
 */
export function changeOfCost(before: readonly UnitCost[], now: readonly UnitCost[]): CostChange {
  const priced = (costs: readonly UnitCost[]): readonly UnitCost[] => costs.filter(({ allTokens }) => allTokens > 0n);
  const sum = (costs: readonly UnitCost[]): { readonly amount: Decimal; readonly tokens: bigint } => ({
    amount: costs.reduce((total, { amount }) => total + amount, 0n),
    tokens: costs.reduce((total, { allTokens }) => total + allTokens, 0n),
  });
  const [all0, all1] = [sum(before), sum(now)];
  const [of0, of1] = [sum(priced(before)), sum(priced(now))];
  const other = all1.amount - of1.amount - (all0.amount - of0.amount);
  const change = { before: all0.amount, now: all1.amount, other };
  // Without an earlier price, all of it is volume.
  if (of0.tokens === 0n) return { ...change, volume: of1.amount - of0.amount, mix: 0n, price: 0n };
  const earlier = new Map(priced(before).map((one) => [one.key, one]));
  const atOldMix = (of0.amount * of1.tokens) / of0.tokens;
  const atOldPrices = priced(now).reduce((total, { key, allTokens }) => {
    const old = earlier.get(key);
    return total + (old ? (old.amount * allTokens) / old.allTokens : (of0.amount * allTokens) / of0.tokens);
  }, 0n);
  return {
    ...change,
    volume: atOldMix - of0.amount,
    mix: atOldPrices - atOldMix,
    price: of1.amount - atOldPrices,
  };
}

/** An amount per unit, rounded down; undefined for no units. */
export function perUnit(amount: Decimal, units: number): Decimal | undefined {
  return units === 0 ? undefined : amount / BigInt(units);
}

/** The use that an amount paid for. */
export interface PaidUse {
  /** Different active accounts; undefined until all are known. */
  readonly people: number | undefined;
  readonly messages: number;
  /** Accepted lines of completions. */
  readonly lines: number;
}

/** An amount per active account, per message and per accepted line; undefined where there are none. */
export function amountPerUse(
  amount: Decimal,
  { people, messages, lines }: PaidUse,
): Readonly<Record<keyof PaidUse, Decimal | undefined>> {
  return {
    people: people === undefined ? undefined : perUnit(amount, people),
    messages: perUnit(amount, messages),
    lines: perUnit(amount, lines),
  };
}

/** A price of a model on a day. */
export interface PricePoint {
  readonly date: string;
  readonly perMillion: Decimal | undefined;
}

/** The amount per million tokens on each day; undefined on days without tokens. */
export function pricesByDay(points: readonly CostPoint[], days: readonly string[], measure: Measure): PricePoint[] {
  const costs = new Map(unitCosts(points, 'day', measure).map(({ key, perMillion }) => [key, perMillion]));
  return days.map((date) => ({ date, perMillion: costs.get(date) }));
}
