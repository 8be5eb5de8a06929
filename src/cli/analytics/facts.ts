import { resolve } from 'node:path';
import { oldestDay, type DayRange } from '../../analytics/dateRules.ts';
import { saveFacts } from '../../analytics/facts/saveFacts.ts';
import type { FactFormat } from '../../analytics/facts/factFormats.ts';
import { formatDay, parseDay, type Day } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
import { formatCount, formatThings } from '../../base/format.ts';
import { ExitCode, type Terminal } from '../terminal.ts';
import { loading, openData } from './analytics.ts';

export interface FactsOptions {
  readonly facts: string;
  readonly format: FactFormat;
  readonly since?: string;
  readonly to?: string;
  readonly url?: string;
  readonly org?: string;
  readonly refresh?: true;
  /** The state folder of the local server. */
  readonly state?: string;
}

const DEFAULT_DAYS = 28;

/** `sextant export --facts` */
export async function runFacts(
  { facts, format, state, ...options }: FactsOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const service = { ...options, ...(state !== undefined && { serverState: state }) };
  const data = await openData(service, terminal);
  const range = rangeOf(options, data.newestDay, oldestDay(data.today));
  const { load, done } = loading(service, terminal);
  const { written, kept, rows } = await saveFacts(data, range, resolve(facts), format, load).finally(done);
  const known = kept === 0 ? '' : `, ${formatCount(kept)} were there`;
  terminal.stdout.write(`${formatThings(written, 'file')} with ${formatThings(rows, 'row')} saved${known}.\n`);
  return ExitCode.ok;
}

/** The finished days of the options, which may be more than one request of the service covers. */
function rangeOf({ since, to }: Pick<FactsOptions, 'since' | 'to'>, newest: Day, oldest: Day): DayRange {
  const last = to === undefined ? newest : parseDay(to);
  const first = since === undefined ? Math.max(oldest, (last ?? newest) - DEFAULT_DAYS + 1) : parseDay(since);
  if (first === undefined || last === undefined || first > last || first < oldest || last > newest)
    throw new SextantError(
      'BadRange',
      `Choose days as YYYY-MM-DD from ${formatDay(oldest)} to ${formatDay(newest)}, the newest finished one.`,
    );
  return { first, last };
}
