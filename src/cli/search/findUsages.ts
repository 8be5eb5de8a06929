import { join } from 'node:path';
import { Searcher } from '../../workspace/searcher.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';
import { formatProblems } from './queryProblems.ts';
import { Painter, type ColorChoice } from './painter.ts';
import { reportWhyNotUpdated, whyNoIndex } from './search.ts';
import { SearchScope } from './searchScope.ts';

export interface FindUsagesOptions {
  readonly color: ColorChoice;
  readonly json?: true;
  readonly state?: string;
  /** False: use the index as it is, without a scan for changed files. */
  readonly update: boolean;
}

export const FIND_USAGES_HELP = `
It goes by the name alone: two things of the same name are not distinguished. Files that define the name come first. In
languages that ignore case, such as Fortran, Pascal and SQL, so does the search.

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
  const scope = new SearchScope(folder, options.state);
  const { root } = scope;
  if (options.update) await reportWhyNotUpdated(scope.indexed, terminal);
  const searcher = new Searcher();
  try {
    const found = await searcher.usages({ folders: scope.folders, name, isTrusted: true }, terminal.signal);
    const { usages, files, isComplete, problems } = found;
    if (options.json) {
      const shown = usages.map((usage) => scope.withoutRoot(usage));
      printJson({ name, root, total: usages.length, files, isComplete, usages: shown }, terminal);
    } else {
      if (problems.length > 0) terminal.stderr.write(formatProblems(name, problems));
      const painter = new Painter(options.color, terminal.stdout);
      for (const { root: folder, path, line, column, kind, within, text } of usages) {
        const place = `${painter.path(scope.shown(path), join(folder, path), line)}:${line}:${column}:`;
        const around = within === undefined ? '' : painter.style('dim', `  in ${printable(within)}`);
        terminal.stdout.write(`${place} ${kind}: ${printable(text)}${around}\n`);
      }
      if (usages.length === 0) {
        const reason = whyNoIndex(root, scope.indexed, options.update) ?? `Nothing in ${root} has the name ${name}`;
        terminal.stderr.write(`${printable(reason)}\n`);
      }
      if (!isComplete) terminal.stderr.write('sextant: Not all files were read, since too many have the name.\n');
    }
    return usages.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  } finally {
    searcher.close();
  }
}
