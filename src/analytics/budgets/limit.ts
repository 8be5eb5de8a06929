import { BUDGET_LIMIT, type Plan } from '../contract.ts';
import { formatAmount, wholeAmount } from '../insights/amounts.ts';

/** A limit in the plan's unit, in the format of the service: up to 18 digits, or empty for no override. */
export type Limit = string;

export const NO_LIMIT: Limit = '';

/** The largest limit, which stands for none in files of administrators. */
export const UNLIMITED: Limit = '9'.repeat(18);

export function isUnlimited(limit: Limit): boolean {
  return limit === UNLIMITED;
}

/** The sum of limits without unlimited ones, and the number of those. */
export interface LimitSum {
  readonly sum: bigint;
  readonly unlimited: number;
}

export function sumOfLimits(limits: Iterable<Limit>): LimitSum {
  let sum = 0n;
  let unlimited = 0;
  for (const limit of limits) {
    if (isUnlimited(limit)) unlimited++;
    else if (limit !== NO_LIMIT) sum += BigInt(limit);
  }
  return { sum, unlimited };
}

/** `$5,000`, `5,000`, `unlimited`, `none` */
export function formatLimit(limit: Limit, unit: Plan): string {
  if (limit === NO_LIMIT) return 'none';
  if (isUnlimited(limit)) return 'unlimited';
  return `${unit === 'usd' ? '$' : ''}${formatAmount(wholeAmount(BigInt(limit)), 0)}`;
}

/** Explains why a text is no limit, with the remedy; undefined for a valid one. */
export function problemOfLimit(text: string): string | undefined {
  if (BUDGET_LIMIT.test(text)) return undefined;
  if (/^\d+(\.\d+)?e[+-]?\d+$/i.test(text))
    return 'A spreadsheet shortened the number, and its last digits are lost. Format the column as text, and enter it again.';
  if (/^0+$/.test(text)) return 'A limit is 1 at the least. Leave it empty to clear the override.';
  if (/^0\d+$/.test(text)) return 'A limit has no zeros in front.';
  if (/^\d{19,}$/.test(text)) return 'A limit has 18 digits at the most.';
  if (/^\d{1,3}([,.'’_\s]\d{3})+$/.test(text)) return 'Write the limit without separators, like 5000.';
  if (/^\d+[.,]\d+$/.test(text)) return 'A limit is a whole number.';
  return 'A limit is a whole number of up to 18 digits, like 5000, or empty to clear the override.';
}
