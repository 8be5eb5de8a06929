import { sumOf, type CostPoint, type Measure } from '../insights/amounts.ts';

/** Unit of payment: dollars, or credits if the plan has them. */
export type Unit = 'usd' | 'credits';

export const MEASURE_OF: Readonly<Record<Unit, Measure>> = {
  usd: 'billed_amount_usd',
  credits: 'credits_consumed',
};

/** The unit of some cost: credits, if there are any. */
export function unitOf(points: Iterable<CostPoint>): Unit {
  return sumOf(points, 'credits_consumed') > 0n ? 'credits' : 'usd';
}
