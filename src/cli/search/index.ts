import { formatBytes } from '../../base/format.ts';
import type { SkipReason } from '../../workspace/skip.ts';
import type { FolderStatus } from '../../workspace/status.ts';
import { listIndexes, removeIndex } from './indexes.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { ExitCode, type Terminal } from '../terminal.ts';
import { updateOrAwait, type UpToDate } from './awaitIndex.ts';
import { folderOptions } from './updateIndex.ts';

export interface IndexOptions {
  readonly json?: true;
  readonly list?: true;
  readonly remove?: true;
  readonly state?: string;
}

export const INDEX_HELP = `
Progress is shown on a terminal; in a file or a pipe as a line every 10 seconds. Ctrl-C keeps the index as of its last
commit, and the next run continues from there. If another process – an editor, or the same command – keeps the index, this
command waits until the index is up to date.

The folder of --state holds the index of one folder. If it has other files, or the index of another folder, the command
fails and changes nothing.

Examples:
  sextant index
  sextant index ~/projects/shop --json
  sextant index --list
  sextant index --remove ~/projects/shop

Exit codes: 0 the index is up to date, listed or removed; 1 nothing to list; 2 failed, wrong usage, or another process leaves the index behind; 130 interrupted.`;

/** `sextant index [DIR]` */
export async function runIndex(folder: string, options: IndexOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.list) return listIndexes(options.json === true, terminal);
  if (options.remove) return removeIndex(folder, options.state, options.json === true, terminal);
  const root = resolveFolder(folder);
  const began = performance.now();
  const result = await updateOrAwait(folderOptions(root, stateFolderOf(root, options.state)), terminal);
  const tookMs = Math.round(performance.now() - began);
  if ('keptBy' in result) terminal.stderr.write(`sextant: ${result.keptBy} It keeps the index up to date.\n`);
  const { files, skipped, indexBytes, repaired } = 'keptBy' in result ? ofOther(result) : result.status;
  if (options.json) {
    terminal.stdout.write(`${JSON.stringify({ root, files, skipped, indexBytes, tookMs, repaired })}\n`);
    return ExitCode.ok;
  }
  const time = tookMs < 1000 ? `${tookMs} ms` : `${(tookMs / 1000).toFixed(1)} s`;
  terminal.stdout.write(`${files} files indexed in ${time}, ${formatBytes(indexBytes)} on disk.\n`);
  const leftOut = describeSkipped(skipped);
  if (leftOut !== '') terminal.stdout.write(`Left out: ${leftOut}.\n`);
  if (files === 0)
    terminal.stderr.write('No file of this folder is indexed. "sextant status --skipped" lists the reasons.\n');
  if (repaired) terminal.stdout.write(`Repaired: ${repaired.files} files were read again.\n`);
  return ExitCode.ok;
}

type Reported = Pick<FolderStatus, 'files' | 'skipped' | 'indexBytes' | 'repaired'>;

/** The index of another process, in the form of an own status. */
function ofOther({ contents, difference }: Extract<UpToDate, { readonly keptBy: string }>): Reported {
  const skipped: Partial<Record<SkipReason, number>> = {};
  for (const { reason } of difference.skipped.values()) skipped[reason] = (skipped[reason] ?? 0) + 1;
  return { files: contents.files, skipped, indexBytes: contents.indexBytes };
}

/** How many files and folders are left out for which reason, the commonest first; empty if none is. */
export function describeSkipped(skipped: Readonly<Partial<Record<SkipReason, number>>>): string {
  const reasons = (Object.keys(REASONS) as SkipReason[]).filter((reason) => skipped[reason] !== undefined);
  reasons.sort((a, b) => skipped[b]! - skipped[a]!);
  return reasons.map((reason) => `${skipped[reason]!} ${REASONS[reason]}`).join(', ');
}

export const REASONS: Readonly<Record<SkipReason, string>> = {
  excluded: 'excluded',
  ignored: 'ignored by .gitignore',
  tooLarge: 'too large',
  binary: 'not text',
  secret: 'keys or passwords',
  generated: 'generated',
  minified: 'minified',
  link: 'symbolic links',
  special: 'not regular files',
  unreadable: 'unreadable',
};
