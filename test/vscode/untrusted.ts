// What language models and agents get in a workspace that is not trusted; run by test/browser/chat.test.ts, as trust is off elsewhere.
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { EXTENSION_ID, sextant } from './support.ts';

export async function run(): Promise<void> {
  await (await sextant()).indexed();
  assert.equal(vscode.workspace.isTrusted, false);
  const { results } = await (await sextant()).search('verifyPassword');
  assert.equal(results[0]?.path, 'src/auth/passwordHash.ts');
  // The list of tools has them all the same, as it has whatever is contributed; models are given what `when` leaves of it.
  for (const [name, input] of [
    ['sextant_search_workspace', { query: 'verifyPassword' }],
    ['sextant_read_span', { path: 'src/server.ts', startLine: 1, endLine: 2 }],
  ] as const)
    await assert.rejects(async () => vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }), name);

  // The editor asks for MCP servers a while after its start. If one were offered, it would now wait for somebody to trust it.
  for (let i = 0; i < 30; i++) {
    await vscode.commands.executeCommand('workbench.mcp.startServer', `${EXTENSION_ID}/Sextant`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const offered = vscode.lm.tools.map(({ name }) => name).filter((name) => name.includes('codebase-retrieval'));
  assert.deepEqual(offered, []);
}
