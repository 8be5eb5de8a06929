import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SextantError } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { Contribution } from '../../engine/query/features.ts';
import { indexFolderOf, type FolderOptions } from '../../workspace/folderOptions.ts';
import {
  Searcher,
  type ResultPlace,
  type SearchRequest,
  type SearchResponse,
  type SearchResult,
} from '../../workspace/searcher.ts';
import { countDocuments } from '../../workspace/folderReport.ts';
import { ownerStateOf } from '../../workspace/ownerState.ts';
import type { IndexableFile } from '../../workspace/readIndexable.ts';
import { formatProblems, requireQuery } from './queryProblems.ts';
import { Painter, type ColorChoice } from './painter.ts';
import { SearchScope } from './searchScope.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';
import { updateIndex } from './updateIndex.ts';

export interface SearchCommandOptions {
  readonly color: ColorChoice;
  /** Number of lines to show before and after the best one. */
  readonly context?: number;
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

/** Lines with a phrase or an expression that are listed of each file, besides the best place: for people, and for programs. */
const MAX_LINES = { people: 3, programs: 1_000 } as const;

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
  sextant search 'retry payment' src/net -C 3

Output: path:line, the definition there, and the line that matches best; "also" lists more places in that file, and "and 8 like it"
counts its translations, versions and copies, which come last. Paths are from the current folder, and links where the terminal has
them. A folder without an index of its own is searched in that of a folder around it.
A file is missing? "sextant why FILE QUERY" explains it.

Exit codes: 0 found, 1 nothing found, 2 failed or wrong usage, 130 interrupted.`;

/** `sextant search QUERY [DIR]` */
export async function runSearch(
  query: string,
  folder: string,
  options: SearchCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  requireQuery(query);
  const scope = new SearchScope(folder, options.state);
  const { root, indexed } = scope;
  const why = options.update ? await reportWhyNotUpdated(indexed, terminal) : undefined;
  const searcher = new Searcher();
  try {
    const request = {
      folders: scope.folders,
      query,
      limit: options.limit,
      explain: options.explain === true,
      excerpts: options.vimgrep === true,
      maxLines: options.vimgrep || options.json ? MAX_LINES.programs : MAX_LINES.people,
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
      printJson({ ...answer, results: results.map((result) => scope.withoutRoot(result)) }, terminal);
    } else {
      if (problems.length > 0) terminal.stderr.write(formatProblems(query, problems));
      const painter = new Painter(options.color, terminal.stdout);
      const needsLines = options.vimgrep === true || (options.context ?? 0) > 0;
      for (const result of results) {
        const lines = needsLines ? linesOf(searcher.read(indexed, result.path)) : [];
        terminal.stdout.write(formatResult(result, lines, scope, options, painter));
      }
      if (results.length === 0) {
        const reason = whyNoIndex(root, indexed, options.update) ?? `Nothing found in ${root} for: ${query}`;
        terminal.stderr.write(`${printable(reason)}\n`);
      }
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

/** Why nothing can be found in a folder whose index is missing or has no file; `undefined` if it has some. */
export function whyNoIndex(root: string, indexed: FolderOptions, mayUpdate: boolean): string | undefined {
  if (!existsSync(indexFolderOf(indexed.stateFolder)))
    return `There is no index of ${root} yet.${mayUpdate ? '' : ' Run without --no-update to build it.'}`;
  if (countDocuments(indexed.stateFolder) > 0) return undefined;
  return `No file of ${indexed.root} is indexed. "sextant status --skipped" lists the reasons.`;
}

/**
 * Updates the index; returns why that failed if the index can be searched all the same: another writer, or a full or read-only
 * disk. Without any file in it, which looks like a search that finds nothing, a failed update is an error.
 */
export async function whyNotUpdated(
  options: FolderOptions,
  terminal: Terminal,
  verify = false,
): Promise<string | undefined> {
  try {
    const result = await updateIndex(options, terminal, { verify });
    if (!('busy' in result)) return undefined;
    const isIncomplete = ownerStateOf(options.stateFolder) !== undefined;
    return isIncomplete ? `${result.busy} It is not complete yet.` : result.busy;
  } catch (error) {
    const isUsable = error instanceof SextantError && USABLE_AFTER.includes(error.code);
    if (isUsable && countDocuments(options.stateFolder) > 0) return error.message;
    throw error;
  }
}

/** Failures of an update after which the index is as before. */
const USABLE_AFTER: readonly string[] = ['ReadOnly', 'DiskFull', 'FileInUse', 'LeaseLost'];

/** Updates the index; prints why that failed if the index can be searched all the same, and returns the reason. */
export async function reportWhyNotUpdated(options: FolderOptions, terminal: Terminal): Promise<string | undefined> {
  const why = await whyNotUpdated(options, terminal);
  if (why !== undefined) terminal.stderr.write(`sextant: ${why} Searching the index as it is.\n`);
  return why;
}

/** `lines` are those of the file, for output that shows more than the best one. */
function formatResult(
  result: SearchResult,
  lines: readonly string[],
  scope: SearchScope,
  { filesWithMatches, vimgrep, context }: SearchCommandOptions,
  painter: Painter,
): string {
  const shownPath = scope.shown(result.path);
  if (vimgrep) return formatForEditors(result, lines, shownPath);
  const path = painter.path(shownPath, join(result.root, result.path), result.line);
  if (filesWithMatches) return `${path}\n`;
  return format(result, path, (marked) => withContext(result, lines, marked, context ?? 0, painter), painter);
}

/** The lines of a file; none if it was deleted since the search. */
function linesOf(file: IndexableFile): string[] {
  return 'text' in file ? file.text.split(/\r\n|\r|\n/) : [];
}

/** One line for each place: `path:line:column:text`, with the column in bytes, as `rg --vimgrep` has it. */
function formatForEditors({ more, ...first }: SearchResult, lines: readonly string[], shownPath: string): string {
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
function format(
  result: SearchResult,
  path: string,
  around: (marked: string) => readonly string[],
  painter: Painter,
): string {
  const { line, symbol, text, ranges, score, explanation, more, matchingLines = 0, alike = 0 } = result;
  const place = `${path}:${line}`;
  const name = symbol ? `  ${painter.style('bold', printable(symbol.name))} ${painter.style('dim', symbol.kind)}` : '';
  let marked = '';
  let at = 0;
  const shown = printable(text);
  for (const { start, end } of ranges) {
    marked += shown.slice(at, start) + painter.style('yellow', shown.slice(start, end));
    at = end;
  }
  marked += shown.slice(at);
  const lines = [`${place}${name}`, ...around(marked), ...formatMore(more, matchingLines - 1 - more.length, painter)];
  if (alike > 0) lines.push(painter.style('dim', `  and ${alike} like it`));
  if (explanation) lines.push(...formatExplanation(score, explanation, painter));
  return `${lines.join('\n')}\n`;
}

/** The best line between those around it, with numbers: a colon marks the best, as in grep's output. */
function withContext(
  { line }: SearchResult,
  lines: readonly string[],
  marked: string,
  context: number,
  painter: Painter,
): string[] {
  if (context === 0 || lines.length === 0) return [`    ${marked}`];
  const first = Math.max(1, line - context);
  const last = Math.min(lines.length, line + context);
  const width = String(last).length;
  return lines.slice(first - 1, last).map((text, i) => {
    const number = String(first + i).padStart(width);
    if (first + i !== line) return `    ${painter.style('dim', `${number}-`)} ${printable(text)}`.trimEnd();
    return `    ${number}: ${printable(/^\s*/.exec(text)![0])}${marked}`;
  });
}

/** Places without a name on one line, with the number of `unlisted` ones, and each definition on its own. */
function formatMore(more: readonly ResultPlace[], unlisted: number, painter: Painter): string[] {
  const linesOf = ({ startLine, endLine }: ResultPlace): string =>
    startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
  const unnamed = more.filter(({ symbol }) => !symbol).map(linesOf);
  const rest = unlisted > 0 ? ` and ${formatCount(unlisted)} more ${unlisted === 1 ? 'line' : 'lines'}` : '';
  const named = more.flatMap((one) => (one.symbol ? [`${linesOf(one)} ${printable(one.symbol.name)}`] : []));
  const all = unnamed.length > 0 ? [unnamed.join(', ') + rest, ...named] : named;
  return all.map((text) => painter.style('dim', `  also ${text}`));
}

/** The number of features that make up nearly all of a score. */
const SHOWN_SHARES = 10;

/** Lists the score and the features with the largest shares in it; the last line sums up the others. */
function formatExplanation(score: number, explanation: readonly Contribution[], painter: Painter): string[] {
  const rows = explanation
    .slice(0, SHOWN_SHARES)
    .map(({ feature, value, share }) => [`  ${feature}`, value.toFixed(3), signed(share)] as const);
  const others = explanation.slice(SHOWN_SHARES);
  const rest = others.reduce((sum, { share }) => sum + share, 0);
  const table = [[`score ${score.toFixed(3)}`, 'value', 'share'] as const, ...rows];
  if (others.length > 0) table.push([`  ${others.length} more`, '', signed(rest)]);
  const width = (column: 0 | 1 | 2): number => Math.max(...table.map((row) => row[column].length));
  return table.map(([feature, value, share]) =>
    painter.style('dim', `    ${feature.padEnd(width(0))}  ${value.padStart(width(1))}  ${share.padStart(width(2))}`),
  );
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
}
