import * as vscode from 'vscode';
import type { AlertEvent } from '../../analytics/alerts/alertEvents.ts';
import { journalFolder } from '../../analytics/alerts/destinationFile.ts';
import { ATTENTION_REPORTS } from '../../analytics/reports/attention.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { proxySettings } from '../settings.ts';
import type { AlertDestinations } from './alertDestinations.ts';
import type { AnalyticsConnection, ConnectedAccount } from './analyticsConnection.ts';

/** The reports that alerts are about. */

/** Pause after a change of a report, in which the others of the same load arrive. */
const SETTLED_MS = 1_000;

/**
 * Sends alerts while a window is open: when the reports of the side bar were loaded, and when a message is due again.
 * The journal is that of all windows and of `sextant alerts`, so each event is sent once.
 */
export class AlertSender implements vscode.Disposable {
  readonly #connection: AnalyticsConnection;
  readonly #destinations: AlertDestinations;
  readonly #source: () => string | undefined;
  readonly #logger: Logger;
  readonly #disposables = new DisposableStore();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `source` is the host of the service; undefined for sample data, which is never sent. */
  constructor(
    connection: AnalyticsConnection,
    destinations: AlertDestinations,
    source: () => string | undefined,
    logger: Logger,
  ) {
    this.#connection = connection;
    this.#destinations = destinations;
    this.#source = source;
    this.#logger = logger;
    const isAbout = (name: string): boolean => (ATTENTION_REPORTS as readonly string[]).includes(name);
    this.#disposables.add(connection.onDidChange((name) => (name === undefined || isAbout(name)) && this.#schedule()));
  }

  /** Sends what is new, after earlier calls. */
  send(): Promise<void> {
    this.#last = this.#last.then(() => this.#send());
    return this.#last;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
    this.#disposables.dispose();
  }

  #schedule(waitMs = SETTLED_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.send(), waitMs).unref();
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #send(): Promise<void> {
    const { account } = this.#connection;
    const source = this.#source();
    if (!account || source === undefined || this.#isStopped()) return;
    if (ATTENTION_REPORTS.some((name) => account.reports.state(name).isLoading)) return;
    try {
      const destinations = await this.#destinations.read();
      if (destinations.length === 0) return;
      const [{ sendAlerts }, events] = await Promise.all([
        import('../../analytics/alerts/sendAlerts.ts'),
        eventsOf(account),
      ]);
      const folder = journalFolder(undefined, account.key);
      const options = { folder, source, signal: this.#stop.signal, proxy: proxySettings() };
      const { messages } = await sendAlerts(destinations, events, options);
      const next = Math.min(...messages.filter(({ state }) => state === 'waiting').map((one) => one.next));
      if (Number.isFinite(next)) this.#schedule(Math.max(SETTLED_MS, next - Date.now()));
      for (const { name, state, result = '' } of messages) if (state === 'failed') void reportFailure(name, result);
    } catch (error) {
      if (!this.#isStopped()) this.#logger.warn(`Alerts: ${describeError(error)}`);
    }
  }
}

/** The events of an account by the reports that are loaded. */
export async function eventsOf({ reports }: ConnectedAccount): Promise<readonly AlertEvent[]> {
  const { alertEvents } = await import('../../analytics/alerts/alertEvents.ts');
  await reports.load(['mapping']);
  const known = {
    budgets: reports.report('budgets'),
    groupBudgets: reports.report('groupBudgets'),
    unusual: reports.report('unusual'),
    presence: reports.report('presence'),
  };
  return alertEvents({ ...known, groups: reports.report('mapping')?.groups }, reports.data.today);
}

async function reportFailure(name: string, result: string): Promise<void> {
  const setUp = vscode.l10n.t('Set Up Alerts…');
  const text = vscode.l10n.t('Alerts to {0} could not be sent: {1}', name, result);
  if ((await vscode.window.showWarningMessage(text, setUp)) === setUp)
    await vscode.commands.executeCommand('sextant.setUpAlerts');
}
