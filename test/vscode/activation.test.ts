import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { EXTENSION_ID, sextant } from './support.ts';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
  };
}

/** Commands that work in any state: they open, connect, choose or report. */
const ALWAYS = [
  ...['openSearch', 'searchTeam', 'chooseProvider', 'chooseReranker', 'copyDiagnostics', 'showLog'],
  ...['forwardWebhooks', 'connectAnalytics', 'trySampleData', 'openDashboard'],
];

describe('activation', () => {
  it('happens once the editor has started', async () => {
    const extension = vscode.extensions.getExtension(EXTENSION_ID);
    await sextant();
    assert.equal(extension?.isActive, true);
  });

  it('registers every command that package.json contributes', async () => {
    const { contributes } = vscode.extensions.getExtension(EXTENSION_ID)!.packageJSON as Manifest;
    await sextant();
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = contributes.commands.filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  it('lists every command in the palette only where it can work', () => {
    const { contributes } = vscode.extensions.getExtension(EXTENSION_ID)!.packageJSON as Manifest;
    const conditional = new Set(contributes.menus.commandPalette.map(({ command }) => command));
    const always = contributes.commands.map(({ command }) => command).filter((command) => !conditional.has(command));
    assert.deepEqual(
      always,
      ALWAYS.map((name) => `sextant.${name}`),
    );
  });

  it('has a string for each key of package.json', () => {
    const shown = JSON.stringify(vscode.extensions.getExtension(EXTENSION_ID)!.packageJSON);
    assert.match(shown, /"title":"Search Workspace"/);
    assert.deepEqual(shown.match(/"%[^"]*%"/g), null);
  });

  it('runs in the workspace', () => {
    console.log(`VS Code ${vscode.version}, Node ${process.version}, ${vscode.env.appName}`);
  });
});
