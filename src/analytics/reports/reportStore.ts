import type { Clock } from '../../base/clock.ts';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { AnalyticsData, CostFilter, LoadOptions } from '../client/analyticsData.ts';
import type { DayRange } from '../dateRules.ts';
import { GroupData, type ChosenGroup } from '../groups/groupData.ts';
import { groupDays, type GroupDays } from '../groups/groupDays.ts';
import type { Groups } from '../groups/groups.ts';
import { groupBudgetReport, type GroupBudgetReport } from '../groups/groupBudgets.ts';
import { limitsOf, type GroupLimit } from '../groups/groupLimits.ts';
import { groupReports, type GroupReports } from '../groups/groupReport.ts';
import type { Identity } from '../identity.ts';
import { previousRange } from '../insights/compare.ts';
import { budgetReport, type BudgetReport } from './budgetReport.ts';
import { costReport, type CostReport } from './costReport.ts';
import { loadLanguages, type LanguageReport } from './languageReport.ts';
import { presenceReport, type PresenceReport } from './presenceReport.ts';
import type { Quality } from './report.ts';
import {
  expertReport,
  peopleSpending,
  spendingReport,
  type ExpertReport,
  type PeopleSpending,
  type SpendingReport,
} from './spendingReport.ts';
import { unusualReport, type UnusualReport } from './unusualReport.ts';
import { loadPeople, usageReport, type PeopleReport, type UsageReport } from './usageReport.ts';

export interface Reports {
  readonly usage: UsageReport;
  readonly cost: CostReport;
  readonly people: PeopleReport;
  readonly spending: SpendingReport;
  readonly experts: ExpertReport;
  readonly languages: LanguageReport;
  readonly budgets: BudgetReport;
  /** Joint spending of all accounts with an override. */
  readonly limits: PeopleSpending | NothingSpent;
  readonly unusual: UnusualReport;
  readonly presence: PresenceReport;
  readonly groups: GroupReports;
  /** Limits of groups and of the organization. */
  readonly groupBudgets: GroupBudgetReport;
  readonly mapping: Mapping;
  /** Spending by the groups of the chosen column. */
  readonly groupDays: GroupDays;
  /** Spending of the person on the page. */
  readonly person: PeopleSpending;
  /** Spending of the chosen part. */
  readonly part: CostReport;
}
export type ReportName = keyof Reports;

/** The spending of no account, as there is no override. */
export interface NothingSpent extends Quality {
  readonly burnDown: undefined;
}

/** The groups of the group file; undefined without one. */
export interface Mapping extends Quality {
  readonly groups: Groups | undefined;
}

/** A report and the state of its load. */
export interface LoadedReport<R> {
  readonly report?: R;
  readonly isLoading: boolean;
  /** The user stopped the load. */
  readonly isStopped: boolean;
  /** End of a pause that the service demands or its failure causes, in milliseconds since 1970; 0 without one. */
  readonly pausedUntil: number;
  /** Reason of that pause. */
  readonly pausedBy?: SextantError;
  /** Reason why there is no report, or no newer one. */
  readonly error?: SextantError;
}

/** A change of a report's state; an `error` of `undefined` removes the error. */
type ReportChange = Omit<Partial<LoadedReport<Reports[ReportName]>>, 'error' | 'report'> & {
  readonly error?: SextantError | undefined;
  readonly report?: Reports[ReportName] | undefined;
};

export interface StoreDependencies {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onChange: (name: ReportName) => void;
  /** The seats of the organization, if a roster is chosen. */
  readonly roster?: () => Promise<readonly Identity[]>;
  /** The teams of the organization, if a group file is chosen or found. */
  readonly groups?: () => Promise<Groups | undefined>;
  /** The limits of groups and of the organization, if a file has any. */
  readonly groupLimits?: () => Promise<readonly GroupLimit[]>;
}

const NOT_LOADED = { isLoading: false, isStopped: false, pausedUntil: 0 };
const SHORTEST_PAUSE_MS = 1_000;
/** People that are loaded as quickly as sums: five requests. */
const FEW_PEOPLE = 500;
/** Sums that cover the whole range or nothing; each figure of the others states the number of its days. */
const WHOLE: readonly ReportName[] = [
  'spending',
  'experts',
  'limits',
  'person',
  'unusual',
  'presence',
  'groups',
  'groupBudgets',
  'groupDays',
];
/** Reports of limits, which a change of one outdates. */
const OF_LIMITS: readonly ReportName[] = ['budgets', 'limits'];
/** Reports that a group of the account has none of its own of. */
const OF_ACCOUNT: readonly ReportName[] = ['mapping', 'groupBudgets'];
/** Reports of the current days, the same for each range. */
const OF_MONTH: readonly ReportName[] = [...OF_LIMITS, 'groupBudgets', 'unusual', 'presence', 'mapping'];

/**
 * The reports of an account for a range of days. Cached figures appear first, within milliseconds, until the service
 * has answered; but never a part of them, as a sum that lacks days is wrong. Each report loads, fails and stops on its
 * own. After a pause that the service demands, the load continues.
 *
 * The side bar holds the store of the last seven days. The dashboard derives its own by {@link withRange}; all stores
 * of an account share the reports of the month, so a change of limits is loaded once for all views.
 */
export class ReportStore {
  readonly data: AnalyticsData;
  readonly #dependencies: StoreDependencies;
  readonly #reports = new Map<ReportName, LoadedReport<Reports[ReportName]>>();
  readonly #running = new Map<ReportName, AbortController>();
  readonly #timers = new Map<ReportName, NodeJS.Timeout>();
  readonly #derived = new Set<ReportStore>();
  /** The store with the reports of the month. */
  readonly #month: ReportStore;
  /** The first store of the account. */
  readonly #root: ReportStore;
  #range: DayRange;
  /** The period to compare with; without one, the previous period. */
  #before: DayRange | undefined;
  #runningBudgets: { readonly report: Promise<BudgetReport>; readonly cachedOnly: boolean | undefined } | undefined;
  /** The group that the figures are limited to. */
  #chosen: ChosenGroup | undefined;
  /** The column of the group file that the user chose. */
  #column: string | undefined;
  /** The part of the spending that the user chose. */
  #part: CostFilter | undefined;
  /** The report that the user waits for. */
  #inView: ReportName | undefined;

  constructor(
    data: AnalyticsData,
    range: DayRange,
    dependencies: StoreDependencies,
    { month, root = month }: { readonly month?: ReportStore; readonly root?: ReportStore | undefined } = {},
  ) {
    this.data = data;
    this.#range = range;
    this.#dependencies = dependencies;
    this.#month = month ?? this;
    this.#root = root ?? this;
    if (root) root.#derived.add(this);
  }

  /** Creates a store for other days of the same account. */
  withRange(range: DayRange, dependencies: StoreDependencies, before?: DayRange): ReportStore {
    const store = new ReportStore(this.data, range, dependencies, { month: this.#month, root: this.#root });
    store.#before = before;
    return store;
  }

  /** Creates a store of one group of the account. */
  ofGroup(
    groups: Groups,
    chosen: ChosenGroup,
    range: DayRange,
    dependencies: StoreDependencies,
    before?: DayRange,
  ): ReportStore {
    const data = new GroupData(this.data, groups, chosen);
    const all = { ...this.#root.#dependencies, ...dependencies };
    const store = new ReportStore(data, range, all, { root: this.#root });
    store.#before = before;
    store.#chosen = chosen;
    return store;
  }

  /** The status of the limits of groups; in a store of one group, of its own. */
  get groupBudgets(): GroupBudgetReport | undefined {
    const report = this.report('groupBudgets');
    if (!report || !this.#chosen) return report;
    return { ...report, statuses: limitsOf(report.statuses, this.#chosen), unknown: [] };
  }

  /** The limits of groups and of the organization. */
  async groupLimits(): Promise<readonly GroupLimit[]> {
    return (await this.#root.#dependencies.groupLimits?.()) ?? [];
  }

  /** Reads the groups of the group file; undefined without one. */
  async groups(): Promise<Groups | undefined> {
    return this.#root.#dependencies.groups?.();
  }

  get range(): DayRange {
    return this.#range;
  }

  /** The period that growth and changes are measured from. */
  get before(): DayRange {
    return this.#before ?? previousRange(this.#range);
  }

  state<N extends ReportName>(name: N): LoadedReport<Reports[N]> {
    return (this.#storeOf(name).#reports.get(name) ?? NOT_LOADED) as LoadedReport<Reports[N]>;
  }

  /** Returns undefined if the service is unreachable and the cache lacks figures: zeros would be wrong. */
  report<N extends ReportName>(name: N): Reports[N] | undefined {
    const { report } = this.state(name);
    if (!report?.offline) return report;
    const isPart = WHOLE.includes(name) && report.missing.length > 0;
    return isPart || report.asOf === undefined ? undefined : report;
  }

  /** Loads the missing reports; with `refresh`, all of them again. A stopped load waits for {@link resume}. */
  async load(names: readonly ReportName[], person?: Identity, refresh = false): Promise<void> {
    this.#inView = names[0];
    await Promise.all(
      names.map(async (name) => {
        const { report, isLoading, isStopped, error } = this.state(name);
        const isWanted = refresh || (report === undefined && !isStopped && error === undefined);
        if (isWanted && !isLoading) await this.#load(name, person, refresh);
      }),
    );
  }

  /**
   * Loads reports again for `range`, and cancels their running loads. The old reports stay until the new ones arrive;
   * unchanged figures come from the cache, unless `refresh` is set.
   */
  async reload(names: readonly ReportName[], { range = this.#range, refresh = false } = {}): Promise<void> {
    this.#range = range;
    await Promise.all(names.map((name) => this.#load(name, undefined, refresh)));
  }

  /** Loads the budgets again after a change of limits, for all stores of the account. */
  async reloadBudgets(): Promise<void> {
    await this.#reloadInAll(OF_LIMITS);
  }

  /** Loads the reports of the current days again, for all stores of the account: a day or a month has begun. */
  async reloadCurrent(): Promise<void> {
    await this.#reloadInAll(OF_MONTH);
  }

  /** Loads reports again in all stores of the account that have loaded them. */
  async #reloadInAll(names: readonly ReportName[]): Promise<void> {
    const stores = [this.#root, ...this.#root.#derived];
    await Promise.all(stores.map((store) => store.reload(names.filter((name) => store.#reports.has(name)))));
  }

  /** Continues stopped and failed loads. */
  async resume(names: readonly ReportName[], person?: Identity): Promise<void> {
    const wanted = names.filter((name) => {
      const { isLoading, error, report } = this.state(name);
      return !isLoading && (error !== undefined || report?.offline !== undefined || !isWhole(this.report(name)));
    });
    await Promise.all(
      wanted.map((name) => {
        const missing = this.state(name).report?.missing.length ?? 0;
        // A complete report is here because its refresh failed. Missing days may be new in the service at any time.
        return this.#load(name, person, missing > 0 || isWhole(this.report(name)));
      }),
    );
  }

  /** Loads the groups again after a change of their files, in all stores of the account that show them. */
  async reloadGroups(): Promise<void> {
    await this.#reloadInAll(['mapping', 'groups', 'groupBudgets', 'groupDays']);
  }

  /** Stops loads and keeps what has arrived. */
  stop(names: readonly ReportName[]): void {
    for (const name of names) {
      if (!this.#storeOf(name).#running.has(name)) continue;
      this.#storeOf(name).#stop(name);
    }
  }

  #stop(name: ReportName): void {
    const { pausedUntil, pausedBy } = this.state(name);
    this.#abort(name);
    // A load that was stopped in a pause shows why it paused.
    const isPaused = pausedBy !== undefined && pausedUntil > this.#dependencies.clock.now();
    this.#setState(name, { isLoading: false, isStopped: true, pausedUntil: 0, ...(isPaused && { error: pausedBy }) });
  }

  /** Chooses the part of the spending that `part` reports. */
  choosePart(part: CostFilter | undefined): void {
    this.forget('part');
    this.#part = part;
  }

  /** Chooses the column whose groups `groupDays` reports. */
  chooseColumn(column: string | undefined): void {
    if (column === this.#column) return;
    this.forget('groupDays');
    this.#column = column;
  }

  /** Removes a report of this range, such as that of another person. */
  forget(name: ReportName): void {
    this.#abort(name);
    this.#reports.delete(name);
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
    this.#root.#derived.delete(this);
  }

  #storeOf(name: ReportName): ReportStore {
    if (OF_ACCOUNT.includes(name)) return this.#root;
    return OF_MONTH.includes(name) ? this.#month : this;
  }

  #abort(name: ReportName): void {
    clearTimeout(this.#timers.get(name));
    this.#running.get(name)?.abort();
    this.#running.delete(name);
  }

  async #load(name: ReportName, person: Identity | undefined, refresh: boolean): Promise<void> {
    const store = this.#storeOf(name);
    if (store !== this) return store.#load(name, person, refresh);
    this.#abort(name);
    const running = new AbortController();
    this.#running.set(name, running);
    const { signal } = running;
    this.#setState(name, { isLoading: true, isStopped: false, pausedUntil: 0, error: undefined });
    /** Cached figures with gaps, shown during a pause. */
    let bridge: Reports[ReportName] | undefined;
    try {
      let cached: Reports[ReportName] | undefined;
      if (this.report(name) === undefined) {
        cached = await this.#request(name, person, { signal, cachedOnly: true });
        if (signal.aborted) return;
        if (cached.asOf !== undefined && cached.missing.length === 0) this.#setState(name, { report: cached });
      }
      const onPause = (pausedUntil: number, pausedBy: SextantError): void => {
        if (signal.aborted) return;
        // Meanwhile, cached figures are better than nothing; those with gaps state them.
        const isNeeded = this.state(name).report === undefined && cached?.asOf !== undefined;
        if (isNeeded) bridge = { ...cached, offline: pausedBy } as Reports[ReportName];
        this.#setState(name, { pausedUntil, pausedBy, ...(isNeeded && { report: bridge }) });
      };
      const report = await this.#request(name, person, { signal, refresh, onPause });
      if (signal.aborted) return;
      this.#setState(name, { report, isLoading: false, ...afterPause(report.offline) });
      this.#resumeAfterPause(name, person, report.offline);
    } catch (error) {
      // The caller that cancelled it sets the state.
      if (signal.aborted || isCancelled(error)) return;
      this.#dependencies.logger.warn(`Analytics, ${name}: ${describeError(error)}`);
      const known = error instanceof SextantError ? error : new SextantError('Internal', describeError(error));
      // A failure ends the pause, so what is shown does not depend on whether the last wait was long enough to be a pause.
      const isOver = bridge !== undefined && this.state(name).report === bridge && known.code !== 'RateLimited';
      this.#setState(name, {
        ...{ isLoading: false, error: known, ...afterPause(known) },
        ...(isOver && { report: undefined }),
      });
      this.#resumeAfterPause(name, person, known);
    } finally {
      if (this.#running.get(name) === running) this.#running.delete(name);
    }
  }

  #resumeAfterPause(name: ReportName, person: Identity | undefined, error: SextantError | undefined): void {
    const { pausedUntil } = this.state(name);
    if (error?.code !== 'RateLimited' || pausedUntil === 0) return;
    // The pause may have passed while other requests waited.
    const waitMs = Math.max(SHORTEST_PAUSE_MS, pausedUntil - this.#dependencies.clock.now());
    this.#timers.set(name, setTimeout(() => void this.resume([name], person), waitMs).unref());
  }

  async #request(name: ReportName, person: Identity | undefined, options: LoadOptions): Promise<Reports[ReportName]> {
    const { data, range } = this;
    const onReport = (report: Reports[ReportName]): void => {
      if (!options.signal?.aborted) this.#setState(name, { report, pausedUntil: 0 });
    };
    switch (name) {
      case 'usage':
        return usageReport(data, range, { ...options, before: this.#before });
      case 'cost':
        return costReport(data, range, { ...options, before: this.#before });
      case 'part': {
        if (!this.#part) throw new RangeError('no part is chosen');
        const unit = await this.#unit(options);
        return costReport(data, range, { ...options, before: this.#before, of: this.#part, unit });
      }
      case 'people':
        return this.#people(options, onReport);
      case 'spending':
        return spendingReport(data, range, options);
      case 'experts':
        return expertReport(data, range, options);
      case 'languages':
        // Ten thousand people take hours: no user waits for that.
        return loadLanguages(data, range, { ...options, isBackground: () => true }, onReport);
      case 'budgets':
        return this.#budgets(options);
      case 'limits':
        return this.#limits(options);
      case 'unusual':
        return unusualReport(data, options);
      case 'presence': {
        const roster = await this.#dependencies.roster?.();
        return presenceReport(data, { ...options, isBackground: () => true }, roster, (early) => {
          // Known days are better.
          if (this.report(name) === undefined) onReport(early);
        });
      }
      case 'groups':
        return groupReports(data.whole, range, await this.groups(), { ...options, before: this.#before });
      case 'groupBudgets': {
        const limits = await this.groupLimits();
        return groupBudgetReport(data, limits, await this.groups(), options);
      }
      case 'groupDays':
        return groupDays(data, range, await this.groups(), this.#column, options);
      case 'mapping':
        return { groups: await this.groups(), asOf: undefined, offline: undefined, missing: [] };
      case 'person': {
        if (!person) throw new RangeError('no person is chosen');
        return peopleSpending(data, range, [person], await this.#unit(options), options);
      }
    }
  }

  /** People that no page is about are loaded in the background, but for the first pages, which are all of most. */
  #people(options: LoadOptions, onReport: (report: PeopleReport) => void): Promise<PeopleReport> {
    let rows = 0;
    const onProgress = (count: number): void => void (rows = count);
    const isBackground = (): boolean => this.#inView !== 'people' && rows >= FEW_PEOPLE;
    return loadPeople(this.data, this.#range, { ...options, onProgress, isBackground }, onReport);
  }

  #budgets(options: LoadOptions): Promise<BudgetReport> {
    const report = budgetReport(this.data, options);
    const running = { report, cachedOnly: options.cachedOnly };
    this.#runningBudgets = running;
    const forget = (): void => {
      if (this.#runningBudgets === running) this.#runningBudgets = undefined;
    };
    report.then(forget, forget);
    return report;
  }

  /** Derives the accounts with an override from the budgets, loaded or loading. */
  async #limits(options: LoadOptions): Promise<PeopleSpending | NothingSpent> {
    const { data } = this;
    const running = this.#runningBudgets;
    const isShared = running !== undefined && running.cachedOnly === options.cachedOnly;
    const loaded = options.refresh ? undefined : this.report('budgets');
    const budgets = isShared ? await running.report : (loaded ?? (await budgetReport(data, options)));
    const { asOf, offline, missing, statuses, unit } = budgets;
    const [first, ...others] = statuses.map(({ identity }) => identity);
    if (!first) return { asOf, offline, missing, burnDown: undefined };
    const range = { first: data.newestDay, last: data.newestDay };
    return peopleSpending(data, range, [first, ...others], unit, options);
  }

  async #unit(options: LoadOptions): Promise<PeopleSpending['unit']> {
    return (this.report('cost') ?? (await costReport(this.data, this.#range, options))).unit;
  }

  #setState(name: ReportName, change: ReportChange): void {
    const { error, report, ...rest } = { ...this.state(name), ...change };
    this.#reports.set(name, { ...rest, ...(report && { report }), ...(error && { error }) });
    this.#dependencies.onChange(name);
    if (OF_MONTH.includes(name)) for (const store of this.#derived) store.#dependencies.onChange(name);
  }
}

/** A pause that the service demands goes on after the load; that after a failure ends with it. */
function afterPause(error: SextantError | undefined): Pick<ReportChange, 'pausedUntil'> {
  return error?.code === 'RateLimited' ? {} : { pausedUntil: 0 };
}

/** Whether a report covers all its days and people. */
function isWhole(report: Reports[ReportName] | undefined): boolean {
  if (!report || report.missing.length > 0) return false;
  if ('people' in report) return report.distinct !== undefined;
  return !('daysDone' in report) || report.daysDone === report.days;
}
