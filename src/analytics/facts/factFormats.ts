import { tableCsv } from '../reports/csv.ts';
import { text } from '../reports/tables.ts';
import type { FactCell, FactColumn } from './datasets.ts';

export const FACT_FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type FactFormat = (typeof FACT_FORMATS)[number];

/** Formats rows for other programs. Cells that are not known are missing, empty, or null. */
export async function formatFacts(
  format: FactFormat,
  columns: readonly FactColumn[],
  rows: readonly (readonly FactCell[])[],
): Promise<Uint8Array | string> {
  switch (format) {
    case 'ndjson':
      return rows.map((cells) => `${line(columns, cells)}\n`).join('');
    case 'csv':
      return tableCsv({
        columns: columns.map(({ name }) => text(name, name)),
        rows: rows.map((cells) => cells.map((cell) => cell?.toString())),
      });
    case 'parquet': {
      // Loaded here, as only this format needs it.
      const { parquetWriteBuffer } = await import('hyparquet-writer');
      const columnData = columns.map(({ name, kind }, i) => ({
        name,
        data: rows.map((cells) => cells[i] ?? null),
        type: kind === 'count' ? ('INT64' as const) : ('STRING' as const),
        nullable: true,
      }));
      return new Uint8Array(parquetWriteBuffer({ columnData }));
    }
  }
}

/** A whole number is a number if JSON readers keep it exact, and text otherwise. */
function line(columns: readonly FactColumn[], cells: readonly FactCell[]): string {
  const known = columns.flatMap(({ name }, i): [string, string | number][] => {
    const cell = cells[i];
    if (cell === undefined) return [];
    const isExact = typeof cell === 'bigint' && Number.isSafeInteger(Number(cell));
    return [[name, isExact ? Number(cell) : String(cell)]];
  });
  return JSON.stringify(Object.fromEntries(known));
}
