import { formatTime, systemClock, type Clock } from '../../base/clock.ts';
import { dayOf, formatDay, type Day } from '../../base/day.ts';
import type { SextantError } from '../../base/errors.ts';
import {
  CREDITS_REFRESH_MS,
  type BudgetOverride,
  type GroupByKey,
  type IdentityField,
  type Metrics,
  type RequestOf,
  type ResponseOf,
} from '../contract.ts';
import type { DayRange } from '../dateRules.ts';
import type { Identity } from '../identity.ts';
import type { AnalyticsClient, PagedName } from './analyticsClient.ts';
import type { AnswerCache } from './answerCache.ts';
import { newestFinished } from './answerParts.ts';
import {
  CachedLoader,
  type Coming,
  type Loaded,
  type LoadOptions,
  type CachedQuery,
  type RowBatch,
} from './cachedLoader.ts';
import { isOffline } from './errors.ts';

export type { Coming, Loaded, LoadOptions } from './cachedLoader.ts';

export type DauRow = ResponseOf<'dauCount'>['daily_active_user_counts'][number];
export type UsageRow = ResponseOf<'dailyUsage'>['daily_usage'][number];
export type ActivityRow = ResponseOf<'userActivity'>['users'][number];
export type LanguageRow = ResponseOf<'dailyUserActivityByEditorLanguage'>['records'][number] & {
  readonly date: string;
};
export type ActiveRow = ResponseOf<'dau'>['users'][number] & { readonly date: string };
export type CreditRow = ResponseOf<'creditUsageByUser'>['records'][number];
export type CostRow = ResponseOf<'costAnalytics'>['data_points'][number];

/** The part of the cost that is wanted: all that match each of the lists. */
export interface CostFilter {
  readonly people?: readonly Identity[] | undefined;
  readonly products?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  /** Their ids. */
  readonly experts?: readonly string[] | undefined;
}

export interface CostLoad extends LoadOptions, CostFilter {
  /** A row for each day. */
  readonly daily?: boolean;
}

/** Dimensions that all figures of an organization's cost are sums of. */
export const COST_KEYS: readonly GroupByKey[] = [
  'COST_ANALYTICS_GROUP_BY_PRODUCT',
  'COST_ANALYTICS_GROUP_BY_RESOURCE',
  'COST_ANALYTICS_GROUP_BY_BYOK_STATUS',
];

/** Metrics and costs change once a day; this covers an hour in which the service is late. */
const METRICS_FRESH_MS = 15 * 60_000;
const BUDGETS = 'budgets';
/** Age at which overrides read for a change are still fresh enough for the views after it. */
const BUDGETS_FRESH_MS = 2_000;

/** The figures that reports are built from: of an account, or of a group of it. */
export type AnalyticsData = Pick<ServiceData, keyof ServiceData>;

/** Use over all days together, where the service does not know it by day. */
export interface UseTogether {
  readonly metrics: Metrics;
  /** Active accounts of each day, added. */
  readonly activeDays: number;
}

/**
 * The figures of one account, from the cache if they cannot have changed, else from the service. A day is finished two
 * hours after its end in UTC (section 1), by the local clock and the service's. From then on it is fetched once and
 * never again. If the service is unreachable, cached figures are returned with their age. An answer in many pages that
 * was cancelled resumes where it stopped.
 */
export class ServiceData {
  readonly #client: AnalyticsClient;
  readonly #cache: AnswerCache;
  readonly #clock: Clock;
  readonly #loader: CachedLoader;
  /** The overrides of the last read. */
  #budgets: { readonly rows: readonly BudgetOverride[]; readonly fetchedAt: number } | undefined;
  /** The last of the reads of overrides, which take turns: the second finds the answer of the first. */
  #budgetTurn: Promise<unknown> = Promise.resolve();

  constructor(client: AnalyticsClient, cache: AnswerCache, clock: Clock = systemClock) {
    this.#client = client;
    this.#cache = cache;
    this.#clock = clock;
    this.#loader = new CachedLoader(cache, clock);
  }

  /** The service for changes of limits. When a change reads all overrides, {@link budgets} reuses them. */
  get service(): Pick<AnalyticsClient, 'call'> {
    return {
      call: async (name, request, options) => {
        const answer = await this.#client.call(name, request, options);
        if (name === 'getUserBudgetOverrides' && Object.keys(request).length === 0)
          await this.#keepBudgets((answer as ResponseOf<'getUserBudgetOverrides'>).overrides);
        return answer;
      },
    };
  }

  /** The figures of the whole account. */
  get whole(): AnalyticsData {
    return this;
  }

  /** The figures of the accounts that belong to it today, with all their days. */
  get now(): AnalyticsData {
    return this;
  }

  /** The newest day with metrics and costs. */
  get newestDay(): Day {
    return newestFinished(this.#clock.now());
  }

  /** Today, in UTC: the newest day with credits. */
  get today(): Day {
    return dayOf(this.#clock.now());
  }

  /** Active people of each day. */
  dailyActive(range: DayRange, options?: LoadOptions): Promise<Loaded<DauRow>> {
    const client = this.#client;
    return this.#loader.load<DauRow>(
      {
        name: 'dau-count',
        dayOf: ({ date }) => date,
        isNightly: true,
        isWide: true,
        freshMs: METRICS_FRESH_MS,
        async *fetch(range, options) {
          const { daily_active_user_counts: rows, metadata } = await client.call('dauCount', dates(range), options);
          yield { rows, generatedAt: metadata.generated_at };
        },
      },
      range,
      options,
    );
  }

  /** Metrics of each day on which there was activity; without days, together. */
  dailyUsage(range: DayRange, options?: LoadOptions): Promise<Loaded<UsageRow> & { readonly together?: UseTogether }> {
    const client = this.#client;
    return this.#loader.load<UsageRow>(
      {
        name: 'daily-usage',
        dayOf: ({ date }) => date,
        isNightly: true,
        isWide: true,
        freshMs: METRICS_FRESH_MS,
        async *fetch(range, options) {
          const { daily_usage: rows, metadata } = await client.call('dailyUsage', dates(range), options);
          yield { rows, generatedAt: metadata.generated_at };
        },
      },
      range,
      options,
    );
  }

  /** All people active in the range, with their metrics over all of it: as many rows as there are distinct people. */
  activity(
    range: DayRange,
    { onRows, ...options }: LoadOptions & Coming<ActivityRow> = {},
  ): Promise<Loaded<ActivityRow>> {
    return this.#loader.load<ActivityRow>(
      {
        name: 'user-activity',
        freshMs: METRICS_FRESH_MS,
        fetch: (range, options, from) => this.#pages('userActivity', dates(range), 'users', options, from),
      },
      range,
      options,
      onRows,
    );
  }

  /** The accounts that were active on each day, each day stored as soon as it arrives. */
  activeAccounts(range: DayRange, options: LoadOptions = {}): Promise<Loaded<ActiveRow>> {
    return this.#dayByDay(range, options, 'dau', (date, options, from) =>
      this.#rowsOfDay('dau', date, 'users', options, from),
    );
  }

  /**
   * The activity of all people by language and editor, day by day, each stored as soon as it arrives. A page has a
   * hundred rows, so it takes long for many people.
   */
  languages(range: DayRange, options: LoadOptions = {}): Promise<Loaded<LanguageRow>> {
    return this.#dayByDay(range, options, 'editor-language', (date, options, from) =>
      this.#rowsOfDay('dailyUserActivityByEditorLanguage', date, 'records', options, from),
    );
  }

  async #dayByDay<Row>(
    { first, last }: DayRange,
    options: LoadOptions,
    name: string,
    pages: (date: string, options: LoadOptions, from: string | undefined) => AsyncIterable<RowBatch<Row>>,
  ): Promise<Loaded<Row>> {
    const days: Loaded<Row>[] = [];
    let before = 0;
    for (let day = first; day <= last; day++) {
      const date = formatDay(day);
      const query: CachedQuery<Row> = {
        name,
        freshMs: METRICS_FRESH_MS,
        fetch: (_, options, from) => pages(date, options, from),
      };
      const onProgress = (rows: number): void => options.onProgress?.(before + rows);
      const loaded = await this.#loader.load(query, { first: day, last: day }, { ...options, onProgress });
      before += loaded.rows.length;
      onProgress(0);
      days.push(loaded);
      // Requests for the other days would fail as well.
      if (loaded.offline && loaded.missing.length > 0) {
        days.push({ rows: [], asOf: undefined, missing: day < last ? [{ first: day + 1, last }] : [] });
        break;
      }
    }
    const offline = days.find((one) => one.offline)?.offline;
    return {
      rows: days.flatMap(({ rows }) => rows),
      asOf: days.map(({ asOf }) => asOf).findLast((asOf) => asOf !== undefined),
      missing: days.flatMap(({ missing }) => missing),
      ...(offline && { offline }),
    };
  }

  async *#rowsOfDay<N extends 'dau' | 'dailyUserActivityByEditorLanguage', Row extends { readonly date: string }>(
    name: N,
    date: string,
    field: keyof ResponseOf<N>,
    options: LoadOptions,
    from: string | undefined,
  ): AsyncGenerator<RowBatch<Row>> {
    for await (const batch of this.#pages<N, object>(name, { date } as RequestOf<N>, field, options, from))
      yield { ...batch, rows: batch.rows.map((row) => ({ ...row, date }) as Row) };
  }

  /** Credits of each person, up to today; on request, by day and by model. */
  credits(
    range: DayRange,
    by: { readonly date?: boolean; readonly model?: boolean } = {},
    options?: LoadOptions,
  ): Promise<Loaded<CreditRow>> {
    const grouping = { by_date: by.date ?? false, by_model: by.model ?? false };
    return this.#loader.load<CreditRow>(
      {
        name: `credits ${JSON.stringify(grouping)}`,
        ...(by.date && { dayOf: ({ date }: CreditRow) => date ?? '' }),
        freshMs: CREDITS_REFRESH_MS,
        fetch: (range, options, from) =>
          this.#pages('creditUsageByUser', { ...dates(range), ...grouping }, 'records', options, from),
      },
      range,
      options,
    );
  }

  /**
   * Cost of the organization day by day, by product, resource and kind of key. All figures of the organization are sums
   * of this one query, so that each day is requested once.
   */
  organizationCost(range: DayRange, options?: LoadOptions & CostFilter): Promise<Loaded<CostRow>> {
    return this.cost(range, COST_KEYS, { ...options, daily: true });
  }

  /** Cost, tokens and credits of the organization, or of some people, up to the newest finished day. */
  cost(
    range: DayRange,
    groups: readonly GroupByKey[],
    { daily = false, people, products, resources, experts, ...options }: CostLoad = {},
  ): Promise<Loaded<CostRow>> {
    const request: RequestOf<'costAnalytics'> = {
      group_by_keys: [...groups].sort(),
      granularity: daily ? 'COST_ANALYTICS_TIME_GRANULARITY_DAY' : 'COST_ANALYTICS_TIME_GRANULARITY_TOTAL',
      ...((people ?? products ?? resources ?? experts) && {
        filters: {
          ...(people && {
            user_emails: namesOf(people, 'user_email'),
            service_account_names: namesOf(people, 'service_account_name'),
          }),
          ...(products && { product_names: [...products] }),
          ...(resources && { resource_names: [...resources] }),
          ...(experts && { expert_ids: [...experts] }),
        },
      }),
    };
    const isOfPeople = people !== undefined || groups.includes('COST_ANALYTICS_GROUP_BY_USER');
    return this.#loader.load<CostRow>(
      {
        name: `cost ${JSON.stringify(request)}`,
        ...(daily && { dayOf: ({ start_date }: CostRow) => start_date, isNightly: true, isWide: !isOfPeople }),
        freshMs: METRICS_FRESH_MS,
        fetch: (range, options, from) =>
          this.#pages('costAnalytics', { ...request, ...dates(range) }, 'data_points', options, from),
      },
      range,
      options,
    );
  }

  /** All current budget overrides; without the service, the cached ones. */
  budgets(options: LoadOptions = {}): Promise<Loaded<BudgetOverride>> {
    if (options.cachedOnly) return this.#knownBudgets();
    const turn = this.#budgetTurn.then(() => this.#readBudgets(options));
    this.#budgetTurn = turn.catch(() => undefined);
    return turn;
  }

  async #readBudgets(options: LoadOptions): Promise<Loaded<BudgetOverride>> {
    const last = this.#budgets;
    if (!options.refresh && last && this.#clock.now() - last.fetchedAt < BUDGETS_FRESH_MS)
      return { rows: last.rows, asOf: formatTime(last.fetchedAt), missing: [] };
    try {
      const { overrides } = await this.#client.call('getUserBudgetOverrides', {}, options);
      return await this.#keepBudgets(overrides);
    } catch (error) {
      if (!isOffline(error)) throw error;
      return { ...(await this.#knownBudgets()), offline: error as SextantError };
    }
  }

  async #keepBudgets(rows: readonly BudgetOverride[]): Promise<Loaded<BudgetOverride>> {
    const fetchedAt = this.#clock.now();
    this.#budgets = { rows, fetchedAt };
    const generatedAt = formatTime(fetchedAt);
    // One entry for all days: there are no budgets of the past.
    await this.#cache.write(BUDGETS, { first: 0, last: 0, rows, generatedAt, fetchedAt });
    return { rows, asOf: generatedAt, missing: [] };
  }

  async #knownBudgets(): Promise<Loaded<BudgetOverride>> {
    const [known] = await this.#cache.read(BUDGETS, { first: 0, last: 0 });
    if (!known) return { rows: [], asOf: undefined, missing: [{ first: this.today, last: this.today }] };
    return { rows: known.rows as BudgetOverride[], asOf: known.generatedAt, missing: [] };
  }

  async *#pages<N extends PagedName, Row>(
    name: N,
    request: RequestOf<N>,
    field: keyof ResponseOf<N>,
    options: LoadOptions,
    from: string | undefined,
  ): AsyncGenerator<RowBatch<Row>> {
    for await (const page of this.#client.pages(name, request, options, from)) {
      const { metadata, pagination } = page as ResponseOf<PagedName>;
      yield { rows: page[field] as readonly Row[], generatedAt: metadata.generated_at, next: nextOf(pagination) };
    }
  }
}

function nextOf({ has_more, next_cursor }: ResponseOf<PagedName>['pagination']): string | undefined {
  return has_more ? next_cursor : undefined;
}

function namesOf(people: readonly Identity[], kind: IdentityField): string[] {
  return people.flatMap((one) => (one.kind === kind ? [one.name] : [])).sort();
}

function dates({ first, last }: DayRange): { readonly start_date: string; readonly end_date: string } {
  return { start_date: formatDay(first), end_date: formatDay(last) };
}
