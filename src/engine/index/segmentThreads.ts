import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { SextantError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { RpcCaller } from '../../base/rpc.ts';
import { openThread, workerChannel } from '../../base/worker.ts';
import type { DocumentId } from '../documentId.ts';

/** Documents whose UTF-8 text stands one after the other in memory that both threads see. */
export interface DocumentBatch {
  readonly text: SharedArrayBuffer;
  readonly documents: readonly BatchedDocument[];
  /** Path of the segment to write if these documents fill one. */
  readonly file: string;
}

export interface BatchedDocument {
  readonly id: DocumentId;
  readonly path: string;
  /** Range of its text, in bytes. */
  readonly start: number;
  readonly end: number;
}

export interface SegmentThreadMethods {
  /** Analyses documents. Returns whether a segment was written, of them and the ones before. */
  add(batch: DocumentBatch): boolean;
  /** Writes a segment of the documents added since the last one. Returns whether there were any. */
  write(file: string): boolean;
  /** Forgets the documents added since the last segment. */
  drop(argument: undefined): void;
}

/** The thread's entry is beside the bundle; in the sources, beside this file. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './segmentThread.ts' : './segmentThread.js', import.meta.url);

/** One thread less than processors, since the thread that reads the documents analyses as well; more would wait for it. */
const MAX_THREADS = 3;
const BYTES_BEFORE_START = 12 << 20;
const BYTES_BEFORE_USE = 1 << 20;
/** A thread keeps its data in few arrays; more room for short-lived objects would only enlarge the process. */
const YOUNG_MEGABYTES = 24;
/** Batches that a thread may have waiting. */
const QUEUED = 3;
/** Time after which idle threads end and free their memory. */
const IDLE_MS = 2_000;
/** A thread that dies is started again, but not for ever: what kills it may be in the documents. */
const MAX_DEATHS = 3;

/** Number of threads, and the work that is worth starting them. */
export interface SegmentThreadsOptions {
  readonly logger?: Logger;
  /** Number of threads; by default as many as are of use on this machine: none with a single processor. */
  readonly count?: number;
  /** Bytes of text that an apply must have before the threads start: 12 MB by default, half a second's work. */
  readonly bytesBeforeStart?: number;
}

/**
 * Threads that analyse documents for any number of engines of this process, one apply at a time. They start when an apply
 * turns out to be large, and end by themselves.
 */
export class SegmentThreads {
  readonly #logger: Logger;
  readonly #count: number;
  readonly #threads = new Set<SegmentThread>();
  readonly #bytesBeforeStart: number;
  #acquired = false;
  #deaths = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor({ logger = silentLogger, count, bytesBeforeStart = BYTES_BEFORE_START }: SegmentThreadsOptions = {}) {
    this.#logger = logger;
    this.#bytesBeforeStart = bytesBeforeStart;
    this.#count = count ?? Math.min(MAX_THREADS, availableParallelism() - 1);
  }

  /** Whether threads run. */
  get areRunning(): boolean {
    return this.#threads.size > 0;
  }

  /** Whether to {@link acquire} threads for an apply with this much text; running threads are used sooner. @internal */
  isWorthwhile(bytes: number): boolean {
    return bytes > (this.areRunning ? Math.min(BYTES_BEFORE_USE, this.#bytesBeforeStart) : this.#bytesBeforeStart);
  }

  /** The threads, for one apply, until {@link release}; none while another apply has them. @internal */
  acquire(): readonly SegmentThread[] {
    if (this.#acquired || this.#deaths >= MAX_DEATHS || this.#count < 1) return [];
    this.#acquired = true;
    clearTimeout(this.#idle);
    while (this.#threads.size < this.#count) this.#start();
    return [...this.#threads];
  }

  /** @internal */
  release(): void {
    this.#acquired = false;
    this.#idle = setTimeout(() => void this.close(), IDLE_MS);
    this.#idle.unref();
  }

  /** Ends the threads; they start again when they are needed. An apply that has them fails. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const threads = [...this.#threads];
    // The next apply gets new threads.
    this.#threads.clear();
    await Promise.all(threads.map((thread) => thread.stop()));
  }

  #start(): void {
    const thread = new SegmentThread(this.#logger, (died) => {
      this.#threads.delete(thread);
      if (died) this.#deaths++;
    });
    this.#threads.add(thread);
  }
}

/** One thread and its work. */
export class SegmentThread {
  readonly #worker: Worker;
  readonly #caller: RpcCaller<SegmentThreadMethods, object>;
  #waiting = 0;
  #stopping = false;

  constructor(logger: Logger, onExit: (died: boolean) => void) {
    const { worker, ended } = openThread(ENTRY, logger, 'sextant-segments', YOUNG_MEGABYTES);
    this.#worker = worker;
    this.#caller = new RpcCaller(workerChannel(worker));
    worker.unref();
    void ended.then((reason) => {
      this.#caller.close(new SextantError('ThreadDied', `A thread that analyses documents stopped: ${reason}.`));
      onExit(!this.#stopping);
    });
  }

  /** Whether another batch would begin soon. */
  get hasRoom(): boolean {
    return this.#waiting < QUEUED;
  }

  /** Rejects with `ThreadDied`, as the others do. */
  add(batch: DocumentBatch): Promise<boolean> {
    return this.#keepAwake(() => this.#caller.call('add', batch));
  }

  write(file: string): Promise<boolean> {
    return this.#keepAwake(() => this.#caller.call('write', file));
  }

  drop(): Promise<void> {
    return this.#keepAwake(() => this.#caller.call('drop', undefined));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#worker.terminate();
  }

  /** The process may end while a thread is idle, but not while a caller waits for it. */
  async #keepAwake<T>(call: () => Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#worker.ref();
    try {
      return await call();
    } finally {
      if (--this.#waiting === 0) this.#worker.unref();
    }
  }
}
