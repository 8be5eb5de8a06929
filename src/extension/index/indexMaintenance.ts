import * as vscode from 'vscode';
import { describeError } from '../../base/errors.ts';
import type { WorkspaceClient } from '../../workspace/client.ts';
import type { CommandId } from '../commandIds.ts';
import type { Folders } from './folders.ts';

/** Scans every folder for changed files and indexes them. */
export function updateIndexes(client: WorkspaceClient, folders: Folders): Promise<void> {
  return forEachFolder(folders, vscode.l10n.t('Scanning for changed files'), async (root) =>
    (await client.indexing()).call('reconcile', { root }),
  );
}

/** Removes every folder's index and builds it again from the files. */
export function rebuildIndexes(client: WorkspaceClient, folders: Folders): Promise<void> {
  return forEachFolder(folders, vscode.l10n.t('Removing the index'), async (root) =>
    (await client.indexing()).call('rebuild', { root }),
  );
}

async function forEachFolder(folders: Folders, title: string, work: (root: string) => Promise<void>): Promise<void> {
  const location = vscode.ProgressLocation.Window;
  await vscode.window.withProgress({ location, title }, async () => {
    for (const { root } of folders.all) {
      try {
        await work(root);
      } catch (error) {
        const showLog = vscode.l10n.t('Show Log');
        const chosen = await vscode.window.showErrorMessage(`${root}: ${describeError(error)}`, showLog);
        if (chosen === showLog) await vscode.commands.executeCommand('sextant.showLog' satisfies CommandId);
      }
    }
  });
}
