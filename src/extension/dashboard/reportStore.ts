import type { AnalyticsData, LoadOptions } from '../../analytics/client/analyticsData.ts';
import type { DayRange } from '../../analytics/dateRules.ts';
import type { Identity } from '../../analytics/identity.ts';
import { budgetReport, type BudgetReport } from '../../analytics/reports/budgetReport.ts';
import { costReport, type CostReport } from '../../analytics/reports/costReport.ts';
import { loadLanguages, type LanguageReport } from '../../analytics/reports/languageReport.ts';
import type { Quality } from '../../analytics/reports/report.ts';
import {
  expertReport,
  peopleSpending,
  spendingReport,
  type ExpertReport,
  type PeopleSpending,
  type SpendingReport,
} from '../../analytics/reports/spendingReport.ts';
import { loadPeople, usageReport, type PeopleReport, type UsageReport } from '../../analytics/reports/usageReport.ts';
import type { Clock } from '../../base/clock.ts';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

export interface Reports {
  readonly usage: UsageReport;
  readonly cost: CostReport;
  readonly people: PeopleReport;
  readonly spending: SpendingReport;
  readonly experts: ExpertReport;
  readonly languages: LanguageReport;
  readonly budgets: BudgetReport;
  /** Of all who have a limit of their own; nothing where nobody has. */
  readonly limits: PeopleSpending | NothingSpent;
  readonly person: PeopleSpending;
}
export type ReportName = keyof Reports;

/** There is nobody to ask for. */
export interface NothingSpent extends Quality {
  readonly burnDown: undefined;
}

/** One report: what there is of it, and what is happening to it. */
export interface Part<R> {
  readonly report?: R;
  readonly isLoading: boolean;
  /** Somebody did not want to wait. */
  readonly isStopped: boolean;
  /** Until when the service wants no requests, in milliseconds since 1970; 0 where it did not say so. */
  readonly pausedUntil: number;
  readonly error?: SextantError;
}

/** What becomes of a part; `undefined` takes an error away. */
type Change = Omit<Partial<Part<Reports[ReportName]>>, 'error'> & { readonly error?: SextantError | undefined };

const NOTHING = { isLoading: false, isStopped: false, pausedUntil: 0 };
const SHORTEST_PAUSE_MS = 1_000;
/** Sums that stand for all of the days or for nothing; of the others each figure says of how many days it is. */
const WHOLE: readonly ReportName[] = ['spending', 'experts', 'limits', 'person'];

/**
 * The reports of some days. What the cache has is there first, in milliseconds, and shown until the service has answered; but
 * never a part of it, as a sum over days of which some are missing is no sum. Each report loads, fails and is stopped by itself;
 * one for which the service wants a long pause is asked for again after it.
 */
export class ReportStore {
  readonly range: DayRange;
  readonly #data: AnalyticsData;
  readonly #logger: Logger;
  readonly #onChange: (name: ReportName) => void;
  readonly #parts = new Map<ReportName, Part<Reports[ReportName]>>();
  readonly #running = new Map<ReportName, AbortController>();
  readonly #later = new Map<ReportName, NodeJS.Timeout>();
  #budgetsAsked: { readonly report: Promise<BudgetReport>; readonly cachedOnly: boolean | undefined } | undefined;
  readonly #clock: Clock;
  /** What somebody looks at, and so waits for. */
  #inView: ReportName | undefined;

  constructor(
    data: AnalyticsData,
    range: DayRange,
    edges: { readonly logger: Logger; readonly clock: Clock; readonly onChange: (name: ReportName) => void },
  ) {
    this.#data = data;
    this.range = range;
    this.#logger = edges.logger;
    this.#clock = edges.clock;
    this.#onChange = edges.onChange;
  }

  part<N extends ReportName>(name: N): Part<Reports[N]> {
    return (this.#parts.get(name) ?? NOTHING) as Part<Reports[N]>;
  }

  /** Nothing where the service could not be asked and the cache had none of it, or too little: zeros would be no figures. */
  report<N extends ReportName>(name: N): Reports[N] | undefined {
    const { report } = this.part(name);
    if (!report?.offline) return report;
    const isPart = WHOLE.includes(name) && report.missing.length > 0;
    return isPart || report.asOf === undefined ? undefined : report;
  }

  /** Loads what is not there yet; with `refresh` all of it anew. What was stopped stays so until somebody resumes it. */
  async load(names: readonly ReportName[], who: Identity | undefined, refresh = false): Promise<void> {
    this.#inView = names[0];
    await Promise.all(
      names.map(async (name) => {
        const { report, isLoading, isStopped, error } = this.part(name);
        const isWanted = refresh || (report === undefined && !isStopped && error === undefined);
        if (isWanted && !isLoading) await this.#load(name, who, refresh);
      }),
    );
  }

  /** Loads reports again of which something changed here: figures that a change of limits leaves as they are come from the cache. */
  async reload(names: readonly ReportName[], who: Identity | undefined): Promise<void> {
    this.stop(names);
    await Promise.all(names.map((name) => this.#load(name, who, false)));
  }

  /** Goes on with what was stopped or failed. */
  async resume(names: readonly ReportName[], who: Identity | undefined): Promise<void> {
    const wanted = names.filter((name) => {
      const { isLoading, error, report } = this.part(name);
      return !isLoading && (error !== undefined || report?.offline !== undefined || !isWhole(this.report(name)));
    });
    await Promise.all(
      wanted.map((name) => {
        const missing = this.part(name).report?.missing.length ?? 0;
        // What is there already was refused when it was asked for anew; and of days that are not there yet the service has
        // something new, however little time has passed.
        return this.#load(name, who, missing > 0 || isWhole(this.report(name)));
      }),
    );
  }

  /** What came is kept. */
  stop(names: readonly ReportName[]): void {
    for (const name of names) {
      const running = this.#running.get(name);
      if (!running) continue;
      running.abort();
      this.#setPart(name, { isLoading: false, isStopped: true });
    }
  }

  /** Somebody else is looked at. */
  forget(name: ReportName): void {
    clearTimeout(this.#later.get(name));
    this.#running.get(name)?.abort();
    this.#running.delete(name);
    this.#parts.delete(name);
  }

  dispose(): void {
    for (const timer of this.#later.values()) clearTimeout(timer);
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
  }

  async #load(name: ReportName, who: Identity | undefined, refresh: boolean): Promise<void> {
    const running = new AbortController();
    this.#running.set(name, running);
    clearTimeout(this.#later.get(name));
    const { signal } = running;
    this.#setPart(name, { isLoading: true, isStopped: false, pausedUntil: 0, error: undefined });
    try {
      if (this.report(name) === undefined) {
        const known = await this.#ask(name, who, { signal, cachedOnly: true });
        if (signal.aborted) return;
        if (known.asOf !== undefined && known.missing.length === 0) this.#setPart(name, { report: known });
      }
      const onPause = (pausedUntil: number): void => {
        if (!signal.aborted) this.#setPart(name, { pausedUntil });
      };
      const report = await this.#ask(name, who, { signal, refresh, onPause });
      if (signal.aborted) return;
      this.#setPart(name, { report, isLoading: false });
      this.#goOn(name, who, report.offline);
    } catch (error) {
      // Whoever cancelled it says what is to be seen then.
      if (signal.aborted || isCancelled(error)) return;
      this.#logger.warn(`Dashboard, ${name}: ${describeError(error)}`);
      const known = error instanceof SextantError ? error : new SextantError('Internal', describeError(error));
      this.#setPart(name, { isLoading: false, error: known });
      this.#goOn(name, who, known);
    } finally {
      if (this.#running.get(name) === running) this.#running.delete(name);
    }
  }

  /** By itself, when the service wants to be asked again. */
  #goOn(name: ReportName, who: Identity | undefined, error: SextantError | undefined): void {
    const { pausedUntil } = this.part(name);
    if (error?.code !== 'RateLimited' || pausedUntil === 0) return;
    // What else was asked may have waited until then.
    const waitMs = Math.max(SHORTEST_PAUSE_MS, pausedUntil - this.#clock.now());
    this.#later.set(name, setTimeout(() => void this.resume([name], who), waitMs).unref());
  }

  async #ask(name: ReportName, who: Identity | undefined, options: LoadOptions): Promise<Reports[ReportName]> {
    const { range } = this;
    const data = this.#data;
    const tell = (report: Reports[ReportName]): void => {
      if (!options.signal?.aborted) this.#setPart(name, { report, pausedUntil: 0 });
    };
    switch (name) {
      case 'usage':
        return usageReport(data, range, options);
      case 'cost':
        return costReport(data, range, options);
      case 'people':
        return loadPeople(data, range, { ...options, isBackground: () => this.#inView !== name }, tell);
      case 'spending':
        return spendingReport(data, range, options);
      case 'experts':
        return expertReport(data, range, options);
      case 'languages':
        // Hours of ten thousand people: nobody waits for that.
        return loadLanguages(data, range, { ...options, isBackground: () => true }, tell);
      case 'budgets':
        return this.#budgetsOf(options);
      case 'limits':
        return this.#limits(options);
      case 'person': {
        if (!who) throw new RangeError('nobody is looked at');
        return peopleSpending(data, range, [who], await this.#unit(options), options);
      }
    }
  }

  #budgetsOf(options: LoadOptions): Promise<BudgetReport> {
    const report = budgetReport(this.#data, options);
    const asked = { report, cachedOnly: options.cachedOnly };
    this.#budgetsAsked = asked;
    const forget = (): void => {
      if (this.#budgetsAsked === asked) this.#budgetsAsked = undefined;
    };
    report.then(forget, forget);
    return report;
  }

  /** Derived from the budgets where those are being loaded, too. */
  async #limits(options: LoadOptions): Promise<PeopleSpending | NothingSpent> {
    const data = this.#data;
    const asked = this.#budgetsAsked;
    const isShared = asked !== undefined && asked.cachedOnly === options.cachedOnly;
    const budgets = await (isShared ? asked.report : budgetReport(data, options));
    const { asOf, offline, missing, standings, unit } = budgets;
    const [first, ...others] = standings.map(({ identity }) => identity);
    if (!first) return { asOf, offline, missing, burnDown: undefined };
    const range = { first: data.newestDay, last: data.newestDay };
    return peopleSpending(data, range, [first, ...others], unit, options);
  }

  async #unit(options: LoadOptions): Promise<PeopleSpending['unit']> {
    return (this.report('cost') ?? (await costReport(this.#data, this.range, options))).unit;
  }

  #setPart(name: ReportName, change: Change): void {
    const { error, ...rest } = { ...this.part(name), ...change };
    const part = { ...rest, ...(error && { error }) };
    this.#parts.set(name, part);
    this.#onChange(name);
  }
}

function isWhole(report: Reports[ReportName] | undefined): boolean {
  if (!report || report.missing.length > 0) return false;
  if ('people' in report) return report.distinct !== undefined;
  return !('daysDone' in report) || report.daysDone === report.days;
}
