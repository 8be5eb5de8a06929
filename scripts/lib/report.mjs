// Tables and growth curves of the benchmarks: they are printed, and kept for docs/benchmarks.md while `npm run bench:all` runs.
import { appendFileSync } from 'node:fs';
import { table } from './table.mjs';

/** Names the file to which a benchmark appends a line of JSON for each table and curve. */
export const REPORT_VARIABLE = 'SEXTANT_BENCH_REPORT';

/**
 * A curve for each series over common values of x; `y` has a value for each x.
 * @typedef {{ title: string, x: string, y: string, at: number[], series: { name: string, y: number[] }[] }} Curves
 */

/**
 * Prints rows, the first of which has the heads.
 * @param {string} name of the table's place in docs/benchmarks.md
 * @param {readonly (readonly string[])[]} rows
 */
export function report(name, rows) {
  console.log(table(rows));
  keep({ name, rows });
}

/**
 * @param {string} name of the picture's place in docs/benchmarks.md, and of the picture
 * @param {Curves} curves
 */
export function draw(name, curves) {
  keep({ name, curves });
}

/** @param {object} line */
function keep(line) {
  const file = process.env[REPORT_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
