import * as vscode from 'vscode';
import { csvForFile } from '../../analytics/reports/csv.ts';
import { formatCount } from '../../base/format.ts';
import { signalOf } from '../cancellation.ts';
import type { BudgetEditor } from './budgetEditor.ts';

type Report = vscode.Progress<{ readonly message?: string; readonly increment?: number }>;

/** Runs work below a notification with a Cancel button. */
export function withProgress<T>(
  title: string,
  work: (signal: AbortSignal, progress: Report) => Promise<T>,
): Thenable<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const linked = signalOf(token);
    try {
      return await work(linked.signal, progress);
    } finally {
      linked.dispose();
    }
  });
}

/** Runs a task of the editor below a notification, with its progress. */
export function withTask<T>(editor: BudgetEditor, title: string, task: () => Promise<T>): Thenable<T> {
  return withProgress(title, async (signal, progress) => {
    let before = 0;
    const listening = editor.onDidChange(() => {
      const { step } = editor;
      if (step.kind !== 'running' || !step.progress) return;
      const { settled, total } = step.progress;
      const share = (100 * settled) / total;
      const message = vscode.l10n.t('{0} of {1}', formatCount(settled), formatCount(total));
      progress.report({ message, increment: share - before });
      before = share;
    });
    const cancel = (): void => editor.cancel();
    signal.addEventListener('abort', cancel);
    try {
      return await task();
    } finally {
      signal.removeEventListener('abort', cancel);
      listening.dispose();
    }
  });
}

/** Writes a CSV file; without `file`, asks for one. */
export async function save(text: string, name: string, file: vscode.Uri | undefined): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const to =
    file ??
    (await vscode.window.showSaveDialog({
      filters: { CSV: ['csv'] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
    }));
  if (!to) return;
  await vscode.workspace.fs.writeFile(to, Buffer.from(csvForFile(text)));
  vscode.window.setStatusBarMessage(vscode.l10n.t('Saved {0}', to.path.split('/').at(-1) ?? name), 5_000);
}
