import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { styleText } from 'node:util';
import { SextantError, systemCode } from '../../base/errors.ts';
import { asSentence, rankReasons } from '../../workspace/rankSentences.ts';
import { describeFileStatus, explainFile, type Explanation, type FileStatus } from '../../workspace/whyFile.ts';
import {
  MAX_RANK,
  compareContributions,
  describeMismatch,
  explainRank,
  type RankAnswer,
  type RankedFile,
} from '../../workspace/whyRank.ts';
import { formatProblems } from './queryProblems.ts';
import { whyNotUpdated } from './search.ts';
import { SearchScope } from './searchScope.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';

export interface WhyOptions {
  /** The indexed folder. */
  readonly dir: string;
  readonly json?: true;
  readonly state?: string;
  /** False: use the index as it is, without a scan for changed files. */
  readonly update: boolean;
}

export const WHY_HELP = `
Without a query: whether the file is indexed, or the rule, setting or limit that leaves it out.
With a query: its rank and what separates it from the first result, or the parts of the query that it does not match.
docs/ranking.md explains the ranking; --json shows every feature.

Examples:
  sextant why dist/main.js
  sextant why src/orders/retryPolicy.ts 'retry payment'
  sextant why lib/parse.c 'parse header -path:test' --dir ~/projects/shop

Exit codes: 0 the file is indexed, or a result of the query; 1 it is not; 2 failed or wrong usage; 130 interrupted.`;

/** `sextant why FILE [QUERY]` */
export async function runWhy(
  file: string,
  query: string | undefined,
  options: WhyOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const scope = new SearchScope(options.dir, options.state);
  const folder = scope.indexed;
  const { root } = folder;
  const path = pathIn(scope, file);
  if (query !== undefined && options.update) {
    const why = await whyNotUpdated(folder, terminal);
    if (why !== undefined) terminal.stderr.write(`sextant: ${why} Using the index as it is.\n`);
  }
  const verdict = explainFile(folder, path, Date.now());
  const explanation = describeFileStatus(verdict, path === '' ? '.' : path, folder);
  const isQueried = query !== undefined && (verdict.kind === 'indexed' || verdict.kind === 'waiting');
  const answer = isQueried
    ? await explainRank({ folders: scope.folders, root, path, query, isTrusted: true }, terminal.signal)
    : undefined;
  if (options.json) {
    const said = { headline: explanation.headline, details: explanation.details };
    printJson({ root, path, query, verdict, ...said, rank: answer }, terminal);
  } else {
    if (answer && answer.problems.length > 0) terminal.stderr.write(formatProblems(query ?? '', answer.problems));
    const isRankSaid = answer !== undefined && answer.kind !== 'unknown';
    if (!isRankSaid || verdict.kind !== 'indexed') terminal.stdout.write(formatVerdict(verdict, explanation, root));
    if (isRankSaid) terminal.stdout.write(formatRank(answer, path, query ?? ''));
  }
  const isFound = answer ? answer.kind === 'ranked' : verdict.kind === 'indexed' && query === undefined;
  return isFound ? ExitCode.ok : ExitCode.nothingFound;
}

/**
 * The path of a file of the folder `root` in its index, with `/`. The file may be named from the current folder or from `root`.
 * Links above `root` are resolved, those inside are not.
 */
function pathIn({ root, indexed }: SearchScope, file: string): string {
  const absolute = resolve(file);
  for (const candidate of [absolute, join(realFolder(dirname(absolute)), basename(absolute)), resolve(root, file)]) {
    const path = relative(root, candidate).split(sep).join('/');
    if (path !== '..' && !path.startsWith('../') && !isAbsolute(path))
      return relative(indexed.root, candidate).split(sep).join('/');
  }
  throw new SextantError('OutsideFolder', `"${file}" is not in ${root}. Name the indexed folder with --dir.`);
}

/** The real path of a folder; the path itself if the folder is missing. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return folder;
  }
}

function style(format: 'bold' | 'dim', text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

function formatVerdict(verdict: FileStatus, { headline, details }: Explanation, root: string): string {
  const lines = [style('bold', printable(headline)), ...details.map((detail) => `  ${printable(detail)}`)];
  if (verdict.kind === 'waiting') lines.push(`  "sextant index ${printable(root)}" does so; a search does too.`);
  return `${lines.join('\n')}\n`;
}

function formatRank(answer: RankAnswer, path: string, query: string): string {
  const lines: string[] = [];
  const shown = printable(path);
  if (answer.kind === 'ranked') {
    const { rank, first, file, isCandidate } = answer;
    const place = rank === undefined ? `comes after the first ${MAX_RANK} results` : `is result ${rank}`;
    lines.push(style('bold', `${shown} ${place} for: ${printable(query)}`));
    if (rank !== 1) lines.push(`  The first is ${printable(first.path)}:${first.line}`);
    lines.push(...rankReasons(answer, query).map((reason) => `  ${printable(asSentence(reason))}`));
    if (!isCandidate) {
      lines.push('  It was dropped before all features were computed; they are computed here for comparison.');
    }
    lines.push(...formatShares(file, rank === 1 ? undefined : first));
  } else if (answer.kind === 'unmatched') {
    lines.push(style('bold', `${shown} is no result for: ${printable(query)}`));
    lines.push(...answer.mismatches.map((mismatch) => `  ${printable(describeMismatch(mismatch))}`));
    if (answer.mismatches.length === 0) lines.push('  Each part of the query matches it, but not all parts together.');
  }
  return `${lines.join('\n')}\n`;
}

/** One row for each group of features: its shares of the two scores; the largest differences come first. */
function formatShares(file: RankedFile, first: RankedFile | undefined): string[] {
  if (!file.explanation) return ['  A query of filters alone has no ranking: its results are in path order.'];
  const compared = compareContributions(file, first ?? { ...file, explanation: [] });
  const rows = compared.map((one) => row(one.group, one.file, one.first));
  const table = [
    ['what ranks it', 'this file', 'the first', 'difference'],
    ...rows,
    row('score', file.score, first?.score ?? 0),
  ].map((cells) => (first ? cells : cells.slice(0, 2)));
  const widths = table[0]!.map((_, column) => Math.max(...table.map((cells) => cells[column]!.length)));
  return table.map((cells) => {
    const [name, ...numbers] = cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)));
    return style('dim', `    ${[name, ...numbers].join('  ')}`);
  });
}

function row(name: string, file: number, first: number): [string, string, string, string] {
  const difference = (file - first).toFixed(2);
  const isNone = Number(difference) === 0;
  return [name, file.toFixed(2), first.toFixed(2), isNone ? '0.00' : `${file > first ? '+' : ''}${difference}`];
}
