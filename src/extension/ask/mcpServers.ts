import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import type { McpOptions } from '../../mcp/mcpServer.ts';
import type { Folders } from '../index/folders.ts';

/** The MCP server for the editor's agents, one for all indexed folders. It reads this window's indexes, and ends with the window. */
export class McpServers implements vscode.Disposable {
  readonly #folders: Folders;
  readonly #script: string;
  readonly #version: string;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listener: vscode.Disposable;
  #offered = '';

  /** Fires when the servers or their settings change. */
  readonly onDidChange = this.#changed.event;

  /** `script` is the bundled `editorProcess.ts`. */
  constructor(folders: Folders, script: URL, version: string) {
    this.#folders = folders;
    this.#script = fileURLToPath(script);
    this.#version = version;
    this.#listener = folders.onDidChange(() => {
      // The event also fires for each indexed file.
      if (this.#offered !== '' && this.#offered !== JSON.stringify(this.#options())) this.#changed.fire();
    });
  }

  definitions(): vscode.McpStdioServerDefinition[] {
    const options = this.#options();
    this.#offered = JSON.stringify(options);
    if (options.folders.length === 0) return [];
    // Extensions run on Electron in the desktop editor, and on Node elsewhere.
    const env = { ELECTRON_RUN_AS_NODE: '1' };
    const args = [this.#script, this.#offered];
    return [new vscode.McpStdioServerDefinition('Sextant', process.execPath, args, env, this.#version)];
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }

  #options(): McpOptions {
    const folders = this.#folders.all.map((folder) => {
      const name = vscode.workspace.getWorkspaceFolder(this.#folders.uriOf(folder.root))?.name;
      return { ...folder, ...(name !== undefined && { name }) };
    });
    return { folders, version: this.#version };
  }
}
