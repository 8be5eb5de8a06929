import { SextantError } from '../../base/errors.ts';
import { formatCount, formatDuration } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import { SegmentThreads } from '../../engine/index/segmentThreads.ts';
import { FolderIndex } from '../../workspace/folderIndex.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from '../../workspace/folderOptions.ts';
import { reportDamage } from '../../workspace/ownerState.ts';
import { PaceMeter, type IndexingPace } from '../../workspace/pace.ts';
import { encodingsInSettings } from '../../workspace/settingsFile.ts';
import type { FolderStatus } from '../../workspace/status.ts';
import { LogFile } from './logFile.ts';
import { siblingsFolder } from './stateFolder.ts';
import { logTo, ProgressLine, type Terminal } from '../terminal.ts';

export function folderOptions(root: string, stateFolder: string): FolderOptions {
  const siblings = siblingsFolder(stateFolder);
  const encodings = encodingsInSettings(root);
  const own = { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES, encodings };
  return siblings === undefined ? own : { ...own, siblings };
}

/**
 * Brings a folder's index up to date, with progress on a terminal. Returns the status, or a sentence that names the other
 * process that keeps the index, which may be behind then. With `verify` the index is checked for damage and repaired instead.
 * With `settle` it is merged as well, which takes seconds after many changes and makes searches faster.
 */
export async function updateIndex(
  options: FolderOptions,
  terminal: Terminal,
  { verify = false, settle = false } = {},
): Promise<{ readonly status: FolderStatus } | { readonly busy: string }> {
  const progress = new ProgressLine(terminal.stderr);
  const meter = new PaceMeter(() => performance.now());
  const logger = logAndKeep(terminal.stderr, options.stateFolder);
  const threads = new SegmentThreads({ logger });
  let index: FolderIndex;
  try {
    index = FolderIndex.open(options, {
      logger,
      threads,
      now: Date.now,
      onStatus: (status) => progress.show(describe(status, meter.update(status.state))),
    });
  } catch (error) {
    if (!(error instanceof SextantError) || error.code !== 'IndexBusy') throw error;
    if (verify) reportDamage(options.stateFolder);
    return { busy: error.message };
  }
  try {
    if (verify) await index.verify(terminal.signal);
    else await index.reconcile(terminal.signal);
    if (settle) await index.settle(terminal.signal);
    const status = index.status();
    logger.info(`${options.root}: ${status.files} files are indexed.`);
    return { status };
  } finally {
    await index.close();
    await threads.close();
    progress.clear();
  }
}

/** Parts of the progress line, the most important first. */
function describe({ state }: FolderStatus, pace: IndexingPace | undefined): string[] {
  if (state.kind !== 'indexing') return ['Looking for files'];
  const percent = Math.floor((100 * state.done) / Math.max(1, state.total));
  const parts = [`Indexing: ${percent} % of ${formatCount(state.total)} files`];
  if (pace) {
    parts.push(
      `${formatDuration(pace.secondsLeft)} left`,
      `${formatCount(Number(pace.filesPerSecond.toPrecision(2)))} files/s`,
    );
  }
  return parts;
}

/** Writes warnings and errors to the stream, and all messages to the log file for `sextant doctor`. */
export function logAndKeep(stream: NodeJS.WriteStream, stateFolder: string): Logger {
  const file = new LogFile(stateFolder, () => new Date());
  const said = logTo(stream);
  return {
    debug: () => undefined,
    info: (message) => file.write('info', message),
    warn: (message) => {
      file.write('warn', message);
      said.warn(message);
    },
    error: (message) => {
      file.write('error', message);
      said.error(message);
    },
  };
}
