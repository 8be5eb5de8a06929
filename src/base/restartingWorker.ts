import { Worker } from 'node:worker_threads';
import { SextantError, describeError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { RpcCaller, type Methods } from '../base/rpc.ts';
import { workerChannel } from '../base/workerChannel.ts';

/** A thread that dies is restarted, but not for ever: its files may kill it again. */
const RESTARTS = 3;

export interface ThreadOptions<M extends Methods<M>, E> {
  readonly started?: (caller: RpcCaller<M, E>) => void;
  readonly died?: (error: SextantError) => void;
  /** Number of restarts after it dies. */
  readonly restarts?: number;
}

/** A worker thread and the calls to it. It starts when first needed and restarts if it dies. */
export class Thread<M extends Methods<M>, E> {
  readonly #entry: URL;
  readonly #logger: Logger;
  readonly #options: ThreadOptions<M, E>;
  #worker: Worker | undefined;
  #caller: RpcCaller<M, E> | undefined;
  #restarts = 0;
  #stopped = false;

  constructor(entry: URL, logger: Logger, options: ThreadOptions<M, E>) {
    this.#entry = entry;
    this.#logger = logger;
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#caller !== undefined;
  }

  caller(): RpcCaller<M, E> {
    if (this.#caller) return this.#caller;
    if (this.#stopped) throw new SextantError('Stopped', 'Sextant is shutting down.');
    // Output of libraries must not reach the extension host's own streams.
    const worker = new Worker(this.#entry, {
      name: 'sextant',
      execArgv: [],
      stdout: true,
      stderr: true,
      // By default it takes 100 MB of the editor's process for short-lived objects, and is no faster.
      resourceLimits: { maxYoungGenerationSizeMb: 32 },
    });
    const caller = new RpcCaller<M, E>(workerChannel(worker));
    let reason = 'it ended';
    worker.on('error', (error) => (reason = describeError(error)));
    worker.stderr.on('data', (text: Buffer) => this.#logger.warn(text.toString().trimEnd()));
    worker.on('exit', () => this.#onExit(worker, caller, reason));
    this.#worker = worker;
    this.#caller = caller;
    this.#options.started?.(caller);
    return caller;
  }

  /** Ends the worker thread, which frees its memory, and starts another. Running calls fail; close their folders first. */
  renew(): void {
    const worker = this.#worker;
    this.#worker = this.#caller = undefined;
    this.caller();
    void worker?.terminate();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#worker?.terminate();
  }

  #onExit(worker: Worker, caller: RpcCaller<M, E>, reason: string): void {
    const error = new SextantError('ThreadDied', `A thread of Sextant stopped: ${reason}. See the log.`);
    caller.close(error);
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#caller = undefined;
    if (this.#stopped) return;
    this.#logger.error(error.message);
    this.#options.died?.(error);
    if (++this.#restarts <= (this.#options.restarts ?? RESTARTS)) this.caller();
    else this.#stopped = true;
  }
}
