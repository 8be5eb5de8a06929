import * as l10n from '@vscode/l10n';
import { daysOf, type DayRange } from '../../analytics/dateRules.ts';
import type { Forecast } from '../../analytics/insights/forecast.ts';
import { levelOf, type LimitStatus } from '../../analytics/insights/budgets.ts';
import { isMissing } from '../../analytics/reports/report.ts';
import type { Unit } from '../../analytics/reports/costReport.ts';
import { formatCell, type Cell, type Column, type Table } from '../../analytics/reports/table.ts';
import { formatDay } from '../../base/day.ts';
import { formatDecimal, type Decimal } from '../../base/decimal.ts';
import type { DaySeries } from '../../analytics/insights/series.ts';
import { OTHERS } from '../../analytics/insights/series.ts';
import type {
  AxisUnit,
  BarChart,
  Chart,
  Role,
  ShownTable,
  Tile,
  TimeChart,
  Tone,
} from '../../protocol/dashboardView.ts';

/* Turns figures into texts, and into numbers for the lengths of a chart. Nothing is computed here. */

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A chart, and its table for exports. */
export interface Figure {
  readonly shape: Without<Chart, 'table'>;
  readonly table: Table;
}

export function chartOf({ shape, table }: Figure): Chart {
  return { ...shape, table: shownTable(table) };
}

export function shownTable({ columns, rows }: Table): ShownTable {
  return {
    columns: columns.map(({ title, kind }) => ({ title, isNumber: kind !== 'text' })),
    rows: rows.map((row) => row.map((cell, i) => formatCell(cell, columns[i]!))),
  };
}

/** Texts of a chart on the page; columns keep the names of the exports. */
export interface ChartTexts {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly summary: string;
}

export interface RawSeries {
  /** Name of the column in exports. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly cells: readonly Cell[];
}

export function timeFigure(
  about: ChartTexts,
  kind: TimeChart['kind'],
  unit: AxisUnit,
  days: readonly string[],
  series: readonly RawSeries[],
  unusual: readonly number[] = [],
): Figure {
  return {
    shape: {
      ...about,
      kind,
      unit,
      days,
      unusual,
      series: series.map(({ name, role, cells }) => ({
        name,
        role,
        values: cells.map(markLength),
        texts: cells.map((cell) => formatCell(cell, { kind: unit })),
      })),
    },
    table: {
      columns: [
        { name: 'date', title: l10n.t('Day'), kind: 'text' },
        ...series.map(({ id, name }): Column => ({ name: id, title: name, kind: unit })),
        ...(unusual.length > 0 ? [{ name: 'unusual', title: l10n.t('Unusual'), kind: 'text' } as const] : []),
      ],
      rows: days.map((day, i) => [
        day,
        ...series.map(({ cells }) => cells[i]),
        ...(unusual.length > 0 ? [unusual.includes(i) ? l10n.t('unusual') : ''] : []),
      ]),
    },
  };
}

/** A stack of amounts for each day; a day in `missing` is empty, not zero. */
export function stackFigure(
  about: ChartTexts,
  unit: Unit,
  range: DayRange,
  series: readonly DaySeries[],
  missing: readonly DayRange[],
  nameOf: (series: DaySeries) => string = ({ name }) => name,
): Figure {
  const days = daysOf(range);
  const known = days.map((day) => !isMissing(day, missing));
  const raw = series.map((one): RawSeries => {
    const isRest = one.key === OTHERS;
    const name = isRest ? l10n.t('All others') : nameOf(one);
    return {
      id: isRest ? 'others' : name,
      name,
      role: isRest ? 'others' : 'value',
      cells: one.amounts.map((amount, i) => (known[i] ? amount : undefined)),
    };
  });
  return timeFigure(about, 'stack', unit, days.map(formatDay), raw);
}

export interface RawBar {
  readonly name: string;
  readonly cells: readonly Cell[];
  /** Text beside the bar. */
  readonly text: string;
  readonly tone?: Tone;
  readonly person?: string;
}

export function barFigure(
  about: ChartTexts,
  unit: AxisUnit,
  parts: readonly string[],
  bars: readonly RawBar[],
  table: Table,
  mark: BarChart['mark'] = null,
): Figure {
  return {
    shape: {
      ...about,
      kind: 'bars',
      unit,
      parts,
      mark,
      bars: bars.map(({ name, cells, text, tone = 'plain', person = null }) => ({
        name,
        text,
        tone,
        person,
        values: cells.map((cell) => markLength(cell) ?? 0),
        texts: cells.map((cell) => formatCell(cell, { kind: unit })),
      })),
    },
    table,
  };
}

/** The length of a mark. An amount loses digits that a picture cannot show. */
export function markLength(cell: Cell): number | null {
  if (cell === undefined || typeof cell === 'string') return null;
  return typeof cell === 'bigint' ? Number(formatDecimal(cell)) : cell;
}

export function amountText(amount: Decimal | undefined, unit: Unit): string {
  return formatCell(amount, { kind: unit });
}

/** The range of a forecast; without one, that it is not known. */
export function forecastRange({ band }: Forecast, unit: Unit): string {
  return band
    ? l10n.t('{0} to {1}', amountText(band.low, unit), amountText(band.high, unit))
    : l10n.t('range not known yet');
}

/** The range of a forecast, the month if each day is like last week, and the month before. */
export function forecastNote(forecast: Forecast, unit: Unit): string {
  const { asLastWeek, lastMonth } = forecast;
  const range = forecastRange(forecast, unit);
  return [
    range,
    ...(asLastWeek === undefined ? [] : [l10n.t('as last week {0}', amountText(asLastWeek, unit))]),
    ...(lastMonth === undefined ? [] : [l10n.t('last month {0}', amountText(lastMonth, unit))]),
  ].join(', ');
}

export function tile(
  id: string,
  label: string,
  value: string,
  about: string,
  { note = '', tone = 'plain' }: { readonly note?: string; readonly tone?: Tone } = {},
): Tile {
  return { id, label, value, note, tone, about };
}

/** The number of days that a figure covers, if not all. */
export function knownNote(known: number, days: number): string {
  return known === 0 ? l10n.t('unknown') : l10n.t('{0} of {1} days known', known, days);
}

/** `2026-11-14 to 2026-11-20` */
export function formatDays(first: string, last: string): string {
  return first === last ? first : l10n.t('{0} to {1}', first, last);
}

export function matchesFilter(name: string, filter: string): boolean {
  return filter === '' || name.toLowerCase().includes(filter.trim().toLowerCase());
}

/** The title of the first column, as a heading of the table. */
export function describeTable({ columns }: Table): string {
  return columns[0]?.title ?? '';
}

/** The tone of a limit. */
export function toneOfStatus(status: Pick<LimitStatus, 'used' | 'crossesOn'>): Tone {
  return ({ over: 'bad', near: 'warning', crossing: 'warning', within: 'good' } as const)[levelOf(status)];
}
