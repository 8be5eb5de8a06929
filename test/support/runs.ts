/** Whether tests run to their full extent, as in `npm run soak`. */
export const isSoak = process.env.SEXTANT_SOAK !== undefined;

/**
 * How many random cases of a dear property run: in `npm run soak` all, times the number in `SEXTANT_SOAK`; in `npm test` a quarter,
 * whose cases differ from run to run.
 */
export function runs(all: number): number {
  return isSoak ? times(all) : Math.min(all, Math.max(5, Math.ceil(all / 4)));
}

/** How many random cases of a quick property run: `all` in `npm test`; in `npm run soak` times the number in `SEXTANT_SOAK`. */
export function times(all: number): number {
  return isSoak ? all * Math.max(1, Number(process.env.SEXTANT_SOAK)) : all;
}
