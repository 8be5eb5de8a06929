const IS_SOAK = process.env.SEXTANT_SOAK !== undefined;

/**
 * How many random cases of a dear property run: all in `npm run soak`, a quarter in `npm test`, whose cases differ from run to
 * run.
 */
export function runs(all: number): number {
  return IS_SOAK ? all : Math.min(all, Math.max(5, Math.ceil(all / 4)));
}
