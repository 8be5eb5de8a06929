import { SextantError } from '../../base/errors.ts';
import { Thread } from '../../workspace/thread.ts';
import type { ServeOptions } from './serve.ts';
import { logTo, type ExitCode, type Output, type Terminal } from '../terminal.ts';

/** What the thread of `sextant serve` is told. */
export interface ServeMethods {
  /** Gives the exit code once it has stopped. */
  run(request: ServeRequest): Promise<ExitCode>;
  /** Ctrl-C. */
  stop(nothing: object): void;
}

export interface ServeRequest {
  readonly options: ServeOptions;
  readonly version: string;
  /** What standard error is. */
  readonly stderr: Pick<Output, 'isTTY' | 'columns'>;
}

export interface ServeEvents {
  readonly print: { readonly to: 'stdout' | 'stderr'; readonly text: string };
}

/** What is in flight has ten seconds; one that takes longer than this does nothing any more. */
const STOP_LIMIT_MS = 20_000;
const KILL_AFTER_MS = 2_000;

/**
 * `sextant serve` in a thread of its own, as in the editor: only for a thread can one say how much V8 may take for objects that
 * live for a moment. By itself it takes 134 MB for them on Node 24, of which the server gains nothing, and a flag of the
 * command line would be the user's to give: set while the process runs it is ignored.
 */
export async function runThreadedServe(options: ServeOptions, terminal: Terminal, version: string): Promise<ExitCode> {
  const { stderr, signal } = terminal;
  // What ends the thread is told by the call.
  const logger = { ...logTo(stderr), error: () => undefined };
  const thread = new Thread<ServeMethods, ServeEvents>(new URL('./serveThread.js', import.meta.url), logger, {
    restarts: 0,
  });
  const caller = thread.caller();
  caller.on('print', ({ to, text }) => void terminal[to].write(text));
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    terminal.stderr.write(`sextant: The server did not stop in ${STOP_LIMIT_MS / 1000} seconds, and is ended.\n`);
    void thread.stop();
    // A thread that waits for the system, as for a pipe that nobody writes to, cannot be ended by itself.
    timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), KILL_AFTER_MS);
  };
  const stop = (): void => {
    caller.call('stop', {}).catch(ignoreEnded);
    timer = setTimeout(end, STOP_LIMIT_MS);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    const { isTTY, columns } = stderr;
    return await caller.call('run', { options, version, stderr: { isTTY, columns } });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await thread.stop();
  }
}

/** One that has stopped meanwhile need not be told to. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof SextantError)) throw error;
}
