import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseDecimal } from '../../../base/decimal.ts';
import { AmountColumn, AmountSum, exact, MONEY_UNIT, parseMoney, parseTokens, TOKEN_UNIT } from './amount.ts';

const money = fc
  .tuple(fc.boolean(), fc.stringMatching(/^[0-9]{1,12}$/), fc.stringMatching(/^[0-9]{0,14}$/))
  .map(([negative, whole, fraction]) => `${negative ? '-' : ''}${whole}${fraction && `.${fraction}`}`);
const tokens = fc.oneof(fc.bigInt(0n, 2n ** 54n), fc.bigInt(0n, 10n ** 38n - 1n));

describe('amounts', () => {
  it('of money are exact, whatever their size, alone and summed from a column', () => {
    fc.assert(
      fc.property(fc.array(money), (texts) => {
        const column = new AmountColumn();
        const sum = new AmountSum();
        for (const text of texts) column.push(parseMoney(text)!);
        for (let row = 0; row < texts.length; row++) {
          assert.equal(exact(column.at(row), MONEY_UNIT), parseDecimal(texts[row]!));
          sum.add(column.at(row));
        }
        assert.equal(
          sum.total(MONEY_UNIT),
          texts.reduce((total, text) => total + parseDecimal(text)!, 0n),
        );
      }),
    );
  });

  it('of money are exact where a sum passes 2^53 units again and again', () => {
    const sum = new AmountSum();
    for (let i = 0; i < 1000; i++) sum.add(parseMoney('4503599.000000001')!);
    assert.equal(sum.total(MONEY_UNIT), parseDecimal('4503599.000000001')! * 1000n);
  });

  it('of tokens are exact as numbers and as digits', () => {
    fc.assert(
      fc.property(fc.array(tokens), (counts) => {
        const sum = new AmountSum();
        for (const count of counts) {
          const given = count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : String(count);
          const amount = parseTokens(given)!;
          assert.equal(exact(amount, TOKEN_UNIT), count);
          sum.add(amount);
        }
        assert.equal(
          sum.total(TOKEN_UNIT),
          counts.reduce((total, count) => total + count, 0n),
        );
      }),
    );
    for (const wrong of [-1, 0.5, 2 ** 53, '-1', '1.5', '', '1'.repeat(39), null, true])
      assert.equal(parseTokens(wrong), undefined, String(wrong));
  });
});
