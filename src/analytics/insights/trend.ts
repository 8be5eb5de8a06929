/** Days that a trend combines: a week, so that week-ends do not show. */
export const TREND_DAYS = 7;

/** The mean of each day and those before it, `window` days in all; `undefined` before the first full window. */
export function movingMean(values: readonly number[], window = TREND_DAYS): (number | undefined)[] {
  let sum = 0;
  return values.map((value, i) => {
    sum += value - (i >= window ? values[i - window]! : 0);
    return i < window - 1 ? undefined : sum / window;
  });
}

/** The indices of the smallest and the largest value, the first of equal ones; undefined for no values. */
export function extent(values: readonly number[]): { readonly least: number; readonly most: number } | undefined {
  if (values.length === 0) return undefined;
  let [least, most] = [0, 0];
  values.forEach((value, i) => {
    if (value < values[least]!) least = i;
    if (value > values[most]!) most = i;
  });
  return { least, most };
}
