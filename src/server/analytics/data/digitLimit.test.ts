import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatDecimal, parseDecimal } from '../../../base/decimal.ts';
import { exact, MONEY_UNIT, parseMoney, type Amount } from './amount.ts';
import { DigitLimit } from './digitLimit.ts';

const NINES = '9'.repeat(38);

function add(...rows: readonly (readonly string[])[]): void {
  const limit = new DigitLimit();
  for (const row of rows) limit.add([0, 1, 2, 3].map((i) => parseMoney(row[i] ?? '0')!));
}

describe('the digits of sums', () => {
  it('are at most 38, with the longest fraction', () => {
    const tiny = `0.${'0'.repeat(36)}1`;
    const half = NINES.slice(1);
    add([NINES, '0', '0', NINES]);
    add([NINES, NINES]);
    add([NINES], ['0', '0', '0', '0.1']);
    add([NINES.slice(2), '0.5'], ['-5', '1', '1']);
    add([tiny, '3', '0', '9'], ['8', '2', '0', '9.5']);
    add([`${'9'.repeat(28)}.${'9'.repeat(10)}`]);
    add([tiny, '0', '0', '9'], ['0', '0.1']);
    for (const rows of [
      [[NINES], [NINES]],
      [[NINES], ['1']],
      [['1'], [NINES]],
      [[NINES], ['0.1']],
      [[NINES], ['0', '0.1']],
      [[NINES, '0.1']],
      [[half], [`-${half}`], [`-${half}`], ['9'.repeat(38)]],
      [[NINES, '1', '1']],
      [[`-${NINES}`, '1']],
      [[tiny], ['10']],
      [['10'], [tiny]],
    ])
      assert.throws(() => add(...rows), /a sum over all records could have more than 38 digits/, JSON.stringify(rows));
  });

  it('fit into an amount for all rows and for some, as long as nothing is said', () => {
    const money = fc
      .tuple(fc.boolean(), fc.stringMatching(/^[0-9]{1,20}$/), fc.stringMatching(/^[0-9]{0,18}$/))
      .map(([isNegative, whole, fraction]) => `${isNegative ? '-' : ''}${whole}${fraction && `.${fraction}`}`);
    const rows = fc.array(fc.tuple(money, money, fc.boolean(), money), { maxLength: 8 });
    let taken = 0;
    fc.assert(
      fc.property(rows, (all) => {
        const limit = new DigitLimit();
        const sums: Record<string, bigint> = {};
        try {
          for (const [billed, base, isByok, credits] of all) {
            const row = [billed, base, isByok ? base : '0', credits].map((text): Amount => parseMoney(text)!);
            limit.add(row);
            const [b, c, own, k] = row.map((amount) => exact(amount, MONEY_UNIT)) as [bigint, bigint, bigint, bigint];
            for (const [name, amount] of Object.entries({ b, c, k, surcharge: b - c + own, cost: b + own }))
              sums[name] = (sums[name] ?? 0n) + amount;
          }
        } catch {
          return;
        }
        taken++;
        for (const sum of Object.values(sums)) assert.equal(parseDecimal(formatDecimal(sum)), sum);
      }),
    );
    assert.ok(taken > 5);
  });
});
