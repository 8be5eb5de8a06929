/**
 * Entry of the command. It imports little: it prints the version, or enables the compile cache, before the modules of the
 * commands are loaded.
 */
import { fstatSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import module from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import envPaths from 'env-paths';
import { END_SIGNALS } from '../base/endSignals.ts';

declare const SEXTANT_VERSION: string;

/** `ExitCode.failed`, whose module is loaded later. */
const FAILED = 2;
/** Several times what the compile cache of all commands takes. */
const LEAST_FREE_BYTES = 16_000_000;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes early, as in `sextant search … | head`, is no failure.
  if (error.code === 'EPIPE') process.exit(0);
  writeSync(2, `sextant: The output is incomplete. Free some space, or write elsewhere. (${error.message})\n`);
  process.exit(FAILED);
});
// No process reads the messages any more, and the work goes on without them.
process.stderr.on('error', () => undefined);

const [, , first = '', ...others] = process.argv;
if (others.length === 0 && (first === '--version' || first === '-V')) process.stdout.write(`${SEXTANT_VERSION}\n`);
else await run();

async function run(): Promise<void> {
  const controller = new AbortController();
  for (const signal of END_SIGNALS) process.once(signal, () => controller.abort());
  // By their specification relative paths are ignored; they would be folders of the workspace.
  for (const name of ['XDG_CACHE_HOME', 'XDG_DATA_HOME'])
    if (!isAbsolute(process.env[name] ?? '/')) process.env[name] = '';
  keepCompiled();
  const { main } = await import('./main.ts');
  const { stdout } = process;
  // Node's stream of a file drops in silence what a nearly full disk has no room for.
  if (!stdout.isTTY && fstatSync(1).isFile())
    stdout._write = (chunk: Uint8Array, _encoding, done) => {
      try {
        writeFileSync(1, chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    };
  process.exitCode = await main(process.argv, {
    stdout,
    stderr: process.stderr,
    get stdin() {
      return process.stdin;
    },
    signal: controller.signal,
  });
  // A socket that still connects would keep an interrupted command for seconds.
  if (controller.signal.aborted) stdout.write('', () => process.stderr.write('', () => process.exit()));
}

/**
 * Enables Node's compile cache, in the user's cache folder: compiling takes half of the processor time of a short command. Node
 * 20 has no such cache. If the folder cannot be written, Node compiles as usual; on a full disk it leaves an empty file for each
 * module of each run.
 */
function keepCompiled(): void {
  const { enableCompileCache } = module as Partial<Pick<typeof module, 'enableCompileCache'>>;
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const { cache } = envPaths('sextant', { suffix: '' });
  if (freeBytes(cache) > LEAST_FREE_BYTES) enableCompileCache?.(join(cache, 'compiled'));
}

/** Free space on the disk of a folder, which may not be there yet. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // It is not there yet, or cannot be seen: then the folder around it counts.
    return dirname(folder) === folder ? 0 : freeBytes(dirname(folder));
  }
}
