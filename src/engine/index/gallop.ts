/** The first index from `from` to `to` whose value is not below `value`, or `to`; the quicker the nearer it is to `from`. */
export function gallop(ascending: Uint32Array, from: number, to: number, value: number): number {
  let low = from;
  let high = from;
  for (let step = 1; high < to && ascending[high]! < value; step *= 2) {
    low = high + 1;
    high += step;
  }
  if (high > to) high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
