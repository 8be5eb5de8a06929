import * as vscode from 'vscode';
import { documentId } from '../../engine/documentId.ts';
import type { WireResult } from '../../wire/repositories.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';

const SCHEME = 'sextant-team';

/** A file of a repository: the root of its version and repository, and the path in it. */
type TeamFile = Pick<KeptPlace, 'root' | 'path'>;

/** Files of a team's repositories: the local file if it is open here with that content, else a read-only document. */
export class TeamFiles implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #connect: () => Promise<WireClient | undefined>;
  readonly #registration: vscode.Disposable;

  constructor(connect: () => Promise<WireClient | undefined>) {
    this.#connect = connect;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** The file, to open in an editor. */
  async uriOf(file: TeamFile): Promise<vscode.Uri> {
    return (await localFile(file)) ?? vscode.Uri.joinPath(vscode.Uri.parse(file.root, true), file.path);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return (await this.#read(uri)) ?? vscode.l10n.t('The team service is not connected.');
  }

  /** The text of a file; `undefined` without a connection. */
  read({ root }: TeamFile): Promise<string | undefined> {
    return this.#read(vscode.Uri.parse(root, true));
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #read({ path, query }: vscode.Uri): Promise<string | undefined> {
    const { repository } = JSON.parse(query) as { readonly repository: string };
    const client = await this.#connect();
    return client && (await client.readRepositoryFile(repository, blobIn(path))).content;
  }
}

/** Stands for the folder of a result, where a folder of the workspace has its path. */
export function rootOf({ blob_name: blob, repositories: [repository = ''] }: WireResult): string {
  // The blob's name is in the path, so that each version of a file is a document of its own.
  const uri = { scheme: SCHEME, path: `/${blob}/${repository}`, query: JSON.stringify({ repository }) };
  return vscode.Uri.from(uri).toString();
}

export function isTeamRoot(root: string): boolean {
  return root.startsWith(`${SCHEME}:`);
}

function blobIn(path: string): string {
  return path.split('/', 2)[1]!;
}

/** The file of an open folder that has this path and content. */
async function localFile({ root, path }: TeamFile): Promise<vscode.Uri | undefined> {
  if (path.split('/').includes('..')) return undefined;
  const blob = blobIn(vscode.Uri.parse(root, true).path);
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
