/** Whether tests run to their full extent, as in `npm run soak`. */
export const isSoak = process.env.SEXTANT_SOAK !== undefined;

/**
 * How many random cases of a dear property run: all in `npm run soak`, a quarter in `npm test`, whose cases differ from run to
 * run.
 */
export function runs(all: number): number {
  return isSoak ? all : Math.min(all, Math.max(5, Math.ceil(all / 4)));
}
