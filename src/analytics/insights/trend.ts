/** Days that a trend takes together: a week, so that week-ends do not show. */
export const TREND_DAYS = 7;

/** The mean of each day and those before it, `window` of them; `undefined` until there are so many. */
export function movingMean(values: readonly number[], window = TREND_DAYS): (number | undefined)[] {
  let sum = 0;
  return values.map((value, i) => {
    sum += value - (i >= window ? values[i - window]! : 0);
    return i < window - 1 ? undefined : sum / window;
  });
}

/** Where the smallest and the largest value are, the first of equal ones; nothing for no values. */
export function extent(values: readonly number[]): { readonly least: number; readonly most: number } | undefined {
  if (values.length === 0) return undefined;
  let [least, most] = [0, 0];
  values.forEach((value, i) => {
    if (value < values[least]!) least = i;
    if (value > values[most]!) most = i;
  });
  return { least, most };
}
