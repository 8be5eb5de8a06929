import assert from 'node:assert/strict';
import fc from 'fast-check';
import { METRIC_FIELDS } from '../../../analytics/contract.ts';
import { ActivityTable } from './activityTable.ts';
import { RawRows } from './rows.ts';

/** More than are fetched at once. */
const ACCOUNTS = 70;
/** What fits 32 bits, what does only as a difference, and what does not at all. */
const figure = fc.oneof(fc.nat(500), fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40));
const small = fc.oneof(fc.nat(500), fc.constantFrom(2 ** 29));

describe('ActivityTable', () => {
  for (const [title, figures] of [
    ['of any size', figure],
    ['that pass 2^32 together only', small],
  ] as const) {
    it(`adds up figures ${title}, exactly`, () => {
      const row = fc.record({
        day: fc.integer({ min: 100, max: 112 }),
        account: fc.nat(ACCOUNTS - 1),
        figures: fc.array(figures, { minLength: METRIC_FIELDS.length, maxLength: METRIC_FIELDS.length }),
      });
      const range = fc.tuple(fc.integer({ min: 98, max: 114 }), fc.nat(14));
      fc.assert(
        fc.property(fc.array(row, { maxLength: 200 }), range, (rows, [first, length]) => {
          const raw = new RawRows(4, METRIC_FIELDS.length);
          for (const { day, account, figures } of rows) raw.push([day, account, 0, 0], figures);
          const table = new ActivityTable(raw.sorted([], true), ACCOUNTS);
          const last = first + length;
          const expected = Array.from({ length: ACCOUNTS }, (_, account) => {
            const own = rows.filter((one) => one.account === account && one.day >= first && one.day <= last);
            const active = own.filter((one) => one.figures.some((one) => one !== 0));
            const sums = METRIC_FIELDS.map((_, i) => own.reduce((sum, one) => sum + one.figures[i]!, 0));
            return { account, activeDays: new Set(active.map(({ day }) => day)).size, figures: sums };
          }).filter(({ activeDays }) => activeDays > 0);
          assert.deepEqual(table.activity(0, ACCOUNTS, { first, last }, Infinity), expected);
          assert.deepEqual(
            table.activity(1, ACCOUNTS, { first, last }, Infinity),
            expected.filter(({ account }) => account >= 1),
          );
          const all = METRIC_FIELDS.map((_, i) => rows.reduce((sum, one) => sum + one.figures[i]!, 0));
          assert.deepEqual(table.totals(), all);
        }),
      );
    });
  }
});
