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

/** Text whose characters take one column each. */
const NARROW = /^[\0-\u02ff]*$/;
/** Emoji, and characters of Chinese, Japanese and Korean, which take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Marks on the character before them, and joiners, which take none. */
const MARK = /[\p{Mn}\p{Me}\u200c\u200d]/u;

function columnsOf(character: string): number {
  if (NARROW.test(character)) return 1;
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** Number of columns that a text takes in a terminal. */
function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  return Array.from(text).reduce((width, character) => width + columnsOf(character), 0);
}

/** The beginning of a line that fits into a terminal, with `…` for what is cut. */
export function cutToColumns(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let width = 1;
  let cut = '';
  for (const character of line) {
    width += columnsOf(character);
    if (width > columns) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Rows as aligned columns, each as wide as its widest cell; no content breaks its line. */
export function formatColumns(
  rows: readonly (readonly string[])[],
  { indent = '', isNumber = () => false }: { indent?: string; isNumber?: (column: number) => boolean } = {},
): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = (shown[0] ?? []).map((_, column) =>
    shown.reduce((widest, row) => Math.max(widest, widthOf(row[column]!)), 0),
  );
  const pad = (cell: string, column: number): string => {
    const space = ' '.repeat(widths[column]! - widthOf(cell));
    return isNumber(column) ? space + cell : cell + space;
  };
  return shown.map((row) => `${indent}${row.map(pad).join('  ').trimEnd()}\n`).join('');
}
