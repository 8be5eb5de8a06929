import * as l10n from '@vscode/l10n';
import { isWeekend, parseDay } from '../../src/base/day.ts';
import { prefixOf } from '../../src/base/format.ts';
import type { AxisUnit } from '../../src/protocol/dashboardView.ts';

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
/** Of small values: one decimal would show steps of a quarter, or of cents, as the same text. */
const fine = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const days = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Formats a round number at an axis: `1.2K`, `$40`, `75%`. Figures themselves arrive as text. */
export function tickText(value: number, unit: AxisUnit): string {
  if (unit === 'share') return `${Math.round(value * 100)}%`;
  return `${unit === 'usd' ? '$' : ''}${(Math.abs(value) < 10 ? fine : compact).format(value)}`;
}

/** `Nov 14` of `2026-11-14`. */
export function dayText(day: string): string {
  const moment = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(moment) ? day : days.format(moment);
}

/** Positions of labels that fit side by side: always the first, and even steps from there. */
export function labelled(count: number, width: number, each: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / each))));
  const places: number[] = [];
  for (let i = 0; i < count; i += step) places.push(i);
  return places;
}

/** The part of a name that fits, by the width of a common letter; an SVG does not cut text by itself. */
export function shortened(text: string, width: number, letter = 6.6): string {
  const room = Math.max(4, Math.floor(width / letter));
  return text.length <= room ? text : `${prefixOf(text, room - 1)}…`;
}

/** The day, and that it is unusual or at a weekend. */
export function titleOf(day: string, isUnusual = false): string {
  return [
    day,
    ...(isWeekend(parseDay(day)!) ? [l10n.t('weekend')] : []),
    ...(isUnusual ? [l10n.t('unusual')] : []),
  ].join(', ');
}
