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

export { until } from '../support/until.ts';
