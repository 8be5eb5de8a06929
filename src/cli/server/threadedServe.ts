import { SextantError } from '../../base/errors.ts';
import { RestartingWorker } from '../../base/restartingWorker.ts';
import type { ServeOptions } from './serve.ts';
import { logTo, type ExitCode, type Output, type Terminal } from '../terminal.ts';

/** The methods of the thread of `sextant serve`. */
export interface ServeMethods {
  /** Resolves to the exit code once the server has stopped. */
  run(request: ServeRequest): Promise<ExitCode>;
  /** Stops the server, as on Ctrl-C. */
  stop(nothing: object): void;
}

export interface ServeRequest {
  readonly options: ServeOptions;
  readonly version: string;
  /** Properties of standard error. */
  readonly stderr: Pick<Output, 'isTTY' | 'columns'>;
}

export interface ServeEvents {
  readonly print: { readonly to: 'stdout' | 'stderr'; readonly text: string };
}

/** Requests in flight have ten seconds; a server that takes longer than this hangs. */
const STOP_LIMIT_MS = 20_000;
const KILL_AFTER_MS = 2_000;

/**
 * Runs `sextant serve` in its own thread, as the editor does: only a thread can limit V8's space for short-lived objects. The
 * default is 134 MB on Node 24, without any gain for the server. A flag of Node would have to come from the user, since V8
 * ignores it once the process runs.
 */
export async function runThreadedServe(options: ServeOptions, terminal: Terminal, version: string): Promise<ExitCode> {
  const { stderr, signal } = terminal;
  // The call itself reports the error that ends the thread.
  const logger = { ...logTo(stderr), error: () => undefined };
  const thread = new RestartingWorker<ServeMethods, ServeEvents>(new URL('./serveThread.js', import.meta.url), logger, {
    restarts: 0,
  });
  const caller = thread.caller();
  caller.on('print', ({ to, text }) => void terminal[to].write(text));
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    terminal.stderr.write(`sextant: The server did not stop in ${STOP_LIMIT_MS / 1000} seconds, and is killed.\n`);
    void thread.stop();
    // A thread in a system call, such as a read of a pipe without a writer, ends only with the process.
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

/** Ignores a call to a thread that has stopped meanwhile. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof SextantError)) throw error;
}
