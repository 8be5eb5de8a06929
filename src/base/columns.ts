/** Characters that turn the direction of text, or are not seen, for a class of a regular expression; those that join letters may stay. */
export const UNSEEN = String.raw`\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff`;
const UNPRINTABLE = new RegExp(String.raw`[\p{Cc}\p{Zl}\p{Zp}${UNSEEN}]`, 'gu');

/**
 * Replaces characters that move the cursor or change colours, and those of {@link UNSEEN}, by a space: names of files and
 * accounts, and lines of code, may contain any.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

/** Rows as aligned columns, each as wide as its widest cell; no content breaks its line. */
export function formatColumns(
  rows: readonly (readonly string[])[],
  { indent = '', isNumber = () => false }: { indent?: string; isNumber?: (column: number) => boolean } = {},
): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = (shown[0] ?? []).map((_, column) =>
    shown.reduce((widest, row) => Math.max(widest, row[column]!.length), 0),
  );
  const pad = (cell: string, column: number): string =>
    isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!);
  return shown.map((row) => `${indent}${row.map(pad).join('  ').trimEnd()}\n`).join('');
}
