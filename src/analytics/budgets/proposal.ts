import type { BudgetStatus } from '../insights/budgets.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { problemOfLimit, type Limit } from './limit.ts';

/** Number of significant digits in an estimate of the rest of a month. */
const DIGITS = 2;

/**
 * The limit that an account needs: the upper edge of the projection's band, or else the projection, rounded up to two
 * digits, as in
 * 4,400 for 4,321. Undefined if the limit suffices, or if it is too early in the month to project.
 */
export function proposeLimit({
  spent,
  projected,
  high = projected,
  limit,
}: Pick<BudgetStatus, 'spent' | 'projected' | 'limit'> & Partial<Pick<BudgetStatus, 'high'>>): Limit | undefined {
  if (high === undefined) return undefined;
  const need = high > spent ? high : spent;
  const one = wholeAmount(1);
  const whole = (need + one - 1n) / one;
  const step = 10n ** BigInt(Math.max(0, whole.toString().length - DIGITS));
  const proposed = ((whole + step - 1n) / step) * step;
  const text = proposed.toString();
  return proposed <= limit || problemOfLimit(text) !== undefined ? undefined : text;
}
