import * as vscode from 'vscode';
import type { RecentLog } from '../../base/recentLog.ts';
import type { WorkspaceClient } from '../../workspace/client.ts';
import { formatDiagnostics } from '../../workspace/diagnostics.ts';
import { indexProblemOf } from '../../workspace/problems.ts';
import type { Folders } from './folders.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import { describeSettings } from '../settings.ts';
import { describeFolderState } from './statusText.ts';

interface PackageManifest {
  readonly version: string;
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
  };
}

/**
 * "Copy Diagnostics": builds a report without private data, copies it, and shows the copied text, so that the user reads it
 * before sharing it.
 */
export async function copyDiagnostics(
  extension: vscode.Extension<unknown>,
  folders: Folders,
  client: WorkspaceClient,
  texts: ReadOnlyDocuments,
  log: RecentLog,
): Promise<void> {
  const { version, contributes } = extension.packageJSON as PackageManifest;
  const settings = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  const statuses = new Map(folders.statuses().map((status) => [status.root, status]));
  const diagnostics = await client.searching.call('diagnose', {
    versions: {
      sextant: version,
      surface: 'extension',
      editor: `${vscode.env.appName} ${vscode.version}`,
      host: `${vscode.env.appHost}, ${vscode.env.remoteName ?? 'local'}`,
    },
    settings: describeSettings(settings),
    folders: folders.all.map((options) => {
      const status = statuses.get(options.root);
      const state = status?.state;
      return {
        options,
        settings: describeSettings(settings, vscode.Uri.file(options.root)),
        state: status ? describeFolderState(status) : '',
        skipped: status?.skipped ?? {},
        problems: state?.kind === 'failed' ? [indexProblemOf(state.code, state.message)] : [],
      };
    }),
    log: log.lines.slice(-LOG_LINES),
    now: new Date(),
  });
  const text = formatDiagnostics(diagnostics);
  await vscode.env.clipboard.writeText(text);
  await texts.open(vscode.l10n.t('Sextant Diagnostics'), text);
  const message = vscode.l10n.t(
    'The diagnostics were copied, and nothing was sent. Read the text before you share it.',
  );
  await vscode.window.showInformationMessage(message);
}

const LOG_LINES = 100;
