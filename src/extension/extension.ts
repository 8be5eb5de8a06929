import * as vscode from 'vscode';
import { COMMANDS } from './commandIds.ts';
import type { App, SextantApi } from './app.ts';
import { registerChat, registerMcpServers, registerPanel, registerTools } from './lazyProviders.ts';

/*
 * All that runs while the editor starts. What the extension does is in a chunk of its own, which is loaded when a command
 * or a view needs it, or once the editor has started up; only then does the indexer begin, in a thread.
 */

let running: Promise<App> | undefined;

export function activate(context: vscode.ExtensionContext): SextantApi {
  const app = (): Promise<App> => (running ??= load(context));
  for (const id of COMMANDS) {
    context.subscriptions.push(
      vscode.commands.registerCommand(id, async (argument: unknown) => (await app()).run(id, argument)),
    );
  }
  context.subscriptions.push(
    registerChat(app),
    registerPanel('answer', async () => (await app()).answers()),
    registerPanel('dashboard', async () => (await app()).dashboard()),
  );
  onceTrusted(context, () => vscode.Disposable.from(registerTools(app), registerMcpServers(app)));
  setTimeout(() => {
    app().catch((error: unknown) => void vscode.window.showErrorMessage(`Sextant could not start: ${String(error)}`));
  });
  return {
    search: async (query, limit) => (await app()).search(query, limit),
    status: async () => (await app()).status(),
    indexed: async () => (await app()).indexed(),
    localServer: async () => (await app()).localServer(),
    analytics: async () => (await app()).analytics(),
  };
}

/** What no workspace may have that is not trusted. */
function onceTrusted(context: vscode.ExtensionContext, register: () => vscode.Disposable): void {
  if (vscode.workspace.isTrusted) context.subscriptions.push(register());
  else
    context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => context.subscriptions.push(register())));
}

export async function deactivate(): Promise<void> {
  await (await running)?.stop();
}

async function load(context: vscode.ExtensionContext): Promise<App> {
  const { App } = await import('./app.ts');
  return App.start(context);
}
