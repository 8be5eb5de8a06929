import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TOKEN_FIELDS, type TokenField } from '../contract.ts';
import { amountOf, sumOf, wholeAmount, type CostPoint } from './amounts.ts';
import { changeOfCost, perUnit, unitCostOf, unitCosts } from './unitCost.ts';

/* Fractions are compared by cross-multiplication, so that no figure here is rounded. */

const RESOURCES = ['opus', 'sonnet', 'haiku', 'machine'];

interface Usage {
  readonly resource: string;
  readonly cents: number;
  readonly tokens: Readonly<Record<TokenField, number>>;
}

const tokens = fc.record(
  Object.fromEntries(TOKEN_FIELDS.map((field) => [field, fc.nat(10 ** 9)])) as Record<TokenField, fc.Arbitrary<number>>,
);
const usage = fc.array(fc.record({ resource: fc.constantFrom(...RESOURCES), cents: fc.nat(10 ** 6), tokens }));

function point({ resource, cents, tokens: counts }: Usage): CostPoint {
  const usd = (cents / 100).toFixed(2);
  const isMachine = resource === 'machine';
  return {
    start_date: '2026-11-20',
    group_by_values: { resource_display_name: resource },
    cost_metrics: {
      billed_amount_usd: usd,
      estimated_customer_cost_usd: usd,
      base_cost_usd: (Math.floor(cents / 2) / 100).toFixed(2),
      surcharge_usd: (Math.ceil(cents / 2) / 100).toFixed(2),
      credits_consumed: '0',
      ...(isMachine ? (Object.fromEntries(TOKEN_FIELDS.map((field) => [field, 0])) as typeof counts) : counts),
    },
  };
}

const of = (rows: readonly Usage[]): ReturnType<typeof unitCosts> =>
  unitCosts(rows.map(point), 'resource', 'billed_amount_usd');
const countOf = ({ resource, tokens: counts }: Usage): bigint =>
  resource === 'machine' ? 0n : TOKEN_FIELDS.reduce((sum, field) => sum + BigInt(counts[field]), 0n);

describe('unit cost', () => {
  it('has the tokens, the parts and the price of each model', () => {
    fc.assert(
      fc.property(usage, (rows) => {
        const found = of(rows);
        assert.equal(found.length, new Set(rows.map(({ resource }) => resource)).size);
        for (const one of found) {
          const own = rows.filter(({ resource }) => resource === one.key);
          const cents = own.reduce((sum, row) => sum + BigInt(row.cents), 0n);
          const all = own.reduce((sum, row) => sum + countOf(row), 0n);
          assert.equal(one.amount * 100n, wholeAmount(cents));
          assert.equal(one.base + one.surcharge, one.amount);
          assert.equal(one.allTokens, all);
          if (all === 0n) assert.equal(one.perMillion, undefined);
          else {
            const rest = one.amount * 1_000_000n - one.perMillion! * all;
            assert.ok(rest >= 0n && rest < all, 'rounded down');
          }
          if (one.cacheShare !== undefined) {
            const input = all - one.tokens.output_tokens;
            assert.equal(one.cacheShare, Number((one.tokens.cache_read_tokens * 10_000n) / input) / 10_000);
          }
        }
      }),
    );
  });

  it('reads token counts above 2^53', () => {
    const [first] = of([
      {
        resource: 'opus',
        cents: 1,
        tokens: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
      },
    ]);
    assert.equal(first!.cacheShare, undefined);
    const large = {
      ...point({
        resource: 'opus',
        cents: 1,
        tokens: { input_tokens: 1, output_tokens: 1, cache_read_tokens: 1, cache_write_tokens: 1 },
      }),
    };
    const metrics = { ...large.cost_metrics, input_tokens: '9007199254740993' };
    assert.equal(
      unitCostOf([{ ...large, cost_metrics: metrics }], 'billed_amount_usd').tokens.input_tokens,
      9007199254740993n,
    );
  });

  it('divides a change into volume, mix and price, which lose nothing', () => {
    fc.assert(
      fc.property(usage, usage, (before, now) => {
        const change = changeOfCost(of(before), of(now));
        assert.equal(change.before, sumOf(before.map(point), 'billed_amount_usd'));
        assert.equal(change.now, sumOf(now.map(point), 'billed_amount_usd'));
        assert.equal(change.volume + change.mix + change.price + change.other, change.now - change.before);
      }),
    );
  });

  it('names a price that doubled, a shift to a dearer model, and mere growth', () => {
    const row = (resource: string, cents: number, count: number): Usage => ({
      resource,
      cents,
      tokens: { input_tokens: count, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
    });
    const before = of([row('opus', 1000, 100), row('haiku', 100, 100)]);
    const parts = (now: readonly Usage[]): string[] => {
      const { volume, mix, price, other } = changeOfCost(before, of(now));
      return [volume, mix, price, other].map((amount) => (Number(amount / (wholeAmount(1) / 100n)) / 100).toFixed(2));
    };
    assert.deepEqual(parts([row('opus', 2000, 100), row('haiku', 100, 100)]), ['0.00', '0.00', '10.00', '0.00']);
    assert.deepEqual(parts([row('opus', 1500, 150), row('haiku', 50, 50)]), ['0.00', '4.50', '0.00', '0.00']);
    assert.deepEqual(parts([row('opus', 2000, 200), row('haiku', 200, 200)]), ['11.00', '0.00', '0.00', '0.00']);
    // A new model at 30.00 for 100 where the mean was 5.50.
    assert.deepEqual(parts([row('opus', 1000, 100), row('haiku', 100, 100), row('new', 3000, 100)]), [
      '5.50',
      '0.00',
      '24.50',
      '0.00',
    ]);
    assert.deepEqual(parts([row('opus', 1000, 100), row('haiku', 100, 100), row('machine', 70, 0)]), [
      '0.00',
      '0.00',
      '0.00',
      '0.70',
    ]);
    assert.deepEqual(changeOfCost([], before), {
      before: 0n,
      now: amountOf('11'),
      volume: amountOf('11'),
      mix: 0n,
      price: 0n,
      other: 0n,
    });
  });

  it('is undefined for no units', () => {
    assert.deepEqual([perUnit(10n, 4), perUnit(10n, 0)], [2n, undefined]);
  });
});
