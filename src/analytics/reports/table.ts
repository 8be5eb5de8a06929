import { formatColumns } from '../../base/columns.ts';
import { formatCount } from '../../base/format.ts';
import { formatDecimal, type Decimal } from '../../base/decimal.ts';
import { formatAmount, formatUsd } from '../insights/amounts.ts';

/** Value of a cell: text, a count or share as a number, an amount as exact decimal; undefined if unknown. */
export type Cell = string | number | Decimal | undefined;

export interface Column {
  /** Stable name for programs. */
  readonly name: string;
  /** Title for display. */
  readonly title: string;
  readonly kind: 'text' | 'count' | 'usd' | 'credits' | 'share';
}

/** Figures in rows: terminals, charts, CSV files and programs all get the same table. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Formats a cell for display: `$1,234.50`, `1,250`, `12.5 %`; `–` if unknown. */
export function formatCell(cell: Cell, { kind }: Pick<Column, 'kind'>): string {
  if (cell === undefined) return '–';
  if (typeof cell === 'bigint') return kind === 'usd' ? formatUsd(cell) : formatAmount(cell, 0);
  if (typeof cell === 'string') return cell;
  return kind === 'share' ? formatShare(cell) : formatCount(Math.round(cell * 10) / 10);
}

/** Formats a share, `12.5 %`, rounded down, so that 100 % is all. */
export function formatShare(share: number | undefined): string {
  return share === undefined ? '–' : `${(Math.floor(share * 1000 + 1e-9) / 10).toFixed(1)} %`;
}

/** Formats growth, `+12.5 %`; `–` if the earlier value was 0. */
export function formatGrowth(growth: number | undefined): string {
  if (growth === undefined) return '–';
  const percent = Math.round(growth * 1000) / 10;
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${formatCount(Math.abs(percent))} %`;
}

/** Rows for programs: amounts in full, as text, since a JSON number would round them. */
export function tableJson({ columns, rows }: Table): Record<string, string | number | null>[] {
  return rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name }, i) => {
        const cell = row[i];
        return [name, typeof cell === 'bigint' ? formatDecimal(cell) : (cell ?? null)];
      }),
    ),
  );
}

/** Aligned columns, numbers to the right. */
export function tableText({ columns, rows }: Table): string {
  const cells = rows.map((row) => columns.map((column, i) => formatCell(row[i], column)));
  const isNumber = (column: number): boolean => columns[column]!.kind !== 'text';
  return formatColumns([columns.map(({ title }) => title), ...cells], { indent: '  ', isNumber });
}
