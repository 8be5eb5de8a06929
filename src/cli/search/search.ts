import { styleText } from 'node:util';
import { SextantError } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { Contribution } from '../../engine/query/features.ts';
import type { FolderOptions } from '../../workspace/folderOptions.ts';
import {
  Searcher,
  type ResultPlace,
  type SearchRequest,
  type SearchResponse,
  type SearchResult,
} from '../../workspace/searcher.ts';
import { formatProblems } from './queryProblems.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';
import { folderOptions, updateIndex } from './updateIndex.ts';

export interface SearchOptions {
  /** Whether to say what makes up the scores. */
  readonly explain?: true;
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
  const indexed = folderOptions(root, stateFolder);
  let why: string | undefined;
  if (options.update) {
    why = await whyNotUpdated(indexed, terminal);
    if (why !== undefined) terminal.stderr.write(`sextant: ${why} Searching what it has indexed so far.\n`);
  }
  const searcher = new Searcher();
  try {
    const request = {
      folders: [{ root, stateFolder }],
      query,
      limit: options.limit,
      explain: options.explain === true,
      // Who runs it in a folder trusts it, as with any tool that asks Git.
      isTrusted: true,
    };
    const response = await searchAndRepair(searcher, request, indexed, options.update, terminal);
    const { results, problems, leftOut, tookMs } = response;
    const damaged = response.damaged.length > 0;
    if (options.json) {
      const isUpToDate = options.update && why === undefined;
      const answer = { query, problems, root, upToDate: isUpToDate, damaged, leftOut, tookMs };
      printJson({ ...answer, results: results.map(withoutRoot) }, terminal);
    } else {
      if (problems.length > 0) terminal.stderr.write(formatProblems(query, problems));
      for (const result of results) terminal.stdout.write(format(result));
      if (results.length === 0) terminal.stderr.write(`Nothing found in ${root} for: ${query}\n`);
    }
    return results.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  } finally {
    searcher.close();
  }
}

/** Searches; where it meets damage in the index and `mayUpdate`, repairs that and searches again. Tells of what is left of it. */
export async function searchAndRepair(
  searcher: Searcher,
  request: SearchRequest,
  indexed: FolderOptions,
  mayUpdate: boolean,
  terminal: Terminal,
): Promise<SearchResponse> {
  let response = await searcher.search(request, terminal.signal);
  let why: string | undefined = 'Without --no-update it is repaired first.';
  if (response.damaged.length > 0 && mayUpdate) {
    why = await whyNotUpdated(indexed, terminal, true);
    response = await searcher.search(request, terminal.signal);
  }
  if (response.damaged.length > 0) {
    const cost = response.isPartial ? 'and answers may be missing' : 'but nothing is lost';
    terminal.stderr.write(`sextant: The index is damaged, ${cost}. ${why ?? ''}\n`);
  }
  if (response.leftOut > 0) {
    const are = response.leftOut === 1 ? '1 file is' : `${formatCount(response.leftOut)} files are`;
    const advice = mayUpdate
      ? 'Search again to have them looked at.'
      : 'Without --no-update the index is updated first.';
    terminal.stderr.write(`sextant: ${are} left out: changed, deleted or unreadable since indexed. ${advice}\n`);
  }
  return response;
}

/** What there is can be searched although another process keeps the index, or nothing can be written. */
export async function whyNotUpdated(
  options: FolderOptions,
  terminal: Terminal,
  verify = false,
): Promise<string | undefined> {
  try {
    const result = await updateIndex(options, terminal, { verify });
    return 'busy' in result ? result.busy : undefined;
  } catch (error) {
    if (error instanceof SextantError && ['ReadOnly', 'DiskFull', 'LeaseLost'].includes(error.code))
      return error.message;
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

/** The place, as terminals and editors make links of it, its best line, what makes up its score, and further places. */
function format({ path, line, symbol, text, ranges, score, explanation, more }: SearchResult): string {
  const place = `${style('cyan', printable(path))}:${line}`;
  const name = symbol ? `  ${style('bold', printable(symbol.name))} ${style('dim', symbol.kind)}` : '';
  let marked = '';
  let at = 0;
  const shown = printable(text);
  for (const { start, end } of ranges) {
    marked += shown.slice(at, start) + style('yellow', shown.slice(start, end));
    at = end;
  }
  const lines = [`${place}${name}`, `    ${marked}${shown.slice(at)}`, ...more.map(formatMore)];
  if (explanation) lines.push(...formatExplanation(score, explanation));
  return `${lines.join('\n')}\n`;
}

function formatMore({ startLine, endLine, symbol }: ResultPlace): string {
  const lines = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
  return style('dim', `  also ${lines}${symbol ? ` ${symbol.name}` : ''}`);
}

/** So many features say nearly all of a score. */
const SHOWN_SHARES = 10;

/** The score, and under it the features with the largest shares in it; the last line sums up the others. */
function formatExplanation(score: number, explanation: readonly Contribution[]): string[] {
  const rows = explanation
    .slice(0, SHOWN_SHARES)
    .map(({ feature, value, share }) => [`  ${feature}`, value.toFixed(3), signed(share)] as const);
  const others = explanation.slice(SHOWN_SHARES);
  const rest = others.reduce((sum, { share }) => sum + share, 0);
  const table = [[`score ${score.toFixed(3)}`, 'value', 'share'] as const, ...rows];
  if (others.length > 0) table.push([`  ${others.length} more`, '', signed(rest)]);
  const width = (column: 0 | 1 | 2): number => Math.max(...table.map((row) => row[column].length));
  return table.map(([feature, value, share]) =>
    style('dim', `    ${feature.padEnd(width(0))}  ${value.padStart(width(1))}  ${share.padStart(width(2))}`),
  );
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
}
