import { tableJson, type Table } from './table.ts';

/**
 * Text that a spreadsheet would treat as a formula, except plain numbers: `=1+1`, `@sum`, `+49 …`, also in full-width
 * letters. Includes such text behind apostrophes, so that a reader can distinguish our apostrophes from original ones.
 */
const FORMULA = /^'*(?!-?\d+(?:\.\d+)?$)\s*[=+\-@\t\r\n＝＋－＠]/;

/** A cell that {@link tableCsv} has prefixed with an apostrophe: the rest is the original text. */
const GUARDED = /^'+(?!-?\d+(?:\.\d+)?$)\s*[=+\-@\t\r\n＝＋－＠]/;

/** A cell as it was before a file protected it from spreadsheets. */
export function unguarded(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}

/** CSV for a file that people open: Excel takes other characters than ASCII for those of an old code page without a byte order mark. */
export function csvForFile(csv: string): string {
  return /[^\0-\x7f]/.test(csv) ? `\ufeff${csv}` : csv;
}

/**
 * CSV with a header (RFC 4180). A name that a spreadsheet would run as a formula becomes text by an apostrophe before
 * it.
 */
export async function tableCsv(table: Table): Promise<string> {
  // Loaded here, as only an export needs this library.
  const { default: papa } = await import('papaparse');
  const names = table.columns.map(({ name }) => name);
  const data = tableJson(table).map((row) => names.map((name) => row[name]));
  // Readers may trim unquoted text.
  const quotes = (cell: unknown): boolean => typeof cell === 'string' && cell !== cell.trim();
  return `${papa.unparse({ fields: names, data }, { escapeFormulae: FORMULA, quotes })}\r\n`;
}
