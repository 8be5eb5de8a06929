// The tools of language models and agents in an untrusted workspace; run by test/browser/chat.test.ts, as other tests have trust off.
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { EXTENSION_ID, sextant } from './support.ts';

export async function run(): Promise<void> {
  await (await sextant()).indexed();
  assert.equal(vscode.workspace.isTrusted, false);
  const { results } = await (await sextant()).search('verifyPassword');
  assert.equal(results[0]?.path, 'src/auth/passwordHash.ts');
  // The list of tools has all contributed tools; models get those whose `when` holds.
  for (const [name, input] of [
    ['sextant_codebase_retrieval', { information_request: 'verifyPassword' }],
    ['sextant_search', { query: 'verifyPassword' }],
    ['sextant_read_span', { path: 'src/server.ts', startLine: 1, endLine: 2 }],
    ['sextant_find_usages', { name: 'verifyPassword' }],
    ['sextant_outline', { path: 'src' }],
    ['sextant_list_files', {}],
    ['sextant_explain_missing', { path: '.env' }],
  ] as const)
    await assert.rejects(async () => vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }), name);

  // The editor requests MCP servers a while after its start. An offered server would now wait for trust.
  for (let i = 0; i < 30; i++) {
    await vscode.commands.executeCommand('workbench.mcp.startServer', `${EXTENSION_ID}/Sextant`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const offered = vscode.lm.tools.map(({ name }) => name).filter((name) => name.includes('codebase-retrieval'));
  assert.deepEqual(offered, []);
}
