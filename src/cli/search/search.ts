import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

export interface SearchCommandOptions {
  /** Whether to show the features that make up each score. */
  readonly explain?: true;
  /** Whether to print the paths alone. */
  readonly filesWithMatches?: true;
  readonly json?: true;
  readonly limit: number;
  readonly state?: string;
  /** False: use the index as it is, without a scan for changed files. */
  readonly update: boolean;
  /** Whether to print one line for each place, as editors read them. */
  readonly vimgrep?: true;
}

export const SEARCH_HELP = `
In a query:
  "failed payment"        this phrase (in a shell: '"failed payment"')
  path:src/net            in files whose path contains this; file: matches the name alone
  path:src/**/*.ts        in files whose path ends like this; * ? ** [abc] {a,b}
  lang:python             in files of this language; also by extension: lang:py
  sym:parse*              in definitions with such a name
  -word -path:test        not with this; a query that begins with - goes after --

Examples:
  sextant search 'retry payment path:src lang:ts -file:*.test.ts'
  sextant search -- '-path:vendor parse header'
  sextant search 'retry payment' --vimgrep

Output: path:line, the definition there, and the line that matches best; "also" lists more places in that file. Paths are from the
current folder.
A file is missing? "sextant why FILE QUERY" explains it.

Exit codes: 0 found, 1 nothing found, 2 failed or wrong usage, 130 interrupted.`;

/** `sextant search QUERY [DIR]` */
export async function runSearch(
  query: string,
  folder: string,
  options: SearchCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const root = resolveFolder(folder);
  const stateFolder = stateFolderOf(root, options.state);
  const indexed = folderOptions(root, stateFolder);
  let why: string | undefined;
  if (options.update) {
    why = await whyNotUpdated(indexed, terminal);
    if (why !== undefined) terminal.stderr.write(`sextant: ${why} Searching the index as it is.\n`);
  }
  const searcher = new Searcher();
  try {
    const request = {
      folders: [{ root, stateFolder }],
      query,
      limit: options.limit,
      explain: options.explain === true,
      excerpts: options.vimgrep === true,
      readAll: true,
      // A person who runs the command in a folder trusts the folder, as with any tool that runs Git.
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
      const print = options.filesWithMatches ? formatPath : options.vimgrep ? formatForEditors : format;
      for (const result of results) terminal.stdout.write(print(result, shownPathIn(folder, result.path)));
      if (results.length === 0) terminal.stderr.write(`Nothing found in ${root} for: ${query}\n`);
    }
    return results.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  } finally {
    searcher.close();
  }
}

/** Searches; if the index is damaged and `mayUpdate`, repairs it and searches again. Reports the damage that remains. */
export async function searchAndRepair(
  searcher: Searcher,
  request: SearchRequest,
  indexed: FolderOptions,
  mayUpdate: boolean,
  terminal: Terminal,
): Promise<SearchResponse> {
  let response = await searcher.search(request, terminal.signal);
  let why: string | undefined = 'Run without --no-update to repair it first.';
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
    const advice = mayUpdate ? 'Search again to include them.' : 'Run without --no-update to update the index first.';
    terminal.stderr.write(`sextant: ${are} left out: changed, deleted or unreadable since indexed. ${advice}\n`);
  }
  return response;
}

/** Updates the index; returns why that failed if the index can be searched all the same: another writer, or a full or read-only disk. */
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

/** A result as JSON has it, which names the folder once. */
export function withoutRoot<T extends { readonly root: string }>({ root: _root, ...result }: T): Omit<T, 'root'> {
  return result;
}

/** Colours the text if the output is a terminal with colours and `NO_COLOR` is unset. */
function style(format: 'cyan' | 'bold' | 'dim' | 'yellow', text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

/** A path of a folder as one from the current folder, which terminals can open: below the folder as it was typed. */
export function shownPathIn(folder: string, path: string): string {
  return printable(join(folder, path));
}

function formatPath(_result: SearchResult, shownPath: string): string {
  return `${shownPath}\n`;
}

/** One line for each place: `path:line:column:text`, with the column in bytes, as `rg --vimgrep` has it. */
function formatForEditors({ root, path, more, ...first }: SearchResult, shownPath: string): string {
  const lines = readFileSync(join(root, path), 'utf8').split(/\r\n|\r|\n/);
  return [first, ...more]
    .map(({ startLine, line = startLine, ranges = [] }) => {
      const whole = lines[line - 1] ?? '';
      const indent = whole.length - whole.trimStart().length;
      const column = Buffer.byteLength(whole.slice(0, indent + (ranges[0]?.start ?? 0))) + 1;
      return `${shownPath}:${line}:${column}:${printable(whole)}\n`;
    })
    .join('');
}

/** Formats a result: the place, in the form that terminals and editors link, its best line, more places, and the score's features. */
function format({ line, symbol, text, ranges, score, explanation, more }: SearchResult, shownPath: string): string {
  const place = `${style('cyan', shownPath)}:${line}`;
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

/** The number of features that make up nearly all of a score. */
const SHOWN_SHARES = 10;

/** Lists the score and the features with the largest shares in it; the last line sums up the others. */
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
