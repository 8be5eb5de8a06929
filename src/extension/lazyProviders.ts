import * as vscode from 'vscode';
import { viewType } from '../protocol/viewContract.ts';
import type { App } from './app.ts';
import { signalOf } from './cancellation.ts';
import { CHAT_PARTICIPANT, MCP_PROVIDER } from './commandIds.ts';
import type { ReadInput, SearchInput } from './ask/tools.ts';

/*
 * What other parts of the editor call by name: it has to be there as soon as the extension is active, and loads the rest of it
 * when it is called.
 */

export function registerChat(app: () => Promise<App>): vscode.ChatParticipant {
  const participant = vscode.chat.createChatParticipant(CHAT_PARTICIPANT, async (request, context, response, token) =>
    (await (await app()).chat()).answer(request, context, response, token),
  );
  participant.iconPath = new vscode.ThemeIcon('search');
  participant.followupProvider = { provideFollowups: async (result) => (await (await app()).chat()).followUps(result) };
  return participant;
}

export function registerTools(app: () => Promise<App>): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.lm.registerTool('sextant_search_workspace', searchTool(app)),
    vscode.lm.registerTool('sextant_read_span', readTool(app)),
  );
}

/** Some editors that run VS Code's extensions do not have this. */
export function registerMcpServers(app: () => Promise<Pick<App, 'mcpServers'>>): vscode.Disposable {
  if (!('registerMcpServerDefinitionProvider' in vscode.lm)) return new vscode.Disposable(() => undefined);
  const changed = new vscode.EventEmitter<void>();
  let following: vscode.Disposable | undefined;
  const registered = vscode.lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: async () => {
      const { mcpServers } = await app();
      following ??= mcpServers.onDidChange(() => changed.fire());
      return mcpServers.definitions();
    },
  });
  return new vscode.Disposable(() => {
    registered.dispose();
    following?.dispose();
    changed.dispose();
  });
}

export function searchTool(app: () => Promise<Pick<App, 'tools'>>): vscode.LanguageModelTool<SearchInput> {
  return tool(
    async (input, signal) => (await app()).tools.search(input, signal),
    ({ query }) => ({
      invocationMessage: vscode.l10n.t('Searching the workspace for “{0}”', query),
      title: vscode.l10n.t('Search the workspace?'),
      message: vscode.l10n.t('The model gets paths, lines and names that match “{0}”.', query),
    }),
  );
}

export function readTool(app: () => Promise<Pick<App, 'tools'>>): vscode.LanguageModelTool<ReadInput> {
  return tool(
    async (input) => (await app()).tools.read(input),
    ({ path, startLine, endLine }) => ({
      invocationMessage: vscode.l10n.t('Reading {0}, lines {1} to {2}', path, startLine, endLine),
      title: vscode.l10n.t('Read lines of a file?'),
      message: vscode.l10n.t('The model gets lines {1} to {2} of {0}.', path, startLine, endLine),
    }),
  );
}

/** Has the editor give a view's panel back after a restart. */
export function registerPanel(
  name: string,
  load: () => Promise<{ restore(panel: vscode.WebviewPanel): void }>,
): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(viewType(name), {
    deserializeWebviewPanel: async (panel) => (await load()).restore(panel),
  });
}

interface Prepared {
  readonly invocationMessage: string;
  readonly title: string;
  readonly message: string;
}

function tool<T>(
  invoke: (input: T, signal: AbortSignal) => Promise<unknown>,
  prepare: (input: T) => Prepared,
): vscode.LanguageModelTool<T> {
  return {
    prepareInvocation({ input }) {
      const { invocationMessage, title, message } = prepare(input);
      return { invocationMessage, confirmationMessages: { title, message } };
    },
    async invoke({ input }, token) {
      const linked = signalOf(token);
      try {
        const json = JSON.stringify(await invoke(input, linked.signal));
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(json)]);
      } finally {
        linked.dispose();
      }
    },
  };
}
