import * as vscode from 'vscode';
import { toUtf8 } from '../../engine/analyze/text.ts';
import { documentId } from '../../engine/documentId.ts';
import type { WireResult } from '../../wire/repositories.ts';
import { TEAM_SCHEME, teamFileAt, teamRoot } from '../../wire/teamRoot.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';

/** A file of a repository: the root of its version, and the path in it; the repository's name ends the one or begins the other. */
type TeamPlace = Pick<KeptPlace, 'root' | 'path'>;

/** Files of a team's repositories: the local file if it is open here with that content, else a read-only document. */
export class TeamFiles implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #connect: () => Promise<WireClient | undefined>;
  readonly #registration: vscode.Disposable;

  constructor(connect: () => Promise<WireClient | undefined>) {
    this.#connect = connect;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(TEAM_SCHEME, this);
  }

  /** The file, to open in an editor. */
  async uriOf({ root, path }: TeamPlace): Promise<vscode.Uri> {
    const uri = vscode.Uri.joinPath(vscode.Uri.parse(root, true), path);
    return (await localFile(uri)) ?? uri;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return (await this.#read(uri.toString())) ?? vscode.l10n.t('The team service is not connected.');
  }

  /** The text of a file; `undefined` without a connection. */
  read({ root }: TeamPlace): Promise<string | undefined> {
    return this.#read(root);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #read(address: string): Promise<string | undefined> {
    const file = teamFileAt(address);
    const client = await this.#connect();
    return file && client && (await client.readRepositoryFile(file.repository, file.blob)).content;
  }
}

/** Stands for the folder of a result, where a folder of the workspace has its path. */
export function rootOf(result: WireResult): string {
  return vscode.Uri.joinPath(vscode.Uri.parse(teamRoot(result), true), result.repositories[0] ?? '').toString();
}

/** The file of an open folder that has the path and content of an address. */
async function localFile(address: vscode.Uri): Promise<vscode.Uri | undefined> {
  const at = teamFileAt(address.toString());
  if (!at) return undefined;
  const { blob, repository } = at;
  const path = address.path.slice(`/${repository}/`.length);
  if (path.split('/').includes('..')) return undefined;
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const file = vscode.Uri.joinPath(uri, path);
    try {
      const content = await vscode.workspace.fs.readFile(file);
      // A push sends the text of a file in UTF-8.
      if (documentId(path, toUtf8(content) ?? content) === blob) return file;
    } catch {
      // This folder has no such file.
      continue;
    }
  }
  return undefined;
}
