import { SextantError, describeError } from '../../base/errors.ts';
import { quoteForShell } from '../../base/shell.ts';
import { formatBytes, formatCount } from '../../base/format.ts';
import { describeOwner } from '../../base/lease.ts';
import type { FolderOptions } from '../../workspace/folderOptions.ts';
import {
  compareWithFolder,
  readContents,
  writerOf,
  type Difference,
  type IndexContents,
} from '../../workspace/folderReport.ts';
import { indexProblemOf, sentencesOf, type IndexProblem } from '../../workspace/problems.ts';
import type { Skip, SkipReason } from '../../workspace/skip.ts';
import { describeSkipped, REASONS } from './index.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { ExitCode, formatRows, printable, printJson, type Output, type Terminal } from '../terminal.ts';
import { SearchScope } from './searchScope.ts';
import { folderOptions } from './updateIndex.ts';

export interface StatusOptions {
  readonly json?: true;
  readonly state?: string;
  /** Whether to list the files that are left out; a reason restricts the list to that reason. */
  readonly skipped?: true | SkipReason;
}

export const SKIP_REASONS = Object.keys(REASONS) as readonly SkipReason[];

export const STATUS_HELP = `
Compares the files of the folder with the index, and changes nothing.

Examples:
  sextant status
  sextant status ~/projects/shop --skipped
  sextant status --skipped tooLarge
  sextant status --json | jq .state

Exit codes: 0 there is an index, 1 there is none or it is unusable, 2 failed or wrong usage.`;

/** The status of a folder's index, read without opening it for writing. */
export interface StatusReport extends Partial<IndexContents> {
  readonly root: string;
  readonly stateFolder: string;
  readonly state: 'upToDate' | 'behind' | 'notIndexed' | 'failed';
  /** The process that writes to the index, and may soon bring it up to date. */
  readonly writer?: { readonly pid: number; readonly host: string };
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  readonly problems: readonly IndexProblem[];
}

/** `sextant status [DIR]` */
export async function runStatus(folder: string, options: StatusOptions, terminal: Terminal): Promise<ExitCode> {
  const root = resolveFolder(folder);
  const { report, difference } = await readStatus(
    folderOptions(root, stateFolderOf(root, options.state)),
    terminal.signal,
  );
  const list = options.skipped === undefined ? [] : select(difference.skipped, options.skipped);
  if (options.json) {
    const skippedFiles = options.skipped && list.map(([path, { reason, detail }]) => ({ path, reason, detail }));
    const lastChange = report.lastChange === undefined ? undefined : new Date(report.lastChange).toISOString();
    printJson({ ...report, lastChange, skippedFiles }, terminal);
  } else {
    const searched = report.state === 'notIndexed' ? new SearchScope(folder, options.state).indexed.root : root;
    terminal.stdout.write(format(report, searched, terminal.stdout));
    for (const [path, { reason, detail = '' }] of list) {
      terminal.stdout.write(`${printable(path)}\t${reason}\t${printable(detail)}\n`);
    }
  }
  const isUsable = report.state === 'upToDate' || report.state === 'behind';
  return isUsable ? ExitCode.ok : ExitCode.nothingFound;
}

/** Throws if the folder itself cannot be read. */
export async function readStatus(
  options: FolderOptions,
  signal?: AbortSignal,
): Promise<{ readonly report: StatusReport; readonly difference: Difference }> {
  const { root, stateFolder } = options;
  const problems: IndexProblem[] = [];
  let contents: IndexContents | undefined;
  try {
    contents = readContents(stateFolder);
    for (const message of contents.damage) problems.push({ code: 'IndexDamaged', message, next: 'update' });
  } catch (error) {
    if (!(error instanceof SextantError)) throw error;
    problems.push(indexProblemOf(error.code, describeError(error)));
  }
  const difference = await compareWithFolder(options, signal);
  const { added, changed, removed } = difference;
  const skipped: Partial<Record<SkipReason, number>> = {};
  for (const { reason } of difference.skipped.values()) skipped[reason] = (skipped[reason] ?? 0) + 1;
  const writer = writerOf(stateFolder);
  const state = stateOf(contents, added + changed + removed);
  const counts = { added, changed, removed, skipped, problems };
  return {
    report: {
      root,
      stateFolder,
      state,
      ...contents,
      ...(writer && { writer: { pid: writer.pid, host: writer.host } }),
      ...counts,
    },
    difference,
  };
}

function stateOf(contents: IndexContents | undefined, differences: number): StatusReport['state'] {
  if (!contents) return 'failed';
  if (contents.indexBytes === 0) return 'notIndexed';
  return differences > 0 || contents.damage.length > 0 ? 'behind' : 'upToDate';
}

/** Describes the state of an index in words. */
export function describeIndexState({ state, added, changed, removed, writer }: StatusReport): string {
  const by = writer && `${lowerFirst(describeOwner(writer))} is writing to it`;
  switch (state) {
    case 'upToDate':
      return by === undefined ? 'up to date' : `up to date; ${by}`;
    case 'notIndexed':
      return by === undefined ? 'not indexed yet' : `not indexed yet; ${by}`;
    case 'behind': {
      const counts = [count(added, 'new'), count(changed, 'changed'), count(removed, 'removed')];
      const files = counts.filter((text) => text !== '').join(', ');
      return ['behind', files && `: ${files}`, by && `; ${by}`].join('');
    }
    case 'failed':
      return 'the index is unusable';
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function count(files: number, what: string): string {
  return files === 0 ? '' : `${formatCount(files)} ${what}`;
}

/** `searched` is the folder whose index is searched for this one. */
function format(report: StatusReport, searched: string, stdout: Output): string {
  const { root, stateFolder, state, files = 0, textBytes = 0, languages = [], indexBytes = 0, lastChange } = report;
  const rows: [string, string][] = [['State', describeIndexState(report)]];
  if (state !== 'notIndexed' && state !== 'failed') {
    rows.push(['Files', `${formatCount(files)}, ${formatBytes(textBytes)} of text`]);
    const shares = languages.map(({ language, files: of }) => `${language} ${formatCount(of)}`);
    if (shares.length > 0) rows.push(['Languages', shares.join(', ')]);
  }
  rows.push(['Left out', describeSkipped(report.skipped) || 'nothing']);
  if (indexBytes > 0) rows.push(['Index', `${formatBytes(indexBytes)} in ${printable(stateFolder)}`]);
  if (lastChange !== undefined) rows.push(['Last change', localTime(new Date(lastChange))]);
  for (const problem of report.problems) {
    rows.push(['Problem', printable(sentencesOf(problem))]);
  }
  const next = nextStep(report, searched);
  if (next !== undefined) rows.push(['Next', next]);
  return `${printable(root)}\n${formatRows(rows, stdout)}`;
}

function nextStep({ root, state, writer, problems }: StatusReport, searched: string): string | undefined {
  const index = `sextant index ${shellWord(root)}`;
  if (state === 'failed' || problems.length > 0) return `"${index}" repairs or rebuilds it.`;
  if (state === 'upToDate' || writer) return undefined;
  if (searched !== root) return `A search uses the index of ${printable(searched)}; "${index}" builds an own one.`;
  if (state === 'notIndexed') return `"${index}" builds it; a search does so too.`;
  return `"${index}" brings it up to date; a search does so too.`;
}

function localTime(time: Date): string {
  // The Swedish format equals ISO 8601.
  return time.toLocaleString('sv');
}

/** Quotes a path for a shell if it needs quotes. */
function shellWord(path: string): string {
  return /^[\w./~+-]+$/.test(path) ? path : quoteForShell(printable(path));
}

function select(skipped: ReadonlyMap<string, Skip>, wanted: true | SkipReason): [string, Skip][] {
  const list = [...skipped].filter(([, { reason }]) => wanted === true || reason === wanted);
  return list.sort(([a], [b]) => (a < b ? -1 : 1));
}
