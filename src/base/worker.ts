import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker, type MessagePort } from 'node:worker_threads';
import { END_SIGNALS } from './endSignals.ts';
import { describeError } from './errors.ts';
import type { Logger } from './log.ts';
import type { Channel } from './rpc.ts';

/** A thread or process that runs a module of this program. */
export interface RunningWorker {
  readonly kind: 'thread' | 'process';
  readonly channel: Channel;
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>;
  /** Ends it at once, whatever it is doing. */
  end(): Promise<void>;
}

/** Starts the module `entry` as a worker. What it prints as errors is logged. */
export type StartWorker = (entry: URL, logger: Logger) => RunningWorker;

/** By default V8 takes 100 MB for a thread's short-lived objects, and is no faster. */
const YOUNG_MEGABYTES = 32;
/** A third of it; indexing is no faster with four times as much. */
const SEMI_SPACE_MEGABYTES = 4;

/** Starts a thread with its room for short-lived objects; {@link startThread} where nothing else is needed of it. */
export function openThread(
  entry: URL,
  logger: Logger,
  name: string,
  maxYoungGenerationSizeMb: number,
): { readonly worker: Worker; readonly ended: Promise<string> } {
  // Output of libraries must not reach the extension host's own streams.
  const worker = new Worker(entry, {
    name,
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  let reason = 'it ended';
  worker.on('error', (error) => (reason = describeError(error)));
  worker.stderr.on('data', (text: Buffer) => logger.warn(text.toString().trimEnd()));
  return { worker, ended: new Promise((resolve) => void worker.on('exit', () => resolve(reason))) };
}

export const startThread: StartWorker = (entry, logger) => {
  const { worker, ended } = openThread(entry, logger, 'sextant', YOUNG_MEGABYTES);
  return {
    kind: 'thread',
    channel: workerChannel(worker),
    ended,
    end: async () => void (await worker.terminate()),
  };
};

/** A process returns all of its memory when it ends, which a thread does not: the C library keeps much of it for the next one. */
export const startProcess: StartWorker = (entry, logger) => {
  const child = fork(fileURLToPath(entry), {
    execArgv: [`--max-semi-space-size=${SEMI_SPACE_MEGABYTES}`],
    // The editor's program is Electron, which is Node only on request. Options for Node are the caller's.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: undefined },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.on('data', (text: Buffer) => logger.warn(text.toString().trimEnd()));
  const ended = new Promise<string>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? `it ended by ${signal}` : `it ended with code ${code}`));
    // It could not be started.
    child.on('error', (error) => resolve(describeError(error)));
  });
  return {
    kind: 'process',
    channel: {
      // Whether it has ended is known by `ended`.
      send: (message) => void child.send(message as object, () => undefined),
      listen: (receive) => void child.on('message', receive),
    },
    ended,
    end: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

/** The channel of a worker to what started it. A process ends when its parent does, and not by a signal meant for both. */
export function parentChannel(): Channel {
  if (parentPort) return workerChannel(parentPort);
  if (!process.send) throw new Error('This module is the entry of a worker.');
  for (const signal of END_SIGNALS) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
  return {
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    listen: (receive) => void process.on('message', receive),
  };
}

/** A thread, seen from either side. */
export function workerChannel(port: Worker | MessagePort): Channel {
  return {
    send: (message) => port.postMessage(message),
    listen: (receive) => void port.on('message', receive),
  };
}
