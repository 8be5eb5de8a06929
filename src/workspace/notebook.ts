import { visit } from 'jsonc-parser';

/*
 * Jupyter notebooks: JSON whose standard form has each line of a cell on a line of its own. So the text of the cells can keep
 * the lines of the file, and what is found in it has a place in both.
 */

/** A line of a notebook's file that has a line of a cell; both count from 0. */
interface CellLine {
  readonly line: number;
  readonly cell: number;
  readonly text: string;
}

/**
 * The text of a notebook's cells, with the lines that they have in the file; all others are empty. Prose is a comment, as in a
 * script. `undefined` for other JSON, and for a notebook that has several lines of code on one line.
 */
export function notebookText(json: string): string | undefined {
  const read = readNotebook(json);
  if (!read) return undefined;
  const lines = json.split(/\r\n|\r|\n/).map(() => '');
  for (const { line, cell, text } of read.lines) {
    const isCode = read.types[cell] === 'code';
    if (lines[line] !== '' || (isCode && /[\r\n]/.test(text))) return undefined;
    lines[line] = isCode ? text : `# ${text.replaceAll(/\s*[\r\n]\s*/g, ' ')}`.trimEnd();
  }
  return lines.join('\n');
}

/** The cell that has a line of the file, or the one before it, and the line in that cell. Lines count from 1, cells from 0. */
export function cellAt(json: string, line: number): { readonly cell: number; readonly line: number } | undefined {
  const lines = readNotebook(json)?.lines ?? [];
  const at = lines.findLast((one) => one.line < line);
  if (!at) return undefined;
  return { cell: at.cell, line: lines.filter((one) => one.cell === at.cell && one.line <= at.line).length };
}

function readNotebook(json: string): { readonly lines: readonly CellLine[]; readonly types: string[] } | undefined {
  const types: string[] = [];
  const lines: CellLine[] = [];
  const versions: unknown[] = [];
  const errors: unknown[] = [];
  visit(json, {
    onLiteralValue: (value: unknown, _offset, _length, line, _character, pathOf) => {
      const [top, cell, key] = pathOf();
      if (top === 'nbformat') versions.push(value);
      if (top !== 'cells' || typeof cell !== 'number' || typeof value !== 'string') return;
      if (key === 'cell_type') types[cell] = value;
      if (key === 'source' && value !== '') lines.push({ line, cell, text: value.replace(/\r?\n$/, '') });
    },
    onError: (error) => errors.push(error),
  });
  return versions[0] === 4 && errors.length === 0 ? { lines, types } : undefined;
}
