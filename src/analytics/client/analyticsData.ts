import { formatSeconds, systemClock, type Clock } from '../../base/clock.ts';
import { dayOf, formatDay, startOfDay, type Day } from '../../base/day.ts';
import type { SextantError } from '../../base/errors.ts';
import {
  CREDITS_REFRESH_MS,
  METRICS_REFRESH_HOUR,
  type BudgetOverride,
  type GroupByKey,
  type IdentityField,
  type RequestOf,
  type ResponseOf,
} from '../contract.ts';
import type { DayRange } from '../dateRules.ts';
import type { Identity } from '../identity.ts';
import type { AnalyticsClient, CallOptions, PagedName } from './analyticsClient.ts';
import type { AnswerCache, CachedAnswer } from './answerCache.ts';
import { isOffline } from './errors.ts';

export type DauRow = ResponseOf<'dauCount'>['daily_active_user_counts'][number];
export type UsageRow = ResponseOf<'dailyUsage'>['daily_usage'][number];
export type ActivityRow = ResponseOf<'userActivity'>['users'][number];
export type LanguageRow = ResponseOf<'dailyUserActivityByEditorLanguage'>['records'][number] & {
  readonly date: string;
};
export type CreditRow = ResponseOf<'creditUsageByUser'>['records'][number];
export type CostRow = ResponseOf<'costAnalytics'>['data_points'][number];

/** Rows for the days that were asked for, and how good they are. */
export interface Loaded<Row> {
  readonly rows: readonly Row[];
  /** When the oldest of the figures that may still change were made, or else the newest: ISO 8601. `undefined` where there are none. */
  readonly asOf: string | undefined;
  /** Why the service could not be asked; the rows are then what was known before. */
  readonly offline?: SextantError;
  /** Days of which nothing is known, since the service could not be asked. */
  readonly missing: readonly DayRange[];
}

export interface LoadOptions extends CallOptions {
  /** Asks for what may have changed, however fresh it is. */
  readonly refresh?: boolean | undefined;
  /** Asks nobody: what is known, whatever its age. */
  readonly cachedOnly?: boolean | undefined;
  /** How many rows there are so far. */
  readonly onProgress?: ((rows: number) => void) | undefined;
}

/** How one kind of question is asked, and how its answer is kept. */
interface Query<Row> {
  /** Tells questions apart in the cache. */
  readonly name: string;
  /** The day of a row, where an answer for some days is made of the answers for each; else it stands for the whole range. */
  readonly dayOf?: (row: Row) => string;
  /** How long figures of a day that is not over count as new. */
  readonly freshMs: number;
  readonly fetch: (range: DayRange, options: LoadOptions) => AsyncIterable<Batch<Row>>;
}

interface Batch<Row> {
  readonly rows: readonly Row[];
  readonly generatedAt: string;
}

/** Metrics and costs change once a day; this is for an hour in which the service is late. */
const METRICS_FRESH_MS = 15 * 60_000;
const BUDGETS = 'budgets';

/**
 * The figures of one account, from the cache where they cannot have changed, else from the service. A day is finished two hours
 * after its end in UTC (section 1): from then on it is fetched once and never again. Where the service cannot be asked, what is
 * known is given with its age.
 */
export class AnalyticsData {
  readonly #client: AnalyticsClient;
  readonly #cache: AnswerCache;
  readonly #clock: Clock;
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(client: AnalyticsClient, cache: AnswerCache, clock: Clock = systemClock) {
    this.#client = client;
    this.#cache = cache;
    this.#clock = clock;
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
    return this.#load<DauRow>(
      {
        name: 'dau-count',
        dayOf: ({ date }) => date,
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

  /** The organization's metrics of each day on which there was activity. */
  dailyUsage(range: DayRange, options?: LoadOptions): Promise<Loaded<UsageRow>> {
    const client = this.#client;
    return this.#load<UsageRow>(
      {
        name: 'daily-usage',
        dayOf: ({ date }) => date,
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

  /** Everybody who was active in the range, with their metrics over all of it: as many rows as there are distinct people. */
  activity(range: DayRange, options?: LoadOptions): Promise<Loaded<ActivityRow>> {
    return this.#load<ActivityRow>(
      {
        name: 'user-activity',
        freshMs: METRICS_FRESH_MS,
        fetch: (range, options) => this.#pages('userActivity', dates(range), 'users', options),
      },
      range,
      options,
    );
  }

  /**
   * What everybody did in which language and editor, day by day, each kept as soon as it is there: a page for a hundred rows, so
   * it is long for many people.
   */
  async languages({ first, last }: DayRange, options: LoadOptions = {}): Promise<Loaded<LanguageRow>> {
    const days: Loaded<LanguageRow>[] = [];
    let before = 0;
    for (let day = first; day <= last; day++) {
      const date = formatDay(day);
      const query: Query<LanguageRow> = {
        name: 'editor-language',
        freshMs: METRICS_FRESH_MS,
        fetch: (_, options) => this.#languagePages(date, options),
      };
      const onProgress = (rows: number): void => options.onProgress?.(before + rows);
      const loaded = await this.#load(query, { first: day, last: day }, { ...options, onProgress });
      before += loaded.rows.length;
      onProgress(0);
      days.push(loaded);
      // The others would not be answered either.
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

  async *#languagePages(date: string, options: LoadOptions): AsyncGenerator<Batch<LanguageRow>> {
    const pages = this.#client.pages('dailyUserActivityByEditorLanguage', { date }, options);
    for await (const { records, metadata } of pages)
      yield { rows: records.map((row) => ({ ...row, date })), generatedAt: metadata.generated_at };
  }

  /** Credits of each person, up to today; where asked for, by day and by model. */
  credits(
    range: DayRange,
    by: { readonly date?: boolean; readonly model?: boolean } = {},
    options?: LoadOptions,
  ): Promise<Loaded<CreditRow>> {
    const grouping = { by_date: by.date ?? false, by_model: by.model ?? false };
    return this.#load<CreditRow>(
      {
        name: `credits ${JSON.stringify(grouping)}`,
        ...(by.date && { dayOf: ({ date }: CreditRow) => date ?? '' }),
        freshMs: CREDITS_REFRESH_MS,
        fetch: (range, options) =>
          this.#pages('creditUsageByUser', { ...dates(range), ...grouping }, 'records', options),
      },
      range,
      options,
    );
  }

  /** Cost, tokens and credits of the organization, or of some people, up to the newest finished day. */
  cost(
    range: DayRange,
    groups: readonly GroupByKey[],
    {
      daily = false,
      people,
      ...options
    }: LoadOptions & { readonly daily?: boolean; readonly people?: readonly Identity[] } = {},
  ): Promise<Loaded<CostRow>> {
    const request: RequestOf<'costAnalytics'> = {
      group_by_keys: [...groups].sort(),
      granularity: daily ? 'COST_ANALYTICS_TIME_GRANULARITY_DAY' : 'COST_ANALYTICS_TIME_GRANULARITY_TOTAL',
      ...(people && {
        filters: {
          user_emails: namesOf(people, 'user_email'),
          service_account_names: namesOf(people, 'service_account_name'),
        },
      }),
    };
    return this.#load<CostRow>(
      {
        name: `cost ${JSON.stringify(request)}`,
        ...(daily && { dayOf: ({ start_date }: CostRow) => start_date }),
        freshMs: METRICS_FRESH_MS,
        fetch: (range, options) =>
          this.#pages('costAnalytics', { ...request, ...dates(range) }, 'data_points', options),
      },
      range,
      options,
    );
  }

  /** All budget overrides, as they are at this moment; without the service, as they were. */
  async budgets(options: LoadOptions = {}): Promise<Loaded<BudgetOverride>> {
    const now = this.#clock.now();
    if (options.cachedOnly) return this.#knownBudgets();
    try {
      const { overrides } = await this.#client.call('getUserBudgetOverrides', {}, options);
      const generatedAt = formatSeconds(now);
      // One for all days: there are no budgets of the past.
      await this.#cache.write(BUDGETS, { first: 0, last: 0, rows: overrides, generatedAt, fetchedAt: now });
      return { rows: overrides, asOf: generatedAt, missing: [] };
    } catch (error) {
      if (!isOffline(error)) throw error;
      return { ...(await this.#knownBudgets()), offline: error as SextantError };
    }
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
  ): AsyncGenerator<Batch<Row>> {
    for await (const page of this.#client.pages(name, request, options)) {
      const { generated_at: generatedAt } = (page as ResponseOf<PagedName>).metadata;
      yield { rows: page[field] as readonly Row[], generatedAt };
    }
  }

  /** Two that ask the same at once are answered by one request: the second finds the first one's answer in the cache. */
  #load<Row>(query: Query<Row>, range: DayRange, options: LoadOptions = {}): Promise<Loaded<Row>> {
    const turn = (this.#turns.get(query.name) ?? Promise.resolve()).then(() => this.#loadNow(query, range, options));
    this.#turns.set(
      query.name,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async #loadNow<Row>(query: Query<Row>, range: DayRange, options: LoadOptions): Promise<Loaded<Row>> {
    const { name, dayOf } = query;
    const known = await this.#cache.read(name, range);
    const parts = new Parts<Row>(range, dayOf);
    for (const answer of known) if (this.#isCurrent(answer, query.freshMs, options)) parts.add(answer);
    let offline: SextantError | undefined;
    for (const missing of options.cachedOnly ? [] : parts.missing()) {
      try {
        for (const answer of await this.#fetch(query, missing, parts.rowCount, options)) parts.add(answer);
      } catch (error) {
        if (!isOffline(error)) throw error;
        offline = error as SextantError;
        break;
      }
    }
    // Whatever its age: better than nothing.
    if (offline || options.cachedOnly) for (const answer of known) parts.add(answer);
    return { rows: parts.rows, asOf: parts.asOf, missing: parts.missing(), ...(offline && { offline }) };
  }

  #isCurrent(answer: CachedAnswer, freshMs: number, { refresh = false }: LoadOptions): boolean {
    if (isFinal(answer)) return true;
    // An hour that changes the newest finished day ends what was fetched before it.
    const now = this.#clock.now();
    const isSameDay = newestFinished(answer.fetchedAt) === newestFinished(now);
    return !refresh && isSameDay && now - answer.fetchedAt < freshMs && answer.fetchedAt <= now;
  }

  /** Fetches, and keeps what cannot change any more apart from what may. */
  async #fetch<Row>(
    { name, dayOf, fetch }: Query<Row>,
    range: DayRange,
    before: number,
    options: LoadOptions,
  ): Promise<CachedAnswer[]> {
    const fetchedAt = this.#clock.now();
    const rows: Row[] = [];
    let generatedAt = formatSeconds(fetchedAt);
    for await (const batch of fetch(range, options)) {
      for (const row of batch.rows) rows.push(row);
      ({ generatedAt } = batch);
      options.onProgress?.(before + rows.length);
    }
    const answer = { generatedAt, fetchedAt };
    const finished = Math.min(range.last, newestFinished(fetchedAt));
    const answers: CachedAnswer[] = [];
    if (!dayOf || finished === range.last || finished < range.first) answers.push({ ...range, rows, ...answer });
    else {
      const until = formatDay(finished);
      answers.push({ first: range.first, last: finished, rows: rows.filter((row) => dayOf(row) <= until), ...answer });
      answers.push({
        first: finished + 1,
        last: range.last,
        rows: rows.filter((row) => dayOf(row) > until),
        ...answer,
      });
    }
    for (const one of answers) await this.#cache.write(name, one);
    return answers;
  }
}

/** Answers put together until they cover a range. */
class Parts<Row> {
  readonly rows: Row[] = [];
  readonly #range: DayRange;
  readonly #dayOf: ((row: Row) => string) | undefined;
  #missing: readonly DayRange[];
  readonly #taken: CachedAnswer[] = [];

  constructor(range: DayRange, dayOf: ((row: Row) => string) | undefined) {
    this.#range = range;
    this.#dayOf = dayOf;
    this.#missing = [range];
  }

  get rowCount(): number {
    return this.rows.length;
  }

  /** What may still change decides how old the whole is. */
  get asOf(): string | undefined {
    const changing = this.#taken.filter((answer) => !isFinal(answer)).map(({ generatedAt }) => generatedAt);
    if (changing.length > 0) return changing.sort()[0];
    return this.#taken
      .map(({ generatedAt }) => generatedAt)
      .sort()
      .at(-1);
  }

  /** What is not covered yet. */
  missing(): readonly DayRange[] {
    return this.#missing;
  }

  /** Takes of an answer the days that are still missing. */
  add(answer: CachedAnswer): void {
    const dayOf = this.#dayOf;
    const { first, last } = this.#range;
    if (!dayOf) {
      if (answer.first !== first || answer.last !== last || this.#missing.length === 0) return;
      this.#take(answer, answer.rows as readonly Row[]);
      this.#missing = [];
      return;
    }
    for (const gap of this.#missing) {
      const part = { first: Math.max(gap.first, answer.first), last: Math.min(gap.last, answer.last) };
      if (part.first > part.last) continue;
      const [from, to] = [formatDay(part.first), formatDay(part.last)];
      this.#take(
        answer,
        (answer.rows as readonly Row[]).filter((row) => dayOf(row) >= from && dayOf(row) <= to),
      );
      this.#missing = this.#missing.flatMap((one) => (one === gap ? without(gap, part) : [one]));
    }
  }

  #take(answer: CachedAnswer, rows: readonly Row[]): void {
    for (const row of rows) this.rows.push(row);
    this.#taken.push(answer);
  }
}

function without(gap: DayRange, part: DayRange): DayRange[] {
  return [
    { first: gap.first, last: part.first - 1 },
    { first: part.last + 1, last: gap.last },
  ].filter(({ first, last }) => first <= last);
}

/** Every day of it was finished when it was fetched. */
function isFinal({ last, fetchedAt }: CachedAnswer): boolean {
  return last <= newestFinished(fetchedAt);
}

/** The newest day that was finished at a moment. */
function newestFinished(ms: number): Day {
  const today = dayOf(ms);
  return ms - startOfDay(today) >= METRICS_REFRESH_HOUR * 3_600_000 ? today - 1 : today - 2;
}

function namesOf(people: readonly Identity[], kind: IdentityField): string[] {
  return people.flatMap((one) => (one.kind === kind ? [one.name] : [])).sort();
}

function dates({ first, last }: DayRange): { readonly start_date: string; readonly end_date: string } {
  return { start_date: formatDay(first), end_date: formatDay(last) };
}
