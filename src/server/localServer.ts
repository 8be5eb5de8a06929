import { isCancelled, SextantError, systemCode, describeError } from '../base/errors.ts';
import { Lease } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import { RestartingWorker } from '../base/restartingWorker.ts';
import type { ServerInfo } from './runningServer.ts';
import type { ServerEvents, ServerMethods, ThreadedServerOptions } from './serverProtocol.ts';
import { findServer } from './state/published.ts';

/** Where a server is, without its tokens: this may be shown. */
export interface ServerPlace {
  readonly url: string;
  readonly pid: number;
  /** The folder of state. */
  readonly state: string;
}

/** What the local server is doing, seen from one window. */
export type LocalServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting'; readonly lines: number }
  /** In a thread of this process. */
  | { readonly kind: 'running'; readonly at: ServerPlace; readonly data: string | undefined; readonly isEmpty: boolean }
  /** In another process, which alone can stop it. */
  | { readonly kind: 'attached'; readonly at: ServerPlace }
  | { readonly kind: 'stopping'; readonly at: ServerPlace }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

type Kind = LocalServerState['kind'];

/** Which state may follow which. Reading data goes from `starting` to `starting`. */
const NEXT: Readonly<Record<Kind, readonly Kind[]>> = {
  stopped: ['starting', 'attached'],
  starting: ['starting', 'running', 'attached', 'stopped', 'failed'],
  running: ['stopping', 'failed'],
  attached: ['stopped'],
  stopping: ['stopped', 'failed'],
  failed: ['starting', 'attached', 'stopped'],
};

/** Interval between two checks whether the server of another process still runs: each reads two small files. */
const WATCH_MS = 1_000;

export interface LocalServerDependencies {
  /** The bundled entry of the server's thread. */
  readonly thread: URL;
  readonly logger: Logger;
  readonly onState: (state: LocalServerState) => void;
}

export const localServerErrors = {
  notRunning: (state: string): SextantError =>
    new SextantError(
      'NoServer',
      `No server was found for ${state}. Start one by "sextant serve" or in the editor; on a full or read-only disk, free space or allow writing first.`,
    ),
  notOwn: (pid: number): SextantError =>
    new SextantError('NotOwnServer', `Process ${pid} runs the server. Stop it there: in that window, or by Ctrl-C.`),
};

/**
 * The server of a window: in a thread of its own, or that of another process where one has the state folder already. Requests
 * run in turn; a stop cancels a start that is still under way.
 */
export class LocalServer {
  readonly #edges: LocalServerDependencies;
  #state: LocalServerState = { kind: 'stopped' };
  #info: ServerInfo | undefined;
  #thread: RestartingWorker<ServerMethods, ServerEvents> | undefined;
  #starting: AbortController | undefined;
  #watch: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(edges: LocalServerDependencies) {
    this.#edges = edges;
  }

  get state(): LocalServerState {
    return this.#state;
  }

  /** How to reach the server, with its tokens; nothing where none runs. */
  get info(): ServerInfo | undefined {
    return this.#info;
  }

  /** Starts a server, or attaches to the one that another process has on the state folder. Throws as a start does, and `Cancelled`. */
  start(options: ThreadedServerOptions, signal?: AbortSignal): Promise<void> {
    return this.#inTurn(() => this.#start(options, signal));
  }

  /** Finishes what is in flight. Throws `NotOwnServer` where it runs in another process. */
  stop(): Promise<void> {
    this.#starting?.abort();
    return this.#inTurn(() => this.#stop());
  }

  restart(options: ThreadedServerOptions, signal?: AbortSignal): Promise<void> {
    this.#starting?.abort();
    return this.#inTurn(async () => {
      await this.#stop();
      await this.#start(options, signal);
    });
  }

  /** Uses the server that another process runs on a state folder, and starts none. Throws `NoServer`. */
  attach(state: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#info) return;
      await this.#endLost();
      const thread = this.#newThread(() => undefined);
      try {
        const info = findServer(state) && (await thread.caller().call('find', { state }));
        if (!info) throw localServerErrors.notRunning(state);
        this.#attached(info);
      } finally {
        await thread.stop();
      }
    });
  }

  /** Stops what is of this window, for ever. */
  async dispose(): Promise<void> {
    try {
      await this.stop();
    } catch (error) {
      // A server of another process goes on.
      if (!(error instanceof SextantError && error.code === 'NotOwnServer')) throw error;
    }
    clearInterval(this.#watch);
  }

  async #start(options: ThreadedServerOptions, signal: AbortSignal | undefined): Promise<void> {
    if (this.#info) return;
    await this.#endLost();
    const own = new AbortController();
    this.#starting = own;
    this.#setStep({ kind: 'starting', lines: 0 });
    const thread = this.#newThread((error) => this.#onDied(thread, options.state, error));
    try {
      const either = signal ? AbortSignal.any([own.signal, signal]) : own.signal;
      const { info, isOwn, isEmpty } = await thread.caller().call('start', options, either);
      if (isOwn) {
        this.#thread = thread;
        this.#info = info;
        this.#setStep({ kind: 'running', at: placeOf(info), data: options.data, isEmpty });
      } else {
        await thread.stop();
        this.#attached(info);
      }
    } catch (error) {
      await endThread(thread, options.state);
      this.#setStep(isCancelled(error) ? { kind: 'stopped' } : failed(error));
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  async #stop(): Promise<void> {
    const { state } = this;
    if (state.kind === 'attached') throw localServerErrors.notOwn(state.at.pid);
    const thread = this.#thread;
    if (state.kind === 'failed' && thread) {
      await this.#endLost();
      this.#setStep({ kind: 'stopped' });
    }
    if (state.kind !== 'running' || !thread) return;
    this.#setStep({ kind: 'stopping', at: state.at });
    this.#thread = undefined;
    this.#info = undefined;
    try {
      await thread.caller().call('stop', {});
      await endThread(thread, state.at.state);
      this.#setStep({ kind: 'stopped' });
    } catch (error) {
      await endThread(thread, state.at.state);
      this.#setStep(failed(error));
      throw error;
    }
  }

  #attached(info: ServerInfo): void {
    this.#info = info;
    this.#setStep({ kind: 'attached', at: placeOf(info) });
    this.#watch = setInterval(() => {
      const found = findServer(info.state);
      if (found?.pid === info.pid && found.url === info.url) return;
      clearInterval(this.#watch);
      this.#info = undefined;
      this.#edges.logger.info(`The server of process ${info.pid} has ended.`);
      this.#setStep({ kind: 'stopped' });
    }, WATCH_MS).unref();
  }

  /** Of a server that ran; the call that starts it reports what happens before. */
  #onDied(thread: RestartingWorker<ServerMethods, ServerEvents>, folder: string, error: SextantError): void {
    if (this.#thread !== thread) return;
    Lease.releaseOwn(folder);
    this.#thread = undefined;
    this.#info = undefined;
    // Of a server that lost its state, that stays the reason.
    if (this.#state.kind !== 'failed') this.#setStep(failed(error));
  }

  /** The thread goes on answering 503, which tells clients more than a closed port, until the next start, attachment or stop. */
  #onLost(thread: RestartingWorker<ServerMethods, ServerEvents>, error: SextantError): void {
    if (this.#thread !== thread) return;
    this.#info = undefined;
    this.#setStep(failed(error));
  }

  async #endLost(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.stop();
  }

  #newThread(died: (error: SextantError) => void): RestartingWorker<ServerMethods, ServerEvents> {
    const { thread, logger } = this.#edges;
    const created = new RestartingWorker<ServerMethods, ServerEvents>(thread, logger, {
      // What it kept in memory is lost with it: its user decides.
      restarts: 0,
      started: (caller) => {
        caller.on('log', ({ level, message }) => logger[level](message));
        caller.on('lost', ({ code, message }) => this.#onLost(created, new SextantError(code, message)));
        caller.on('progress', ({ lines }) => {
          if (this.#state.kind === 'starting') this.#setStep({ kind: 'starting', lines });
        });
      },
      died,
    });
    return created;
  }

  #setStep(state: LocalServerState): void {
    if (!NEXT[this.#state.kind].includes(state.kind))
      throw new Error(`The local server cannot be ${state.kind} after ${this.#state.kind}.`);
    this.#state = state;
    this.#edges.onState(state);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work);
    // The caller handles the error; the next request runs all the same.
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function placeOf({ url, pid, state }: ServerInfo): ServerPlace {
  return { url, pid, state };
}

function failed(error: unknown): LocalServerState {
  const code = error instanceof SextantError ? error.code : (systemCode(error) ?? 'Internal');
  return { kind: 'failed', code, message: describeError(error) };
}

/** A thread that is ended in the middle of something leaves its lease behind. */
async function endThread(thread: RestartingWorker<ServerMethods, ServerEvents>, folder: string): Promise<void> {
  await thread.stop();
  Lease.releaseOwn(folder);
}
