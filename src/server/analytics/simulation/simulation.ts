import { setImmediate } from 'node:timers/promises';
import { RESOURCE_OF_PLAN, type BudgetOverride, type UserInfo } from '../../../analytics/contract.ts';
import { daysOf, oldestDay, type DayRange } from '../../../analytics/dateRules.ts';
import { identityFields, identityKey, type Identity } from '../../../analytics/identity.ts';
import type { Clock } from '../../../base/clock.ts';
import { dayOf, formatDay, parseDay, type Day } from '../../../base/day.ts';
import {
  compareKeys,
  type AccountRow,
  type ActivityFact,
  type CostFilters,
  type CostGrouping,
  type CostFact,
  type CreditFact,
  type EditorLanguageRow,
  type FactSource,
  type Figures,
  type OrganizationInfo,
  type RowKey,
} from '../factSource.ts';
import type { SimulationOptions } from '../../state/records.ts';
import { newestDay } from '../paging.ts';
import { generationOn } from './calendar.ts';
import { CommonCosts } from './commonCosts.ts';
import { CostSheet } from './costSheet.ts';
import { Directory, MAX_DELAY, Schedule, type Account, type DirectoryOptions } from './directory.ts';
import { hash, seedKey, stream } from './random.ts';
import { RunningTotals } from './runningTotals.ts';
import { simulationLines } from './simulationLines.ts';
import { CLI, resourceName, UNKNOWN } from './vocabulary.ts';
import { METRIC_COUNT, Workdays, type MetricsRow } from './workdays.ts';

/** Of all accounts on a day. */
interface DayTotals {
  /** How many were active. */
  readonly accounts: number;
  readonly figures: Figures | undefined;
}

/** What a directory holds around the days that it is made for, so that the next query finds it made. */
const YEAR = 366;
const AHEAD = 2 * YEAR;
const HOUR_MS = 3_600_000;
/** Of an account that left and can no longer be named. */
const UNNAMED: UserInfo = { user_type: 'COST_ANALYTICS_USER_TYPE_USER' };
const UNNAMED_KEY = '\0xCOST_ANALYTICS_USER_TYPE_USER';

/**
 * An organization of which nothing is stored: each fact is computed from the seed, the account and the day at each
 * request. So any page of any query costs the days and accounts that it shows or adds up, in any order, and the past grows
 * with the clock by itself.
 */
export class Simulation implements FactSource {
  readonly options: SimulationOptions;
  readonly organization: OrganizationInfo;
  readonly #clock: Clock;
  readonly #key: number;
  /** The day of its creation: budgets are those of that day at each request. */
  readonly #since: Day;
  #madeWorkdays: Workdays | undefined;
  readonly #desks: DirectoryOptions;
  #directory: Directory | undefined;
  #making: (DayRange & { readonly pieces: Iterator<undefined, Directory> }) | undefined;
  #overrides: readonly BudgetOverride[] | undefined;
  readonly #days = new Map<Day, DayTotals>();
  #running: RunningTotals | undefined;

  /** The clock says what has happened today, and which two years are exported. */
  constructor(options: SimulationOptions, clock: Clock) {
    this.options = options;
    this.organization = { plan: options.plan, enterprise: true };
    this.#clock = clock;
    this.#key = seedKey(options.seed);
    this.#since = dayOf(clock.now());
    this.#desks = { key: this.#key, users: options.users, flood: options.flood };
  }

  findMember(identity: Identity, day: Day): Identity | undefined {
    const directory = this.#directoryOn({ first: day, last: day });
    const at = directory.find(identityKey(identity));
    const account = at === undefined ? undefined : directory.accounts[at]!;
    return account?.identity && account.start <= day && day < account.end ? account.identity : undefined;
  }

  activeCounts(range: DayRange): number[] {
    this.#countDays(range);
    return daysOf(range).map((day) => this.#days.get(day)!.accounts);
  }

  *activeAccounts(day: Day, after?: RowKey): Generator<AccountRow> {
    const schedule = new Schedule({ first: day, last: day });
    for (const { directory, at, account } of this.#from(schedule, after?.[0])) {
      const row = accountRow(account);
      if (row && row.key[0] !== after?.[0] && directory.schedule(at, schedule) > 0) yield row;
    }
  }

  usage(range: DayRange): (Figures | undefined)[] {
    this.#countDays(range);
    return daysOf(range).map((day) => this.#days.get(day)!.figures);
  }

  *activity(range: DayRange, after?: RowKey): Generator<ActivityFact> {
    const known = this.#runningTotals(range);
    let schedule: Schedule | undefined;
    for (const { directory, at, account } of this.#from(range, after?.[0])) {
      const row = accountRow(account);
      if (!row || row.key[0] === after?.[0]) continue;
      const activity = known?.activity(at, range) ?? this.#addUp(directory, at, (schedule ??= new Schedule(range)));
      if (activity.activeDays > 0) yield { ...row, ...activity };
    }
  }

  *editorLanguages(day: Day, after?: RowKey): Generator<EditorLanguageRow> {
    const schedule = new Schedule({ first: day, last: day });
    for (const { directory, at, account } of this.#from(schedule, after?.[0])) {
      const row = accountRow(account);
      if (!row || directory.schedule(at, schedule) === 0) continue;
      const rows = this.#workdays.at(schedule.workdays[0]!).rows.map(({ place, metrics }) => {
        const [language, editor] = languageAndEditor(account, place);
        const key = [account.key, language, editor];
        return { key, identity: row.identity, language, editor, figures: [...metrics] };
      });
      for (const one of rows.sort((a, b) => compareKeys(a.key, b.key)))
        if (!after || compareKeys(one.key, after) > 0) yield one;
    }
  }

  *credits(
    range: DayRange,
    by: { readonly date: boolean; readonly model: boolean },
    after?: RowKey,
    now = this.#clock.now(),
  ): Generator<CreditFact> {
    if (this.options.plan !== 'credits') return;
    const rows = { first: range.first, last: Math.min(range.last, dayOf(now)) };
    // Paging goes on at the day of the row before.
    const from = by.date && after ? Math.max(rows.first, parseDay(after[0]!)!) : rows.first;
    if (!by.date) yield* this.#creditRows(rows, [], undefined, by.model, now, after);
    else
      for (let day = from; day <= rows.last; day++)
        yield* this.#creditRows({ first: day, last: day }, [formatDay(day)], day, by.model, now, after);
  }

  *cost(range: DayRange, by: CostGrouping, filters: CostFilters, after?: RowKey): Generator<CostFact> {
    const first = by.byDay && after ? Math.max(range.first, parseDay(after[0]!)!) : range.first;
    if (first > range.last) return;
    const days = { first, last: range.last };
    const sheet = new CostSheet(this.#workdays, by, filters, days, this.options.plan === 'credits');
    if (sheet.wantsNothing) return;
    const common = new CommonCosts(this.#workdays, days, MAX_DELAY, by.byDay);
    const query: CostQuery = { by, identities: filters.identities, after, sheet, common };
    if (!by.byDay) yield* this.#costRows(query, range);
    else for (let day = first; day <= range.last; day++) yield* this.#costRows(query, { first: day, last: day }, day);
  }

  /** Some people have budgets of their own: those who are there, and who will come. */
  overrides(): Iterable<BudgetOverride> {
    this.#overrides ??= this.#ownOverrides();
    return this.#overrides;
  }

  /** Makes what the first question would have to wait for, and lets others do something in between. */
  async prepare(signal: AbortSignal): Promise<void> {
    const today = dayOf(this.#clock.now());
    const range = { first: oldestDay(today), last: today + AHEAD };
    while (!signal.aborted && !this.#makeDirectory(range)) await setImmediate();
    if (!signal.aborted) this.#makeWorkdays();
  }

  get #workdays(): Workdays {
    return this.#madeWorkdays ?? this.#makeWorkdays();
  }

  #makeWorkdays(): Workdays {
    return (this.#madeWorkdays ??= new Workdays(stream(this.#key, 'workday')));
  }

  lines(): Iterable<string> {
    const now = this.#clock.now();
    const today = dayOf(now);
    const range = { first: oldestDay(today), last: today };
    return simulationLines(this, Directory.make(this.#desks, range.first, range.last), range, newestDay(now));
  }

  *#creditRows(
    range: DayRange,
    lead: RowKey,
    day: Day | undefined,
    byModel: boolean,
    now: number,
    after: RowKey | undefined,
  ): Generator<CreditFact> {
    const schedule = new Schedule(range);
    const isAfterLead = after !== undefined && (lead.length === 0 || after[0] === lead[0]);
    for (const { directory, at: place, account } of this.#from(range, isAfterLead ? after[lead.length] : undefined)) {
      const row = accountRow(account);
      if (!row || directory.schedule(place, schedule) === 0) continue;
      const models = new Map<string, number>();
      for (let at = range.first; at <= range.last; at++) {
        const workday = schedule.workdays[at - range.first]!;
        if (workday < 0) continue;
        for (const { slot, credits, hour } of this.#workdays.at(workday).lines) {
          const count = credits[account.byok];
          // Of today there is what has happened.
          if (count === 0 || (at * 24 + hour) * HOUR_MS > now) continue;
          const model = byModel ? resourceName(slot, generationOn(at, account.delay)) : '';
          models.set(model, (models.get(model) ?? 0) + count);
        }
      }
      for (const [model, credits] of [...models].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const key = [...lead, ...row.key, ...(byModel ? [model] : [])];
        if (after && compareKeys(key, after) <= 0) continue;
        yield { ...row, key, credits, ...(day !== undefined && { day }), ...(byModel && { model }) };
      }
    }
  }

  *#costRows({ by, identities, after, sheet, common }: CostQuery, range: DayRange, day?: Day): Generator<CostFact> {
    const directory = this.#directoryOn(range);
    const schedule = new Schedule(range);
    const lead = day === undefined ? [] : [formatDay(day)];
    const afterUser = after && (day === undefined || after[0] === lead[0]) ? after[lead.length] : undefined;
    sheet.clear();
    // Accounts that can no longer be named are before all others, in one group.
    if (!identities && !(by.byUser && afterUser !== undefined && afterUser > UNNAMED_KEY))
      for (const account of directory.leaversOf(range)) addTail(sheet, account, range);
    if (by.byUser) {
      yield* sheet.rows([...lead, UNNAMED_KEY], day, UNNAMED, after);
      sheet.clear();
    } else if (!identities) {
      this.#countAll(common, range.first);
      sheet.addAll(common, range.first);
      yield* sheet.rows(lead, day, undefined, after);
      return;
    }
    const { accounts } = directory;
    const named = identities && placesOf(directory, identities);
    const from = by.byUser && afterUser !== undefined && afterUser !== UNNAMED_KEY ? directory.placeOf(afterUser) : 0;
    const end = named?.length ?? accounts.length;
    for (let i = named ? 0 : from; i < end; i++) {
      const place = named?.[i] ?? i;
      if (directory.schedule(place, schedule) === 0) continue;
      const [delay, byok] = [directory.delays[place]!, directory.byoks[place] as 0 | 1];
      for (let at = 0; at < schedule.workdays.length; at++)
        if (schedule.workdays[at]! >= 0) sheet.add(schedule.workdays[at]!, range.first + at, delay, byok);
      if (!by.byUser || sheet.isEmpty) continue;
      const { key, info } = accounts[place]!;
      yield* sheet.rows([...lead, key], day, info, after);
      sheet.clear();
    }
    if (!by.byUser) yield* sheet.rows(lead, day, undefined, after);
  }

  /** What all have used who worked on a day, or in a range that begins with it. */
  #countAll(costs: CommonCosts, day: Day): void {
    const days = costs.uncounted(day);
    if (!days) return;
    costs.begin(days);
    const schedule = new Schedule(days);
    const directory = this.#directoryOn(days);
    for (let at = 0; at < directory.delays.length; at++)
      if (directory.schedule(at, schedule) > 0)
        costs.add(schedule, directory.delays[at]!, directory.byoks[at] as 0 | 1);
  }

  /** Those who were there at some time of a range, from a key on. */
  *#from(range: DayRange, key: string | undefined): Generator<FoundAccount> {
    const directory = this.#directoryOn(range);
    const { accounts } = directory;
    for (let at = key === undefined ? 0 : directory.placeOf(key); at < accounts.length; at++) {
      const account = accounts[at]!;
      if (isThere(account, range)) yield { directory, at, account };
    }
  }

  #directoryOn(range: DayRange): Directory {
    while (!this.#makeDirectory(range));
    return this.#directory!;
  }

  /** Makes a piece of the directory that a range needs; gives whether there is nothing left to make. */
  #makeDirectory(range: DayRange): boolean {
    if (covers(this.#directory, range)) return true;
    if (!covers(this.#making, range)) {
      // Most queries are about the two years before today.
      const today = dayOf(this.#clock.now());
      const first = Math.min(range.first, oldestDay(today));
      const last = Math.max(range.last, range.first + YEAR, today + AHEAD);
      this.#making = { first, last, pieces: Directory.making(this.#desks, first, last) };
    }
    const { done, value } = this.#making!.pieces.next();
    if (!done) return false;
    this.#directory = value;
    this.#making = undefined;
    return true;
  }

  /** Finds how many were active on each day of a range, and what all have done, unless it is known. */
  #countDays({ first, last }: DayRange): void {
    while (first <= last && this.#days.has(first)) first++;
    while (first <= last && this.#days.has(last)) last--;
    if (first > last) return;
    const range = { first, last };
    const schedule = new Schedule(range);
    const { workdays } = schedule;
    const directory = this.#directoryOn(range);
    // Many have the same workday: they are counted first.
    const kinds = this.#workdays.length;
    const counts = new Uint32Array(workdays.length * kinds);
    for (let at = 0; at < directory.isSeen.length; at++) {
      if (directory.isSeen[at] === 0 || directory.schedule(at, schedule) === 0) continue;
      for (let i = 0; i < workdays.length; i++) if (workdays[i]! >= 0) counts[i * kinds + workdays[i]!]!++;
    }
    for (let i = 0; i < workdays.length; i++)
      this.#days.set(range.first + i, this.#dayOf(counts.subarray(i * kinds, (i + 1) * kinds)));
  }

  #dayOf(counts: Uint32Array): DayTotals {
    const sums = new Float64Array(METRIC_COUNT);
    let accounts = 0;
    for (let workday = 0; workday < counts.length; workday++) {
      if (counts[workday] === 0) continue;
      accounts += counts[workday]!;
      this.#addTotals(sums, workday, counts[workday]);
    }
    return { accounts, figures: accounts > 0 ? [...sums] : undefined };
  }

  #addUp(directory: Directory, at: number, schedule: Schedule): Pick<ActivityFact, 'activeDays' | 'figures'> {
    const activeDays = directory.schedule(at, schedule);
    const sums = new Float64Array(METRIC_COUNT);
    if (activeDays > 0) for (const workday of schedule.workdays) if (workday >= 0) this.#addTotals(sums, workday);
    return { activeDays, figures: [...sums] };
  }

  #addTotals(sums: Float64Array, workday: number, count = 1): void {
    const { totals } = this.#workdays;
    for (let i = 0, at = workday * METRIC_COUNT; i < METRIC_COUNT; i++) sums[i]! += count * totals[at + i]!;
  }

  /** Those of the two years that can be requested today, where they have the whole range. */
  #runningTotals(range: DayRange): RunningTotals | undefined {
    const today = dayOf(this.#clock.now());
    const years = { first: oldestDay(today), last: today };
    if (!covers(years, range)) return undefined;
    const directory = this.#directoryOn(years);
    if (!this.#running?.isOf(directory, years)) this.#running = new RunningTotals(directory, this.#workdays, years);
    return this.#running;
  }

  #ownOverrides(): BudgetOverride[] {
    const since = this.#since;
    const { plan } = this.options;
    return this.#directoryOn({ first: since, last: since + AHEAD }).accounts.flatMap((account) => {
      const random = hash(account.stream, -1);
      if (!account.identity || account.end <= since || random % 9 !== 0) return [];
      const limit = String((1 + ((random >>> 8) % 20)) * (plan === 'credits' ? 2_500 : 25));
      const settings = {
        resource: RESOURCE_OF_PLAN[plan],
        period: 'BUDGET_PERIOD_MONTHLY',
        config: { limit },
      } as const;
      return [{ ...identityFields(account.identity), ...settings }];
    });
  }
}

interface CostQuery {
  readonly by: CostGrouping;
  readonly identities: ReadonlySet<string> | undefined;
  readonly after: RowKey | undefined;
  readonly sheet: CostSheet;
  readonly common: CommonCosts;
}

/** An account, and where it is. */
interface FoundAccount {
  readonly directory: Directory;
  readonly at: number;
  readonly account: Account;
}

/** What agents of a person who left went on doing until it was noticed. */
function addTail(sheet: CostSheet, account: Account, { first, last }: DayRange): void {
  const { end, tailDays, workday, delay, byok } = account;
  for (let day = Math.max(first, end); day <= Math.min(last, end + tailDays - 1); day++)
    sheet.add(workday, day, delay, byok);
}

/** Of those whom a filter names, in the order of answers. */
function placesOf(directory: Directory, identities: ReadonlySet<string>): number[] {
  return [...identities].sort().flatMap((key) => directory.find(key) ?? []);
}

function isThere({ start, end }: Account, { first, last }: DayRange): boolean {
  return start <= last && end > first;
}

function accountRow({ key, identity }: Account): AccountRow | undefined {
  return identity && { key: [key], identity };
}

function languageAndEditor({ languages, editor }: Account, place: MetricsRow['place']): readonly [string, string] {
  switch (place) {
    case 'first':
      return [languages[0], editor];
    case 'second':
      return [languages[1], editor];
    case 'unknown':
      return [UNKNOWN, UNKNOWN];
    case 'cli':
      return [UNKNOWN, CLI];
  }
}

function covers(known: DayRange | undefined, { first, last }: DayRange): boolean {
  return known !== undefined && known.first <= first && last <= known.last;
}
