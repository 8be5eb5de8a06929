import {
  METRICS_REFRESH_HOUR,
  messages,
  type EndpointName,
  type PageSizes,
  type RequestOf,
  endpoints,
} from '../../analytics/contract.ts';
import type { DayRange } from '../../analytics/dateRules.ts';
import { invalidArgument } from '../../analytics/errors.ts';
import { checkRequest } from '../../analytics/validate.ts';
import { dayOf, type Day } from '../../base/day.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { Cursors, PagePosition } from './cursors.ts';
import type { RowKey } from './factSource.ts';

const HOUR_MS = 3_600_000;

/** A request whose rules are all kept. */
export interface CheckedPage<N extends EndpointName, D> {
  readonly request: RequestOf<N>;
  /** What the request means by its dates. */
  readonly dates: D;
  /** The newest day whose metrics and costs are complete. */
  readonly newest: Day;
  readonly after: RowKey | undefined;
  /** The pagination object of a page that ends with `last`, where more follows. */
  readonly pagination: (last: RowKey | undefined) => { readonly next_cursor: string; readonly has_more: boolean };
}

export interface PageOptions<N extends EndpointName, D> {
  readonly name: N;
  /** As it came. */
  readonly raw: unknown;
  readonly now: number;
  readonly cursors: Cursors;
  /** The rules of dates; throws what is wrong. */
  dates(today: Day): D;
  /** What a cursor is bound to beside the days: all that makes another query of it. */
  bind?(request: RequestOf<N>): unknown;
}

/** Checks a request and its cursor. Throws `InvalidArgument` with the first problem. */
export function checkPage<N extends EndpointName, D>(options: PageOptions<N, D>): CheckedPage<N, D> {
  const { name, raw, now, cursors } = options;
  const thisHour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const queryOf = (valid: RequestOf<N>): string => JSON.stringify([name, options.bind?.(valid)]);
  let cursor = '';
  let position: PagePosition | undefined;
  let dates: { readonly value: D } | undefined;
  let days = '';
  const request = checkRequest(name, raw, (valid) => {
    if (valid !== undefined) {
      cursor = (valid as { readonly cursor?: string | null }).cursor ?? '';
      position = cursor === '' ? undefined : cursors.open(queryOf(valid), cursor);
    }
    dates = { value: options.dates(dayOf(position?.asOf ?? now)) };
    days = JSON.stringify(dates.value);
    if (cursor !== '' && position?.days !== days) throw invalidArgument(messages.invalidCursor);
  });
  const asOf = position?.asOf ?? thisHour;
  return {
    request,
    dates: dates!.value,
    newest: newestDay(asOf),
    after: position?.after,
    pagination: (last) => ({
      next_cursor: last ? cursors.seal(queryOf(request), { asOf, days, after: last }) : '',
      has_more: last !== undefined,
    }),
  };
}

/** Yesterday, from the hour on at which its figures are complete; before that the day before. */
export function newestDay(now: number): Day {
  return dayOf(now - METRICS_REFRESH_HOUR * HOUR_MS) - 1;
}

/** The part of a range that has data yet. */
export function withData({ first, last }: DayRange, newest: Day): DayRange {
  return { first, last: Math.min(last, newest) };
}

export function pageSizeOf(name: EndpointName, asked: number | null | undefined, exchange: HttpExchange): number {
  const sizes = (endpoints[name] as { pageSize: PageSizes }).pageSize;
  if (asked === undefined || asked === null) return sizes.default;
  if (asked <= sizes.maximum) return asked;
  exchange.warn(`page_size ${asked} is taken for the maximum of ${sizes.maximum}`);
  return sizes.maximum;
}

/** The first `size` rows, and the key of the last one where there are more. */
export function takePage<R extends { readonly key: RowKey }>(
  rows: Iterable<R>,
  size: number,
): { readonly rows: readonly R[]; readonly last: RowKey | undefined } {
  const taken: R[] = [];
  for (const row of rows) {
    if (taken.length === size) return { rows: taken, last: taken[size - 1]!.key };
    taken.push(row);
  }
  return { rows: taken, last: undefined };
}
