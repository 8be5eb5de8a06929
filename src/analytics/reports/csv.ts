import { tableJson, type Table } from './table.ts';

/** What a spreadsheet would take for a formula, plain numbers apart: `=1+1`, `@sum`, `+49 …`, also in full-width letters. */
const FORMULA = /^(?!-?\d+(?:\.\d+)?$)[\s]*[=+\-@\t\r\n＝＋－＠]/;

/** CSV with a head (RFC 4180). A name that a spreadsheet would run as a formula is made text by an apostrophe before it. */
export async function tableCsv(table: Table): Promise<string> {
  // A library that only an export needs.
  const { default: papa } = await import('papaparse');
  const names = table.columns.map(({ name }) => name);
  const data = tableJson(table).map((row) => names.map((name) => row[name]));
  return `${papa.unparse({ fields: names, data }, { escapeFormulae: FORMULA })}\r\n`;
}
