import { SextantError } from '../base/errors.ts';
import { Thread } from '../workspace/thread.ts';
import type { ServeOptions } from './serve.ts';
import { logTo, type ExitCode, type Output, type Terminal } from './terminal.ts';

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
  const stop = (): void => void caller.call('stop', {}).catch(ignoreEnded);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    const { isTTY, columns } = stderr;
    return await caller.call('run', { options, version, stderr: { isTTY, columns } });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.stop();
  }
}

/** One that has stopped meanwhile need not be told to. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof SextantError)) throw error;
}
