import * as vscode from 'vscode';
import { SextantError } from '../../base/errors.ts';
import { retrieveText, type RetrievalParts } from '../../mcp/retrieval.ts';
import { WIRE_LIMITS } from '../../wire/contract.ts';
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
import { folderName } from '../index/folderName.ts';
import type { Folders } from '../index/folders.ts';

export type { ExplainInput, FilesInput, OutlineInput, ReadInput, SearchInput, UsagesInput };

export interface RetrievalInput {
  readonly information_request: string;
  readonly max_output_length?: number | undefined;
}

export interface ToolsParts extends Omit<ModelToolsParts, 'folders' | 'search'> {
  readonly folders: Folders;
  readonly search: ModelToolsParts['search'] & RetrievalParts['search'];
}

/** Tools for language models, once the user has allowed them. */
export class Tools {
  readonly #tools: ModelTools;
  readonly #parts: ToolsParts;

  constructor(parts: ToolsParts) {
    this.#parts = parts;
    this.#tools = new ModelTools({ ...parts, folders: () => modelFolders(parts.folders) });
  }

  async retrieve(input: RetrievalInput, signal: AbortSignal): Promise<string> {
    refuseUntrusted();
    const { information_request, max_output_length = WIRE_LIMITS.defaultOutputLength } = input;
    const length = Math.min(max_output_length, WIRE_LIMITS.maxOutputLength);
    const { folders, ...parts } = this.#parts;
    const shown = modelFolders(folders);
    return retrieveText(information_request, length, { ...parts, shown }, signal);
  }

  async search(input: SearchInput, signal: AbortSignal): Promise<object> {
    return this.#allowed.search(input, signal);
  }

  async findUsages(input: UsagesInput, signal: AbortSignal): Promise<object> {
    return this.#allowed.findUsages(input, signal);
  }

  async outline(input: OutlineInput, signal: AbortSignal): Promise<object> {
    return this.#allowed.outline(input, signal);
  }

  async listFiles(input: FilesInput, signal: AbortSignal): Promise<object> {
    return this.#allowed.listFiles(input, signal);
  }

  async explainMissing(input: ExplainInput, signal: AbortSignal): Promise<object> {
    return this.#allowed.explainMissing(input, signal);
  }

  async read(input: ReadInput): Promise<object> {
    return this.#allowed.read(input);
  }

  get #allowed(): ModelTools {
    refuseUntrusted();
    return this.#tools;
  }
}

/** In a workspace of several folders a path begins with the folder's name, as the editor shows it. */
function modelFolders(folders: Folders): ModelFolder[] {
  const isOnly = folders.all.length === 1;
  return folders.all.map(({ root }) => ({ root, prefix: isOnly ? '' : `${folderName(root)}/` }));
}

/** Refuses calls in an untrusted workspace, where the tools are not registered either. */
function refuseUntrusted(): void {
  if (!vscode.workspace.isTrusted)
    throw new SextantError('NotTrusted', 'The workspace is not trusted, so its files are not given to a model.');
}
