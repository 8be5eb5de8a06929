import * as vscode from 'vscode';
import { viewType } from '../protocol/viewContract.ts';
import type { App } from './app.ts';
import { signalOf } from './cancellation.ts';
import { CHAT_PARTICIPANT, MCP_PROVIDER } from './commandIds.ts';
import type {
  ExplainInput,
  FilesInput,
  OutlineInput,
  ReadInput,
  RetrievalInput,
  SearchInput,
  UsagesInput,
} from './ask/tools.ts';

/*
 * Providers that other parts of the editor call by name. They are registered as soon as the extension is active, and load the
 * rest of it when first called.
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
    vscode.lm.registerTool('sextant_codebase_retrieval', retrievalTool(app)),
    vscode.lm.registerTool('sextant_search', searchTool(app)),
    vscode.lm.registerTool('sextant_read_span', readTool(app)),
    vscode.lm.registerTool('sextant_find_usages', usagesTool(app)),
    vscode.lm.registerTool('sextant_outline', outlineTool(app)),
    vscode.lm.registerTool('sextant_list_files', filesTool(app)),
    vscode.lm.registerTool('sextant_explain_missing', explainTool(app)),
  );
}

/** Registers the MCP servers; some editors that run VS Code's extensions lack this API. */
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
    resolveMcpServerDefinition: async (server: vscode.McpStdioServerDefinition) =>
      (await app()).mcpServers.resolve(server),
  });
  return new vscode.Disposable(() => {
    registered.dispose();
    following?.dispose();
    changed.dispose();
  });
}

function retrievalTool(app: () => Promise<Pick<App, 'tools'>>): vscode.LanguageModelTool<RetrievalInput> {
  return tool(
    async (input, signal) => (await app()).tools.retrieve(input, signal),
    ({ information_request: request }) => ({
      invocationMessage: vscode.l10n.t('Searching the workspace for “{0}”', request),
      title: vscode.l10n.t('Retrieve code?'),
      message: vscode.l10n.t('The model gets the code that answers “{0}”.', request),
    }),
  );
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

function usagesTool(app: () => Promise<Pick<App, 'tools'>>): vscode.LanguageModelTool<UsagesInput> {
  return tool(
    async (input, signal) => (await app()).tools.findUsages(input, signal),
    ({ name }) => ({
      invocationMessage: vscode.l10n.t('Finding usages of “{0}”', name),
      title: vscode.l10n.t('Find usages?'),
      message: vscode.l10n.t('The model gets the paths and lines that have “{0}”.', name),
    }),
  );
}

function outlineTool(app: () => Promise<Pick<App, 'tools'>>): vscode.LanguageModelTool<OutlineInput> {
  return tool(
    async (input, signal) => (await app()).tools.outline(input, signal),
    ({ path }) => ({
      invocationMessage: vscode.l10n.t('Listing definitions of {0}', path),
      title: vscode.l10n.t('List definitions?'),
      message: vscode.l10n.t('The model gets the names of the definitions in {0}.', path),
    }),
  );
}

function filesTool(app: () => Promise<Pick<App, 'tools'>>): vscode.LanguageModelTool<FilesInput> {
  return tool(
    async (input, signal) => (await app()).tools.listFiles(input, signal),
    () => ({
      invocationMessage: vscode.l10n.t('Listing files'),
      title: vscode.l10n.t('List files?'),
      message: vscode.l10n.t('The model gets the paths of indexed files.'),
    }),
  );
}

function explainTool(app: () => Promise<Pick<App, 'tools'>>): vscode.LanguageModelTool<ExplainInput> {
  return tool(
    async (input, signal) => (await app()).tools.explainMissing(input, signal),
    ({ path }) => ({
      invocationMessage: vscode.l10n.t('Explaining whether {0} is found', path),
      title: vscode.l10n.t('Explain whether a file is found?'),
      message: vscode.l10n.t('The model gets the rule, setting or limit that leaves out {0}.', path),
    }),
  );
}

/** Restores a view's panel after a restart of the editor. */
export function registerPanel(
  name: string,
  load: () => Promise<{ restore(panel: vscode.WebviewPanel): void }>,
): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(viewType(name), {
    deserializeWebviewPanel: async (panel) => (await load()).restore(panel),
  });
}

/** Fills a view of the side bar when the editor shows it. */
export function registerSideView(
  name: string,
  load: () => Promise<{ resolve(view: vscode.WebviewView): void }>,
): vscode.Disposable {
  return vscode.window.registerWebviewViewProvider(viewType(name), {
    resolveWebviewView: async (view) => (await load()).resolve(view),
  });
}

interface Invocation {
  readonly invocationMessage: string;
  readonly title: string;
  readonly message: string;
}

function tool<T>(
  invoke: (input: T, signal: AbortSignal) => Promise<object | string>,
  prepare: (input: T) => Invocation,
): vscode.LanguageModelTool<T> {
  return {
    prepareInvocation({ input }) {
      const { invocationMessage, title, message } = prepare(input);
      return { invocationMessage, confirmationMessages: { title, message } };
    },
    async invoke({ input }, token) {
      const linked = signalOf(token);
      try {
        const found = await invoke(input, linked.signal);
        const text = typeof found === 'string' ? found : JSON.stringify(found);
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      } finally {
        linked.dispose();
      }
    },
  };
}
