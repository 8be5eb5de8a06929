import { basename } from 'node:path';
import * as vscode from 'vscode';

/** The name of a folder as the editor shows it: a workspace file may give it another than it has on the disk. */
export function folderName(root: string): string {
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === root)?.name ?? basename(root);
}
