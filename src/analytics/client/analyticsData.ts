import { formatSeconds, systemClock, type Clock } from '../../base/clock.ts';
import { dayOf, formatDay, startOfDay, type Day } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
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

/** Rows for the requested days, and their quality. */
export interface Loaded<Row> {
  readonly rows: readonly Row[];
  /** Time of the oldest figures that may still change, or else of the newest: ISO 8601. `undefined` for no rows. */
  readonly asOf: string | undefined;
  /** The error of an unreachable service; the rows then come from the cache. */
  readonly offline?: SextantError;
  /** Days without figures: the service was unreachable, or does not have them yet. */
  readonly missing: readonly DayRange[];
}

/** Callbacks of a load in many pages. */
export interface Coming<Row> {
  /** Called with all rows so far, page after page, and their time; first with those of an earlier cancelled load. */
  readonly onRows?: ((rows: readonly Row[], asOf: string) => void) | undefined;
}

export interface LoadOptions extends CallOptions {
  /** Fetches all figures that may have changed, however fresh they are. */
  readonly refresh?: boolean | undefined;
  /** Sends no request: returns cached rows, whatever their age. */
  readonly cachedOnly?: boolean | undefined;
  /** Called with the number of rows so far. */
  readonly onProgress?: ((rows: number) => void) | undefined;
}

/** Definition of one kind of query, with the rules of its cache. */
interface Query<Row> {
  /** Key of the query in the cache. */
  readonly name: string;
  /**
   * The day of a row, if an answer for some days consists of the answers for each; else an answer stands for the whole
   * range.
   */
  readonly dayOf?: (row: Row) => string;
  /** Whether the service has a day only when it is finished: until then its answer is empty. */
  readonly isNightly?: boolean;
  /** Duration for which figures of an unfinished day stay fresh. */
  readonly freshMs: number;
  /** `from` is the cursor to resume from, or undefined for the beginning. */
  readonly fetch: (range: DayRange, options: LoadOptions, from: string | undefined) => AsyncIterable<Batch<Row>>;
}

interface Batch<Row> {
  readonly rows: readonly Row[];
  readonly generatedAt: string;
  /** The next cursor; undefined at the end. */
  readonly next?: string | undefined;
}

interface Queue {
  last: Promise<unknown>;
  readonly asking: Set<Asking>;
}

/** A caller that waits for an answer. */
type Asking = Pick<LoadOptions, 'isBackground'> & Coming<unknown>;

/** Metrics and costs change once a day; this covers an hour in which the service is late. */
const METRICS_FRESH_MS = 15 * 60_000;
const BUDGETS = 'budgets';
/** Age at which overrides read for a change are still fresh enough for the views after it. */
const BUDGETS_FRESH_MS = 2_000;
/** Number of pages after which the rows so far are stored: a closed window loses less than a burst of requests. */
const KEEP_PAGES = 10;

/**
 * The figures of one account, from the cache if they cannot have changed, else from the service. A day is finished two
 * hours after its end in UTC (section 1), by the local clock and the service's. From then on it is fetched once and
 * never again. If the service is unreachable, cached figures are returned with their age. An answer in many pages that
 * was cancelled resumes where it stopped.
 */
export class AnalyticsData {
  readonly #client: AnalyticsClient;
  readonly #cache: AnswerCache;
  readonly #clock: Clock;
  /** The callers of each query. */
  readonly #queues = new Map<string, Queue>();
  /** The overrides of the last read. */
  #budgets: { readonly rows: readonly BudgetOverride[]; readonly fetchedAt: number } | undefined;

  constructor(client: AnalyticsClient, cache: AnswerCache, clock: Clock = systemClock) {
    this.#client = client;
    this.#cache = cache;
    this.#clock = clock;
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
        isNightly: true,
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
        isNightly: true,
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
    return this.#load<ActivityRow>(
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

  /**
   * The activity of all people by language and editor, day by day, each stored as soon as it arrives. A page has a
   * hundred rows, so it takes long for many people.
   */
  async languages({ first, last }: DayRange, options: LoadOptions = {}): Promise<Loaded<LanguageRow>> {
    const days: Loaded<LanguageRow>[] = [];
    let before = 0;
    for (let day = first; day <= last; day++) {
      const date = formatDay(day);
      const query: Query<LanguageRow> = {
        name: 'editor-language',
        freshMs: METRICS_FRESH_MS,
        fetch: (_, options, from) => this.#languagePages(date, options, from),
      };
      const onProgress = (rows: number): void => options.onProgress?.(before + rows);
      const loaded = await this.#load(query, { first: day, last: day }, { ...options, onProgress });
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

  async *#languagePages(
    date: string,
    options: LoadOptions,
    from: string | undefined,
  ): AsyncGenerator<Batch<LanguageRow>> {
    const pages = this.#client.pages('dailyUserActivityByEditorLanguage', { date }, options, from);
    for await (const { records, metadata, pagination } of pages)
      yield {
        rows: records.map((row) => ({ ...row, date })),
        generatedAt: metadata.generated_at,
        next: nextOf(pagination),
      };
  }

  /** Credits of each person, up to today; on request, by day and by model. */
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
        fetch: (range, options, from) =>
          this.#pages('creditUsageByUser', { ...dates(range), ...grouping }, 'records', options, from),
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
        ...(daily && { dayOf: ({ start_date }: CostRow) => start_date, isNightly: true }),
        freshMs: METRICS_FRESH_MS,
        fetch: (range, options, from) =>
          this.#pages('costAnalytics', { ...request, ...dates(range) }, 'data_points', options, from),
      },
      range,
      options,
    );
  }

  /** All current budget overrides; without the service, the cached ones. */
  async budgets(options: LoadOptions = {}): Promise<Loaded<BudgetOverride>> {
    if (options.cachedOnly) return this.#knownBudgets();
    const last = this.#budgets;
    if (!options.refresh && last && this.#clock.now() - last.fetchedAt < BUDGETS_FRESH_MS)
      return { rows: last.rows, asOf: formatSeconds(last.fetchedAt), missing: [] };
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
    const generatedAt = formatSeconds(fetchedAt);
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
  ): AsyncGenerator<Batch<Row>> {
    for await (const page of this.#client.pages(name, request, options, from)) {
      const { metadata, pagination } = page as ResponseOf<PagedName>;
      yield { rows: page[field] as readonly Row[], generatedAt: metadata.generated_at, next: nextOf(pagination) };
    }
  }

  /**
   * Loads a query. Two equal queries at once share one request: the second finds the answer of the first in the cache,
   * and receives its rows meanwhile. If an answer consists of days, queries for some of the same days wait, too.
   * Queries for other weeks of an answer in many pages do not, nor do queries for cached rows.
   */
  #load<Row>(
    query: Query<Row>,
    range: DayRange,
    options: LoadOptions = {},
    onRows?: Coming<Row>['onRows'],
  ): Promise<Loaded<Row>> {
    if (options.cachedOnly) return this.#loadNow(query, range, options, onRows);
    const key = query.dayOf ? query.name : `${query.name} ${range.first} ${range.last}`;
    const queue = this.#queues.get(key) ?? { last: Promise.resolve(), asking: new Set<Asking>() };
    this.#queues.set(key, queue);
    const { asking } = queue;
    const own: Asking = { onRows: onRows as Coming<unknown>['onRows'], isBackground: options.isBackground };
    asking.add(own);
    const leave = (): void => void asking.delete(own);
    options.signal?.addEventListener('abort', leave, { once: true });
    const isBackground = (): boolean => [...asking].every((one) => one.isBackground?.() === true);
    const tell = (rows: readonly Row[], asOf: string): void => {
      for (const one of asking) one.onRows?.(rows, asOf);
    };
    const turn = queue.last
      .then(() => this.#loadNow(query, range, { ...options, isBackground }, tell))
      .finally(() => {
        leave();
        options.signal?.removeEventListener('abort', leave);
        if (queue.last === done) this.#queues.delete(key);
      });
    const done: Promise<unknown> = turn.catch(() => undefined);
    queue.last = done;
    return turn;
  }

  async #loadNow<Row>(
    query: Query<Row>,
    range: DayRange,
    options: LoadOptions,
    onRows: Coming<Row>['onRows'],
  ): Promise<Loaded<Row>> {
    const { name } = query;
    const known = await this.#cache.read(name, range);
    const parts = new Parts<Row>(range, query);
    for (const answer of known) if (this.#isCurrent(answer, query.freshMs, options)) parts.add(answer);
    let offline: SextantError | undefined;
    for (const missing of options.cachedOnly ? [] : parts.missing()) {
      try {
        for (const answer of await this.#fetch(query, missing, parts.rowCount, options, onRows)) parts.add(answer);
      } catch (error) {
        if (!isOffline(error)) throw error;
        offline = error as SextantError;
        break;
      }
    }
    // Cached answers of any age are better than nothing.
    if (offline || options.cachedOnly) for (const answer of known) parts.add(answer);
    const missing = [...parts.missing(), ...parts.notYet];
    return { rows: parts.rows, asOf: parts.asOf, missing, ...(offline && { offline }) };
  }

  #isCurrent(answer: Omit<CachedAnswer, 'rows'>, freshMs: number, { refresh = false }: LoadOptions): boolean {
    if (isFinal(answer)) return true;
    // The hour that changes the newest finished day outdates all earlier answers.
    const now = this.#clock.now();
    const isSameDay = newestFinished(answer.fetchedAt) === newestFinished(now);
    return !refresh && isSameDay && now - answer.fetchedAt < freshMs && answer.fetchedAt <= now;
  }

  /** Fetches, and stores final figures apart from those that may change. */
  async #fetch<Row>(
    query: Query<Row>,
    range: DayRange,
    before: number,
    options: LoadOptions,
    onRows: Coming<Row>['onRows'],
  ): Promise<CachedAnswer[]> {
    const { name, dayOf } = query;
    const answer = await this.#fetchPages(query, range, options, (rows, generatedAt) => {
      options.onProgress?.(before + rows.length);
      onRows?.(rows, generatedAt);
    });
    const { rows } = answer;
    const finished = Math.min(range.last, finishedIn(answer));
    const answers: CachedAnswer[] = [];
    if (!dayOf || finished === range.last || finished < range.first) answers.push({ ...range, ...answer });
    else {
      const until = formatDay(finished);
      const upTo = rows.filter((row) => dayOf(row) <= until);
      const after = rows.filter((row) => dayOf(row) > until);
      answers.push({ ...answer, first: range.first, last: finished, rows: upTo });
      answers.push({ ...answer, first: finished + 1, last: range.last, rows: after });
    }
    for (const one of answers) await this.#cache.write(name, one);
    return answers;
  }

  /**
   * Fetches all pages of an answer. The rows so far are stored now and then, and on cancellation: the next equal query
   * resumes there, also after a kill.
   */
  async #fetchPages<Row>(
    query: Query<Row>,
    range: DayRange,
    options: LoadOptions,
    onRows: (rows: readonly Row[], generatedAt: string) => void,
  ): Promise<Fetched<Row>> {
    const { name, freshMs, fetch } = query;
    const unfinished = `${name}, unfinished`;
    const kept = await this.#cache.read(unfinished, range);
    const begun = kept.find(
      (one) => one.first === range.first && one.last === range.last && this.#isCurrent(one, freshMs, options),
    );
    const now = this.#clock.now();
    const { fetchedAt } = begun ?? { fetchedAt: now };
    const rows: Row[] = [...((begun?.rows ?? []) as readonly Row[])];
    let generatedAt = begun?.generatedAt ?? formatSeconds(now);
    let next = begun?.next;
    let isKept = begun !== undefined;
    const keep = async (): Promise<void> => {
      if (next === undefined) return;
      isKept = true;
      await this.#cache.write(unfinished, { ...range, rows, generatedAt, fetchedAt, next });
    };
    try {
      if (begun) onRows(rows, generatedAt);
      let pages = 0;
      for await (const batch of fetch(range, options, next)) {
        for (const row of batch.rows) rows.push(row);
        ({ generatedAt, next } = batch);
        onRows(rows, generatedAt);
        if (++pages % KEEP_PAGES === 0) await keep();
      }
    } catch (error) {
      const isRefused = error instanceof SextantError && error.code === 'InvalidArgument';
      if (!begun || !isRefused) {
        await keep();
        throw error;
      }
      // A service that was set up again does not know the cursor.
      await this.#cache.remove(unfinished, range);
      return this.#fetchPages(query, range, options, onRows);
    }
    if (isKept) await this.#cache.remove(unfinished, range);
    return { rows, generatedAt, fetchedAt };
  }
}

type Fetched<Row> = Pick<CachedAnswer, 'generatedAt' | 'fetchedAt'> & { readonly rows: readonly Row[] };

/** Answers combined until they cover a range. */
class Parts<Row> {
  readonly rows: Row[] = [];
  /** Answered days without figures in the service yet. */
  readonly notYet: DayRange[] = [];
  readonly #range: DayRange;
  readonly #query: Pick<Query<Row>, 'dayOf' | 'isNightly'>;
  #missing: readonly DayRange[];
  readonly #taken: CachedAnswer[] = [];

  constructor(range: DayRange, query: Pick<Query<Row>, 'dayOf' | 'isNightly'>) {
    this.#range = range;
    this.#query = query;
    this.#missing = [range];
  }

  get rowCount(): number {
    return this.rows.length;
  }

  /** Figures that may still change determine the age of the whole. */
  get asOf(): string | undefined {
    const changing = this.#taken.filter((answer) => !isFinal(answer)).map(({ generatedAt }) => generatedAt);
    if (changing.length > 0) return changing.sort()[0];
    return this.#taken
      .map(({ generatedAt }) => generatedAt)
      .sort()
      .at(-1);
  }

  /** Days that are not covered yet. */
  missing(): readonly DayRange[] {
    return this.#missing;
  }

  /** Adds the rows of an answer for the days that are still missing. */
  add(answer: CachedAnswer): void {
    const { dayOf, isNightly = false } = this.#query;
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
      const known = isNightly ? Math.min(part.last, finishedIn(answer)) : part.last;
      if (known < part.last) this.notYet.push({ first: Math.max(part.first, known + 1), last: part.last });
      const [from, to] = [formatDay(part.first), formatDay(known)];
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

/** Whether every day of an answer was finished when it was fetched. */
function isFinal(answer: Omit<CachedAnswer, 'rows'>): boolean {
  return answer.last <= finishedIn(answer);
}

/**
 * The newest day that was finished at the time of the fetch, by the local clock and the service's: either may be slow.
 */
function finishedIn({ fetchedAt, generatedAt }: Pick<CachedAnswer, 'fetchedAt' | 'generatedAt'>): Day {
  return newestFinished(Math.min(fetchedAt, Date.parse(generatedAt)));
}

/** The newest day that was finished at a moment. */
function newestFinished(ms: number): Day {
  const today = dayOf(ms);
  return ms - startOfDay(today) >= METRICS_REFRESH_HOUR * 3_600_000 ? today - 1 : today - 2;
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
