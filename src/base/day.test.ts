import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addYears, dayOf, firstOfMonth, firstOfNextMonth, formatDay, isWeekend, parseDay, startOfDay } from './day.ts';

const anyDay = fc.integer({ min: -719_528, max: 2_932_896 });

describe('a day in UTC', () => {
  it('agrees with Date, from the year 0 to 9999', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        const text = new Date(startOfDay(day)).toISOString().slice(0, 10);
        assert.equal(formatDay(day), text);
        assert.equal(parseDay(text), day);
      }),
    );
    assert.equal(formatDay(-719_528), '0000-01-01');
    assert.equal(formatDay(2_932_896), '9999-12-31');
  });

  it('is parsed from real dates in one form only', () => {
    for (const day of ['2024-02-29', '2000-02-29', '1999-12-31', '0000-02-29', '9999-12-31'])
      assert.equal(formatDay(parseDay(day)!), day);
    for (const wrong of [
      ...[
        '',
        '2025-02-29',
        '1900-02-29',
        '2025-04-31',
        '2025-13-01',
        '2025-00-10',
        '2025-01-00',
        '2025-1-1',
        '25-01-01',
      ],
      ...[
        '2025-01-01 ',
        ' 2025-01-01',
        '2025-01-01T00:00:00Z',
        '2025/01/01',
        '20250101',
        '-001-01-01',
        '２０２５-01-01',
      ],
      ...['2025-01-01\n', '12025-01-01'],
    ])
      assert.equal(parseDay(wrong), undefined, JSON.stringify(wrong));
  });

  it('begins at midnight and contains every moment until the next', () => {
    fc.assert(
      fc.property(anyDay, fc.nat(86_399_999), (day, ms) => {
        assert.equal(dayOf(startOfDay(day) + ms), day);
      }),
    );
  });

  it('has the same date in another year, or 28 February for a leap day', () => {
    const twoYearsBefore = (text: string): string => formatDay(addYears(parseDay(text)!, -2));
    assert.equal(twoYearsBefore('2026-11-21'), '2024-11-21');
    assert.equal(twoYearsBefore('2024-02-29'), '2022-02-28');
    assert.equal(twoYearsBefore('2026-02-28'), '2024-02-28');
    assert.equal(twoYearsBefore('2026-03-01'), '2024-03-01');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: -5, max: 5 }), (day, years) => {
        const [before, after] = [formatDay(day), formatDay(addYears(day, years))];
        assert.equal(Number(after.slice(0, 4)), Number(before.slice(0, 4)) + years);
        const same = before.slice(5) === after.slice(5);
        assert.ok(same || (before.endsWith('02-29') && after.endsWith('02-28')));
      }),
    );
  });

  it('belongs to the same month and week as in Date', () => {
    fc.assert(
      fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), (day) => {
        const date = new Date(startOfDay(day));
        const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
        assert.equal(firstOfMonth(day), day - date.getUTCDate() + 1);
        if (year > 100) assert.equal(startOfDay(firstOfNextMonth(day)), Date.UTC(year, month + 1));
        assert.equal(isWeekend(day), [0, 6].includes(date.getUTCDay()));
      }),
    );
  });

  it('cannot be formatted outside of the years 0000 to 9999', () => {
    assert.throws(() => formatDay(2_932_897), RangeError);
    assert.throws(() => formatDay(-719_529), RangeError);
    assert.throws(() => formatDay(Number.NaN), RangeError);
  });
});
