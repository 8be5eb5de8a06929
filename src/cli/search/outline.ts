import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SextantError } from '../../base/errors.ts';
import { Searcher } from '../../workspace/searcher.ts';
import { outlineOf, type OutlinedDefinition } from '../../workspace/outline.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';
import { Painter, type ColorChoice } from './painter.ts';
import { reportWhyNotUpdated, whyNoIndex } from './search.ts';
import { SearchScope } from './searchScope.ts';
import { folderOptions } from './updateIndex.ts';
import { resolveFolder } from './stateFolder.ts';

export interface OutlineOptions {
  readonly color: ColorChoice;
  readonly json?: true;
  readonly state?: string;
  /** False: use the index as it is, without a scan for changed files. */
  readonly update: boolean;
}

export const OUTLINE_HELP = `
Definitions are found by the shape of lines, also in code that does not parse.

Output: path:lines kind name, a line for each definition. A folder lists those of its indexed files, a file also the
fields and properties of its types.

Examples:
  sextant outline src/shop.ts
  sextant outline src/orders --json

Exit codes: 0 found, 1 no definition, 2 failed or wrong usage, 130 interrupted.`;

interface Outlined {
  /** From the current folder. */
  readonly shown: string;
  readonly file: string;
  /** As JSON has it. */
  readonly path: string;
  readonly definitions: readonly OutlinedDefinition[];
}

/** `sextant outline [PATH]` */
export async function runOutline(path: string, options: OutlineOptions, terminal: Terminal): Promise<ExitCode> {
  const searcher = new Searcher();
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) throw new SextantError('NotAFolder', `There is no file or folder "${path}". Check its name.`);
    const isFile = stats.isFile();
    const outlined = isFile ? outlineFile(path, searcher) : await outlineFolder(path, options, searcher, terminal);
    if (options.json) {
      const files = outlined.map(({ path, definitions }) => ({ path, definitions }));
      printJson({ root: isFile ? resolveFolder(dirname(path)) : resolveFolder(path), files }, terminal);
    } else {
      const painter = new Painter(options.color, terminal.stdout);
      for (const { shown, file, definitions } of outlined) {
        for (const { startLine, endLine, kind, name } of definitions) {
          const lines = endLine > startLine ? `${startLine}-${endLine}` : String(startLine);
          const place = painter.path(shown, file, startLine);
          terminal.stdout.write(`${place}:${lines} ${painter.style('dim', kind)} ${printable(name)}\n`);
        }
      }
    }
    const isFound = outlined.some(({ definitions }) => definitions.length > 0);
    if (!isFound && !options.json) {
      // A file needs no index.
      const scope = isFile ? undefined : new SearchScope(path, options.state);
      const missing = scope && whyNoIndex(scope.root, scope.indexed, options.update);
      terminal.stderr.write(`${missing ?? `No definition found in ${printable(path)}`}\n`);
    }
    return isFound ? ExitCode.ok : ExitCode.nothingFound;
  } finally {
    searcher.close();
  }
}

/** Needs no index, and takes ignored files too; keys and binary files are refused. Throws `NotShown`. */
function outlineFile(path: string, searcher: Searcher): Outlined[] {
  const root = resolveFolder(dirname(path));
  const { encodings = [] } = new SearchScope(root, undefined).indexed;
  const read = searcher.read({ ...folderOptions(root, ''), encodings }, basename(path));
  if (!('text' in read)) throw new SextantError('NotShown', read.refused);
  const definitions = outlineOf(basename(path), read.text, true);
  return [{ shown: printable(path), file: join(root, basename(path)), path: basename(path), definitions }];
}

async function outlineFolder(
  folder: string,
  { state, update }: OutlineOptions,
  searcher: Searcher,
  terminal: Terminal,
): Promise<Outlined[]> {
  const scope = new SearchScope(folder, state);
  if (update) await reportWhyNotUpdated(scope.indexed, terminal);
  const request = { folders: scope.folders, query: 'path:**', limit: Infinity };
  const { results } = await searcher.search(request, terminal.signal);
  return results.flatMap(({ root, path }) => {
    const read = searcher.read(scope.indexed, path);
    if (!('text' in read)) return [];
    const definitions = outlineOf(path, read.text, false);
    return [{ shown: scope.shown(path), file: join(root, path), path: scope.pathIn(path), definitions }];
  });
}
