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
import { peopleReport, usageReport, type PeopleReport, type UsageReport } from '../../analytics/reports/usageReport.ts';
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
  /** Rows that came so far. */
  readonly rows: number;
  readonly error?: SextantError;
}

/** What becomes of a part; `undefined` takes an error away. */
type Change = Omit<Partial<Part<Reports[ReportName]>>, 'error'> & { readonly error?: SextantError | undefined };

const NOTHING = { isLoading: false, isStopped: false, rows: 0 };

/**
 * The reports of some days. What the cache has is there first, in milliseconds, and shown until the service has answered; but
 * never a part of it, as a sum over days of which some are missing is no sum. Each report loads, fails and is stopped by itself.
 */
export class ReportStore {
  readonly range: DayRange;
  readonly #data: AnalyticsData;
  readonly #logger: Logger;
  readonly #onChange: (name: ReportName) => void;
  readonly #parts = new Map<ReportName, Part<Reports[ReportName]>>();
  readonly #running = new Map<ReportName, AbortController>();

  constructor(
    data: AnalyticsData,
    range: DayRange,
    edges: { readonly logger: Logger; readonly onChange: (name: ReportName) => void },
  ) {
    this.#data = data;
    this.range = range;
    this.#logger = edges.logger;
    this.#onChange = edges.onChange;
  }

  part<N extends ReportName>(name: N): Part<Reports[N]> {
    return (this.#parts.get(name) ?? NOTHING) as Part<Reports[N]>;
  }

  /** Nothing where the service could not be asked and the cache had none of it: zeros would be no figures. */
  report<N extends ReportName>(name: N): Reports[N] | undefined {
    const { report } = this.part(name);
    return report?.offline && report.asOf === undefined ? undefined : report;
  }

  /** Loads what is not there yet; with `refresh` all of it anew. What was stopped stays so until somebody resumes it. */
  async load(names: readonly ReportName[], who: Identity | undefined, refresh = false): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const { report, isLoading, isStopped, error } = this.part(name);
        const isWanted = refresh || (report === undefined && !isStopped && error === undefined);
        if (isWanted && !isLoading) await this.#load(name, who, refresh);
      }),
    );
  }

  /** Goes on with what was stopped or failed. */
  async resume(names: readonly ReportName[], who: Identity | undefined): Promise<void> {
    for (const name of names) {
      const { isStopped, error, report } = this.part(name);
      if (isStopped || error || report?.offline) this.#become(name, { isStopped: false, error: undefined });
    }
    await Promise.all(
      names
        .filter((name) => !this.part(name).isLoading)
        .filter(
          (name) =>
            this.report(name) === undefined ||
            this.part(name).report?.offline !== undefined ||
            !isWhole(this.report(name)),
        )
        .map((name) => this.#load(name, who, false)),
    );
  }

  /** What came is kept. */
  stop(names: readonly ReportName[]): void {
    for (const name of names) {
      const running = this.#running.get(name);
      if (!running) continue;
      running.abort();
      this.#become(name, { isLoading: false, isStopped: true });
    }
  }

  /** Somebody else is looked at. */
  forget(name: ReportName): void {
    this.#running.get(name)?.abort();
    this.#running.delete(name);
    this.#parts.delete(name);
  }

  dispose(): void {
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
  }

  async #load(name: ReportName, who: Identity | undefined, refresh: boolean): Promise<void> {
    const running = new AbortController();
    this.#running.set(name, running);
    const { signal } = running;
    this.#become(name, { isLoading: true, isStopped: false, rows: 0, error: undefined });
    try {
      if (this.report(name) === undefined) {
        const known = await this.#ask(name, who, { signal, cachedOnly: true });
        if (signal.aborted) return;
        if (known.asOf !== undefined && known.missing.length === 0) this.#become(name, { report: known });
      }
      const onProgress = (rows: number): void => {
        if (!signal.aborted) this.#become(name, { rows });
      };
      const report = await this.#ask(name, who, { signal, refresh, onProgress });
      if (!signal.aborted) this.#become(name, { report, isLoading: false });
    } catch (error) {
      // Whoever cancelled it says what is to be seen then.
      if (signal.aborted || isCancelled(error)) return;
      this.#logger.warn(`Dashboard, ${name}: ${describeError(error)}`);
      const known = error instanceof SextantError ? error : new SextantError('Internal', describeError(error));
      this.#become(name, { isLoading: false, error: known });
    } finally {
      if (this.#running.get(name) === running) this.#running.delete(name);
    }
  }

  async #ask(name: ReportName, who: Identity | undefined, options: LoadOptions): Promise<Reports[ReportName]> {
    const { range } = this;
    const data = this.#data;
    const background = { ...options, isBackground: true };
    // Only of what comes in many pages it is worth telling how far it is.
    const quiet = { ...options, onProgress: undefined };
    switch (name) {
      case 'usage':
        return usageReport(data, range, quiet);
      case 'cost':
        return costReport(data, range, quiet);
      case 'people':
        return peopleReport(data, range, background);
      case 'spending':
        return spendingReport(data, range, quiet);
      case 'experts':
        return expertReport(data, range, quiet);
      case 'languages':
        return loadLanguages(data, range, { ...background, onProgress: undefined }, (report) => {
          if (!options.signal?.aborted) this.#become(name, { report });
        });
      case 'budgets':
        return budgetReport(data, quiet);
      case 'limits':
        return this.#limits(quiet);
      case 'person': {
        if (!who) throw new RangeError('nobody is looked at');
        return peopleSpending(data, range, [who], await this.#unit(quiet), quiet);
      }
    }
  }

  async #limits(options: LoadOptions): Promise<PeopleSpending | NothingSpent> {
    const data = this.#data;
    const budgets = await budgetReport(data, options);
    const { asOf, offline, missing, standings, unit } = budgets;
    const [first, ...others] = standings.map(({ identity }) => identity);
    if (!first) return { asOf, offline, missing, burnDown: undefined };
    const range = { first: data.newestDay, last: data.newestDay };
    return peopleSpending(data, range, [first, ...others], unit, options);
  }

  async #unit(options: LoadOptions): Promise<PeopleSpending['unit']> {
    return (this.report('cost') ?? (await costReport(this.#data, this.range, options))).unit;
  }

  #become(name: ReportName, change: Change): void {
    const { error, ...rest } = { ...this.part(name), ...change };
    const part = { ...rest, ...(error && { error }) };
    this.#parts.set(name, part);
    this.#onChange(name);
  }
}

function isWhole(report: Reports[ReportName] | undefined): boolean {
  if (!report || report.missing.length > 0) return false;
  return !('daysDone' in report) || report.daysDone === report.days;
}
