import * as vscode from 'vscode';
import { DEFAULT_EXCLUDE } from '../workspace/folderOptions.ts';
import type { Excluded } from '../workspace/ignoreRules.ts';

/** Glob patterns of what a folder's index leaves out: our setting, and what the editor hides or does not search. */
export function excluded(folder: vscode.Uri): Required<Excluded> {
  return {
    exclude: vscode.workspace.getConfiguration('sextant.index', folder).get('exclude', DEFAULT_EXCLUDE),
    editorExclude: { 'files.exclude': hidden('files', folder), 'search.exclude': hidden('search', folder) },
  };
}

function hidden(section: string, folder: vscode.Uri): string[] {
  const configured = vscode.workspace.getConfiguration(section, folder).get<Record<string, unknown>>('exclude', {});
  // A condition ({ "when": … }) depends on files beside it; only what is excluded in any case counts here.
  return Object.keys(configured).filter((pattern) => configured[pattern] === true);
}

export function maxResults(): number {
  return vscode.workspace.getConfiguration('sextant.search').get('maxResults', 50);
}
