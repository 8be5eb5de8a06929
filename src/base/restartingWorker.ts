import { SextantError } from './errors.ts';
import type { Logger } from './log.ts';
import { RpcCaller, type Methods } from './rpc.ts';
import { startThread, type RunningWorker, type StartWorker } from './worker.ts';

/** A worker that dies is restarted, but not for ever: its files may kill it again. */
const RESTARTS = 3;
/** Time that one must have lived for its end to count as the first one. */
const LONG_MS = 600_000;

export interface RestartingWorkerOptions<M extends Methods<M>, E> {
  /** By default a thread. */
  readonly start?: StartWorker;
  readonly started?: (caller: RpcCaller<M, E>) => void;
  readonly died?: (error: SextantError) => void;
  /** Number of restarts after it dies. */
  readonly restarts?: number;
  /** Milliseconds; {@link LONG_MS} by default. */
  readonly longMs?: number;
}

/** A worker and the calls to it. It starts when first needed and restarts if it dies. */
export class RestartingWorker<M extends Methods<M>, E> {
  readonly #entry: URL;
  readonly #logger: Logger;
  readonly #options: RestartingWorkerOptions<M, E>;
  #worker: RunningWorker | undefined;
  #caller: RpcCaller<M, E> | undefined;
  #restarts = 0;
  #stopped = false;
  /** Why it is not started any more. */
  #givenUp: SextantError | undefined;

  constructor(entry: URL, logger: Logger, options: RestartingWorkerOptions<M, E>) {
    this.#entry = entry;
    this.#logger = logger;
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#caller !== undefined;
  }

  caller(): RpcCaller<M, E> {
    if (this.#caller) return this.#caller;
    if (this.#stopped) throw this.#givenUp ?? new SextantError('Stopped', 'Sextant is shutting down.');
    const worker = (this.#options.start ?? startThread)(this.#entry, this.#logger);
    const began = performance.now();
    const caller = new RpcCaller<M, E>(worker.channel);
    void worker.ended.then((reason) => this.#onEnd(worker, caller, reason, performance.now() - began));
    this.#worker = worker;
    this.#caller = caller;
    this.#options.started?.(caller);
    return caller;
  }

  /** Ends the worker, which frees its memory, and starts another. Running calls fail; close their folders first. */
  async renew(): Promise<void> {
    const worker = this.#worker;
    this.#worker = this.#caller = undefined;
    await worker?.end();
    if (!this.#stopped) this.caller();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#worker?.end();
  }

  #onEnd(worker: RunningWorker, caller: RpcCaller<M, E>, reason: string, livedMs: number): void {
    const error = new SextantError('ThreadDied', `A ${worker.kind} of Sextant stopped: ${reason}. See the log.`);
    caller.close(error);
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#caller = undefined;
    if (this.#stopped) return;
    if (livedMs >= (this.#options.longMs ?? LONG_MS)) this.#restarts = 0;
    this.#stopped = ++this.#restarts > (this.#options.restarts ?? RESTARTS);
    if (this.#stopped) {
      const advice = 'start Sextant again, in an editor by a reload of the window.';
      const message = `${error.message} It stopped too often to be started once more: ${advice}`;
      this.#givenUp = new SextantError(error.code, message);
    }
    const reported = this.#givenUp ?? error;
    this.#logger.error(reported.message);
    this.#options.died?.(reported);
    if (!this.#stopped) this.caller();
  }
}
