import { setTimeout } from 'node:timers/promises';
import { SextantError, throwIfCancelled } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { FolderOptions } from '../../workspace/folderOptions.ts';
import {
  compareWithFolder,
  readContents,
  writerOf,
  type Difference,
  type IndexContents,
} from '../../workspace/folderReport.ts';
import type { FolderStatus } from '../../workspace/status.ts';
import type { Terminal } from '../terminal.ts';
import { updateIndex } from './updateIndex.ts';

/** The wait between two comparisons of the folder with an index that another process keeps. */
const COMPARE_MS = 1_000;
/** The wait between two checks whether that process has freed the index. */
const FREED_MS = 200;
/** The share of a processor that comparisons may take. */
const COMPARE_SHARE = 0.2;
/** How long the other process may change nothing. An idle editor finds a change in 10 seconds, on battery in less than this. */
const PATIENCE_MS = 60_000;

/** An index that is up to date: updated here, or by the process that keeps it. */
export type UpToDate =
  | { readonly status: FolderStatus }
  | { readonly keptBy: string; readonly contents: IndexContents; readonly difference: Difference };

/**
 * Brings a folder's index up to date. If another process keeps it, waits until that process has updated it or has ended, and
 * then does the rest. Throws `IndexBehind` if the other process changes nothing for `patienceMs`.
 */
export async function updateOrAwait(
  options: FolderOptions,
  terminal: Terminal,
  patienceMs = PATIENCE_MS,
): Promise<UpToDate> {
  for (let isFirst = true; ; isFirst = false) {
    const result = await updateIndex(options, terminal, { settle: true });
    if ('status' in result) return result;
    if (isFirst) {
      const until = 'Waiting until it ends or the index is up to date.';
      terminal.stderr.write(`sextant: ${result.busy} ${until}\n`);
    }
    const kept = await awaitOther(options, result.busy, terminal.signal, patienceMs);
    if (kept) return kept;
  }
}

/** Waits for the other process; `undefined` once it has freed the index. */
async function awaitOther(
  options: FolderOptions,
  keptBy: string,
  signal: AbortSignal,
  patienceMs: number,
): Promise<UpToDate | undefined> {
  let seen = '';
  let patientUntil = 0;
  for (;;) {
    const began = performance.now();
    const difference = await compareWithFolder(options, signal);
    const contents = readContents(options.stateFolder);
    const { added, changed, removed } = difference;
    if (added + changed + removed + contents.damage.length === 0) return { keptBy, contents, difference };
    const now = performance.now();
    const progress = JSON.stringify([added, changed, removed, contents.files, contents.indexBytes]);
    if (progress !== seen) patientUntil = now + patienceMs;
    seen = progress;
    if (now >= patientUntil) throw indexBehind(options, keptBy, difference);
    for (const again = now + Math.max(COMPARE_MS, (now - began) / COMPARE_SHARE); performance.now() < again;) {
      if (!writerOf(options.stateFolder)) return undefined;
      await setTimeout(FREED_MS);
      throwIfCancelled(signal);
    }
  }
}

function indexBehind({ root }: FolderOptions, keptBy: string, { added, changed, removed }: Difference): SextantError {
  const counts = [`${formatCount(added)} new`, `${formatCount(changed)} changed`, `${formatCount(removed)} removed`];
  const files = counts.filter((text) => !text.startsWith('0 ')).join(', ') || 'damage that is not repaired';
  return new SextantError(
    'IndexBehind',
    `${keptBy} It has not brought the index of ${root} up to date: ${files}. End that process, or resume indexing in it, and try again.`,
  );
}
