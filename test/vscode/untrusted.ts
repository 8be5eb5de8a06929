// The tools of language models and agents, and experts of webhooks, in an untrusted workspace; run by test/browser/chat.test.ts, as other tests have trust off.
import * as assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { findServer } from '../../src/server/state/published.ts';
import type { ExpertView } from '../../src/webhooks/definitions.ts';
import { EXTENSION_ID, folder, sextant, until } from './support.ts';

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
  await runsNoExpert();
}

/** The user's own expert for this folder: no window runs it, so that its events wait. */
async function runsNoExpert(): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'sextant-untrusted-'));
  const settings = vscode.workspace.getConfiguration('sextant.server');
  const set = (name: string, value?: unknown): Thenable<void> =>
    settings.update(name, value, vscode.ConfigurationTarget.Global);
  await set('stateFolder', place);
  await set('experts', { keep: { ask: 'Where?', workspace: folder().fsPath } });
  await vscode.commands.executeCommand('sextant.startServer');
  const client = new AdminClient(await until('the server', () => findServer(place)));
  await client.ask('POST', 'experts', { name: 'keep', type: 'editor' });
  // A trusted window connects at once; see experts.test.ts.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const { experts } = await client.ask<{ experts: ExpertView[] }>('GET', 'experts');
  const keep = experts.find(({ name }) => name === 'keep');
  assert.deepEqual(keep?.type === 'editor' && keep.windows, []);
  await vscode.commands.executeCommand('sextant.stopServer');
  await set('experts');
  await set('stateFolder');
  rmSync(place, { recursive: true, force: true });
}
