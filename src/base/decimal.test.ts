import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatDecimal, parseDecimal } from './decimal.ts';

/** Digits before and after the point; at most 38 together. */
const amount = fc
  .tuple(fc.boolean(), fc.stringMatching(/^[0-9]{1,19}$/), fc.stringMatching(/^[0-9]{0,19}$/))
  .map(([negative, whole, fraction]) => `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`);

function canonical(text: string): string {
  const plain = text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
  const trimmed = plain.replace(/^(-?)0+(?=\d)/, '$1');
  return trimmed === '-0' ? '0' : trimmed;
}

describe('a decimal', () => {
  it('is formatted as it was parsed, without needless zeros', () => {
    fc.assert(fc.property(amount, (text) => assert.equal(formatDecimal(parseDecimal(text)!), canonical(text))));
    const longest = `0.${'1'.repeat(37)}`;
    assert.equal(formatDecimal(parseDecimal(longest)!), longest);
    assert.equal(formatDecimal(parseDecimal('9'.repeat(38))!), '9'.repeat(38));
  });

  it('adds and subtracts exactly', () => {
    const sum = (...texts: string[]): string =>
      formatDecimal(texts.reduce((total, text) => total + parseDecimal(text)!, 0n));
    assert.equal(sum('0.1', '0.2'), '0.3');
    assert.equal(sum('99999999999999999999', '0.00000000000001'), '99999999999999999999.00000000000001');
    assert.equal(sum('1.50', '-1.5'), '0');
    fc.assert(
      fc.property(fc.array(fc.bigInt(-(10n ** 18n), 10n ** 18n)), (cents) => {
        const text = (value: bigint): string => formatDecimal(value * 10n ** 36n);
        assert.equal(sum(...cents.map(text)), text(cents.reduce((total, value) => total + value, 0n)));
      }),
    );
  });

  it('consists of plain digits only', () => {
    for (const wrong of ['', '.', '1.', '.5', '1e3', '+1', '1,5', ' 1', '0x10', 'NaN', '--1', '1.2.3', '１', '1_0'])
      assert.equal(parseDecimal(wrong), undefined, JSON.stringify(wrong));
    assert.equal(parseDecimal('1'.repeat(39)), undefined);
    assert.equal(parseDecimal(`0.${'1'.repeat(38)}`), undefined);
  });
});
