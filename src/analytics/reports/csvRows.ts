export interface CsvRecord {
  /** From 1; the first of a row with line ends in its cells. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A quote after which nothing can be read. */
export interface CsvProblem {
  readonly line: number;
  /** It is never closed, or it stands where none can. */
  readonly quote: 'open' | 'misplaced';
}

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Reads the non-empty rows of CSV as spreadsheets write it, with their lines: separators are commas, semicolons, tabs or
 * bars; a byte order mark and any line ends are allowed.
 */
export async function readCsvRows(
  text: string,
): Promise<{ readonly rows: readonly CsvRecord[]; readonly problem?: CsvProblem }> {
  // Loaded here, as only an import needs this library.
  const { CsvError, parse } = await import('csv-parse/sync');
  const whole = text.startsWith('\ufeff') ? text.slice(1) : text;
  // Directive of spreadsheets for the separator.
  const [directive = '', named] = /^sep=(.)(?:\r\n|\r|\n)/i.exec(whole) ?? [];
  const bytes = Buffer.from(whole.slice(directive.length));
  const delimiter = named ?? delimiterOf(bytes.toString());
  const rows: CsvRecord[] = [];
  let line = directive === '' ? 1 : 2;
  let at = 0;
  try {
    parse(bytes, {
      delimiter,
      trim: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record: (cells: string[], { bytes: end }: { readonly bytes: number }) => {
        // The parser counts a quoted line end of two characters twice.
        if (cells.some((cell) => cell !== '')) rows.push({ line, cells });
        line += countLines(bytes.subarray(at, end));
        at = end;
        return null;
      },
    });
    return { rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const quote = error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'open' : 'misplaced';
    return { rows, problem: { line, quote } };
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0x0a || (bytes[i] === 0x0d && bytes[i + 1] !== 0x0a)) count++;
  return count;
}

/** The separator that occurs most often in the header. */
function delimiterOf(text: string): string {
  const [head = ''] = /[^\r\n]+/.exec(text) ?? [];
  const bare = head.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  return DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best));
}
