import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { describeError, isCancelled } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { FaultClient } from '../../server/admin/faultClient.ts';
import { LocalServer, type LocalServerState } from '../../server/localServer.ts';
import type { ServerInfo } from '../../server/runningServer.ts';
import { LOG_FILE } from '../../server/state/claim.ts';
import { findServer } from '../../server/state/published.ts';
import { signalOf } from '../cancellation.ts';
import { serverSettings } from '../settings.ts';
import { chooseScenario, manageFaults, readInjectedFaults } from './serverError.ts';
import { ServerView } from './serverView.ts';

const NOT_RUNNING = (): string => vscode.l10n.t("The local server isn't running.");

/**
 * The local server's commands and view. Only a command starts a server. A server that runs already, in another window or by
 * `sextant serve`, is shown once the view is visible.
 */
export class ServerActions implements vscode.Disposable {
  readonly #server: LocalServer;
  readonly #view: ServerView;
  readonly #log: Logger;
  readonly #version: string;
  readonly #changed = new vscode.EventEmitter<LocalServerState>();
  #report: ((state: LocalServerState) => void) | undefined;
  #wasRunning = false;

  constructor(thread: URL, log: Logger, version: string) {
    this.#log = log;
    this.#version = version;
    this.#view = new ServerView(() => void this.look());
    this.#server = new LocalServer({ thread, logger: log, onState: (state) => this.#onState(state) });
    this.#view.show(this.#server.state);
  }

  readonly onDidChangeState = this.#changed.event;

  /** The address and the tokens of the server, which must not be shown. */
  get info(): ServerInfo | undefined {
    return this.#server.info;
  }

  /** The state of the server, without tokens. */
  get state(): LocalServerState {
    return this.#server.state;
  }

  start(): Promise<void> {
    return this.#start(vscode.l10n.t('Starting the local server'), (signal) =>
      this.#server.start(this.#options(), signal),
    );
  }

  restart(): Promise<void> {
    return this.#start(vscode.l10n.t('Restarting the local server'), (signal) =>
      this.#server.restart(this.#options(), signal),
    );
  }

  stop(): Promise<void> {
    return this.#attempt(() => this.#server.stop());
  }

  attach(): Promise<void> {
    return this.#attempt(() => this.#server.attach(serverSettings().state));
  }

  copyUrl(): Promise<void> {
    return this.#copy(({ url }) => url, vscode.l10n.t('The address of the local server was copied.'));
  }

  copyToken(): Promise<void> {
    return this.#copy(({ token }) => token, vscode.l10n.t('The token of the local server was copied.'));
  }

  /** `scenario` may be a name, from a key binding; otherwise the person picks one. */
  chooseScenario(scenario: unknown): Promise<void> {
    return this.#administer((admin) => chooseScenario(admin, typeof scenario === 'string' ? scenario : undefined));
  }

  manageFaults(): Promise<void> {
    return this.#administer(manageFaults);
  }

  /** The address and the token of a server in this window, or in another process on the same state. */
  async connection(): Promise<{ readonly url: string; readonly token: string } | undefined> {
    await this.look();
    return this.#server.info;
  }

  /** Ends the server that this window started, when the window closes. */
  close(): Promise<void> {
    return this.#server.dispose();
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }

  /** Offers to start the server, for commands that need one. */
  offerStart(): Promise<void> {
    return this.#offer(NOT_RUNNING());
  }

  #options(): Parameters<LocalServer['start']>[0] {
    return { ...serverSettings(), version: this.#version };
  }

  #onState(state: LocalServerState): void {
    if (state.kind !== 'starting' || state.lines === 0) this.#log.info(`The local server is ${state.kind}.`);
    this.#view.show(state);
    this.#changed.fire(state);
    this.#report?.(state);
    if (state.kind === 'running' || state.kind === 'attached') void this.#showInjectedFaults();
    // The command reports a start or a stop that fails; this reports a running server that fails.
    if (state.kind === 'failed' && this.#wasRunning) void this.#offer(state.message);
    this.#wasRunning = state.kind === 'running';
  }

  /** Runs `work` with the admin API of the running server, or offers to start one. */
  async #administer(work: (client: FaultClient) => Promise<void>): Promise<void> {
    const { info } = this.#server;
    if (!info) {
      void this.offerStart();
      return;
    }
    await this.#attempt(() => work(new FaultClient(new AdminClient(info))));
    await this.#showInjectedFaults();
  }

  async #showInjectedFaults(): Promise<void> {
    const { info } = this.#server;
    if (!info) return;
    try {
      const injected = await readInjectedFaults(new FaultClient(new AdminClient(info)));
      if (this.#server.info === info) this.#view.show(this.state, injected);
    } catch (error) {
      // The server has stopped meanwhile; its state reports that.
      this.#log.debug(describeError(error));
    }
  }

  async #start(title: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const location = vscode.ProgressLocation.Notification;
    await this.#attempt(() =>
      vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
        const linked = signalOf(token);
        this.#report = (state) => {
          if (state.kind === 'starting' && state.lines > 0)
            progress.report({ message: vscode.l10n.t('{0} lines read', formatCount(state.lines)) });
        };
        try {
          await work(linked.signal);
        } finally {
          linked.dispose();
          this.#report = undefined;
        }
      }),
    );
  }

  /** Runs `work`; shows an error together with the commands that help. */
  async #attempt(work: () => PromiseLike<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isCancelled(error)) return;
      this.#log.warn(`Local server: ${describeError(error)}`);
      // Not awaited: the command ends before the message is closed.
      void this.#offer(describeError(error));
    }
  }

  async #offer(message: string): Promise<void> {
    const [start, log, attach] = [vscode.l10n.t('Start'), vscode.l10n.t('Show Log'), vscode.l10n.t('Attach')];
    const { state } = this;
    const isLost = state.kind === 'failed' && state.code === 'LeaseLost';
    const offers = { stopped: [start], failed: [isLost ? attach : start, log] }[state.kind as string] ?? [log];
    const chosen = await vscode.window.showWarningMessage(message, ...offers);
    if (chosen === attach) await this.attach();
    else if (chosen === start) await this.start();
    else if (chosen === log) await this.openLog();
  }

  async #copy(what: (info: ServerInfo) => string, done: string): Promise<void> {
    const { info } = this.#server;
    if (!info) {
      void this.offerStart();
      return;
    }
    await vscode.env.clipboard.writeText(what(info));
    vscode.window.setStatusBarMessage(done, 3_000);
  }

  async openLog(): Promise<void> {
    const file = join(serverSettings().state, LOG_FILE);
    if (existsSync(file)) await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
    else
      void vscode.window.showInformationMessage(
        vscode.l10n.t('There is no log yet, because no server has run on this state folder.'),
      );
  }

  /** Checks the state folder, and attaches if the folder names a living server. */
  async look(): Promise<void> {
    const { state } = serverSettings();
    if (this.#server.info) await this.#showInjectedFaults();
    if (this.#server.info || !findServer(state)) return;
    try {
      await this.#server.attach(state);
    } catch (error) {
      // The server has stopped meanwhile.
      this.#log.debug(describeError(error));
    }
  }
}
