import { formatBytes } from '../base/format.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { ExitCode, type Terminal } from './terminal.ts';
import { folderOptions, updateIndex } from './updateIndex.ts';

export interface IndexOptions {
  readonly json?: true;
  readonly state?: string;
}

/** `sextant index [DIR]` */
export async function runIndex(folder: string, options: IndexOptions, terminal: Terminal): Promise<ExitCode> {
  const root = resolveFolder(folder);
  const began = performance.now();
  const result = await updateIndex(folderOptions(root, stateFolderOf(root, options.state)), terminal, { settle: true });
  const tookMs = Math.round(performance.now() - began);
  if ('busy' in result) {
    terminal.stderr.write(`sextant: ${result.busy} It keeps the index up to date.\n`);
    return ExitCode.ok;
  }
  const { files, skipped, indexBytes, repaired } = result.status;
  if (options.json) {
    terminal.stdout.write(`${JSON.stringify({ root, files, skipped, indexBytes, tookMs, repaired })}\n`);
    return ExitCode.ok;
  }
  const time = tookMs < 1000 ? `${tookMs} ms` : `${(tookMs / 1000).toFixed(1)} s`;
  terminal.stdout.write(`${files} files indexed in ${time}, ${formatBytes(indexBytes)} on disk.\n`);
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${REASONS[reason] ?? reason}`);
  if (reasons.length > 0) terminal.stdout.write(`Left out: ${reasons.join(', ')}.\n`);
  if (repaired) terminal.stdout.write(`Repaired: ${repaired.files} files were read again.\n`);
  return ExitCode.ok;
}

const REASONS: Readonly<Record<string, string>> = {
  excluded: 'excluded',
  ignored: 'ignored by .gitignore',
  tooLarge: 'over 1 MB',
  binary: 'binary',
  secret: 'keys or passwords',
  generated: 'generated',
  minified: 'minified',
  link: 'symbolic links',
  special: 'not regular files',
  unreadable: 'unreadable',
};
