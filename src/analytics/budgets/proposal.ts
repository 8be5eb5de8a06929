import type { Standing } from '../insights/budgets.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { problemOfLimit, type Limit } from './limit.ts';

/** So many digits are worth something in what is a guess about the rest of a month. */
const DIGITS = 2;

/**
 * The limit that somebody needs if the month goes on as it has begun: what it comes to, rounded up to two digits, as in 4,400 for
 * 4,321. Nothing where the limit is enough, or where it is too early in the month to say.
 */
export function proposeLimit({
  spent,
  projected,
  limit,
}: Pick<Standing, 'spent' | 'projected' | 'limit'>): Limit | undefined {
  if (projected === undefined) return undefined;
  const need = projected > spent ? projected : spent;
  const one = wholeAmount(1);
  const whole = (need + one - 1n) / one;
  const step = 10n ** BigInt(Math.max(0, whole.toString().length - DIGITS));
  const proposed = ((whole + step - 1n) / step) * step;
  const text = proposed.toString();
  return proposed <= limit || problemOfLimit(text) !== undefined ? undefined : text;
}
