import { increment } from '../../base/collections.ts';
import { parseDay, type Day } from '../../base/day.ts';
import { formatDecimal } from '../../base/decimal.ts';
import type {
  ActiveRow,
  ActivityRow,
  AnalyticsData,
  Coming,
  CostLoad,
  CostRow,
  CreditRow,
  DauRow,
  LanguageRow,
  Loaded,
  LoadOptions,
  UsageRow,
  UseTogether,
} from '../client/analyticsData.ts';
import { COST_KEYS } from '../client/analyticsData.ts';
import { LIMITS, TOKEN_FIELDS, type BudgetOverride, type CostMetrics, type GroupByKey } from '../contract.ts';
import type { DayRange } from '../dateRules.ts';
import { identityKey, identityOf, type Identity } from '../identity.ts';
import { amountOf } from '../insights/amounts.ts';
import { sumMetrics } from '../insights/people.ts';
import { MOST_ACTIVE, qualityOf, type Quality } from '../reports/report.ts';
import { accountOf } from './groupReport.ts';
import { UNMAPPED, type Groups } from './groups.ts';
import { groupRows } from './memberDays.ts';

/** A group of the group file. */
export interface ChosenGroup {
  readonly column: string;
  readonly group: string;
}

const BY_USER: GroupByKey = 'COST_ANALYTICS_GROUP_BY_USER';
/** The group of everybody else. */
const OUTSIDE = '\0';

/**
 * The figures of one group, as if it were an organization: every report of an organization can be built from them. Each
 * day counts for the group of that day, so the figures of all groups of a column, with `unmapped`, add up to those of the
 * organization.
 */
export class GroupData implements AnalyticsData {
  readonly whole: AnalyticsData;
  readonly #groups: Groups;
  readonly #chosen: ChosenGroup;
  /** The day whose groups count for all days, if any. */
  readonly #fixed: Day | undefined;

  constructor(whole: AnalyticsData, groups: Groups, chosen: ChosenGroup, fixed?: Day) {
    this.whole = whole;
    this.#groups = groups;
    this.#chosen = chosen;
    this.#fixed = fixed;
  }

  get now(): AnalyticsData {
    return new GroupData(this.whole, this.#groups, this.#chosen, this.today);
  }

  get service(): AnalyticsData['service'] {
    return this.whole.service;
  }

  get newestDay(): Day {
    return this.whole.newestDay;
  }

  get today(): Day {
    return this.whole.today;
  }

  /**
   * Active members of each day, if the accounts of all days are known: to request them takes longer than a person waits, and
   * for a large organization hours.
   */
  async dailyActive(range: DayRange, options?: LoadOptions): Promise<Loaded<DauRow>> {
    const counts = await this.whole.dailyActive(range, options);
    if (counts.rows.some(({ user_count }) => user_count > MOST_ACTIVE)) return { ...counts, rows: [] };
    const { rows, ...quality } = await this.activeAccounts(range, { ...options, cachedOnly: true });
    if (quality.missing.length > 0) return { ...counts, rows: [] };
    const active = new Map<string, number>();
    for (const { date } of rows) increment(active, date);
    return { ...quality, rows: counts.rows.map(({ date }) => ({ date, user_count: active.get(date) ?? 0 })) };
  }

  /** The service has activity of accounts over a range, and of each day only in a request for each. */
  async dailyUsage(
    range: DayRange,
    options?: LoadOptions,
  ): Promise<Loaded<UsageRow> & { readonly together: UseTogether }> {
    const { rows, ...quality } = await this.activity(range, options);
    const activeDays = rows.reduce((sum, row) => sum + row.active_days, 0);
    return { ...quality, rows: [], together: { metrics: sumMetrics(rows.map(({ metrics }) => metrics)), activeDays } };
  }

  /** Reports as they come only accounts that did not move; an account that came back has one row. */
  async activity(
    range: DayRange,
    { onRows, ...options }: LoadOptions & Coming<ActivityRow> = {},
  ): Promise<Loaded<ActivityRow>> {
    const hasStayed = (row: ActivityRow): boolean => this.#hasStayed(identityOf(row), range);
    const coming = onRows && {
      onRows: (rows: readonly ActivityRow[], asOf: string) => onRows(rows.filter(hasStayed), asOf),
    };
    const load = (days: DayRange): Promise<Loaded<ActivityRow>> =>
      this.whole.activity(days, { ...options, ...(days === range && coming) });
    const { rows, ...loaded } = await this.#sums(range, load, identityOf);
    const merged = new Map<string, ActivityRow>();
    for (const row of rows) {
      const key = identityKey(identityOf(row));
      const known = merged.get(key);
      merged.set(key, known ? addActivity(known, row) : row);
    }
    return { ...loaded, rows: [...merged.values()] };
  }

  async activeAccounts(range: DayRange, options?: LoadOptions): Promise<Loaded<ActiveRow>> {
    return this.#onDays(await this.whole.activeAccounts(range, options), identityOf, ({ date }) => date);
  }

  async languages(range: DayRange, options?: LoadOptions): Promise<Loaded<LanguageRow>> {
    return this.#onDays(await this.whole.languages(range, options), identityOf, ({ date }) => date);
  }

  async credits(
    range: DayRange,
    by: { readonly date?: boolean; readonly model?: boolean } = {},
    options?: LoadOptions,
  ): Promise<Loaded<CreditRow>> {
    const load = (days: DayRange): Promise<Loaded<CreditRow>> => this.whole.credits(days, by, options);
    if (!by.date) return this.#sums(range, load, identityOf);
    return this.#onDays(await load(range), identityOf, ({ date = '' }) => date);
  }

  organizationCost(range: DayRange, options?: Omit<CostLoad, 'daily'>): Promise<Loaded<CostRow>> {
    return this.cost(range, COST_KEYS, { ...options, daily: true });
  }

  async cost(range: DayRange, keys: readonly GroupByKey[], options: CostLoad = {}): Promise<Loaded<CostRow>> {
    const { people } = options;
    if (people) return this.#costOf(people, range, keys, options);
    const load = (days: DayRange): Promise<Loaded<CostRow>> => this.whole.cost(days, keys, options);
    if (keys.includes(BY_USER)) {
      if (!options.daily) return this.#sums(range, load, accountOf);
      return this.#onDays(await load(range), accountOf, (row) => row.start_date);
    }
    const accounts = await this.#accounts(range, options);
    if (accounts.missing.length > 0) return { ...accounts, rows: [], missing: [range] };
    if (this.#chosen.group !== UNMAPPED) return this.#costOf(accounts.rows, range, keys, options);
    // No filter names bots and deleted accounts, so their cost is what others leave.
    const [all, mapped] = await Promise.all([
      load(range),
      this.#costOf(accounts.rows, range, keys, options, (account, day) => !this.#has(account, day)),
    ]);
    return { ...loadedOf(all, mapped), rows: subtractCosts(all.rows, mapped.rows, options.daily === true) };
  }

  /** The limits of those who are in the group today. */
  async budgets(options?: LoadOptions): Promise<Loaded<BudgetOverride>> {
    const loaded = await this.whole.budgets(options);
    return { ...loaded, rows: loaded.rows.filter((row) => this.#has(identityOf(row), this.today)) };
  }

  #has(account: Identity | undefined, day: Day): boolean {
    const { column, group } = this.#chosen;
    const own = account && this.#groups.groupOf(account, column, this.#fixed ?? day);
    return (own ?? UNMAPPED) === group;
  }

  /** The days on which an account came or left. */
  #movesOf(account: Identity, range: DayRange): Day[] {
    if (this.#fixed !== undefined) return [];
    const moves = this.#groups.movesOf(account, this.#chosen.column, range);
    return moves.filter((day) => this.#has(account, day) !== this.#has(account, day - 1));
  }

  #hasStayed(account: Identity, range: DayRange): boolean {
    return this.#has(account, range.first) && this.#movesOf(account, range).length === 0;
  }

  /** The rows of the group's days. */
  #onDays<Row>(
    loaded: Loaded<Row>,
    accountIn: (row: Row) => Identity | undefined,
    dateOf: (row: Row) => string,
  ): Loaded<Row> {
    return { ...loaded, rows: loaded.rows.filter((row) => this.#has(accountIn(row), parseDay(dateOf(row)) ?? 0)) };
  }

  /** The sums of accounts over the days on which they are in the group. */
  async #sums<Row>(
    range: DayRange,
    load: (days: DayRange) => Promise<Loaded<Row>>,
    accountIn: (row: Row) => Identity | undefined,
  ): Promise<Loaded<Row>> {
    const { column, group } = this.#chosen;
    const members = {
      groupOf: (account: Identity, _: string, day: Day) => (this.#has(account, day) ? group : OUTSIDE),
      movesOf: (account: Identity, _: string, days: DayRange) => this.#movesOf(account, days),
    };
    const grouped = await groupRows(members, column, range, load, accountIn);
    return { ...loadedOf(grouped), rows: grouped.rows.filter((one) => one.group === group).map(({ row }) => row) };
  }

  /** The accounts with cost on some days. Those of the last days are requested once for all ranges among them. */
  async #accounts(range: DayRange, options: LoadOptions): Promise<Loaded<Identity>> {
    const recent = { first: this.newestDay - LIMITS.maxRangeDays + 1, last: this.newestDay };
    const days = range.first >= recent.first ? recent : range;
    const { signal, refresh, cachedOnly, onPause, onProgress, isBackground } = options;
    const load = { signal, refresh, cachedOnly, onPause, onProgress, isBackground };
    const loaded = await this.whole.cost(days, [BY_USER], load);
    const accounts = loaded.rows.map(accountOf).filter((account) => account !== undefined);
    return { ...loaded, rows: accounts };
  }

  /** The cost of some accounts on the days on which they are in the group, or as `has` says. */
  async #costOf(
    accounts: readonly Identity[],
    range: DayRange,
    keys: readonly GroupByKey[],
    options: CostLoad,
    has = (account: Identity, day: Day) => this.#has(account, day),
  ): Promise<Loaded<CostRow>> {
    const moves = accounts.flatMap((account) => this.#movesOf(account, range));
    const starts = [...new Set([range.first, ...moves])].sort((a, b) => a - b);
    const parts = starts.flatMap((first, i) => {
      const people = accounts.filter((account) => has(account, first));
      const days = { first, last: (starts[i + 1] ?? range.last + 1) - 1 };
      // A filter without people would be for all of them.
      return people.length === 0 ? [] : [this.whole.cost(days, keys, { ...options, people })];
    });
    const loaded = await Promise.all(parts);
    return { ...loadedOf(...loaded), rows: loaded.flatMap(({ rows }) => rows) };
  }
}

/** The quality of answers together. */
function loadedOf(...parts: readonly (Loaded<unknown> | Quality)[]): Omit<Loaded<never>, 'rows'> {
  const { asOf, offline, missing } = qualityOf(...parts);
  return { asOf, missing, ...(offline && { offline }) };
}

function addActivity(a: ActivityRow, b: ActivityRow): ActivityRow {
  return { ...a, active_days: a.active_days + b.active_days, metrics: sumMetrics([a.metrics, b.metrics]) };
}

const AMOUNTS = [
  'billed_amount_usd',
  'estimated_customer_cost_usd',
  'base_cost_usd',
  'surcharge_usd',
  'credits_consumed',
] as const satisfies (keyof CostMetrics)[];

/** What `part` leaves of `all`, without rows of nothing. Both are grouped by the same dimensions. */
function subtractCosts(all: readonly CostRow[], part: readonly CostRow[], isDaily: boolean): CostRow[] {
  const keyOf = (row: CostRow): string => JSON.stringify([row.group_by_values, isDaily && row.start_date]);
  const parts = new Map<string, CostMetrics[]>();
  for (const row of part) parts.set(keyOf(row), [...(parts.get(keyOf(row)) ?? []), row.cost_metrics]);
  return all.flatMap((row) => {
    const taken = parts.get(keyOf(row)) ?? [];
    const left = { ...row.cost_metrics };
    let isNothing = true;
    for (const field of AMOUNTS) {
      const rest = taken.reduce((sum, one) => sum - amountOf(one[field]), amountOf(left[field]));
      left[field] = formatDecimal(rest);
      isNothing &&= rest === 0n;
    }
    for (const field of TOKEN_FIELDS) {
      const rest = taken.reduce((sum, one) => sum - BigInt(one[field]), BigInt(left[field]));
      left[field] = rest <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(rest) : String(rest);
      isNothing &&= rest === 0n;
    }
    return isNothing ? [] : [{ ...row, cost_metrics: left }];
  });
}
