import { formatDay, type Day } from '../../base/day.ts';
import { columnName, identityKey, identityNamed, identityOf, type IdentifiedRow, type Identity } from '../identity.ts';

/** Days without activity after which a person who was active counts as stopped: two weeks of vacation, with week-ends. */
export const SILENT_DAYS = 16;
/** Active days before the silence from which a person counts as a regular user. */
const REGULAR_DAYS = 3;
/** Days of the past that presence needs: the silence, and two weeks before. Each is a request or more. */
export const PRESENCE_DAYS = SILENT_DAYS + 14;
const WEEK = 7;
const MONTH = 28;

/** The accounts that were active on a day. */
export interface ActiveDay {
  readonly day: Day;
  readonly accounts: readonly IdentifiedRow[];
}

/** What a person does now, compared with before. */
export type PresenceKind = 'active' | 'new' | 'returning' | 'stopped' | 'quiet' | 'never';

export interface Presence {
  readonly identity: Identity;
  readonly key: string;
  readonly kind: PresenceKind;
  /** `2026-11-04`; undefined for never, or not in the known days. */
  readonly lastActive: string | undefined;
  readonly activeDays: number;
}

export interface PresenceSummary {
  /** By last active day, the newest first; equal ones by key. */
  readonly people: readonly Presence[];
  /** Different active accounts of the last seven and of the last 28 days. */
  readonly weekly: number;
  readonly monthly: number;
}

/**
 * Classifies accounts by the known days up to `last`, and those of a roster. In the last 16 days, an account is new if
 * it was not active before, and returning after 16 days without activity. Without activity in these days, it stopped
 * if it was active on three days before, and else is quiet. Never: on the roster, and not active on any known day.
 */
export function presenceOf(days: readonly ActiveDay[], last: Day, roster: readonly Identity[] = []): PresenceSummary {
  const activity = new Map<string, { readonly identity: Identity; readonly days: Set<Day> }>();
  for (const { day, accounts } of days)
    for (const row of accounts) {
      const identity = identityOf(row);
      const key = identityKey(identity);
      const known = activity.get(key) ?? { identity, days: new Set() };
      activity.set(key, known);
      known.days.add(day);
    }
  const first = Math.min(last, ...days.map(({ day }) => day));
  const people = [...activity].map(([key, { identity, days: active }]): Presence => {
    const sorted = [...active].sort((a, b) => a - b);
    const lastActive = sorted.at(-1)!;
    return {
      identity,
      key,
      kind: kindOf(sorted, first, last),
      lastActive: formatDay(lastActive),
      activeDays: active.size,
    };
  });
  people.push(...neverActive(roster, activity));
  const since = (count: number): number =>
    [...activity.values()].filter(({ days: active }) => [...active].some((day) => day > last - count)).length;
  return { people: people.sort(byLastActive), weekly: since(WEEK), monthly: since(MONTH) };
}

/** An account with its number of active days in some range. */
export type ActiveAccount = IdentifiedRow & { readonly active_days: number };

/**
 * Classifies accounts by two sums of days, which take few requests: `recent` of the last 16 days, `before` of the two
 * weeks before them. The same as {@link presenceOf}, but without the last active day; those who returned count as active.
 */
export function presenceOfSums(
  before: readonly ActiveAccount[],
  recent: readonly ActiveAccount[],
  roster: readonly Identity[] = [],
): Presence[] {
  const was = new Map(before.map((row) => [identityKey(identityOf(row)), row]));
  const is = new Map(recent.map((row) => [identityKey(identityOf(row)), row]));
  const people = [...new Map([...was, ...is])].map(([key, row]): Presence => {
    const [ofBefore, ofRecent] = [was.get(key)?.active_days ?? 0, is.get(key)?.active_days ?? 0];
    const away = ofBefore >= REGULAR_DAYS ? 'stopped' : 'quiet';
    const kind = ofRecent === 0 ? away : ofBefore === 0 ? 'new' : 'active';
    return { identity: identityOf(row), key, kind, lastActive: undefined, activeDays: ofBefore + ofRecent };
  });
  return [...people, ...neverActive(roster, new Map([...was, ...is]))].sort(byLastActive);
}

/** The accounts of a roster that are not among the active ones. */
function neverActive(roster: readonly Identity[], active: ReadonlyMap<string, unknown>): Presence[] {
  const seats = new Map(roster.map((identity) => [identityKey(identity), identity]));
  return [...seats]
    .filter(([key]) => !active.has(key))
    .map(([key, identity]) => ({ identity, key, kind: 'never', lastActive: undefined, activeDays: 0 }));
}

/** The number of accounts of each kind. */
export function countPresence(people: readonly Presence[]): Readonly<Record<PresenceKind, number>> {
  const counts = { active: 0, new: 0, returning: 0, stopped: 0, quiet: 0, never: 0 };
  for (const { kind } of people) counts[kind]++;
  return counts;
}

function kindOf(active: readonly Day[], first: Day, last: Day): PresenceKind {
  const silentSince = last - SILENT_DAYS;
  const before = active.filter((day) => day <= silentSince);
  const recent = active.filter((day) => day > silentSince);
  if (recent.length === 0) return before.length >= REGULAR_DAYS ? 'stopped' : 'quiet';
  const lastBefore = before.at(-1);
  // A short past shows no account as new.
  if (lastBefore === undefined) return first <= silentSince ? 'new' : 'active';
  return recent[0]! - lastBefore > SILENT_DAYS ? 'returning' : 'active';
}

function byLastActive(a: Presence, b: Presence): number {
  const [x, y] = [a.lastActive ?? '', b.lastActive ?? ''];
  return x === y ? (a.key < b.key ? -1 : 1) : x > y ? -1 : 1;
}

/** Columns of a roster that may name an account, in order of preference. */
const ROSTER_COLUMNS = ['user_email', 'email', 'service_account_name', 'account', 'login', 'user'];

/**
 * The accounts of a roster: the rows of a CSV file of seats, whose first names the columns. Undefined if none of them
 * names an account.
 */
export function readRoster(rows: readonly (readonly string[])[]): Identity[] | undefined {
  const [head = [], ...rest] = rows;
  const names = head.map(columnName);
  const column = ROSTER_COLUMNS.map((name) => names.indexOf(name)).find((at) => at >= 0);
  if (column === undefined) return undefined;
  const accounts = new Map<string, Identity>();
  for (const row of rest) {
    const name = row[column]?.trim() ?? '';
    if (name === '') continue;
    const identity = identityNamed(name);
    accounts.set(identityKey(identity), identity);
  }
  return [...accounts.values()];
}
