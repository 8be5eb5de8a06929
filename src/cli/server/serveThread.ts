import { serve, type EmitEvent } from '../../base/rpc.ts';
import { parentChannel } from '../../base/worker.ts';
import { runServe } from './serve.ts';
import type { ServeEvents, ServeMethods } from './threadedServe.ts';

/* Entry of the thread of `sextant serve`: see `runThreadedServe`. */

const stopped = new AbortController();

const emit: EmitEvent<ServeEvents> = serve<ServeMethods, ServeEvents>(parentChannel(), {
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
