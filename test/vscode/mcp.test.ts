import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { EXTENSION_ID, sextant, until } from './support.ts';

interface Manifest {
  readonly contributes: { readonly mcpServerDefinitionProviders: readonly object[] };
}

const tools = (): string[] =>
  vscode.lm.tools.map(({ name }) => name).filter((name) => name.includes('codebase-retrieval'));

describe('the MCP server in the editor', () => {
  it('is offered, starts, and searches the index of the window', async () => {
    await (await sextant()).indexed();
    await until('it has started', async () => {
      // The editor requests the servers of extensions a while after their activation; newer editors start them.
      await vscode.commands.executeCommand('workbench.mcp.startServer', `${EXTENSION_ID}/Sextant`);
      return tools().length === 1;
    });
    const input = { information_request: 'how long to wait before the next attempt' };
    const { content } = await vscode.lm.invokeTool(tools()[0]!, { input, toolInvocationToken: undefined });
    const [part] = content;
    assert.ok(part instanceof vscode.LanguageModelTextPart);
    // The window may have finished so recently that other processes do not see it yet.
    assert.match(part.value, /^(Process .*\n)?These parts .*\nPath: src\/orders\/retryPolicy\.ts\n/);
    assert.match(part.value, /\n {5}6\texport function nextRetryDelay/);
  });

  it('is the only contributed provider', () => {
    const { contributes } = vscode.extensions.getExtension(EXTENSION_ID)!.packageJSON as Manifest;
    assert.deepEqual(contributes.mcpServerDefinitionProviders, [{ id: 'sextant.folders', label: 'Sextant' }]);
  });
});
