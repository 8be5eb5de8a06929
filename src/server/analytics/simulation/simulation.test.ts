import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { runs } from '../../../../test/support/runs.ts';
import { METRIC_FIELDS, type Plan } from '../../../analytics/contract.ts';
import { daysOf, oldestDay, type DayRange } from '../../../analytics/dateRules.ts';
import { identityKey } from '../../../analytics/identity.ts';
import { dayOf, parseDay, type Day } from '../../../base/day.ts';
import { readData } from '../data/readData.ts';
import type { CostFilters, CostGrouping, CostFact, CostSums, FactSource, RowKey } from '../factSource.ts';
import { BYOK } from '../factSource.ts';
import { REMOTE_AGENT_REMOVED } from './directory.ts';
import { readSimulation } from './options.ts';
import { Simulation } from './simulation.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const YESTERDAY = dayOf(NOW) - 1;
const FLAGS = ['byDay', 'byProduct', 'byResource', 'byUser', 'byByok', 'byExpert'] as const;
const NOTHING: CostGrouping = {
  ...{ byDay: false, byProduct: false, byResource: false },
  ...{ byUser: false, byByok: false, byExpert: false },
};

function simulate(seed: number, users: number, plan: Plan = 'credits', now = NOW): Simulation {
  return new Simulation({ seed, users, plan }, { now: () => now });
}

const organization = fc
  .record({ seed: fc.maxSafeNat(), users: fc.integer({ min: 1, max: 40 }) })
  .map(({ seed, users }) => simulate(seed, users));
const day = fc.integer({ min: oldestDay(dayOf(NOW)), max: YESTERDAY });
const range = fc
  .record({ first: day, days: fc.integer({ min: 0, max: 20 }) })
  .map(({ first, days }): DayRange => ({ first, last: Math.min(first + days, YESTERDAY) }));
const grouping = fc.record(Object.fromEntries(FLAGS.map((flag) => [flag, fc.boolean()]))) as fc.Arbitrary<CostGrouping>;

function sums(rows: readonly CostFact[]): CostSums {
  const zero: CostSums = { billed: 0n, base: 0n, byokBase: 0n, credits: 0n, tokens: [0n, 0n, 0n, 0n] };
  return rows.reduce(
    (all, { sums: one }) => ({
      billed: all.billed + one.billed,
      base: all.base + one.base,
      byokBase: all.byokBase + one.byokBase,
      credits: all.credits + one.credits,
      tokens: all.tokens.map((count, i) => count + one.tokens[i]!),
    }),
    zero,
  );
}

/** All rows of a query, fetched page by page from sources that know nothing of each other. */
function paged<R extends { readonly key: RowKey }>(size: number, rows: (after?: RowKey) => Iterable<R>): R[] {
  const all: R[] = [];
  for (;;) {
    let taken = 0;
    for (const row of rows(all.at(-1)?.key)) {
      if (taken++ === size) break;
      all.push(row);
    }
    if (taken <= size) return all;
  }
}

function check<T>(property: fc.IProperty<T>): void {
  fc.assert(property, { numRuns: runs(25) });
}

describe('a simulated organization', () => {
  it('counts as active whom it lists, each once and in order', () => {
    check(
      fc.property(organization, range, (facts, dates) => {
        const counts = daysOf(dates).map((date) => {
          const keys = [...facts.activeAccounts(date)].map(({ key }) => key[0]!);
          assert.deepEqual(keys, [...new Set(keys)].sort());
          return keys.length;
        });
        assert.deepEqual(facts.activeCounts(dates), counts);
      }),
    );
  });

  it('has one sum of activity: by account, by day, and by language and editor', () => {
    check(
      fc.property(organization, range, (facts, dates) => {
        const byAccount = [...facts.activity(dates)];
        const byDay = facts.usage(dates).flatMap((figures) => (figures ? [figures] : []));
        const byEditor = daysOf(dates).flatMap((date) => [...facts.editorLanguages(date)]);
        for (const [i, field] of METRIC_FIELDS.entries()) {
          const total = byAccount.reduce((sum, { figures }) => sum + figures[i]!, 0);
          assert.equal(
            byDay.reduce((sum, figures) => sum + figures[i]!, 0),
            total,
            field,
          );
          assert.equal(
            byEditor.reduce((sum, { figures }) => sum + figures[i]!, 0),
            total,
            field,
          );
        }
        const activeDays = facts.activeCounts(dates).reduce((sum, count) => sum + count, 0);
        assert.equal(
          byAccount.reduce((sum, row) => sum + row.activeDays, 0),
          activeDays,
        );
        for (const { key, figures } of byEditor)
          assert.ok(
            Array.from(figures).some((count) => count > 0),
            key.join(' '),
          );
      }),
    );
  });

  it('has one sum of credits, by date, by model and by both, which is that of the costs of the same accounts', () => {
    check(
      fc.property(organization, range, (facts, dates) => {
        const total = (date: boolean, model: boolean): number =>
          [...facts.credits(dates, { date, model })].reduce((sum, { credits }) => sum + credits, 0);
        for (const [date, model] of [
          [true, false],
          [false, true],
          [true, true],
        ] as const)
          assert.equal(total(date, model), total(false, false));
        const named = [...facts.cost(dates, { ...NOTHING, byUser: true }, {})].filter(
          ({ values: { user_info: user } }) => user?.user_email ?? user?.service_account_name,
        );
        assert.equal(sums(named).credits, BigInt(total(false, false)) * 10n ** 38n);
      }),
    );
  });

  it('has one sum of costs to the last digit, however they are grouped, by day too', () => {
    check(
      fc.property(organization, range, grouping, (facts, dates, by) => {
        const rows = [...facts.cost(dates, by, {})];
        assert.deepEqual(sums(rows), sums([...facts.cost(dates, NOTHING, {})]));
        assert.equal(new Set(rows.map(({ values, day: date }) => JSON.stringify([date, values]))).size, rows.length);
      }),
    );
  });

  it('finds with a filter what it groups by, whatever else it groups by', () => {
    check(
      fc.property(organization, range, grouping, (facts, dates, grouped) => {
        const by = { ...NOTHING, byProduct: true, byResource: true, byUser: true, byExpert: true };
        const rows = [...facts.cost(dates, by, {})];
        const some = rows[Math.floor(rows.length / 2)];
        const { user_info: user, product_display_name: product, resource_display_name: resource } = some?.values ?? {};
        const expert = rows.find(({ values }) => values.expert_info)?.values.expert_info;
        const filtered = (filters: CostFilters, wanted: (row: CostFact) => boolean): void => {
          for (const one of [NOTHING, grouped])
            assert.deepEqual(sums([...facts.cost(dates, one, filters)]), sums(rows.filter(wanted)));
        };
        filtered({ products: new Set([product ?? '']) }, ({ values }) => values.product_display_name === product);
        filtered({ resources: new Set([resource ?? '']) }, ({ values }) => values.resource_display_name === resource);
        filtered({ products: new Set(['nothing', 'Chat']), experts: new Set(['nobody']) }, () => false);
        if (expert)
          filtered(
            { experts: new Set([expert.expert_id]) },
            ({ values }) => values.expert_info?.expert_id === expert.expert_id,
          );
        if (user?.user_email !== undefined)
          filtered(
            { identities: new Set([identityKey({ kind: 'user_email', name: user.user_email })]) },
            ({ values }) => values.user_info?.user_email === user.user_email,
          );
      }),
    );
  });

  it('answers the same in any order, at any page size, and from any other process', () => {
    check(
      fc.property(
        ...[fc.maxSafeNat(), fc.integer({ min: 1, max: 25 }), range, grouping, fc.integer({ min: 1, max: 9 })],
        (seed, users, dates, by, size) => {
          // Another time is requested first, and with the clock elsewhere.
          const otherFacts = simulate(seed, users, 'credits', NOW + 200 * 86_400_000);
          const other = (): FactSource => {
            otherFacts.activeCounts({ first: dates.first + 5000, last: dates.first + 5000 });
            return otherFacts;
          };
          const facts = simulate(seed, users);
          const both = { date: true, model: true };
          assert.deepEqual(other().activeCounts(dates), facts.activeCounts(dates));
          for (const [i, date] of daysOf(dates).entries())
            assert.deepEqual(other().usage({ first: date, last: date }), [facts.usage(dates)[i]]);
          assert.deepEqual(
            paged(size, (after) => other().activeAccounts(dates.last, after)),
            [...facts.activeAccounts(dates.last)],
          );
          assert.deepEqual(
            paged(size, (after) => other().activity(dates, after)),
            [...facts.activity(dates)],
          );
          assert.deepEqual(
            paged(size, (after) => other().editorLanguages(dates.first, after)),
            [...facts.editorLanguages(dates.first)],
          );
          const short = { first: dates.first, last: Math.min(dates.last, dates.first + 2) };
          assert.deepEqual(
            paged(size, (after) => other().credits(short, both, after)),
            [...facts.credits(short, both)],
          );
          assert.deepEqual(
            paged(size + 5, (after) => other().cost(short, by, {}, after)),
            [...facts.cost(short, by, {})],
          );
        },
      ),
    );
  });

  it('reports the same of its people for years, whether it remembers or adds up', () => {
    const dates = { first: YESTERDAY - 60, last: YESTERDAY };
    const later = simulate(9, 30, 'credits', NOW + 3 * 365 * 86_400_000);
    assert.deepEqual([...later.activity(dates)], [...simulate(9, 30).activity(dates)]);
    const many = simulate(9, 900);
    const page = [...many.activity(dates)];
    const twice = [...many.activity(dates)];
    assert.ok(page.length > 700);
    assert.deepEqual(twice, page);
    const older = simulate(9, 900, 'credits', NOW + 3 * 365 * 86_400_000);
    assert.deepEqual([...older.activity(dates)], page);
  });

  it('is the same to the byte on every machine', () => {
    const digest = createHash('sha256');
    const facts = simulate(42, 3, 'usd', Date.UTC(2026, 0, 1, 12));
    for (const line of facts.lines()) digest.update(`${line}\n`);
    assert.equal(digest.digest('hex'), '971926e77ef7b5cf6cb85d0192dac335e8170bb64bd55f70b9059f99b4937724');
  });

  it('is exported whole: a server with that file answers the same', async () => {
    const facts = simulate(7, 3);
    const copy = await readData([Buffer.from([...facts.lines()].join('\n'))]);
    const dates = { first: YESTERDAY - 60, last: YESTERDAY };
    const all = Object.fromEntries(FLAGS.map((flag) => [flag, true])) as unknown as CostGrouping;
    for (const by of [NOTHING, { ...NOTHING, byUser: true, byByok: true }, all])
      assert.deepEqual([...copy.cost(dates, by, {})], [...facts.cost(dates, by, {})]);
    assert.deepEqual([...copy.activity(dates)], [...facts.activity(dates)]);
    const by = { date: true, model: true };
    const withToday = { first: dates.first, last: dates.last + 1 };
    assert.deepEqual([...copy.credits(withToday, by)], [...facts.credits(withToday, by)]);
    assert.deepEqual([...copy.editorLanguages(YESTERDAY - 3)], [...facts.editorLanguages(YESTERDAY - 3)]);
  });

  describe('is like a real one', () => {
    const facts = simulate(1, 400);
    const dates = { first: YESTERDAY - 89, last: YESTERDAY };
    const by: CostGrouping = { ...NOTHING, byProduct: true, byResource: true, byByok: true, byExpert: true };

    it('in its week and its holidays', () => {
      const monday = parseDay('2026-11-16')!;
      const counts = facts.activeCounts({ first: monday, last: monday + 6 });
      assert.ok(Math.max(counts[5]!, counts[6]!) * 3 < Math.min(...counts.slice(0, 5)), counts.join(' '));
      const christmas = parseDay('2025-12-25')!;
      assert.ok(facts.activeCounts({ first: christmas, last: christmas })[0]! * 3 < counts[0]!);
    });

    it('in who comes, leaves, and is forgotten', () => {
      const first = oldestDay(YESTERDAY + 1);
      const members = (date: Day): Set<string> =>
        new Set([...facts.activity({ first: date, last: date + 60 })].map(({ key }) => key[0]!));
      const [before, now] = [members(first), members(YESTERDAY - 60)];
      const stayed = [...before].filter((key) => now.has(key)).length;
      assert.ok(stayed > 100 && stayed < before.size - 30 && stayed < now.size - 30, `${stayed} of ${before.size}`);
      const left = [...facts.activity({ first, last: first + 60 })].find(({ key }) => !now.has(key[0]!))!;
      assert.ok(facts.findMember(left.identity, first + 60) ?? facts.findMember(left.identity, first));
      assert.equal(facts.findMember(left.identity, YESTERDAY), undefined);
      const users = [...facts.cost(dates, { ...NOTHING, byUser: true }, {})].map(({ values }) => values.user_info!);
      assert.deepEqual(users[0], { user_type: 'COST_ANALYTICS_USER_TYPE_USER' }, 'whoever cannot be named');
      assert.ok(users.some(({ bot_name }) => bot_name !== undefined));
      assert.ok(users.some(({ service_account_name }) => service_account_name !== undefined));
    });

    it('in what is used: own keys, compute, experts, new models, editors, languages', () => {
      const rows = [...facts.cost(dates, by, {})].map(({ values }) => values);
      assert.ok(rows.some(({ byok_status }) => byok_status === BYOK));
      assert.ok(rows.some(({ resource_type: type }) => type === 'COST_ANALYTICS_RESOURCE_TYPE_COMPUTE'));
      assert.ok(rows.some(({ expert_info }) => expert_info));
      const versions = new Set(
        rows.map(({ resource_display_name: name }) => name!).filter((name) => name.includes('cedar')),
      );
      assert.ok(versions.size >= 2, 'a new model was launched');
      const places = [...facts.editorLanguages(parseDay('2026-11-18')!)];
      for (const wanted of ['CLI', 'Unknown', 'VS Code']) assert.ok(places.some(({ editor }) => editor === wanted));
      assert.ok(new Set(places.map(({ language }) => language)).size > 8);
      const around = facts.usage({ first: REMOTE_AGENT_REMOVED - 7, last: REMOTE_AGENT_REMOVED + 7 });
      const remote = METRIC_FIELDS.indexOf('remote_agent_messages');
      assert.ok(around[0]![remote]! > 0);
      assert.equal(around.at(-1)![remote], 0);
    });

    it('in how much some do', () => {
      const total = METRIC_FIELDS.indexOf('total_messages');
      const messages = [...facts.activity(dates)].map(({ figures }) => figures[total]!).sort((a, b) => a - b);
      assert.ok(messages.at(-1)! > 15 * messages[messages.length >> 1]!);
    });

    it('in its budgets: some people have their own, in the unit of the plan', () => {
      for (const plan of ['credits', 'usd'] as const) {
        const all = [...simulate(1, 200, plan).overrides()];
        assert.ok(all.length > 5 && all.length < 80, String(all.length));
        assert.ok(all.every(({ resource }) => resource.includes(plan === 'credits' ? 'CREDITS' : 'USD')));
      }
    });
  });

  it('has today what happened today so far', () => {
    const today = YESTERDAY + 1;
    const creditsAt = (hour: number): number => {
      const facts = simulate(3, 50, 'credits', today * 86_400_000 + hour * 3_600_000 - 1);
      const rows = facts.credits({ first: today, last: today }, { date: false, model: false });
      return [...rows].reduce((sum, { credits }) => sum + credits, 0);
    };
    const hours = [1, 9, 13, 17, 24].map(creditsAt);
    assert.equal(hours[0], 0);
    assert.deepEqual(
      hours,
      [...hours].sort((a, b) => a - b),
    );
    assert.equal(new Set(hours).size, hours.length, hours.join(' '));
  });

  it('is made ready bit by bit, and answers also where that is not done or was given up', async () => {
    const facts = simulate(5, 3000);
    const stop = new AbortController();
    let others = 0;
    const another = (): void => {
      others++;
      if (!stop.signal.aborted) setImmediate(another);
    };
    setImmediate(another);
    const ready = facts.prepare(stop.signal);
    await new Promise((resolve) => setImmediate(resolve));
    const early = facts.activeCounts({ first: YESTERDAY, last: YESTERDAY });
    await ready;
    const prepared = simulate(5, 3000);
    await prepared.prepare(stop.signal);
    assert.deepEqual(prepared.activeCounts({ first: YESTERDAY, last: YESTERDAY }), early);
    assert.ok(others > 5, `others had ${others} turns meanwhile`);
    stop.abort();
    const given = simulate(5, 3000);
    await given.prepare(stop.signal);
    assert.deepEqual(given.activeCounts({ first: YESTERDAY, last: YESTERDAY }), early);
  });

  it('says what is wrong with its options', () => {
    for (const wrong of [{ seed: -1 }, { seed: 0.5 }, { users: 0 }, { users: 1e9 }, { plan: 'gold' }])
      assert.throws(() => readSimulation(wrong), { code: 'InvalidOption' });
  });
});
