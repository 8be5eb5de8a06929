import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ReadOnlyDocuments } from '../../src/extension/readOnlyDocuments.ts';

describe('read-only documents', () => {
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('show the new text at once if one with the same title is open or was just closed', async () => {
    const texts = new ReadOnlyDocuments('sextant-test');
    try {
      for (let i = 0; i < 20; i++) {
        const text = `text ${i}\r\nof two lines\n`;
        await texts.open('Title', text);
        const shown = vscode.window.activeTextEditor?.document.getText() ?? '';
        assert.equal(shown.replaceAll('\r\n', '\n'), text.replaceAll('\r\n', '\n'));
        if (i % 3 === 0) await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      }
    } finally {
      texts.dispose();
    }
  });
});
