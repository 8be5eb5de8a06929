import * as vscode from 'vscode';
import { SextantError } from '../../base/errors.ts';
import type { ModelFolder } from '../../workspace/givenPath.ts';
import {
  ModelTools,
  type ExplainInput,
  type FilesInput,
  type ModelToolsParts,
  type OutlineInput,
  type ReadInput,
  type SearchInput,
  type UsagesInput,
} from '../../workspace/modelTools.ts';
import type { Folders } from '../index/folders.ts';

export type { ExplainInput, FilesInput, OutlineInput, ReadInput, SearchInput, UsagesInput };

export interface ToolsParts extends Omit<ModelToolsParts, 'folders'> {
  readonly folders: Folders;
}

/** Tools for language models, once the user has allowed them. */
export class Tools {
  readonly #tools: ModelTools;

  constructor({ folders, ...parts }: ToolsParts) {
    this.#tools = new ModelTools({ ...parts, folders: () => modelFolders(folders) });
  }

  async search(input: SearchInput, signal: AbortSignal): Promise<object> {
    refuseUntrusted();
    return this.#tools.search(input, signal);
  }

  async findUsages(input: UsagesInput, signal: AbortSignal): Promise<object> {
    refuseUntrusted();
    return this.#tools.findUsages(input, signal);
  }

  async outline(input: OutlineInput, signal: AbortSignal): Promise<object> {
    refuseUntrusted();
    return this.#tools.outline(input, signal);
  }

  async listFiles(input: FilesInput, signal: AbortSignal): Promise<object> {
    refuseUntrusted();
    return this.#tools.listFiles(input, signal);
  }

  async explainMissing(input: ExplainInput, signal: AbortSignal): Promise<object> {
    refuseUntrusted();
    return this.#tools.explainMissing(input, signal);
  }

  async read(input: ReadInput): Promise<object> {
    refuseUntrusted();
    return this.#tools.read(input);
  }
}

/** In a workspace of several folders a path begins with the folder's name, as the editor shows it. */
function modelFolders(folders: Folders): ModelFolder[] {
  return folders.all.map(({ root }) => {
    const folder = vscode.workspace.getWorkspaceFolder(folders.uriOf(root));
    return { root, prefix: folders.all.length > 1 && folder ? `${folder.name}/` : '' };
  });
}

/** Refuses calls in an untrusted workspace, where the tools are not registered either. */
function refuseUntrusted(): void {
  if (!vscode.workspace.isTrusted)
    throw new SextantError('NotTrusted', 'The workspace is not trusted, so its files are not given to a model.');
}
