import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { SextantError, describeError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { Caller } from '../../base/rpc.ts';
import { workerChannel } from '../../base/workerChannel.ts';
import type { DocumentId } from '../documentId.ts';

/** Documents whose UTF-8 text stands one after the other in memory that both threads see. */
export interface Batch {
  readonly text: SharedArrayBuffer;
  readonly documents: readonly BatchedDocument[];
  /** Where to write a segment if it is full with them. */
  readonly file: string;
}

export interface BatchedDocument {
  readonly id: DocumentId;
  readonly path: string;
  /** Where its text is, in bytes. */
  readonly start: number;
  readonly end: number;
}

export interface SegmentThreadMethods {
  /** Analyses documents. Tells whether a segment was written: of these and of those before them. */
  add(batch: Batch): boolean;
  /** Writes a segment of what was added since the last, and tells so, unless it is nothing. */
  write(file: string): boolean;
  /** Forgets what was added since the last segment. */
  drop(argument: undefined): void;
}

/** The thread's entry stands beside the bundle; in the sources, beside this file. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './segmentThread.ts' : './segmentThread.js', import.meta.url);

/** The thread that reads the documents analyses as well, so one less than there are processors; more would wait for it. */
const MAX_THREADS = 3;
const BYTES_BEFORE_START = 12 << 20;
const BYTES_BEFORE_USE = 1 << 20;
/** What a thread keeps is in few arrays; more room for its short-lived objects would only make the process larger. */
const YOUNG_MEGABYTES = 24;
/** Batches that a thread may have waiting. */
const QUEUED = 3;
/** Threads that nobody needs end after this time: their memory is of use to others. */
const IDLE_MS = 2_000;
/** A thread that dies is started again, but not for ever: what kills it may be in the documents. */
const MAX_DEATHS = 3;

/** How many threads, and for how much work. */
export interface SegmentThreadsOptions {
  readonly logger?: Logger;
  /** How many threads; by default as many as are of use on this machine, which on one with a single processor is none. */
  readonly count?: number;
  /** How many bytes of text an apply must have before the threads start: 12 MB by default, half a second's work. */
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

  /** Whether it is worth while to {@link acquire} for an apply of so much text; of threads that run, use is made sooner. @internal */
  isWorthwhile(bytes: number): boolean {
    return bytes > (this.areRunning ? Math.min(BYTES_BEFORE_USE, this.#bytesBeforeStart) : this.#bytesBeforeStart);
  }

  /** The threads, for one apply; unless there are none, to be given back by {@link release}. None while another has them. @internal */
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
    // Whoever needs threads from now on gets others than these.
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

/** One thread, and what it has to do. */
export class SegmentThread {
  readonly #worker: Worker;
  readonly #caller: Caller<SegmentThreadMethods, object>;
  #waiting = 0;
  #stopping = false;

  constructor(logger: Logger, onExit: (died: boolean) => void) {
    const worker = new Worker(ENTRY, {
      name: 'sextant-segments',
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#worker = worker;
    this.#caller = new Caller(workerChannel(worker));
    let reason = 'it ended';
    worker.unref();
    worker.on('error', (error) => (reason = describeError(error)));
    worker.stderr.on('data', (text: Buffer) => logger.warn(text.toString().trimEnd()));
    worker.on('exit', () => {
      this.#caller.close(new SextantError('ThreadDied', `A thread that analyses documents stopped: ${reason}.`));
      onExit(!this.#stopping);
    });
  }

  /** Whether another batch would soon be begun with. */
  get hasRoom(): boolean {
    return this.#waiting < QUEUED;
  }

  /** Rejects with `ThreadDied`, as the others do. */
  add(batch: Batch): Promise<boolean> {
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

  /** The process may end while a thread waits, but not while somebody waits for a thread. */
  async #keepAwake<T>(call: () => Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#worker.ref();
    try {
      return await call();
    } finally {
      if (--this.#waiting === 0) this.#worker.unref();
    }
  }
}
