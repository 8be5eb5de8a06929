import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import type { EditorMcpOptions, TeamTokenVariable } from '../../mcp/editorProcess.ts';
import type { Folders } from '../index/folders.ts';
import { proxySettings } from '../settings.ts';
import { onDidChangeTeam, tokenName, urlOfTeam } from '../team/teamSetting.ts';

/**
 * The MCP server for the editor's agents, one for all indexed folders, and for the team's code if its service is connected. It reads this
 * window's indexes, and ends with the window.
 */
export class McpServers implements vscode.Disposable {
  readonly #folders: Folders;
  readonly #secrets: vscode.SecretStorage;
  readonly #script: string;
  readonly #version: string;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listener: vscode.Disposable;
  #offered = '';
  /** URL of the team's service that was offered. */
  #team = '';

  /** Fires when the servers or their settings change. */
  readonly onDidChange = this.#changed.event;

  /** `script` is the bundled `editorProcess.ts`. */
  constructor(folders: Folders, secrets: vscode.SecretStorage, script: URL, version: string) {
    this.#folders = folders;
    this.#secrets = secrets;
    this.#script = fileURLToPath(script);
    this.#version = version;
    const onFolders = folders.onDidChange(() => {
      // The event also fires for each indexed file.
      if (this.#offered !== '' && this.#offered !== JSON.stringify(this.#options())) this.#changed.fire();
    });
    const onTeam = onDidChangeTeam(secrets, () => {
      if (this.#offered !== '') this.#changed.fire();
    });
    this.#listener = vscode.Disposable.from(onFolders, onTeam);
  }

  async definitions(): Promise<vscode.McpStdioServerDefinition[]> {
    const url = urlOfTeam();
    this.#team = url !== '' && (await this.#tokenFor(url)) !== undefined ? url : '';
    const options = this.#options();
    this.#offered = JSON.stringify(options);
    if (options.folders.length === 0) return [];
    // Extensions run on Electron in the desktop editor, and on Node elsewhere.
    const env = { ELECTRON_RUN_AS_NODE: '1' };
    const args = [this.#script, this.#offered];
    return [new vscode.McpStdioServerDefinition('Sextant', process.execPath, args, env, this.#version)];
  }

  /** Adds the token when the server starts: the editor keeps definitions. */
  async resolve(server: vscode.McpStdioServerDefinition): Promise<vscode.McpStdioServerDefinition> {
    const { team } = JSON.parse(server.args.at(-1)!) as EditorMcpOptions;
    const token = team === undefined ? undefined : await this.#tokenFor(team);
    const name: TeamTokenVariable = 'SEXTANT_TEAM_TOKEN';
    const { url, noProxy } = proxySettings();
    server.env = {
      ...server.env,
      ...(token !== undefined && { [name]: token }),
      ...(url !== undefined && { http_proxy: url, https_proxy: url }),
      ...(noProxy !== undefined && { no_proxy: noProxy }),
    };
    return server;
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }

  async #tokenFor(url: string): Promise<string | undefined> {
    return this.#secrets.get(tokenName(url));
  }

  #options(): EditorMcpOptions {
    const folders = this.#folders.all.map((folder) => {
      const name = vscode.workspace.getWorkspaceFolder(this.#folders.uriOf(folder.root))?.name;
      return { ...folder, ...(name !== undefined && { name }) };
    });
    return { folders, version: this.#version, ...(this.#team !== '' && { team: this.#team }) };
  }
}
