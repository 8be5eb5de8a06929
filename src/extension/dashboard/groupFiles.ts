import * as vscode from 'vscode';
import { GROUP_FILES } from '../../analytics/groups/groupFile.ts';
import type { Identity } from '../../analytics/identity.ts';
import { tableCsv } from '../../analytics/reports/csv.ts';
import { text } from '../../analytics/reports/tables.ts';

/** Asks for a group file, and keeps its path in the settings: of the workspace, if one is open. */
export async function chooseGroups(): Promise<void> {
  const [file] = (await vscode.window.showOpenDialog({ filters: { 'CSV, JSON': ['csv', 'json'], '*': ['*'] } })) ?? [];
  if (!file) return;
  const { ConfigurationTarget } = vscode;
  const target = vscode.workspace.workspaceFolders ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration('sextant.analytics').update('groups', file.fsPath, target);
}

/** Opens a group file with a row for each account and an empty team; it is read when the user saves it. */
export async function createGroups(accounts: readonly Identity[]): Promise<void> {
  const columns = ['account', 'team', 'cost_center', 'from', 'to'];
  const names = accounts.map(({ name }) => name).sort((a, b) => a.localeCompare(b, 'en'));
  const content = await tableCsv({
    columns: columns.map((name) => text(name, name)),
    rows: names.map((name) => [name, ...columns.slice(1).map(() => '')]),
  });
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const [name] = GROUP_FILES;
  const uri = folder && vscode.Uri.joinPath(folder.uri, name!).with({ scheme: 'untitled' });
  const document = await (uri
    ? vscode.workspace.openTextDocument(uri)
    : vscode.workspace.openTextDocument({ language: 'csv' }));
  const edit = new vscode.WorkspaceEdit();
  if (document.getText() === '') edit.insert(document.uri, new vscode.Position(0, 0), content);
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(document);
}
