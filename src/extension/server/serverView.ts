import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { formatCount } from '../../base/format.ts';
import type { LocalServerState, ServerPlace } from '../../server/localServer.ts';
import type { CommandId } from '../commandIds.ts';
import type { InjectedFaults } from './serverError.ts';

const VIEW = 'sextant.server';

/**
 * The view of the local server's state. Without a server it has no rows, and the editor shows the welcome text of
 * package.json.
 */
export class ServerView implements vscode.TreeDataProvider<vscode.TreeItem>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #disposables = new DisposableStore();
  #rows: readonly vscode.TreeItem[] = [];
  readonly onDidChangeTreeData = this.#changed.event;

  /** `onVisible` is called each time that the view becomes visible. */
  constructor(onVisible: () => void) {
    this.#disposables.add(this.#changed);
    const view = this.#disposables.add(vscode.window.createTreeView(VIEW, { treeDataProvider: this }));
    this.#disposables.add(view.onDidChangeVisibility(({ visible }) => visible && onVisible()));
  }

  /** `injected` holds the injected faults, if they are known. */
  show(state: LocalServerState, injected?: InjectedFaults): void {
    // The view's buttons depend on it.
    void vscode.commands.executeCommand('setContext', 'sextant.server.state', state.kind);
    // The container stays from the first start on: a restart would close it under the user.
    if (state.kind !== 'stopped') void vscode.commands.executeCommand('setContext', 'sextant.server.wasStarted', true);
    this.#rows = [...serverRows(state), ...(injected ? faultRows(injected) : [])];
    this.#changed.fire(undefined);
  }

  getTreeItem(row: vscode.TreeItem): vscode.TreeItem {
    return row;
  }

  getChildren(row?: vscode.TreeItem): vscode.TreeItem[] {
    return row ? [] : [...this.#rows];
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

function serverRows(state: LocalServerState): vscode.TreeItem[] {
  switch (state.kind) {
    case 'stopped':
      return [];
    case 'starting': {
      const lines = state.lines > 0 ? vscode.l10n.t('{0} lines read', formatCount(state.lines)) : '';
      return [row(vscode.l10n.t('Starting'), lines, 'sync~spin')];
    }
    case 'running':
      return [
        row(vscode.l10n.t('Running'), vscode.l10n.t('in this window'), 'pass'),
        ...placeRows(state.at),
        dataRow(state.data, state.isEmpty),
      ];
    case 'attached': {
      const of = vscode.l10n.t('to the server of process {0}', state.at.pid);
      const tooltip = vscode.l10n.t('Another window or program runs the server, with its own options. Stop it there.');
      return [row(vscode.l10n.t('Attached'), of, 'plug', tooltip), ...placeRows(state.at)];
    }
    case 'stopping':
      return [row(vscode.l10n.t('Stopping'), vscode.l10n.t('finishing requests in flight'), 'sync~spin')];
    case 'failed': {
      const whole = `${state.message} (${state.code})`;
      const problem = row(vscode.l10n.t('Not running'), withoutFolders(state.message), 'warning', whole);
      problem.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
      return [
        problem,
        ...(state.code === 'LeaseLost'
          ? [action(vscode.l10n.t('Attach to the other server'), 'plug', 'sextant.attachServer')]
          : []),
        action(vscode.l10n.t('Start Again'), 'debug-restart', 'sextant.startServer'),
        settingsRow(vscode.l10n.t('Change Settings')),
        action(vscode.l10n.t('Show Log'), 'output', 'sextant.openServerLog'),
      ];
    }
  }
}

/** Shortens a message for a row; the tooltip has the folders. */
function withoutFolders(message: string): string {
  return message.replaceAll(/(?:[A-Za-z]:)?[\\/][^\s,]*[\\/]/g, '');
}

function placeRows({ url, state }: ServerPlace): vscode.TreeItem[] {
  const address = row(vscode.l10n.t('Address'), url, 'globe', vscode.l10n.t('{0}\nClick to copy', url));
  address.command = command('sextant.copyServerUrl', vscode.l10n.t('Copy'));
  const token = row(vscode.l10n.t('Token'), vscode.l10n.t('click to copy'), 'key');
  token.command = command('sextant.copyServerToken', vscode.l10n.t('Copy'));
  return [address, token, row(vscode.l10n.t('State'), state, 'folder', state)];
}

function faultRows({ scenario, faults }: InjectedFaults): vscode.TreeItem[] {
  const none = vscode.l10n.t('none');
  const ofScenario = row(
    vscode.l10n.t('Scenario'),
    scenario ?? none,
    'beaker',
    vscode.l10n.t('Click to select a scenario'),
  );
  ofScenario.command = command('sextant.chooseServerScenario', vscode.l10n.t('Select'));
  const hits = faults.reduce((sum, fault) => sum + fault.hits, 0);
  const counted =
    faults.length === 1
      ? vscode.l10n.t('1 rule, {0} hits', hits)
      : vscode.l10n.t('{0} rules, {1} hits', faults.length, hits);
  const rules = faults.length === 0 ? none : counted;
  const ofFaults = row(vscode.l10n.t('Faults'), rules, 'bug', vscode.l10n.t('Click to add, change or remove rules'));
  ofFaults.command = command('sextant.manageServerFaults', vscode.l10n.t('Manage'));
  return [ofScenario, ofFaults];
}

function dataRow(data: string | undefined, isEmpty: boolean): vscode.TreeItem {
  if (!isEmpty) {
    const what = data === undefined ? vscode.l10n.t('a simulated organization') : basename(data);
    return row(
      vscode.l10n.t('Data'),
      what,
      'database',
      data ?? vscode.l10n.t('To serve your own data, set a data file in the settings.'),
    );
  }
  const hint = vscode.l10n.t('none; all answers are empty');
  const item = settingsRow(vscode.l10n.t('Data'), hint);
  item.tooltip = vscode.l10n.t('Set a data file in the settings and restart, or POST one to /__admin/import.');
  return item;
}

function settingsRow(label: string, description = ''): vscode.TreeItem {
  const item = row(label, description, 'gear');
  const title = vscode.l10n.t('Open Settings');
  item.command = { command: 'workbench.action.openSettings', title, arguments: ['sextant.server'] };
  return item;
}

function action(label: string, icon: string, id: CommandId): vscode.TreeItem {
  const item = row(label, '', icon);
  item.command = command(id, label);
  return item;
}

function row(label: string, description: string, icon: string, tooltip?: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = label;
  item.description = description;
  item.iconPath = new vscode.ThemeIcon(icon);
  if (tooltip !== undefined) item.tooltip = tooltip;
  // Without a label, a screen reader reads the tooltip, which repeats half of the row.
  item.accessibilityInformation = { label: description === '' ? label : `${label} ${description}` };
  return item;
}

function command(id: CommandId, title: string): vscode.Command {
  return { command: id, title };
}
