import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DayIndex } from './dayIndex.ts';

const ACCOUNTS = 5;

describe('DayIndex', () => {
  it('finds the row that a search finds: days before 1970, years without one, accounts without any', () => {
    const day = fc.oneof(fc.integer({ min: -70, max: 130 }), fc.constantFrom(-40_000, 20_000, 20_031, 20_032, 90_000));
    const rows = fc
      .uniqueArray(fc.tuple(fc.nat(ACCOUNTS - 1), day), {
        maxLength: 120,
        selector: ([account, at]) => `${account} ${at}`,
      })
      .map((all) => all.sort(([a, dayA], [b, dayB]) => a - b || dayA - dayB));
    fc.assert(
      fc.property(rows, fc.array(day, { minLength: 1, maxLength: 20 }), (all, asked) => {
        const column = (i: 0 | 1): Int32Array => Int32Array.from(all, (row) => row[i]);
        const index = new DayIndex(column(0), column(1), ACCOUNTS);
        for (let account = 0; account < ACCOUNTS; account++) {
          for (const from of [...asked, ...asked.map((one) => one + 1)]) {
            const before = all.filter(([one, at]) => one < account || (one === account && at < from)).length;
            assert.equal(index.rowFrom(account, from), before);
          }
        }
      }),
    );
  });
});
