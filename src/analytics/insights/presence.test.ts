import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatDay, parseDay } from '../../base/day.ts';
import type { Identity } from '../identity.ts';
import {
  PRESENCE_DAYS,
  presenceOf,
  presenceOfSums,
  readRoster,
  SILENT_DAYS,
  type ActiveAccount,
  type ActiveDay,
  type Presence,
  type PresenceSummary,
} from './presence.ts';

const last = parseDay('2026-11-20')!;
const first = last - PRESENCE_DAYS + 1;

/** The days of some people; each is active where the pattern says, from the first day on. */
function days(active: Readonly<Record<string, (at: number) => boolean>>, from = first): ActiveDay[] {
  return Array.from({ length: last - from + 1 }, (_, i) => ({
    day: from + i,
    accounts: Object.entries(active).flatMap(([name, isActive]) => (isActive(from + i) ? [{ user_email: name }] : [])),
  }));
}

const kinds = ({ people }: PresenceSummary): Record<string, string> =>
  Object.fromEntries(
    people.map(({ identity, kind, lastActive }) => [identity.name, `${kind} ${lastActive ?? ''}`.trim()]),
  );
const email = (name: string): Identity => ({ kind: 'user_email', name });

describe('presence', () => {
  it('tells who stopped, is new, returned, or was hardly ever there', () => {
    const found = presenceOf(
      days({
        'daily@x': () => true,
        'stan@x': (at) => at <= parseDay('2026-11-04')!,
        'vacation@x': (at) => at <= last - 13,
        'new@x': (at) => at > last - 3,
        'back@x': (at) => at < first + 4 || at === last,
        'once@x': (at) => at === first + 5,
      }),
      last,
      [email('DAILY@x'), email('seat@x')],
    );
    assert.deepEqual(kinds(found), {
      'daily@x': 'active 2026-11-20',
      'new@x': 'new 2026-11-20',
      'back@x': 'returning 2026-11-20',
      'vacation@x': 'active 2026-11-07',
      'stan@x': 'stopped 2026-11-04',
      'once@x': `quiet ${formatDay(first + 5)}`,
      'seat@x': 'never',
    });
    assert.deepEqual([found.weekly, found.monthly], [3, 6]);
  });

  it('calls no account new while the past is short', () => {
    assert.deepEqual(kinds(presenceOf(days({ 'a@x': (at) => at > last - 3 }, last - 9), last)), {
      'a@x': 'active 2026-11-20',
    });
  });

  it('counts each account once, in any spelling, as a plain set does', () => {
    const names = fc.constantFrom('ada@x', 'Ada@X', 'bob@x', 'eve@x');
    fc.assert(
      fc.property(fc.array(fc.array(names), { minLength: PRESENCE_DAYS, maxLength: PRESENCE_DAYS }), (rows) => {
        const input = rows.map((accounts, i) => ({
          day: first + i,
          accounts: accounts.map((name) => ({ user_email: name })),
        }));
        const found = presenceOf(input, last);
        const distinct = (count: number): number =>
          new Set(
            rows
              .slice(-count)
              .flat()
              .map((name) => name.toLowerCase()),
          ).size;
        assert.deepEqual(
          [found.weekly, found.monthly, found.people.length],
          [distinct(7), distinct(28), distinct(PRESENCE_DAYS)],
        );
        for (const { key, kind, lastActive, activeDays } of found.people) {
          const own = rows
            .map((row, i) => (row.some((name) => key.startsWith(name.toLowerCase())) ? i : -1))
            .filter((i) => i >= 0);
          assert.deepEqual([lastActive, activeDays], [formatDay(first + own.at(-1)!), own.length]);
          assert.equal(kind === 'stopped', own.at(-1)! < PRESENCE_DAYS - 16 && own.length >= 3);
        }
      }),
    );
  });

  it('tells who stopped from two sums of days, as from all days', () => {
    const names = fc.constantFrom('ada@x', 'bob@x', 'eve@x', 'kim@x');
    const rows = fc.array(fc.uniqueArray(names), { minLength: PRESENCE_DAYS, maxLength: PRESENCE_DAYS });
    fc.assert(
      fc.property(rows, (accounts) => {
        const known = accounts.map((of, i) => ({ day: first + i, accounts: of.map((name) => ({ user_email: name })) }));
        const sums = (of: typeof accounts): ActiveAccount[] =>
          [...new Set(of.flat())].map((name) => ({
            user_email: name,
            active_days: of.filter((one) => one.includes(name)).length,
          }));
        const split = PRESENCE_DAYS - SILENT_DAYS;
        const roster = [email('kim@x'), email('seat@x')];
        const found = presenceOfSums(sums(accounts.slice(0, split)), sums(accounts.slice(split)), roster);
        const all = presenceOf(known, last, roster).people;
        const kindsOf = (people: readonly Presence[]): string[] =>
          people.map(({ key, kind }) => `${key} ${kind === 'returning' ? 'active' : kind}`).sort();
        assert.deepEqual(kindsOf(found), kindsOf(all));
      }),
    );
  });

  it('reads the accounts of a roster', () => {
    const rows = [
      ['Name', 'User Email', 'Seat'],
      ['Ada', 'ada@x', 'yes'],
      ['Ada', 'ADA@x', ''],
      ['', '  ', ''],
      ['CI', 'ci', 'yes'],
    ];
    assert.deepEqual(
      readRoster(rows)?.map(({ kind, name }) => `${kind} ${name}`),
      ['user_email ADA@x', 'service_account_name ci'],
    );
    assert.equal(readRoster([['Seat'], ['1']]), undefined);
    assert.equal(readRoster([]), undefined);
  });
});
