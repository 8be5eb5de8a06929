import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { SextantApi } from '../../src/extension/app.ts';

export const EXTENSION_ID = 'sextant.sextant-code';

export async function sextant(): Promise<SextantApi> {
  const extension = vscode.extensions.getExtension<SextantApi>(EXTENSION_ID);
  assert.ok(extension, `${EXTENSION_ID} is not installed`);
  return extension.activate();
}

export function folder(): vscode.Uri {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first, 'the tests need an open folder');
  return first.uri;
}

/** Asks until it holds. A deadline ends a test that would otherwise hang; how long it takes is not judged. */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false>, limitMs = 30_000): Promise<T> {
  for (const end = Date.now() + limitMs; ;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    assert.ok(Date.now() < end, `${what}: not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
