import assert from 'node:assert/strict';
import fc from 'fast-check';
import { openFigures } from '../../../test/support/analytics.ts';
import {
  hundredths,
  newestOf,
  organizations,
  recordsOf,
  type Fact,
  type Organization,
} from '../../../test/support/organizations.ts';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { formatDay, type Day } from '../../base/day.ts';
import { readData } from '../../server/analytics/data/readData.ts';
import { SextantServer } from '../../server/server.ts';
import type { AnalyticsData } from '../client/analyticsData.ts';
import { TOKEN_FIELDS } from '../contract.ts';
import { costPerUse, costReport } from './costReport.ts';
import { presenceReport } from './presenceReport.ts';
import { peopleReport, usageReport } from './usageReport.ts';

/*
 * Figures of generated organizations, computed again from their facts with whole numbers and exact fractions, and compared
 * with what the reports make of the service's answers.
 */

/** A fraction with a positive denominator. */
type Fraction = readonly [bigint, bigint];
const UNIT = 10n ** 38n;

const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d];
const minus = (a: Fraction, [c, d]: Fraction): Fraction => plus(a, [-c, d]);
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];

/** Whether a decimal of 38 digits is the fraction, but for a few of its last units. */
function isNear(decimal: bigint, [numerator, denominator]: Fraction, units = 0n): boolean {
  const distance = decimal * denominator - numerator * UNIT;
  return (distance < 0n ? -distance : distance) <= units * denominator;
}

const sumOf = (facts: readonly Fact[], amount: (fact: Fact) => number): bigint =>
  facts.reduce((sum, fact) => sum + BigInt(amount(fact)), 0n);
const tokensOf = (facts: readonly Fact[]): bigint =>
  TOKEN_FIELDS.reduce((sum, field) => sum + sumOf(facts, ({ tokens }) => tokens[field]), 0n);

describe('the figures of any organization', () => {
  const newFolder = temporaryFolder();

  /** Compares the figures of generated organizations over the last 28 days and the 28 days before. */
  function compare(
    check: (data: AnalyticsData, organization: Organization, last: Day) => Promise<void>,
  ): Promise<void> {
    return fc.assert(
      fc.asyncProperty(organizations, async (organization) => {
        const lines = recordsOf(organization).map((record) => JSON.stringify(record));
        const server = await SextantServer.start({
          ...{ now: organization.now, rateLimit: false },
          data: () => readData([Buffer.from(lines.join('\n'))]),
        });
        server.clock.freeze();
        try {
          await check(openFigures(server, newFolder).data, organization, newestOf(organization));
        } finally {
          await server.close();
        }
      }),
      { numRuns: runs(40) },
    );
  }

  const within = ({ facts }: Organization, first: Day, last: Day): Fact[] =>
    facts.filter(({ day }) => day >= first && day <= last);

  it('are the tokens, parts, prices and uses of the facts', async () => {
    await compare(async (data, organization, last) => {
      const range = { first: last - 27, last };
      const facts = within(organization, range.first, last);
      const { plan } = organization;
      const [cost, usage, people] = [
        await costReport(data, range, { unit: plan }),
        await usageReport(data, range),
        await peopleReport(data, range),
      ];
      const amountOf = (some: readonly Fact[]): Fraction => [sumOf(some, (one) => hundredths(organization, one)), 100n];
      for (const [own, found] of [
        [facts, cost.whole] as const,
        ...cost.byModel.map((model) => [facts.filter((one) => one.model === model.name), model] as const),
      ]) {
        assert.ok(isNear(found.amount, amountOf(own)));
        assert.ok(isNear(found.base, [sumOf(own, ({ baseCents }) => baseCents), 100n]));
        // All that is billed for use with a key of the organization is surcharge.
        const surcharge = sumOf(own, ({ isByok, cents, baseCents }) => (isByok ? cents : cents - baseCents));
        assert.ok(isNear(found.surcharge, [surcharge, 100n]));
        for (const field of TOKEN_FIELDS)
          assert.equal(
            found.tokens[field],
            sumOf(own, ({ tokens }) => tokens[field]),
          );
        const all = tokensOf(own);
        assert.equal(found.perMillion === undefined, all === 0n);
        if (all > 0n) assert.ok(isNear(found.perMillion!, times(amountOf(own), [1_000_000n, all]), 1n));
        const input = all - found.tokens.output_tokens;
        assert.equal(found.cacheShare === undefined, input === 0n);
        if (input > 0n)
          assert.equal(found.cacheShare, Number((found.tokens.cache_read_tokens * 10_000n) / input) / 10_000);
      }
      assert.equal(cost.byModel.length, new Set(facts.map(({ model }) => model)).size);
      const per = costPerUse(usage, cost, people.distinct)!;
      for (const [found, units] of [
        [per.people, BigInt(new Set(facts.map(({ who }) => who)).size)],
        [per.messages, sumOf(facts, ({ messages }) => messages)],
        [per.lines, sumOf(facts, ({ lines }) => lines)],
      ] as const) {
        assert.equal(found === undefined, units === 0n);
        if (found !== undefined) assert.ok(isNear(found, times(amountOf(facts), [1n, units]), 1n));
      }
    });
  }).timeout(300_000);

  it('are volume, mix and price of a change, which exact fractions divide in the same way', async () => {
    await compare(async (data, organization, last) => {
      const { plan } = organization;
      const { change } = await costReport(data, { first: last - 27, last }, { unit: plan });
      const [before, now] = [within(organization, last - 55, last - 28), within(organization, last - 27, last)];
      const amountOf = (some: readonly Fact[]): Fraction => [sumOf(some, (one) => hundredths(organization, one)), 100n];
      const priced = (some: readonly Fact[]): Fact[] => {
        const models = new Set(some.map(({ model }) => model));
        return [...models].map((model) => some.filter((one) => one.model === model)).filter((own) => tokensOf(own) > 0n).flat();
      }; // oxfmt-ignore
      const [old, present] = [priced(before), priced(now)];
      const rest = (some: readonly Fact[], own: readonly Fact[]): Fraction => minus(amountOf(some), amountOf(own));
      const [oldTokens, tokens] = [tokensOf(old), tokensOf(present)];
      const meanPrice: Fraction = oldTokens === 0n ? [0n, 1n] : times(amountOf(old), [1n, oldTokens]);
      const atOldPrices = [...new Set(present.map(({ model }) => model))].reduce<Fraction>(
        (sum, model) => {
          const earlier = old.filter((one) => one.model === model);
          const price = earlier.length === 0 ? meanPrice : times(amountOf(earlier), [1n, tokensOf(earlier)]);
          return plus(sum, times(price, [tokensOf(present.filter((one) => one.model === model)), 1n]));
        },
        [0n, 1n],
      );
      const expected: Record<string, Fraction> = {
        before: amountOf(before),
        now: amountOf(now),
        other: minus(rest(now, present), rest(before, old)),
        ...(oldTokens === 0n
          ? { volume: minus(amountOf(present), amountOf(old)), mix: [0n, 1n], price: [0n, 1n] }
          : {
              volume: times(meanPrice, [tokens - oldTokens, 1n]),
              mix: minus(atOldPrices, times(meanPrice, [tokens, 1n])),
              price: minus(amountOf(present), atOldPrices),
            }),
      };
      for (const [name, fraction] of Object.entries(expected))
        assert.ok(isNear(change![name as 'mix'], fraction, 5n), name);
    });
  }).timeout(300_000);

  it('are who is active, new, returning or quiet, or stopped, and since when', async () => {
    await compare(async (data, organization, last) => {
      const { presence } = await presenceReport(data);
      const facts = within(organization, last - 29, last);
      const active = (days: number): number =>
        new Set(facts.filter(({ day }) => day > last - days).map(({ who }) => who)).size;
      assert.deepEqual([presence!.weekly, presence!.monthly], [active(7), active(28)]);
      assert.equal(presence!.people.length, active(30));
      for (const { identity, kind, lastActive, activeDays } of presence!.people) {
        const days = [...new Set(facts.filter(({ who }) => who === identity.name).map(({ day }) => day))].sort(
          (a, b) => a - b,
        );
        const [recent, earlier] = [days.filter((day) => day > last - 16), days.filter((day) => day <= last - 16)];
        assert.deepEqual([lastActive, activeDays], [formatDay(days.at(-1)!), days.length]);
        if (recent.length === 0) assert.equal(kind, earlier.length >= 3 ? 'stopped' : 'quiet');
        else if (earlier.length === 0) assert.equal(kind, 'new');
        else assert.equal(kind, recent[0]! - earlier.at(-1)! > 16 ? 'returning' : 'active');
      }
    });
  }).timeout(300_000);
});
