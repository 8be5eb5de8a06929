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

/** The settings that an exclude pattern of a folder comes from: often more than one, all of which have to let go of it. */
export function excludeSettingsOf(folder: vscode.Uri, pattern: string): string[] {
  const own = vscode.workspace.getConfiguration('sextant.index', folder).get('exclude', DEFAULT_EXCLUDE);
  const editors = ['files', 'search'].filter((section) => {
    return (
      vscode.workspace.getConfiguration(section, folder).get<Record<string, unknown>>('exclude', {})[pattern] === true
    );
  });
  return [...(own.includes(pattern) ? ['sextant.index.exclude'] : []), ...editors.map((name) => `${name}.exclude`)];
}

/** Our settings, for a report: their values where those tell of nobody, else only whether they are the defaults. */
export function describeSettings(contributed: readonly string[]): Record<string, string> {
  const described: Record<string, string> = {};
  for (const id of contributed) {
    const value: unknown = vscode.workspace.getConfiguration().get(id);
    const defaultValue: unknown = vscode.workspace.getConfiguration().inspect(id)?.defaultValue;
    const isDefault = JSON.stringify(value) === JSON.stringify(defaultValue);
    const isPlain = typeof value === 'number' || typeof value === 'boolean';
    const shown = isPlain ? String(value) : Array.isArray(value) ? `${value.length} entries` : isDefault ? '' : 'set';
    described[id] = [shown, isDefault ? 'the default' : 'changed'].filter((text) => text !== '').join(', ');
  }
  return described;
}

export function maxResults(): number {
  return vscode.workspace.getConfiguration('sextant.search').get('maxResults', 50);
}
