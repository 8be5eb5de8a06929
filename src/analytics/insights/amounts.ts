import { MAX_DECIMAL_DIGITS, formatDecimal, parseDecimal, type Decimal } from '../../base/decimal.ts';
import type { CostMetrics, GroupByValues, UserInfo } from '../contract.ts';
import { identityKey, identityOf, type IdentifiedRow } from '../identity.ts';
import { shares, type Share } from './compare.ts';

/** A measure of cost: dollars billed, dollars estimated for the customer, or credits. */
export type Measure = 'billed_amount_usd' | 'estimated_customer_cost_usd' | 'credits_consumed';

/** A dimension that divides cost. */
export type Dimension = 'product' | 'resource' | 'user' | 'byok' | 'expert' | 'day';

/** The used part of a data point of cost-analytics. */
export interface CostPoint {
  readonly start_date: string;
  readonly cost_metrics: CostMetrics;
  readonly group_by_values: GroupByValues;
}

const UNIT = 10n ** BigInt(MAX_DECIMAL_DIGITS);

/** A whole number as an amount. */
export function wholeAmount(count: number | bigint): Decimal {
  return BigInt(count) * UNIT;
}

/** Parses an amount of the service. The contract has checked its format. */
export function amountOf(text: string): Decimal {
  return parseDecimal(text) ?? 0n;
}

export function sumOf(points: Iterable<CostPoint>, measure: Measure): Decimal {
  let sum = 0n;
  for (const { cost_metrics } of points) sum += amountOf(cost_metrics[measure]);
  return sum;
}

/** Sums by product, resource, … or day, the largest first. The points have to be grouped by the dimension. */
export function costBy(points: Iterable<CostPoint>, dimension: Dimension, measure: Measure): Share[] {
  const items: Share[] = [];
  for (const point of points)
    items.push({ ...nameIn(point, dimension), amount: amountOf(point.cost_metrics[measure]) });
  return shares(items);
}

/** Key and name of a point in a dimension. */
export function nameIn(point: CostPoint, dimension: Dimension): Omit<Share, 'amount'> {
  const { product_display_name, resource_display_name, user_info, byok_status, expert_info } = point.group_by_values;
  switch (dimension) {
    case 'product':
      return named(product_display_name, 'no product');
    case 'resource':
      return named(resource_display_name, 'no resource');
    case 'user':
      return userName(user_info);
    case 'byok': {
      const isOwn = byok_status === 'COST_ANALYTICS_BYOK_STATUS_BYOK';
      return { key: byok_status ?? '', name: isOwn ? 'Own keys (BYOK)' : "The service's models" };
    }
    case 'expert':
      return expert_info ? { key: expert_info.expert_id, name: expert_info.name } : named(undefined, 'no expert');
    case 'day':
      return { key: point.start_date, name: point.start_date };
  }
}

function named(name: string | undefined, none: string): Omit<Share, 'amount'> {
  return name === undefined ? { key: '\0', name: `(${none})` } : { key: name, name };
}

/** Accounts of which only the kind is known were deleted; all of them count as one. */
function userName(info: UserInfo = {}): Omit<Share, 'amount'> {
  const { user_email, service_account_name, bot_name } = info;
  if (bot_name !== undefined) return { key: `bot\0${bot_name}`, name: bot_name };
  if (user_email === undefined && service_account_name === undefined) return named(undefined, 'deleted accounts');
  const identity = identityOf(info);
  return { key: identityKey(identity), name: identity.name };
}

/** A row of credit-usage-by-user. */
export type CreditPoint = IdentifiedRow & {
  readonly credits_consumed: number;
  readonly date?: string | undefined;
  readonly model_name?: string | undefined;
};

/** Credits by person, model or day, the largest first. The rows have to be broken down by the dimension. */
export function creditsBy(rows: Iterable<CreditPoint>, dimension: 'user' | 'model' | 'day'): Share[] {
  const items: Share[] = [];
  for (const row of rows) {
    const amount = wholeAmount(row.credits_consumed);
    if (dimension === 'user') {
      const identity = identityOf(row);
      items.push({ key: identityKey(identity), name: identity.name, amount });
    } else items.push({ ...named(dimension === 'model' ? row.model_name : row.date, 'unknown'), amount });
  }
  return shares(items);
}

/** Rounds an estimate or a price to `digits` decimals, a half away from zero: more digits would only look exact. */
export function roundAmount(amount: Decimal, digits: number): Decimal {
  const step = UNIT / 10n ** BigInt(digits);
  const half = amount < 0n ? -step / 2n : step / 2n;
  return ((amount + half) / step) * step;
}

/** Formats an amount for display, `1,234.5`: at most `digits` decimals, a half rounded away from zero. */
export function formatAmount(amount: Decimal, digits: number): string {
  const [whole = '', fraction = ''] = formatDecimal(roundAmount(amount, digits)).split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${fraction === '' ? '' : `.${fraction}`}`;
}

/** `$1,234.50` */
export function formatUsd(amount: Decimal): string {
  const text = formatAmount(amount, 2);
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return `${text.startsWith('-') ? '-' : ''}$${whole}.${fraction.padEnd(2, '0')}`;
}
