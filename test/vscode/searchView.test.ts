import * as assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { EXTENSION_ID, sextant, until } from './support.ts';

interface Manifest {
  readonly contributes: { readonly keybindings: readonly { readonly key: string }[] };
}

describe('the search view', () => {
  before(async () => (await sextant()).indexed());

  it('opens for a query, and shows its results', async () => {
    await vscode.commands.executeCommand('sextant.openSearch', 'verifyPassword');
    await vscode.env.clipboard.writeText('');
    // The page has searched as soon as its results can be copied.
    const copied = await until('there are results', async () => {
      await vscode.commands.executeCommand('sextant.copyResults');
      return (await vscode.env.clipboard.readText()) || undefined;
    });
    assert.match(copied, /^src\/auth\/passwordHash\.ts:13: export async function verifyPassword/);
  });

  it('finds the usages of a name in any case from a file of a language that ignores it', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'sextant-usages-')), 'a.sql');
    writeFileSync(file, 'SELECT NEXTRETRYDELAY;\n');
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
    editor.selection = new vscode.Selection(0, 9, 0, 9);
    await vscode.commands.executeCommand('sextant.findUsages');
    await vscode.env.clipboard.writeText('');
    await until('there are results', async () => {
      await vscode.commands.executeCommand('sextant.copyResults');
      return (await vscode.env.clipboard.readText()).includes('nextRetryDelay');
    });
  });

  it('has keys that the editor uses for nothing else', async () => {
    const defaults = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
    const text = (await vscode.workspace.openTextDocument(defaults)).getText();
    const all = [...text.matchAll(/"key": "([^"]+)",?\s*"command": "([^"]+)"/g)];
    assert.ok(all.length > 500, `${all.length} keys`);
    const { contributes } = vscode.extensions.getExtension(EXTENSION_ID)!.packageJSON as Manifest;
    const own = contributes.keybindings.map(({ key }) => key).filter((key) => key.startsWith('shift+alt+'));
    assert.equal(own.length, 3);
    for (const key of own) {
      const others = all.filter(([, used, command]) => used === key && !command!.startsWith('sextant.'));
      assert.deepEqual(others.map(([line]) => line), []); // oxfmt-ignore
    }
  });
});
