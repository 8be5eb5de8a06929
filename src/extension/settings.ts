import * as vscode from 'vscode';
import { DEFAULT_EXCLUDE } from '../workspace/folderOptions.ts';

/** Glob patterns of what a folder's index leaves out: our setting, and what the editor hides or does not search. */
export function excludePatterns(folder: vscode.Uri): string[] {
  const patterns = new Set(vscode.workspace.getConfiguration('sextant.index', folder).get('exclude', DEFAULT_EXCLUDE));
  for (const section of ['files', 'search']) {
    const configured = vscode.workspace.getConfiguration(section, folder).get<Record<string, unknown>>('exclude', {});
    // A condition ({ "when": … }) depends on files beside it; only what is excluded in any case counts here.
    for (const [pattern, on] of Object.entries(configured)) if (on === true) patterns.add(pattern);
  }
  return [...patterns];
}

export function maxResults(): number {
  return vscode.workspace.getConfiguration('sextant.search').get('maxResults', 50);
}
