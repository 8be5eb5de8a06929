/** Names of files and accounts, and lines of code, may hold anything: what moves the cursor or changes colours becomes a space. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ');
}

/** Rows below each other, their cells as wide as the widest of their column; whatever is in them stays in its line. */
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
