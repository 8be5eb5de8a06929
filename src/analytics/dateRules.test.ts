import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { SextantError } from '../base/errors.ts';
import { formatDay, parseDay, type Day } from '../base/day.ts';
import { REPEATED, type RangeRules } from './contract.ts';
import { oldestDay, resolveDay, resolveRange } from './dateRules.ts';

const TODAY = parseDay('2026-11-21')!;

/** `first..last`, or the message. */
function ask(rules: RangeRules, start?: unknown, end?: unknown, today = TODAY): string {
  return outcome(() => {
    const { first, last } = resolveRange(rules, start, end, today);
    return `${formatDay(first)}..${formatDay(last)}`;
  });
}

function outcome(work: () => string): string {
  try {
    return work();
  } catch (error) {
    assert.ok(error instanceof SextantError && error.code === 'InvalidArgument');
    return error.message;
  }
}

/** The table of section 4.1 read literally, with the calendar of `Date`. */
function naive(rules: RangeRules, start: string | undefined, end: string | undefined, today: string): string {
  const plus = (text: string, days: number): string =>
    new Date(Date.parse(`${text}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
  const newest = rules === 'credits' ? today : plus(today, -1);
  const bound = rules === 'credits' ? 'today' : 'yesterday';
  const [year, rest] = [Number(today.slice(0, 4)) - 2, today.slice(4)];
  const oldest = rest === '-02-29' ? `${year}-02-28` : `${year}${rest}`;
  if (rules === 'cost' && (start === undefined) !== (end === undefined))
    return 'date_filters must include both start_date and end_date';
  if (start !== undefined && start < oldest) return 'start_date cannot be more than 2 years ago';
  if (end !== undefined && end < oldest) return 'end_date cannot be more than 2 years ago';
  if (end !== undefined && end > newest) return `end_date cannot be later than ${bound} (UTC)`;
  if (start === undefined && end === undefined) return `${plus(today, -7)}..${plus(today, -1)}`;
  if (start === undefined) {
    const first = plus(end!, -6);
    return `${first < oldest ? oldest : first}..${end}`;
  }
  if (end === undefined) {
    if (start > newest) return `start_date cannot be later than ${bound} (UTC)`;
    const last = plus(start, 6);
    return `${start}..${last > newest ? newest : last}`;
  }
  if (start > end) return 'start_date cannot be later than end_date';
  if (plus(start, 89) < end) return 'date range cannot exceed 90 days';
  return `${start}..${end}`;
}

describe('the rules of dates', () => {
  it('follow the specification for any two dates on any day', () => {
    const nearby = (today: Day): fc.Arbitrary<string | undefined> =>
      fc.option(
        fc
          .oneof(
            fc.integer({ min: -100, max: 5 }),
            fc.integer({ min: -740, max: -720 }),
            fc.integer({ min: -1500, max: 1500 }),
          )
          .map((offset) => formatDay(today + offset)),
        { nil: undefined },
      );
    const days = fc.oneof(
      fc.integer({ min: 10_000, max: 40_000 }),
      fc.constantFrom(...['2024-02-29', '2026-02-28', '2026-03-01'].map((day) => parseDay(day)!)),
    );
    const cases = days.chain((today) => fc.tuple(fc.constant(today), nearby(today), nearby(today)));
    fc.assert(
      fc.property(fc.constantFrom<RangeRules>('metrics', 'credits', 'cost'), cases, (rules, [today, start, end]) => {
        assert.equal(ask(rules, start, end, today), naive(rules, start, end, formatDay(today)));
      }),
      { numRuns: times(2000) },
    );
  });

  it('default to seven days, and count the first and the last', () => {
    assert.equal(ask('metrics'), '2026-11-14..2026-11-20');
    assert.equal(ask('credits'), '2026-11-14..2026-11-20');
    assert.equal(ask('metrics', '2026-11-18'), '2026-11-18..2026-11-20');
    assert.equal(ask('credits', '2026-11-18'), '2026-11-18..2026-11-21');
    assert.equal(ask('metrics', undefined, '2026-11-10'), '2026-11-04..2026-11-10');
    assert.equal(ask('metrics', '2026-08-23', '2026-11-20'), '2026-08-23..2026-11-20');
    assert.equal(ask('metrics', '2026-08-22', '2026-11-20'), 'date range cannot exceed 90 days');
    assert.equal(ask('credits', '2026-11-21', '2026-11-21'), '2026-11-21..2026-11-21');
    assert.equal(ask('metrics', '2024-11-21'), '2024-11-21..2024-11-27');
    assert.equal(ask('metrics', undefined, '2024-11-23'), '2024-11-21..2024-11-23');
    assert.equal(ask('metrics', '2026-11-21'), 'start_date cannot be later than yesterday (UTC)');
    assert.equal(ask('cost', null, null), '2026-11-14..2026-11-20');
  });

  it('report the first problem, in the order of the parameters', () => {
    assert.equal(ask('metrics', 'soon', 'later'), 'start_date must be a valid date in YYYY-MM-DD format');
    assert.equal(ask('metrics', '2020-01-01', 'later'), 'start_date cannot be more than 2 years ago');
    assert.equal(ask('metrics', '2026-11-19', '2026-02-30'), 'end_date must be a valid date in YYYY-MM-DD format');
    assert.equal(ask('metrics', '', undefined), 'start_date must be a valid date in YYYY-MM-DD format');
    assert.equal(ask('metrics', REPEATED, REPEATED), 'start_date must be given only once');
    assert.equal(ask('metrics', '2026-11-22', '2026-11-22'), 'end_date cannot be later than yesterday (UTC)');
    assert.equal(ask('cost', 20_261_114, null), 'start_date must be a string in YYYY-MM-DD format');
    assert.equal(ask('cost', '2026-11-14', ['2026-11-15']), 'end_date must be a string in YYYY-MM-DD format');
    assert.equal(ask('cost', '2026-11-14'), 'date_filters must include both start_date and end_date');
    assert.equal(ask('cost', '2000-01-01'), 'date_filters must include both start_date and end_date');
    assert.equal(ask('cost', undefined, 'x'), 'end_date must be a valid date in YYYY-MM-DD format');
  });

  it('accept yesterday for a single date, and no later one', () => {
    const one = (date?: unknown): string => outcome(() => formatDay(resolveDay(date, TODAY)));
    assert.equal(one(), '2026-11-20');
    assert.equal(one('2026-11-20'), '2026-11-20');
    assert.equal(one('2024-11-21'), '2024-11-21');
    assert.equal(one('2024-11-20'), 'date cannot be more than 2 years ago');
    assert.equal(one('2026-11-21'), 'date cannot be later than yesterday (UTC)');
    assert.equal(one('21.11.2026'), 'date must be a valid date in YYYY-MM-DD format');
    assert.equal(one(REPEATED), 'date must be given only once');
  });

  it('go back to the same date two years ago, or 28 February', () => {
    assert.equal(formatDay(oldestDay(parseDay('2028-02-29')!)), '2026-02-28');
    assert.equal(formatDay(oldestDay(parseDay('2026-03-01')!)), '2024-03-01');
  });
});
