import * as vscode from 'vscode';
import { formatCount } from '../../base/format.ts';
import type { PauseReason } from '../../workspace/governor.ts';
import type { SkipReason } from '../../workspace/skip.ts';
import type { IndexLine } from '../../protocol/searchView.ts';
import { stateOfIndex, type FolderStatus } from '../../workspace/status.ts';
import { folderName } from './folderName.ts';

/* Texts for the state of the index: the same in the status bar, the view and the search. */

/** One line about one folder. */
export function describeFolder(status: FolderStatus): string {
  return `${folderName(status.root)}: ${describeFolderState(status)}`;
}

export function describeFolderState({ state, files }: Pick<FolderStatus, 'state' | 'files'>): string {
  switch (state.kind) {
    case 'scanning':
      return vscode.l10n.t('scanning files');
    case 'indexing':
      return vscode.l10n.t('indexing, {0} of {1} files read', formatCount(state.done), formatCount(state.total));
    case 'paused':
      return describePause(state.reason);
    case 'ready':
      if (files === 1) return vscode.l10n.t('1 file indexed');
      return vscode.l10n.t('{0} files indexed', formatCount(files));
    case 'following': {
      const { ownerState } = state;
      if (!ownerState) return vscode.l10n.t('{0} files indexed by another window', formatCount(files));
      return vscode.l10n.t('{0} (in another window)', describeFolderState({ state: ownerState, files }));
    }
    case 'failed':
      return describeProblem(state.code);
  }
}

/** The title of a problem, by its code. */
export function describeProblem(code: string): string {
  switch (code) {
    case 'DiskFull':
    case 'LittleSpace':
      return vscode.l10n.t('No space left');
    case 'ReadOnly':
    case 'FileInUse':
      return vscode.l10n.t('The index cannot be written');
    case 'ENOENT':
    case 'ENOTDIR':
      return vscode.l10n.t('The folder is missing');
    case 'EACCES':
    case 'EPERM':
      return vscode.l10n.t('The folder cannot be read');
    case 'IndexDamaged':
      return vscode.l10n.t('The index is damaged');
    case 'IndexFormat':
      return vscode.l10n.t('The index has another version');
    case 'WatchLimit':
    case 'WatchFailed':
      return vscode.l10n.t('Changes are found late');
    case 'NotOnDisk':
      return vscode.l10n.t('The folder is not on a local disk');
    case 'ThreadDied':
      return vscode.l10n.t('The indexer stopped');
    default:
      return vscode.l10n.t('Indexing failed');
  }
}

function describePause(reason: PauseReason): string {
  switch (reason) {
    case 'user':
      return vscode.l10n.t('indexing is paused');
    case 'battery':
      return vscode.l10n.t('indexing waits for mains power');
    case 'memory':
      return vscode.l10n.t('indexing waits for free memory');
  }
}

/** One line about all folders, for a title or a screen reader. */
export function summarize(statuses: readonly FolderStatus[]): string {
  if (statuses.length === 1) return describeFolderState(statuses[0]!);
  return statuses.map(describeFolder).join('; ');
}

/** The state of all folders in one short line. */
export function indexLine(statuses: readonly FolderStatus[]): IndexLine {
  if (statuses.length === 0) return { kind: 'none', text: vscode.l10n.t('No folder is open') };
  const failed = statuses.find(({ state }) => stateOfIndex(state).kind === 'failed');
  if (failed) return { kind: 'failed', text: describeFolder(failed) };
  let done = 0;
  let total = 0;
  for (const status of statuses) {
    const state = stateOfIndex(status.state);
    if (state.kind !== 'indexing' && state.kind !== 'paused') continue;
    done += state.done;
    total += state.total;
  }
  const progress = vscode.l10n.t('{0} of {1} files', formatCount(done), formatCount(total));
  const paused = statuses.find(({ state }) => stateOfIndex(state).kind === 'paused');
  if (paused) {
    const text = describeFolderState(paused);
    // This window cannot resume what another one paused.
    const kind = paused.state.kind === 'following' ? 'partial' : 'paused';
    return { kind, text: done < total ? `${text}, ${progress}` : text };
  }
  if (total > 0) return { kind: 'partial', text: vscode.l10n.t('indexing, {0}', progress) };
  if (isPartial(statuses)) return { kind: 'partial', text: vscode.l10n.t('scanning files') };
  const files = statuses.reduce((sum, status) => sum + status.files, 0);
  const text = files === 1 ? vscode.l10n.t('1 file indexed') : vscode.l10n.t('{0} files indexed', formatCount(files));
  return { kind: 'ready', text };
}

/** Whether a search may miss files that are not indexed yet. */
export function isPartial(statuses: readonly FolderStatus[]): boolean {
  return statuses.some(({ state }) => ['scanning', 'indexing', 'paused'].includes(stateOfIndex(state).kind));
}

export function describeSkip(reason: SkipReason): string {
  switch (reason) {
    case 'excluded':
      return vscode.l10n.t('Excluded by settings');
    case 'ignored':
      return vscode.l10n.t('Ignored by .gitignore');
    case 'tooLarge':
      return vscode.l10n.t('Too large');
    case 'binary':
      return vscode.l10n.t('Not text in UTF-8 or the set encoding');
    case 'secret':
      return vscode.l10n.t('Keys and passwords');
    case 'generated':
      return vscode.l10n.t('Generated files and lock files');
    case 'minified':
      return vscode.l10n.t('Minified');
    case 'link':
      return vscode.l10n.t('Symbolic links');
    case 'special':
      return vscode.l10n.t('Not regular files');
    case 'unreadable':
      return vscode.l10n.t('Cannot be read');
  }
}
