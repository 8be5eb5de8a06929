import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { formatBytes, formatCount, formatDuration } from '../../base/format.ts';
import type { IndexContents, LanguageShare } from '../../workspace/folderReport.ts';
import type { IndexingPace } from '../../workspace/pace.ts';
import { indexProblemOf, type IndexAction, type IndexProblem } from '../../workspace/problems.ts';
import type { Skip, SkipReason } from '../../workspace/skip.ts';
import { stateOfIndex, type FolderState, type FolderStatus } from '../../workspace/status.ts';
import type { CommandId } from '../commandIds.ts';
import { folderName } from './folderName.ts';
import { describeProblem, describeSkip, describeFolderState } from './statusText.ts';

/** Facts for a folder's rows. `contents` are missing until the index has been read. */
export interface RowFacts {
  readonly status: FolderStatus;
  readonly pace: IndexingPace | undefined;
  readonly contents: IndexContents | undefined;
}

/** A row of the status view, with the data of the rows below it. */
export type IndexRow =
  | { readonly kind: 'folder'; readonly root: string }
  | { readonly kind: 'fact'; readonly id: string; readonly item: vscode.TreeItem }
  | { readonly kind: 'group'; readonly id: string; readonly item: vscode.TreeItem; readonly rows: readonly IndexRow[] }
  | { readonly kind: 'reason'; readonly root: string; readonly reason: SkipReason; readonly count: number }
  | { readonly kind: 'file'; readonly root: string; readonly path: string; readonly skip: Skip };

/** Most languages in one list. */
const MAX_LANGUAGES = 25;

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** The folder's own row: its name and state, which a screen reader reads as one sentence. */
export function folderItem({ status, pace }: RowFacts): vscode.TreeItem {
  const { kind } = stateOfIndex(status.state);
  const icon = FOLDER_ICONS[kind];
  const item = makeItem(folderName(status.root), describeFolderState(status), icon, Expanded);
  const left = pace && vscode.l10n.t('about {0} left', formatDuration(pace.secondsLeft));
  item.tooltip = [status.root, describeFolderState(status), ...(left === undefined ? [] : [left])].join('\n');
  return item;
}

const FOLDER_ICONS: Readonly<Record<FolderState['kind'], string>> = {
  scanning: 'sync~spin',
  indexing: 'sync~spin',
  ready: 'root-folder',
  following: 'root-folder',
  paused: 'debug-pause',
  failed: 'warning',
};

/** The rows below a folder: progress and problems, then contents, then skipped files. */
export function folderRows(facts: RowFacts): IndexRow[] {
  const { status, contents } = facts;
  const { root } = status;
  const rows: IndexRow[] = [...progressRows(facts), ...problemRows(facts)];
  const fact = (id: string, label: string, description: string, icon: string, tooltip?: string): void => {
    rows.push(factRow(`${root}#${id}`, label, description, icon, tooltip));
  };
  const files = formatCount(status.files);
  const text = contents && contents.textBytes > 0 && formatBytes(contents.textBytes);
  fact('files', vscode.l10n.t('Files'), text ? vscode.l10n.t('{0} · {1} of text', files, text) : files, 'files');
  if (contents && contents.languages.length > 0) rows.push(languageRows(root, contents.languages));
  // A window that only follows an index does not know which files its owner left out.
  if (status.state.kind === 'ready' || Object.keys(status.skipped).length > 0) rows.push(leftOutRows(status));
  const indexBytes = contents?.indexBytes ?? status.indexBytes;
  if (indexBytes > 0) fact('index', vscode.l10n.t('Index on disk'), formatBytes(indexBytes), 'database');
  if (contents?.lastChange !== undefined) {
    const time = new Date(contents.lastChange);
    const tooltip = vscode.l10n.t('The index last changed at {0}', time.toLocaleString());
    fact('change', vscode.l10n.t('Last change'), describeTime(time), 'history', tooltip);
  }
  if (status.repaired) {
    const description = vscode.l10n.t('{0} files read again', formatCount(status.repaired.files));
    fact('repaired', vscode.l10n.t('Repaired'), description, 'tools', status.repaired.damage.join('\n'));
  }
  return rows;
}

/** The row of one reason; the index has its list. */
export function reasonItem({ root, reason, count }: IndexRow & { readonly kind: 'reason' }): vscode.TreeItem {
  const item = makeItem(describeSkip(reason), formatCount(count), 'circle-slash', Collapsed);
  item.id = `${root}#reason-${reason}`;
  item.contextValue = 'reason';
  return item;
}

/** The row of a file or folder that is left out. */
export function fileItem(uri: vscode.Uri, { root, path, skip }: IndexRow & { readonly kind: 'file' }): vscode.TreeItem {
  const folder = dirname(path);
  const item = makeItem(basename(path), folder === '.' ? '' : folder);
  item.id = `${root}#file-${path}`;
  item.resourceUri = uri;
  item.iconPath = vscode.ThemeIcon.File;
  item.tooltip = [path, describeSkip(skip.reason), ...(skip.detail === undefined ? [] : [skip.detail])].join('\n');
  item.contextValue = 'leftOut';
  item.command = { command: 'sextant.openLeftOut', title: vscode.l10n.t('Open'), arguments: [uri] };
  return item;
}

/** The last row of a list that is cut. */
export function moreRow(root: string, reason: SkipReason, count: number): IndexRow {
  const item = makeItem(vscode.l10n.t('{0} more', formatCount(count)), vscode.l10n.t('show all'), 'ellipsis');
  item.command = command('sextant.openLeftOutList', vscode.l10n.t('Show All'), {
    kind: 'reason',
    root,
    reason,
    count: 0,
  });
  return { kind: 'fact', id: `${root}#more-${reason}`, item };
}

function progressRows({ status, pace }: RowFacts): IndexRow[] {
  const { root, state } = status;
  const id = (name: string): string => `${root}#${name}`;
  if (state.kind === 'scanning') {
    return [factRow(id('progress'), vscode.l10n.t('Progress'), vscode.l10n.t('scanning files'), 'sync~spin')];
  }
  if (state.kind === 'following') {
    const owner = vscode.l10n.t('another window or program');
    return [factRow(id('owner'), vscode.l10n.t('Updated by'), owner, 'link', state.owner)];
  }
  if (state.kind === 'paused') {
    const done = vscode.l10n.t('{0} of {1} files', formatCount(state.done), formatCount(state.total));
    const left = state.reason === 'user' ? vscode.l10n.t('{0} – Resume', done) : done;
    const row = factRow(id('progress'), vscode.l10n.t('Paused'), left, 'debug-pause', describeFolderState(status));
    if (state.reason !== 'user' || row.kind !== 'fact') return [row];
    row.item.command = command('sextant.resumeIndexing', vscode.l10n.t('Resume'));
    return [row];
  }
  if (state.kind !== 'indexing') return [];
  const percent = Math.floor((100 * state.done) / Math.max(1, state.total));
  const done = vscode.l10n.t('{0} %, {1} of {2} files', percent, formatCount(state.done), formatCount(state.total));
  const unknown = vscode.l10n.t('not known yet');
  const rate = pace && vscode.l10n.t('{0} files a second', formatCount(Number(pace.filesPerSecond.toPrecision(2))));
  const left = pace && vscode.l10n.t('about {0}', formatDuration(pace.secondsLeft));
  const hint = vscode.l10n.t('Searches find the files indexed so far.');
  return [
    factRow(id('progress'), vscode.l10n.t('Progress'), done, 'sync~spin', `${done}\n${hint}`),
    factRow(id('rate'), vscode.l10n.t('Speed'), rate ?? unknown, 'dashboard'),
    factRow(id('left'), vscode.l10n.t('Time left'), left ?? unknown, 'watch'),
  ];
}

function problemRows({ status, contents }: RowFacts): IndexRow[] {
  const { root } = status;
  const state = stateOfIndex(status.state);
  const problems: IndexProblem[] = state.kind === 'failed' ? [indexProblemOf(state.code, state.message)] : [];
  if (status.problem) problems.push({ ...status.problem, next: 'log' });
  for (const message of contents?.damage ?? []) problems.push({ code: 'IndexDamaged', message, next: 'update' });
  return problems.map(({ code, message, advice, next }, i) => {
    const id = `${root}#problem-${i}`;
    const title = describeProblem(code);
    const item = makeItem(title, '', undefined, Expanded);
    item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
    item.tooltip = [`${message} (${code})`, ...(advice === undefined ? [] : [advice])].join('\n');
    const texts = [...(message === `${title}.` ? [] : [message]), ...(advice === undefined ? [] : [advice])];
    const rows = texts.map((text, at) => factRow(`${id}-${at}`, text, '', 'lightbulb', text));
    const actions = next === undefined ? [] : next === 'log' ? ([next] as const) : ([next, 'log'] as const);
    return { kind: 'group', id, item, rows: [...rows, ...actions.map((action) => actionRow(id, action))] };
  });
}

function actionRow(id: string, action: IndexAction): IndexRow {
  const [label, icon, id_]: readonly [string, string, CommandId] = {
    update: [vscode.l10n.t('Update Index'), 'refresh', 'sextant.updateIndex'] as const,
    rebuild: [vscode.l10n.t('Rebuild Index'), 'trash', 'sextant.rebuildIndex'] as const,
    log: [vscode.l10n.t('Show Log'), 'output', 'sextant.showLog'] as const,
  }[action];
  const item = makeItem(label, '', icon);
  item.command = command(id_, label);
  return { kind: 'fact', id: `${id}-${action}`, item };
}

function languageRows(root: string, languages: readonly LanguageShare[]): IndexRow {
  const names = languages.map(({ language }) => language).join(', ');
  const total = languages.reduce((sum, { bytes }) => sum + bytes, 0);
  const item = makeItem(vscode.l10n.t('Languages'), `${formatCount(languages.length)} · ${names}`, 'code', Collapsed);
  item.tooltip = names;
  const rows = languages.slice(0, MAX_LANGUAGES).map(({ language, files, bytes }): IndexRow => {
    const percent = Math.round((100 * bytes) / Math.max(1, total));
    const count = files === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', formatCount(files));
    const row = makeItem(language, `${count} · ${formatBytes(bytes)} · ${percent} %`, 'symbol-file');
    row.tooltip = vscode.l10n.t('Search in it: lang:{0}', language);
    row.command = command('sextant.searchWorkspace', vscode.l10n.t('Search'), `lang:${language} `);
    return { kind: 'fact', id: `${root}#language-${language}`, item: row };
  });
  const rest = languages.slice(MAX_LANGUAGES);
  if (rest.length > 0) {
    const files = rest.reduce((sum, one) => sum + one.files, 0);
    const label = vscode.l10n.t('{0} more', formatCount(rest.length));
    rows.push(factRow(`${root}#language-more`, label, vscode.l10n.t('{0} files', formatCount(files)), 'ellipsis'));
  }
  return { kind: 'group', id: `${root}#languages`, item, rows };
}

function leftOutRows({ root, skipped }: FolderStatus): IndexRow {
  const reasons = (Object.entries(skipped) as [SkipReason, number][]).sort(([, a], [, b]) => b - a);
  const total = reasons.reduce((sum, [, count]) => sum + count, 0);
  const description = total === 0 ? vscode.l10n.t('nothing') : formatCount(total);
  const item = makeItem(vscode.l10n.t('Left out'), description, 'eye-closed', total === 0 ? None : Expanded);
  item.tooltip = vscode.l10n.t('Skipped files and folders, by reason');
  const rows = reasons.map(([reason, count]): IndexRow => ({ kind: 'reason', root, reason, count }));
  return { kind: 'group', id: `${root}#leftOut`, item, rows };
}

function factRow(id: string, label: string, description: string, icon: string, tooltip?: string): IndexRow {
  const item = makeItem(label, description, icon);
  item.tooltip = tooltip ?? `${label}: ${description}`;
  return { kind: 'fact', id, item };
}

function makeItem(label: string, description = '', icon?: string, state = None): vscode.TreeItem {
  const item = new vscode.TreeItem(label, state);
  item.description = description;
  // Without it a screen reader reads the tooltip, which repeats half of the label.
  item.accessibilityInformation = { label: description === '' ? label : `${label} ${description}` };
  if (icon !== undefined) item.iconPath = new vscode.ThemeIcon(icon);
  return item;
}

function command(id: CommandId | 'sextant.openLeftOutList', title: string, ...args: unknown[]): vscode.Command {
  return { command: id, title, arguments: args };
}

/** A time of today without its day, another one with it. */
function describeTime(time: Date): string {
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? time.toLocaleTimeString() : time.toLocaleString();
}
