import { styleText } from 'node:util';
import { SextantError } from '../base/errors.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import type { FolderOptions } from '../workspace/folderOptions.ts';
import { Searcher, type SearchResult } from '../workspace/searcher.ts';
import { formatProblems } from './queryProblems.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { ExitCode, type Terminal } from './terminal.ts';
import { folderOptions, updateIndex } from './updateIndex.ts';

export interface SearchOptions {
  readonly json?: true;
  readonly limit: number;
  readonly state?: string;
  /** False: search what is indexed, without looking for changed files first. */
  readonly update: boolean;
}

/** `sextant search QUERY [DIR]` */
export async function runSearch(
  query: string,
  folder: string,
  options: SearchOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const root = resolveFolder(folder);
  const stateFolder = stateFolderOf(root, options.state);
  if (options.update) {
    const why = await whyNotUpdated(folderOptions(root, stateFolder), terminal);
    if (why !== undefined) terminal.stderr.write(`sextant: ${why} Searching what it has indexed so far.\n`);
  }
  const { problems } = parseQueryLanguage(query);
  if (problems.length > 0 && !options.json) terminal.stderr.write(formatProblems(query, problems));
  const searcher = new Searcher();
  try {
    const request = { folders: [{ root, stateFolder }], query, limit: options.limit };
    let response = await searcher.search(request, terminal.signal);
    if (response.damaged.length > 0 && options.update) {
      await whyNotUpdated(folderOptions(root, stateFolder), terminal, true);
      response = await searcher.search(request, terminal.signal);
    }
    const { results, tookMs } = response;
    if (options.json) {
      const answer = { query, problems, root, tookMs, results: results.map(withoutRoot) };
      terminal.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    } else {
      for (const result of results) terminal.stdout.write(format(result));
      if (results.length === 0) terminal.stderr.write(`Nothing found for "${query}" in ${root}.\n`);
    }
    return results.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  } finally {
    searcher.close();
  }
}

/** What there is can be searched although another process keeps the index, or nothing can be written. */
async function whyNotUpdated(options: FolderOptions, terminal: Terminal, verify = false): Promise<string | undefined> {
  try {
    const result = await updateIndex(options, terminal, { verify });
    return 'busy' in result ? result.busy : undefined;
  } catch (error) {
    if (error instanceof SextantError && ['ReadOnly', 'DiskFull'].includes(error.code)) return error.message;
    throw error;
  }
}

function withoutRoot({ root: _root, ...result }: SearchResult): Omit<SearchResult, 'root'> {
  return result;
}

/** Colours where the output is a terminal that has them, and `NO_COLOR` does not forbid them. */
function style(format: 'cyan' | 'bold' | 'dim' | 'yellow', text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

/** The place, as terminals and editors make links of it, and its best line. */
function format({ path, line, symbol, text, ranges }: SearchResult): string {
  const place = `${style('cyan', path)}:${line}`;
  const name = symbol ? `  ${style('bold', symbol.name)} ${style('dim', symbol.kind)}` : '';
  let marked = '';
  let at = 0;
  for (const { start, end } of ranges) {
    marked += text.slice(at, start) + style('yellow', text.slice(start, end));
    at = end;
  }
  return `${place}${name}\n    ${marked}${text.slice(at)}\n`;
}
