import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import type { McpOptions } from '../../mcp/mcpServer.ts';
import type { Folders } from '../index/folders.ts';

/** MCP servers for the editor's agents, one for each indexed folder. They read this window's index, and end with the window. */
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
    const all = this.#options();
    this.#offered = JSON.stringify(all);
    return all.map((options) => {
      const folder = vscode.workspace.getWorkspaceFolder(this.#folders.uriOf(options.folder.root));
      const label = all.length > 1 && folder ? `Sextant: ${folder.name}` : 'Sextant';
      // Extensions run on Electron in the desktop editor, and on Node elsewhere.
      const env = { ELECTRON_RUN_AS_NODE: '1' };
      const args = [this.#script, JSON.stringify(options)];
      return new vscode.McpStdioServerDefinition(label, process.execPath, args, env, this.#version);
    });
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }

  #options(): McpOptions[] {
    return this.#folders.all.map((folder) => ({ folder, version: this.#version }));
  }
}
