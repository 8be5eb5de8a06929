import * as vscode from 'vscode';
import type { App, SextantApi } from './app.ts';
import type { CommandId } from './commandIds.ts';
import { registerChat, registerMcpServers, registerPanel, registerSideView, registerTools } from './lazyProviders.ts';

/*
 * The code that runs while the editor starts. The rest is a chunk of its own, loaded when a command or a view needs it, or
 * once the editor has started; only then does the indexer begin, in a thread.
 */

interface PackageManifest {
  readonly contributes: { readonly commands: readonly { readonly command: CommandId }[] };
}

let running: Promise<App> | undefined;

export function activate(context: vscode.ExtensionContext): SextantApi {
  const app = (): Promise<App> => (running ??= load(context));
  const { contributes } = context.extension.packageJSON as PackageManifest;
  for (const { command } of contributes.commands) {
    context.subscriptions.push(
      vscode.commands.registerCommand(command, async (argument: unknown) => {
        await (await app()).commands[command](argument);
      }),
    );
  }
  context.subscriptions.push(
    registerChat(app),
    registerSideView('search', async () => (await app()).searchView()),
    registerPanel('answer', async () => (await app()).answers()),
    registerPanel('events', async () => (await app()).events()),
    registerPanel('dashboard', async () => (await app()).dashboard()),
    vscode.window.registerUriHandler({
      handleUri: async ({ path, query }) => {
        if (path === '/dashboard') (await (await app()).dashboard()).showShared(query);
      },
    }),
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

/** Registers providers that only a trusted workspace may have. */
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
