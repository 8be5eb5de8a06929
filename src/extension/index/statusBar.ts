import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { formatCount, formatDuration } from '../../base/format.ts';
import { stateOfIndex, type FolderStatus } from '../../workspace/status.ts';
import type { CommandId } from '../commandIds.ts';
import type { Folders } from './folders.ts';
import { describeFolder, summarize } from './statusText.ts';

/** The status-bar item: state of the index, and a button for the search. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('sextant.status', vscode.StatusBarAlignment.Left, 1);
  readonly #folders: Folders;
  readonly #disposables = new DisposableStore();

  constructor(folders: Folders) {
    this.#folders = folders;
    this.#item.name = 'Sextant';
    this.#item.command = 'sextant.openSearch' satisfies CommandId;
    this.#disposables.add(this.#item);
    this.#disposables.add(folders.onDidChange(() => this.#update()));
    this.#update();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #update(): void {
    const statuses = this.#folders.statuses();
    if (statuses.length === 0) {
      this.#item.hide();
      return;
    }
    const { icon, text } = itemText(statuses);
    this.#item.text = `$(${icon}) ${text}`;
    this.#item.tooltip = tooltip(statuses, this.#folders);
    this.#item.accessibilityInformation = { label: `Sextant, ${summarize(statuses)}`, role: 'button' };
    this.#item.show();
  }
}

function itemText(statuses: readonly FolderStatus[]): { readonly icon: string; readonly text: string } {
  const states = statuses.map(({ state }) => stateOfIndex(state));
  if (states.some(({ kind }) => kind === 'failed')) return { icon: 'warning', text: 'Sextant' };
  let done = 0;
  let total = 0;
  for (const state of states) {
    if (state.kind !== 'indexing') continue;
    done += state.done;
    total += state.total;
  }
  if (total > 0) return { icon: 'sync~spin', text: `Sextant ${formatCount(done)}/${formatCount(total)}` };
  if (states.some(({ kind }) => kind === 'paused'))
    return { icon: 'debug-pause', text: vscode.l10n.t('Sextant: paused') };
  if (states.some(({ kind }) => kind === 'scanning')) return { icon: 'sync~spin', text: 'Sextant' };
  return { icon: 'search', text: 'Sextant' };
}

function tooltip(statuses: readonly FolderStatus[], folders: Folders): vscode.MarkdownString {
  const text = new vscode.MarkdownString('', true);
  text.isTrusted = {
    enabledCommands: [
      'sextant.openSearch',
      'sextant.resumeIndexing',
      'sextant.showStatus',
      'sextant.updateIndex',
      'sextant.showLog',
    ],
  };
  for (const status of statuses) {
    const pace = folders.paceOf(status.root);
    const left = pace && vscode.l10n.t(', about {0} left', formatDuration(pace.secondsLeft));
    text.appendText(describeFolder(status) + (left ?? ''));
    text.appendMarkdown('\n\n');
  }
  const link = (label: string, command: string): string => `[${label}](command:${command})`;
  const links = [
    link(vscode.l10n.t('Search'), 'sextant.openSearch'),
    ...(statuses.some(({ state }) => state.kind === 'paused' && state.reason === 'user')
      ? [link(vscode.l10n.t('Resume'), 'sextant.resumeIndexing')]
      : []),
    link(vscode.l10n.t('Index status'), 'sextant.showStatus'),
    link(vscode.l10n.t('Update index'), 'sextant.updateIndex'),
    link(vscode.l10n.t('Show log'), 'sextant.showLog'),
  ];
  text.appendMarkdown(links.join(' · '));
  return text;
}
