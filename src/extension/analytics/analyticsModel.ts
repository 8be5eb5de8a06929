import { join } from 'node:path';
import * as vscode from 'vscode';
import { accountKey, analyticsFolder, type Connection } from '../../analytics/client/account.ts';
import { AnalyticsClient } from '../../analytics/client/analyticsClient.ts';
import { AnalyticsData } from '../../analytics/client/analyticsData.ts';
import { AnswerCache } from '../../analytics/client/answerCache.ts';
import { RequestBudget } from '../../analytics/client/requestBudget.ts';
import { LIMITS } from '../../analytics/contract.ts';
import { budgetReport, type BudgetReport } from '../../analytics/reports/budgetReport.ts';
import { costReport, type CostReport } from '../../analytics/reports/costReport.ts';
import { peopleReport, usageReport, type PeopleReport, type UsageReport } from '../../analytics/reports/usageReport.ts';
import { describeError, isCancelled, SextantError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** One report: what there is of it, and what is happening to it. */
export interface Part<Report> {
  readonly report?: Report;
  readonly isLoading: boolean;
  /** Why there is none, or no newer one. */
  readonly error?: SextantError;
}

interface Reports {
  readonly usage: UsageReport;
  readonly people: PeopleReport;
  readonly cost: CostReport;
  readonly budgets: BudgetReport;
}
export type ReportName = keyof Reports;

/** How often one looks whether there is something new; the cache decides whether the service is asked. */
const LOOK_MS = 15 * 60_000;
const NOTHING = { isLoading: false };

/**
 * The reports that the views of a window show. They are loaded when an account is connected, and looked after from then on; what
 * was loaded before is shown until something newer is there.
 */
export class AnalyticsModel implements vscode.Disposable {
  readonly #logger: Logger;
  readonly #changed = new vscode.EventEmitter<ReportName | undefined>();
  #parts: { [N in ReportName]: Part<Reports[N]> } = nothing();
  #data: AnalyticsData | undefined;
  #account: string | undefined;
  #loading = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Names the report that changed; nothing where all did. */
  readonly onDidChange = this.#changed.event;
  readonly #changedLimits = new vscode.EventEmitter<undefined>();
  /** Somebody changed limits from this window, or found them changed. */
  readonly onDidChangeLimits = this.#changedLimits.event;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Names the connected account in files. */
  get account(): string | undefined {
    return this.#account;
  }

  /** Where its journal of changed limits and its reminders are. */
  get budgetsFolder(): string | undefined {
    return this.#account === undefined ? undefined : join(analyticsFolder(), 'budgets', this.#account);
  }

  /** The figures of the connected account, for who shows more of them. */
  get data(): AnalyticsData | undefined {
    return this.#data;
  }

  part<N extends ReportName>(name: N): Part<Reports[N]> {
    return this.#parts[name];
  }

  /** Shows another account from now on, or none. Of the one before nothing is left. */
  connect(connection: Connection | undefined): void {
    const account = connection && accountKey(connection);
    if (account === this.#account) return;
    this.#loading.abort();
    clearInterval(this.#timer);
    this.#parts = nothing();
    this.#account = account;
    this.#data = connection && account !== undefined ? this.#open(connection, account) : undefined;
    this.#changed.fire(undefined);
    if (!this.#data) return;
    this.#timer = setInterval(() => void this.load(), LOOK_MS);
    void this.load();
  }

  /** Loads what may be new; with `refresh` whatever its age. Resolves when all is there, or is known not to come. */
  async load(refresh = false): Promise<void> {
    const data = this.#data;
    if (!data) return;
    this.#loading.abort();
    this.#loading = new AbortController();
    const options = { signal: this.#loading.signal, refresh };
    const week = { first: data.newestDay - LIMITS.defaultRangeDays + 1, last: data.newestDay };
    await Promise.all([
      this.#loadPart('usage', () => usageReport(data, week, options)),
      this.#loadPart('cost', () => costReport(data, week, options)),
      this.#loadPart('budgets', () => budgetReport(data, options)),
      // A page for a hundred people: nothing else waits for it.
      this.#loadPart('people', () => peopleReport(data, week, { ...options, isBackground: () => true })),
    ]);
  }

  /** Loads the budgets alone again: limits were changed. What was used until now stays as it was. */
  async loadBudgets(): Promise<void> {
    this.#changedLimits.fire(undefined);
    const data = this.#data;
    const options = { signal: this.#loading.signal };
    if (data) await this.#loadPart('budgets', () => budgetReport(data, options));
  }

  dispose(): void {
    this.#loading.abort();
    clearInterval(this.#timer);
    this.#changed.dispose();
    this.#changedLimits.dispose();
  }

  async #loadPart<N extends ReportName>(name: N, load: () => Promise<Reports[N]>): Promise<void> {
    const { signal } = this.#loading;
    const { report } = this.#parts[name];
    this.#setPart(name, { ...(report && { report }), isLoading: true });
    try {
      const loaded = await load();
      if (!signal.aborted) this.#setPart(name, { report: loaded, isLoading: false });
    } catch (error) {
      // Whoever cancelled it has begun anew, or shows nothing any more.
      if (signal.aborted || isCancelled(error)) return;
      this.#logger.warn(`Analytics, ${name}: ${describeError(error)}`);
      const known = error instanceof SextantError ? error : new SextantError('Internal', describeError(error));
      this.#setPart(name, { ...(report && { report }), isLoading: false, error: known });
    }
  }

  #setPart<N extends ReportName>(name: N, part: Part<Reports[N]>): void {
    this.#parts = { ...this.#parts, [name]: part };
    this.#changed.fire(name);
  }

  #open(connection: Connection, account: string): AnalyticsData {
    const folder = analyticsFolder();
    const logger = this.#logger;
    const budget = new RequestBudget(join(folder, 'requests', account), { logger });
    const cache = new AnswerCache(join(folder, 'answers'), account, { logger });
    return new AnalyticsData(new AnalyticsClient(connection, budget, { logger }), cache);
  }
}

function nothing(): { [N in ReportName]: Part<Reports[N]> } {
  return { usage: NOTHING, people: NOTHING, cost: NOTHING, budgets: NOTHING };
}
