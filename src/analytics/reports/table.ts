import * as l10n from '@vscode/l10n';
import { formatColumns } from '../../base/columns.ts';
import { formatCount } from '../../base/format.ts';
import { formatDecimal, type Decimal } from '../../base/decimal.ts';
import { formatAmount, formatUsd, wholeAmount } from '../insights/amounts.ts';
import { UNLIMITED } from '../budgets/limit.ts';
import type { Unit } from './unit.ts';

/** The largest limit, which stands for none. */
const UNLIMITED_AMOUNT = wholeAmount(BigInt(UNLIMITED));

/** Value of a cell: text, a count or share as a number, an amount as exact decimal; undefined if unknown. */
export type Cell = string | number | Decimal | undefined;

export interface Column {
  /** Stable name for programs. */
  readonly name: string;
  /** Title for display. */
  readonly title: string;
  readonly kind: 'text' | 'count' | 'usd' | 'credits' | 'share';
  /** A column that terminals and lists leave out, as they have no room; exports and tables of charts have it. */
  readonly isDetail?: true;
}

/** Figures in rows: terminals, charts, CSV files and programs all get the same table. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Formats a cell for display: `$1,234.50`, `1,250`, `12.5 %`; `–` if unknown. */
export function formatCell(cell: Cell, { kind }: Pick<Column, 'kind'>): string {
  if (cell === undefined) return '–';
  if (cell === UNLIMITED_AMOUNT) return l10n.t('unlimited');
  if (typeof cell === 'bigint') return kind === 'usd' ? formatUsd(cell) : formatAmount(cell, 0);
  if (typeof cell === 'string') return cell;
  return kind === 'share' ? formatShare(cell) : formatCount(Math.round(cell * 10) / 10);
}

/** Formats a price, `$24.53`, `$0.0312`, `12.5`: with four decimals below one; `–` if unknown. */
export function formatPrice(price: Decimal | undefined, unit: Unit): string {
  if (price === undefined) return '–';
  const isSmall = price < wholeAmount(1) && price > -wholeAmount(1);
  if (unit === 'usd' && !isSmall) return formatUsd(price);
  return `${unit === 'usd' ? '$' : ''}${formatAmount(price, isSmall ? 4 : 2)}`;
}

/** Formats a change of an amount with its sign: `+$1,204.50`, `−29,207`. */
export function formatChange(change: Decimal, unit: Unit): string {
  const size = formatCell(change < 0n ? -change : change, { kind: unit });
  return `${change > 0n ? '+' : change < 0n ? '−' : '±'}${size}`;
}

/** Formats a share, `12.5 %`, rounded down, so that 100 % is all. */
export function formatShare(share: number | undefined): string {
  if (share === undefined) return '–';
  const percent = Math.floor(share * 1000 + 1e-9) / 10;
  return `${percent < 1000 ? percent.toFixed(1) : formatCount(Math.floor(percent))} %`;
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

/** A table without its details. */
export function withoutDetails({ columns, rows }: Table): Table {
  const kept = columns.map(({ isDetail }) => isDetail !== true);
  return { columns: columns.filter((_, i) => kept[i]), rows: rows.map((row) => row.filter((_, i) => kept[i])) };
}

/** Aligned columns, numbers to the right, without details. */
export function tableText(table: Table): string {
  const { columns, rows } = withoutDetails(table);
  const cells = rows.map((row) => columns.map((column, i) => formatCell(row[i], column)));
  const isNumber = (column: number): boolean => columns[column]!.kind !== 'text';
  return formatColumns([columns.map(({ title }) => title), ...cells], { indent: '  ', isNumber });
}
