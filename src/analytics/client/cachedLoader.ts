import { formatTime, type Clock } from '../../base/clock.ts';
import { dayOf, formatDay } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
import { LIMITS } from '../contract.ts';
import { oldestDay, type DayRange } from '../dateRules.ts';
import type { CallOptions } from './analyticsClient.ts';
import type { AnswerCache, CachedAnswer } from './answerCache.ts';
import { AnswerParts, finishedIn, isFinal, newestFinished, type DayRules } from './answerParts.ts';
import { isOffline } from './errors.ts';

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
export interface CachedQuery<Row> extends DayRules<Row> {
  /** Key of the query in the cache. */
  readonly name: string;
  /** Duration for which figures of an unfinished day stay fresh. */
  readonly freshMs: number;
  /**
   * Whether ninety days take as many requests as one, so that earlier days are fetched along: the next view, with its
   * previous period, needs them.
   */
  readonly isWide?: boolean;
  /** `from` is the cursor to resume from, or undefined for the beginning. */
  readonly fetch: (range: DayRange, options: LoadOptions, from: string | undefined) => AsyncIterable<RowBatch<Row>>;
}

export interface RowBatch<Row> {
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

/** Number of pages after which the rows so far are stored: a closed window loses less than a burst of requests. */
const KEEP_PAGES = 10;

/** Loads queries from the cache, or else from the service. */
export class CachedLoader {
  readonly #cache: AnswerCache;
  readonly #clock: Clock;
  /** The callers of each query. */
  readonly #queues = new Map<string, Queue>();

  constructor(cache: AnswerCache, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /**
   * Loads a query. Two equal queries at once share one request: the second finds the answer of the first in the cache,
   * and receives its rows meanwhile. If an answer consists of days, queries for some of the same days wait, too.
   * Queries for other weeks of an answer in many pages do not, nor do queries for cached rows.
   */
  load<Row>(
    query: CachedQuery<Row>,
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
    query: CachedQuery<Row>,
    range: DayRange,
    options: LoadOptions,
    onRows: Coming<Row>['onRows'],
  ): Promise<Loaded<Row>> {
    const { name } = query;
    const known = await this.#cache.read(name, range);
    const parts = new AnswerParts<Row>(range, query);
    for (const answer of known) if (this.#isCurrent(answer, query.freshMs, options)) parts.add(answer);
    let offline: SextantError | undefined;
    for (const missing of options.cachedOnly ? [] : parts.missing()) {
      try {
        const days = query.isWide === true ? await this.#widened(query, missing, options) : missing;
        for (const answer of await this.#fetch(query, days, parts.rowCount, options, onRows)) parts.add(answer);
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

  /** The missing days, and as many of those before as one request may have and the cache lacks. */
  async #widened<Row>(
    { name, freshMs }: CachedQuery<Row>,
    { first, last }: DayRange,
    options: LoadOptions,
  ): Promise<DayRange> {
    const reach = Math.max(oldestDay(dayOf(this.#clock.now())), last - LIMITS.maxRangeDays + 1);
    if (reach >= first) return { first, last };
    const known = await this.#cache.read(name, { first: reach, last: first - 1 });
    const ends = known.filter((answer) => this.#isCurrent(answer, freshMs, options)).map((answer) => answer.last);
    return { first: Math.min(first, Math.max(reach - 1, ...ends) + 1), last };
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
    query: CachedQuery<Row>,
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
    query: CachedQuery<Row>,
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
    let generatedAt = begun?.generatedAt ?? formatTime(now);
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
