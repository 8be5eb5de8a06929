import * as vscode from 'vscode';
import type { WorkspaceClient } from '../../workspace/client.ts';
import type { Folders } from '../index/folders.ts';
import { SEARCH_WORKSPACE, type SearchPick } from './searchPick.ts';

/** Searches for the rare words of the selection, and leaves out the selected lines themselves. */
export async function findSimilar(client: WorkspaceClient, folders: Folders, searchPick: SearchPick): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection) ?? '';
  const query = text.trim() === '' ? '' : await client.searching.call('similarQuery', { folders: folders.all, text });
  if (!editor || query === '') {
    const advice = vscode.l10n.t('Select code with names or words that other files have, too, and try again.');
    void vscode.window.showInformationMessage(advice);
    return;
  }
  const place = folders.folderOf(editor.document.uri);
  const { start, end } = editor.selection;
  const lines = { startLine: start.line + 1, endLine: end.line + 1 };
  const except = place && { root: place.folder.root, path: place.path, ...lines };
  searchPick.show(query, {
    ...SEARCH_WORKSPACE,
    title: vscode.l10n.t('Find Similar Code'),
    ...(except && { except }),
  });
}
