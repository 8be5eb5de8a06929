import { styleText } from 'node:util';
import { Searcher } from '../../workspace/searcher.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';
import { formatProblems } from './queryProblems.ts';
import { shownPathIn, whyNotUpdated, withoutRoot } from './search.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { folderOptions } from './updateIndex.ts';

export interface FindUsagesOptions {
  readonly json?: true;
  readonly state?: string;
  /** False: use the index as it is, without a scan for changed files. */
  readonly update: boolean;
}

export const FIND_USAGES_HELP = `
It goes by the name alone: two things of the same name are not distinguished. Files that define the name come first.

Output: path:line:column: kind, the line, and the definition around it; a kind is definition, import, call, reference, comment, string
or prose.

Examples:
  sextant find-usages parseQuery
  sextant find-usages Foo.bar ~/projects/shop --json

Exit codes: 0 found, 1 nothing found, 2 failed or wrong usage, 130 interrupted.`;

/** `sextant find-usages NAME [DIR]` */
export async function runFindUsages(
  name: string,
  folder: string,
  options: FindUsagesOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const root = resolveFolder(folder);
  const stateFolder = stateFolderOf(root, options.state);
  if (options.update) {
    const why = await whyNotUpdated(folderOptions(root, stateFolder), terminal);
    if (why !== undefined) terminal.stderr.write(`sextant: ${why} Searching the index as it is.\n`);
  }
  const searcher = new Searcher();
  try {
    const found = await searcher.usages({ folders: [{ root, stateFolder }], name, isTrusted: true }, terminal.signal);
    const { usages, files, isComplete, problems } = found;
    if (options.json) {
      printJson({ name, root, total: usages.length, files, isComplete, usages: usages.map(withoutRoot) }, terminal);
    } else {
      if (problems.length > 0) terminal.stderr.write(formatProblems(name, problems));
      for (const { path, line, column, kind, within, text } of usages) {
        const place = `${styleText('cyan', shownPathIn(folder, path), { stream: process.stdout })}:${line}:${column}:`;
        const around =
          within === undefined ? '' : styleText('dim', `  in ${printable(within)}`, { stream: process.stdout });
        terminal.stdout.write(`${place} ${kind}: ${printable(text)}${around}\n`);
      }
      if (usages.length === 0) terminal.stderr.write(`Nothing in ${root} has the name ${name}\n`);
      if (!isComplete) terminal.stderr.write('sextant: Not all files were read, since too many have the name.\n');
    }
    return usages.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  } finally {
    searcher.close();
  }
}
