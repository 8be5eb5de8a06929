import { parentPort } from 'node:worker_threads';
import { serve, type EmitEvent } from '../../base/rpc.ts';
import { workerChannel } from '../../base/workerChannel.ts';
import { runServe } from './serve.ts';
import type { ServeEvents, ServeMethods } from './threadedServe.ts';

/* Entry of the thread of `sextant serve`: see `runThreadedServe`. */

if (!parentPort) throw new Error('This module is the entry of a worker thread.');

const stopped = new AbortController();

const emit: EmitEvent<ServeEvents> = serve<ServeMethods, ServeEvents>(workerChannel(parentPort), {
  run({ options, version, stderr }) {
    const to = (stream: 'stdout' | 'stderr') => (text: string) => {
      emit('print', { to: stream, text });
    };
    const terminal = {
      stdout: { write: to('stdout') },
      stderr: { ...stderr, write: to('stderr') },
      signal: stopped.signal,
    };
    return runServe(options, terminal, version);
  },
  stop: () => stopped.abort(),
});
