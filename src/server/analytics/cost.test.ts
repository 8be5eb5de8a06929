import assert from 'node:assert/strict';
import { parseDecimal } from '../../base/decimal.ts';
import { costMetricsOf } from './cost.ts';

const amount = (text: string): bigint => parseDecimal(text)!;

describe('the metrics of a cost', () => {
  // 10 of base, of which 4 with the customer's own key.
  const sums = {
    billed: amount('8.25'),
    base: amount('10'),
    byokBase: amount('4'),
    credits: 0n,
    tokens: [0n, 0n, 0n, 0n],
  };

  it('add what was used with own keys and without, each by its formula', () => {
    const { billed_amount_usd, base_cost_usd, surcharge_usd, estimated_customer_cost_usd } = costMetricsOf(sums, true);
    assert.deepEqual(
      [billed_amount_usd, base_cost_usd, surcharge_usd, estimated_customer_cost_usd],
      // Without: billed less 6. With: all of it. Estimated: 4 more than is billed.
      ['8.25', '10', '2.25', '12.25'],
    );
  });

  it('estimate what is billed where the customer is not on enterprise', () => {
    assert.equal(costMetricsOf(sums, false).estimated_customer_cost_usd, '8.25');
  });

  it('have tokens as strings from 2^53 on', () => {
    const tokens = [2n ** 53n - 1n, 2n ** 53n, 0n, 10n ** 30n];
    const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = costMetricsOf(
      { ...sums, tokens },
      true,
    );
    assert.deepEqual(
      [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens],
      [9007199254740991, '9007199254740992', 0, `1${'0'.repeat(30)}`],
    );
  });
});
