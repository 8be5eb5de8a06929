import type { SourceScan } from './scanner.ts';

const TAB = 9;
const SPACE = 32;

/** The indentation of a line where a tab has four columns, not eight: some files indent with tabs and spaces. */
function narrowIndent({ bytes, lineStart }: SourceScan, line: number): number {
  let column = 0;
  for (let at = lineStart[line]!; bytes[at] === SPACE || bytes[at] === TAB; at++)
    column = bytes[at] === SPACE ? column + 1 : (column | 3) + 1;
  return column;
}

/** Whether two lines are indented alike, whichever width a tab has. */
export function isLevel(scan: SourceScan, one: number, other: number): boolean {
  return scan.indent[one] === scan.indent[other] || narrowIndent(scan, one) === narrowIndent(scan, other);
}
