import * as vscode from 'vscode';
import { SextantError, describeError } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { WorkspaceClient } from '../../workspace/client.ts';
import { indexProblemOf, sentencesOf } from '../../workspace/problems.ts';
import type { CommandId } from '../commandIds.ts';
import type { Folders } from './folders.ts';

/** Scans every folder for changed files and indexes them. */
export function updateIndexes(client: WorkspaceClient, folders: Folders): Promise<void> {
  return forEachFolder(folders, vscode.l10n.t('Scanning for changed files'), async (root) =>
    (await client.indexing()).call('reconcile', { root }),
  );
}

/** Files above which a rebuild takes long enough to ask first. */
const MANY_FILES = 5_000;

/** Removes every folder's index and builds it again from the files; asks first if there are many. */
export async function rebuildIndexes(client: WorkspaceClient, folders: Folders): Promise<void> {
  const files = folders.statuses().reduce((sum, status) => sum + status.files, 0);
  if (files > MANY_FILES) {
    const rebuild = vscode.l10n.t('Rebuild');
    const question = vscode.l10n.t('Delete the index of {0} files and build it again?', formatCount(files));
    const detail = vscode.l10n.t(
      'Until it is complete, searches miss files. Update Index finds changed files without this.',
    );
    const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail }, rebuild);
    if (chosen !== rebuild) return;
  }
  return forEachFolder(folders, vscode.l10n.t('Removing the index'), async (root) =>
    (await client.indexing()).call('rebuild', { root }),
  );
}

/** A failure of one folder holds up neither the others nor the command's end. */
async function forEachFolder(folders: Folders, title: string, work: (root: string) => Promise<void>): Promise<void> {
  const location = vscode.ProgressLocation.Window;
  await vscode.window.withProgress({ location, title }, async () => {
    for (const { root } of folders.all) {
      try {
        await work(root);
      } catch (error) {
        void report(root, error);
      }
    }
  });
}

async function report(root: string, error: unknown): Promise<void> {
  const showLog = vscode.l10n.t('Show Log');
  const code = error instanceof SextantError ? error.code : 'Internal';
  if (code === 'IndexBusy') {
    const owner = vscode.l10n.t(
      'Another window or program updates the index of {0}, and finds changes by itself. Close it to do this here.',
      root,
    );
    await vscode.window.showWarningMessage(owner);
    return;
  }
  const text = sentencesOf(indexProblemOf(code, describeError(error)));
  const chosen = await vscode.window.showErrorMessage(`${root}: ${text}`, showLog);
  if (chosen === showLog) await vscode.commands.executeCommand('sextant.showLog' satisfies CommandId);
}
