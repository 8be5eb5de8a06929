import * as vscode from 'vscode';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES } from '../workspace/folderOptions.ts';
import type { Excluded } from '../workspace/ignoreRules.ts';
import { GENERATED_FILES, SECRET_FILES, type SkipOptions } from '../workspace/skip.ts';

/** What a folder's index leaves out: by our settings, and because the editor hides or does not search it. */
export function indexOptions(folder: vscode.Uri): Excluded & SkipOptions {
  const settings = vscode.workspace.getConfiguration('sextant.index', folder);
  return {
    exclude: settings.get('exclude', DEFAULT_EXCLUDE),
    editorExclude: { 'files.exclude': hidden('files', folder), 'search.exclude': hidden('search', folder) },
    maxFileBytes: settings.get('maxFileBytes', MAX_FILE_BYTES),
    secretFiles: settings.get('secretFiles', SECRET_FILES),
    generatedFiles: settings.get('generatedFiles', GENERATED_FILES),
    skipGenerated: settings.get('skipGenerated', true),
    skipMinified: settings.get('skipMinified', true),
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
