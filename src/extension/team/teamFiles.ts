import * as vscode from 'vscode';
import { documentId } from '../../engine/documentId.ts';
import type { WireResult } from '../../wire/repositories.ts';
import type { WireClient } from '../../wire/wireClient.ts';

const SCHEME = 'sextant-team';

/** Files of a team's repositories: the local file if it is open here with that content, else a read-only document. */
export class TeamFiles implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #connect: () => Promise<WireClient | undefined>;
  readonly #registration: vscode.Disposable;

  constructor(connect: () => Promise<WireClient | undefined>) {
    this.#connect = connect;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** The file of a result, to open in an editor. */
  async uriOf(result: WireResult): Promise<vscode.Uri> {
    return (await localFile(result)) ?? documentOf(result);
  }

  async provideTextDocumentContent({ path, query }: vscode.Uri): Promise<string> {
    const { repository } = JSON.parse(query) as { readonly repository: string };
    const blob = path.split('/', 2)[1]!;
    const client = await this.#connect();
    if (!client) return vscode.l10n.t('The team service is not connected.');
    return (await client.readRepositoryFile(repository, blob)).content;
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

/** The blob's name is in the path, so that each version of a file is a document of its own. */
function documentOf({ path, blob_name: blob, repositories: [repository = ''] }: WireResult): vscode.Uri {
  return vscode.Uri.from({
    scheme: SCHEME,
    path: `/${blob}/${repository}/${path}`,
    query: JSON.stringify({ repository }),
  });
}

/** The file of an open folder that has this path and content. */
async function localFile({ path, blob_name: blob }: WireResult): Promise<vscode.Uri | undefined> {
  if (path.split('/').includes('..')) return undefined;
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const file = vscode.Uri.joinPath(uri, path);
    try {
      if (documentId(path, await vscode.workspace.fs.readFile(file)) === blob) return file;
    } catch {
      // This folder has no such file.
      continue;
    }
  }
  return undefined;
}
