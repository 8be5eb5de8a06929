import * as vscode from 'vscode';
import { fileKey, type WorkContext } from '../../workspace/personalOrder.ts';
import type { Folders } from '../index/folders.ts';

const MAX_EDITED = 20;

/** The part of Git's extension that is read here. */
interface GitExtension {
  /** Without it, `getAPI` throws. */
  readonly enabled: boolean;
  getAPI(version: 1): { readonly repositories: readonly GitRepository[] };
}

interface GitRepository {
  readonly state: Readonly<Record<'workingTreeChanges' | 'indexChanges', readonly { readonly uri: vscode.Uri }[]>>;
}

/** Files that the user works on in this window. Kept in memory alone. */
export class CurrentWork implements vscode.Disposable {
  readonly #folders: Folders;
  readonly #listener: vscode.Disposable;
  /** The latest last. */
  readonly #edited = new Set<string>();

  constructor(folders: Folders) {
    this.#folders = folders;
    this.#listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0) this.#addEdited(document.uri);
    });
  }

  /** The present work. Previews are left out: moving through results must not change their order. */
  get context(): WorkContext {
    const { all, activeTabGroup } = vscode.window.tabGroups;
    const open = all.flatMap(({ tabs }) => tabs.map(permanentFile));
    const keys = open.map((uri) => uri && this.#keyOf(uri)).filter((key) => key !== undefined);
    const uri = activeTabGroup.activeTab && permanentFile(activeTabGroup.activeTab);
    const found = uri && this.#folders.folderOf(uri);
    const active = found && { root: found.folder.root, path: found.path };
    return { recent: new Set([...keys, ...this.#edited]), changed: this.#changed(), active };
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #addEdited(uri: vscode.Uri): void {
    const key = this.#keyOf(uri);
    if (key === undefined) return;
    this.#edited.delete(key);
    this.#edited.add(key);
    for (const oldest of this.#edited) {
      if (this.#edited.size <= MAX_EDITED) break;
      this.#edited.delete(oldest);
    }
  }

  /** Changes that the editor's Git extension knows, which cost no call of Git. */
  #changed(): ReadonlySet<string> {
    const git = vscode.extensions.getExtension<GitExtension | undefined>('vscode.git');
    const api = git?.isActive === true && git.exports?.enabled === true ? git.exports.getAPI(1) : undefined;
    const states = (api?.repositories ?? []).map(({ state }) => state);
    const changes = states.flatMap(({ workingTreeChanges, indexChanges }) => [...workingTreeChanges, ...indexChanges]);
    return new Set(changes.map(({ uri }) => this.#keyOf(uri)).filter((key) => key !== undefined));
  }

  #keyOf(uri: vscode.Uri): string | undefined {
    const found = this.#folders.folderOf(uri);
    return found && fileKey({ root: found.folder.root, path: found.path });
  }
}

function permanentFile({ input, isPreview }: vscode.Tab): vscode.Uri | undefined {
  const isFile = input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook;
  return isFile && !isPreview ? input.uri : undefined;
}
