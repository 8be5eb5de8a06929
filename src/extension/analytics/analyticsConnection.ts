import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import * as vscode from 'vscode';
import { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { accountKey, analyticsFolder, type Connection } from '../../analytics/client/account.ts';
import { AnalyticsClient } from '../../analytics/client/analyticsClient.ts';
import { ServiceData, type AnalyticsData } from '../../analytics/client/analyticsData.ts';
import { AnswerCache } from '../../analytics/client/answerCache.ts';
import { RequestBudget } from '../../analytics/client/requestBudget.ts';
import { LIMITS } from '../../analytics/contract.ts';
import type { DayRange } from '../../analytics/dateRules.ts';
import { findGroupFile, GROUP_FILES, readGroups } from '../../analytics/groups/groupFile.ts';
import { LIMITS_FILE, limitsFile, readGroupLimits, type GroupLimit } from '../../analytics/groups/groupLimits.ts';
import type { Groups } from '../../analytics/groups/groups.ts';
import type { Identity } from '../../analytics/identity.ts';
import { readRosterFile } from '../../analytics/reports/rosterFile.ts';
import { ReportStore, type LoadedReport, type ReportName, type Reports } from '../../analytics/reports/reportStore.ts';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import type { Logger } from '../../base/log.ts';
import { groupsPath, proxySettings, rosterPath } from '../settings.ts';
import { BudgetEditor } from './budgetEditor.ts';

/** The reports of the side bar. */
const MAIN = ['usage', 'cost', 'budgets', 'people'] as const satisfies readonly ReportName[];
export type MainReport = (typeof MAIN)[number];
export const SIDE_BAR = [
  ...MAIN,
  'groups',
  'groupBudgets',
  'mapping',
  'unusual',
  'presence',
] as const satisfies readonly ReportName[];
export type SideBarReport = (typeof SIDE_BAR)[number];

/** Interval of the scans for new figures; the cache decides whether the service is requested. */
const SCAN_MS = 15 * 60_000;

/** The connected account. */
export interface ConnectedAccount {
  /** Names the account in files. */
  readonly key: string;
  /** The journal of changed limits, and the reminders. */
  readonly budgetsFolder: string;
  /** The reports of the last seven days. */
  readonly reports: ReportStore;
}

/** The connected account of a window, its reports and the editor of its budgets. */
export class AnalyticsConnection implements vscode.Disposable {
  readonly #logger: Logger;
  readonly #changed = new vscode.EventEmitter<ReportName | undefined>();
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new DisposableStore();
  /** Changes the limits, for the dashboard and the commands. */
  readonly editor: BudgetEditor;
  #account: ConnectedAccount | undefined;
  /** Fires with the name of the changed report; without one if all changed. */
  readonly onDidChange = this.#changed.event;

  /** `onAcknowledged` is called with an account's key and the batch whose result the user has seen. */
  constructor(logger: Logger, onAcknowledged: (account: string, batch: number) => void) {
    this.#logger = logger;
    this.editor = new BudgetEditor({
      logger,
      onOutdated: () => void this.#account?.reports.reloadBudgets(),
      onAcknowledged: (batch) => this.#account && onAcknowledged(this.#account.key, batch),
    });
    const { onDidChangeConfiguration, onDidSaveTextDocument } = vscode.workspace;
    this.#listeners.add(
      onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('sextant.analytics.roster')) void this.#account?.reports.reload(['presence']);
        if (event.affectsConfiguration('sextant.analytics.groups')) void this.#account?.reports.reloadGroups();
      }),
    );
    this.#listeners.add(
      onDidSaveTextDocument(({ uri }) => {
        if (isGroupFile(uri.fsPath)) void this.#account?.reports.reloadGroups();
      }),
    );
    this.#timer = setInterval(() => void this.load(), SCAN_MS);
  }

  get account(): ConnectedAccount | undefined {
    return this.#account;
  }

  state<N extends SideBarReport>(name: N): LoadedReport<Reports[N]> {
    return this.#account?.reports.state(name) ?? { isLoading: false, isStopped: false, pausedUntil: 0 };
  }

  /** Replaces the account and all its figures. */
  connect(connection: Connection | undefined): void {
    const key = connection && accountKey(connection);
    if (key === this.#account?.key) return;
    this.#account?.reports.dispose();
    this.#account = connection && key !== undefined ? this.#open(connection, key) : undefined;
    const { reports, budgetsFolder } = this.#account ?? {};
    const logger = this.#logger;
    this.editor.connect(reports && new BudgetChanges(reports.data.service, budgetsFolder!, { logger }));
    this.#changed.fire(undefined);
    void this.load();
  }

  /** Loads what may be new; with `refresh`, all of it. Resolves after the last report loaded or failed. */
  async load(refresh = false): Promise<void> {
    const reports = this.#account?.reports;
    await reports?.reload(SIDE_BAR, { range: lastWeek(reports.data), refresh });
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#listeners.dispose();
    this.#account?.reports.dispose();
    this.editor.dispose();
    this.#changed.dispose();
  }

  #open(connection: Connection, key: string): ConnectedAccount {
    const logger = this.#logger;
    const { folder, data } = openData(connection, logger);
    const reports = new ReportStore(data, lastWeek(data), {
      logger,
      clock: systemClock,
      onChange: (name) => this.#changed.fire(name),
      roster: readRoster,
      groups: openGroups,
      groupLimits: openGroupLimits,
    });
    return { key, budgetsFolder: join(folder, 'budgets', key), reports };
  }
}

/** Opens the figures of a connection, with its own cache and budget of requests. */
export function openData(
  connection: Connection,
  logger: Logger,
): { readonly folder: string; readonly data: AnalyticsData } {
  const [folder, key] = [analyticsFolder(), accountKey(connection)];
  const budget = new RequestBudget(join(folder, 'requests', key), { logger });
  const cache = new AnswerCache(join(folder, 'answers'), key, { logger });
  return {
    folder,
    data: new ServiceData(new AnalyticsClient(connection, budget, { logger, proxy: proxySettings }), cache),
  };
}

/** The seats in the file of the setting; relative paths are those of the first folder. */
async function readRoster(): Promise<Identity[]> {
  const file = rosterPath();
  if (file === '') return [];
  return readRosterFile(inFirstFolder(file));
}

/** The file of the setting, or else that in a workspace folder; undefined without one. */
async function groupsFile(): Promise<string | undefined> {
  const file = groupsPath();
  if (file !== '') return inFirstFolder(file);
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const found = await findGroupFile(uri.fsPath);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function openGroups(): Promise<Groups | undefined> {
  const file = await groupsFile();
  return file === undefined ? undefined : readGroups(file);
}

/** The file of limits beside the group file, or else in the first folder; undefined without a folder. */
export async function groupLimitsFile(): Promise<string | undefined> {
  const [groups, folder] = [await groupsFile(), vscode.workspace.workspaceFolders?.[0]?.uri.fsPath];
  return groups === undefined && folder === undefined ? undefined : limitsFile(groups, folder ?? '');
}

async function openGroupLimits(): Promise<readonly GroupLimit[]> {
  const file = await groupLimitsFile();
  return file === undefined ? [] : readGroupLimits(file);
}

function isGroupFile(path: string): boolean {
  if (basename(path) === LIMITS_FILE) return true;
  const file = groupsPath();
  return file === '' ? GROUP_FILES.includes(basename(path)) : resolve(path) === inFirstFolder(file);
}

function inFirstFolder(file: string): string {
  return resolve(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir(), file);
}

function lastWeek({ newestDay: last }: AnalyticsData): DayRange {
  return { first: last - LIMITS.defaultRangeDays + 1, last };
}
