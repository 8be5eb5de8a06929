import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { describeError, isCancelled } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { FaultClient } from '../../server/faults/faultClient.ts';
import { LocalServer, type LocalServerState } from '../../server/localServer.ts';
import type { ServerInfo } from '../../server/launch.ts';
import { LOG_FILE } from '../../server/state/claim.ts';
import { findServer } from '../../server/state/published.ts';
import { signalOf } from '../cancellation.ts';
import { serverSettings } from '../settings.ts';
import { chooseScenario, manageFaults, readTrouble } from './serverError.ts';
import { ServerView } from './serverView.ts';

const NOT_RUNNING = (): string => vscode.l10n.t('The local server does not run. Start it, or attach to one that runs.');

/**
 * The local server's commands and view. Nothing here starts a server unless a person asks for it; a server that runs
 * already, in another window or by `sextant serve`, is shown once the view is looked at.
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

  /** How to reach the server, with its tokens: not to be shown. */
  get info(): ServerInfo | undefined {
    return this.#server.info;
  }

  /** What may be told to anybody: it has no tokens. */
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

  /** `scenario` is the name of one, if the command is bound with it; others are picked. */
  chooseScenario(scenario: unknown): Promise<void> {
    return this.#administer((admin) => chooseScenario(admin, typeof scenario === 'string' ? scenario : undefined));
  }

  manageFaults(): Promise<void> {
    return this.#administer(manageFaults);
  }

  /** How to ask the server, if one runs: here, or in another process on the same state. */
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

  /** For those who need a server where none runs. */
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
    if (state.kind === 'running' || state.kind === 'attached') void this.#showTrouble();
    // Of a start or a stop that fails whoever asked for it tells.
    if (state.kind === 'failed' && this.#wasRunning) void this.#offer(state.message);
    this.#wasRunning = state.kind === 'running';
  }

  /** Does something with the admin plane of the server that runs. */
  async #administer(work: (client: FaultClient) => Promise<void>): Promise<void> {
    const { info } = this.#server;
    if (!info) {
      void this.offerStart();
      return;
    }
    await this.#attempt(() => work(new FaultClient(new AdminClient(info))));
    await this.#showTrouble();
  }

  async #showTrouble(): Promise<void> {
    const { info } = this.#server;
    if (!info) return;
    try {
      const trouble = await readTrouble(new FaultClient(new AdminClient(info)));
      if (this.#server.info === info) this.#view.show(this.state, trouble);
    } catch (error) {
      // It was going just then, which is told elsewhere.
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

  /** Does it, and says what went wrong together with what can be done about it. */
  async #attempt(work: () => PromiseLike<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isCancelled(error)) return;
      this.#log.warn(`Local server: ${describeError(error)}`);
      // Not waited for: the command is done, whether the message is read or not.
      void this.#offer(describeError(error));
    }
  }

  async #offer(message: string): Promise<void> {
    const [start, log, attach] = [vscode.l10n.t('Start'), vscode.l10n.t('Open Log'), vscode.l10n.t('Attach')];
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
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no log yet: no server has run on this state.'));
  }

  /** A look at the state folder; only where it names a living owner is that one asked. */
  async look(): Promise<void> {
    const { state } = serverSettings();
    if (this.#server.info) await this.#showTrouble();
    if (this.#server.info || !findServer(state)) return;
    try {
      await this.#server.attach(state);
    } catch (error) {
      // It was going just then.
      this.#log.debug(describeError(error));
    }
  }
}
