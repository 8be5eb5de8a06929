import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseDecimal } from '../../base/decimal.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { proposeLimit } from './proposal.ts';

const amount = (text: string): bigint => parseDecimal(text)!;

describe('the proposal of a limit', () => {
  const propose = (spent: string, projected: string | undefined, limit: bigint): string | undefined =>
    proposeLimit({ spent: amount(spent), projected: projected === undefined ? undefined : amount(projected), limit });

  it('is the projection of the month, rounded up to two digits', () => {
    assert.equal(propose('2000', '4321', 100n), '4400');
    assert.equal(propose('2000', '4400', 100n), '4400');
    assert.equal(propose('2', '7.000001', 1n), '8');
    assert.equal(propose('500', '400', 100n), '500', 'more is spent already');
    assert.equal(propose('1', '995', 1n), '1000');
  });

  it('is empty if the limit suffices, it is too early to project, or no limit is that large', () => {
    assert.equal(propose('2000', '4321', 4400n), undefined);
    assert.equal(propose('2000', undefined, 1n), undefined);
    assert.equal(propose('1', '999999999999999999', 5n), undefined);
  });

  it('is never below the need, and always above the limit', () => {
    const whole = fc.bigInt(0n, 10n ** 17n);
    fc.assert(
      fc.property(whole, whole, whole, (spent, projected, limit) => {
        const proposed = proposeLimit({
          spent: wholeAmount(spent),
          projected: wholeAmount(projected),
          limit: limit + 1n,
        });
        if (proposed === undefined) assert.ok(projected <= limit + 1n || spent <= limit + 1n || projected > limit);
        else {
          assert.ok(BigInt(proposed) >= projected && BigInt(proposed) >= spent && BigInt(proposed) > limit + 1n);
          assert.match(proposed, /^[1-9]\d?0*$/);
        }
      }),
    );
  });
});
