import { formatDecimal } from '../../base/decimal.ts';
import { escapeHtml } from '../../base/html.ts';
import { formatCell, type Cell, type Column, type Table } from '../reports/table.ts';
import type { Section } from './document.ts';

/** Bars of a picture; the table beside it has all rows. */
const MOST_BARS = 12;
const WIDTH = 720;
const COLUMNS_HEIGHT = 180;
const AXIS_HEIGHT = 20;
const BAR_HEIGHT = 22;
const NAME_WIDTH = 190;
const VALUE_WIDTH = 90;

/** Escapes text of the data; control characters, which XML does not have, become spaces. */
export function escapeText(text: string): string {
  return escapeHtml(text.replaceAll(/\p{Cc}/gu, ' '));
}

/** Draws a section's table as static SVG with colours from the page's style; undefined if it has no picture. */
export function chartOf(section: Section): string | undefined {
  const { table, chart } = section;
  const at = table?.columns.findIndex(({ name }) => name === chart?.column) ?? -1;
  if (!table || !chart || at < 0 || table.rows.length === 0) return undefined;
  const drawn = chart.kind === 'days' ? columns(table, at) : bars(table, at);
  return `<svg role="img" aria-label="${escapeText(titleInFull(section))}" viewBox="0 0 ${WIDTH} ${drawn.height}">${drawn.marks}</svg>`;
}

/** The title with the organization, for those who hear it alone. */
export function titleInFull({ organization, title }: Section): string {
  return organization === undefined ? title : `${organization}: ${title}`;
}

interface Drawn {
  readonly marks: string;
  readonly height: number;
}

function columns({ columns: all, rows }: Table, at: number): Drawn {
  const column = all[at]!;
  const largest = Math.max(1e-9, ...rows.map((row) => sizeOf(row[at])));
  const step = WIDTH / rows.length;
  const labelEvery = Math.ceil(rows.length / 8);
  const marks = rows.map((row, i) => {
    const height = (Math.max(0, sizeOf(row[at])) / largest) * (COLUMNS_HEIGHT - AXIS_HEIGHT);
    const day = String(row[0]);
    const label =
      i % labelEvery === 0
        ? `<text x="${round(Math.min(Math.max((i + 0.5) * step, 18), WIDTH - 18))}" y="${COLUMNS_HEIGHT + AXIS_HEIGHT - 6}" text-anchor="middle">${escapeText(day.slice(5))}</text>`
        : '';
    return `<rect x="${round(i * step + step * 0.1)}" y="${round(COLUMNS_HEIGHT - height)}" width="${round(step * 0.8)}" height="${round(height)}">${titleOf(day, row[at], column)}</rect>${label}`;
  });
  const most = formatCell(rows.map((row) => row[at]).sort((a, b) => sizeOf(b) - sizeOf(a))[0], column);
  const axis = `<line x1="0" y1="${COLUMNS_HEIGHT}" x2="${WIDTH}" y2="${COLUMNS_HEIGHT}"/><text x="0" y="12">${escapeText(`highest ${most}`)}</text>`;
  return { marks: `${marks.join('')}${axis}`, height: COLUMNS_HEIGHT + AXIS_HEIGHT };
}

function bars({ columns: all, rows }: Table, at: number): Drawn {
  const column = all[at]!;
  const shown = [...rows].sort((a, b) => sizeOf(b[at]) - sizeOf(a[at])).slice(0, MOST_BARS);
  const largest = Math.max(1e-9, ...shown.map((row) => sizeOf(row[at])));
  const room = WIDTH - NAME_WIDTH - VALUE_WIDTH;
  const marks = shown.map((row, i) => {
    const [y, name] = [i * BAR_HEIGHT, String(row[0])];
    const width = (Math.max(0, sizeOf(row[at])) / largest) * room;
    const short = name.length > 28 ? `${name.slice(0, 27)}…` : name;
    return (
      `<text x="${NAME_WIDTH - 8}" y="${y + 15}" text-anchor="end">${escapeText(short)}</text>` +
      `<rect x="${NAME_WIDTH}" y="${y + 3}" width="${round(width)}" height="${BAR_HEIGHT - 6}">${titleOf(name, row[at], column)}</rect>` +
      `<text x="${round(NAME_WIDTH + width + 6)}" y="${y + 15}">${escapeText(formatCell(row[at], column))}</text>`
    );
  });
  return { marks: marks.join(''), height: shown.length * BAR_HEIGHT };
}

function titleOf(name: string, cell: Cell, column: Column): string {
  return `<title>${escapeText(`${name}: ${formatCell(cell, column)}`)}</title>`;
}

/** The length of a mark. An amount loses digits that a picture cannot show. */
function sizeOf(cell: Cell): number {
  if (typeof cell === 'bigint') return Number(formatDecimal(cell));
  return typeof cell === 'number' ? cell : 0;
}

function round(size: number): number {
  return Math.round(size * 10) / 10;
}
