import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { folder, sextant, until } from './support.ts';

describe('the diagnostics report', () => {
  before(async () => (await sextant()).indexed());
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('copies a report without private names, and shows exactly the copied text', async () => {
    // The command ends when its message is closed.
    void vscode.commands.executeCommand('sextant.copyDiagnostics');
    const document = await until('the report is shown', async () => {
      const { activeTextEditor } = vscode.window;
      return activeTextEditor?.document.getText().startsWith('Sextant diagnostics') && activeTextEditor.document;
    });
    const text = document.getText();
    assert.equal(await vscode.env.clipboard.readText(), text);
    assert.equal(document.isDirty, false);
    assert.equal(vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) ?? false, false);
    for (const part of [
      /^ {2}editor +\S/m,
      /sextant\.index\.exclude +2 entries, the default/,
      /Folder <folder 1>/,
      /^Log/m,
    ])
      assert.match(text, part);
    // Files of other tests may be in the folder, and their lines fill the log.
    assert.match(text, /^ {2}files +\d+, /m);
    assert.match(text, /^ {2}\d{4}-\d\d-\d\dT\S+ (?:debug|info|warn) /m);
    assert.equal(text.includes(folder().fsPath), false);
    assert.doesNotMatch(text, /127\.0\.0\.1/, 'the name of a remote may be its address');
    await vscode.commands.executeCommand('notifications.clearAll');
  });
});
