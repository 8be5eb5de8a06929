import { tableJson, type Table } from './table.ts';

/**
 * What a spreadsheet would take for a formula, plain numbers apart: `=1+1`, `@sum`, `+49 …`, also in full-width letters; and
 * what looks as if an apostrophe guarded such a thing, so that one can tell which apostrophes are ours.
 */
const FORMULA = /^'*(?!-?\d+(?:\.\d+)?$)\s*[=+\-@\t\r\n＝＋－＠]/;

/** A cell that {@link tableCsv} has put an apostrophe before: the rest of it is what was meant. */
export const GUARDED = /^'+(?!-?\d+(?:\.\d+)?$)\s*[=+\-@\t\r\n＝＋－＠]/;

/** CSV with a head (RFC 4180). A name that a spreadsheet would run as a formula is made text by an apostrophe before it. */
export async function tableCsv(table: Table): Promise<string> {
  // A library that only an export needs.
  const { default: papa } = await import('papaparse');
  const names = table.columns.map(({ name }) => name);
  const data = tableJson(table).map((row) => names.map((name) => row[name]));
  // Whoever reads it may trim what is not quoted.
  const quotes = (cell: unknown): boolean => typeof cell === 'string' && cell !== cell.trim();
  return `${papa.unparse({ fields: names, data }, { escapeFormulae: FORMULA, quotes })}\r\n`;
}
