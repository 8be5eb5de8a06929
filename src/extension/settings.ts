import { homedir } from 'node:os';
import { resolve } from 'node:path';
import * as vscode from 'vscode';
import { serverStateFolder } from '../server/state/defaultFolder.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from '../workspace/folderOptions.ts';
import { DEFAULT_BUDGET } from '../workspace/governor.ts';
import type { EncodingRule } from '../workspace/encodings.ts';
import type { NamePatterns } from '../workspace/skip.ts';

/** Rules and limits of a folder's index, from Sextant's and the editor's settings. */
export function indexOptions(folder: vscode.Uri): Omit<FolderOptions, 'root' | 'stateFolder'> {
  const settings = vscode.workspace.getConfiguration('sextant.index', folder);
  // package.json has their defaults; a test checks that the index has the same.
  const secretFiles = settings.get<NamePatterns>('secretFiles');
  const generatedFiles = settings.get<NamePatterns>('generatedFiles');
  return {
    // Copy the editor's values: only plain data can cross threads.
    exclude: [...settings.get('exclude', DEFAULT_EXCLUDE)],
    editorExclude: { 'files.exclude': hidden('files', folder), 'search.exclude': hidden('search', folder) },
    encodings: encodings(folder),
    maxFileBytes: settings.get('maxFileBytes', MAX_FILE_BYTES),
    ...(secretFiles && { secretFiles: { ...secretFiles } }),
    ...(generatedFiles && { generatedFiles: { ...generatedFiles } }),
    skipGenerated: settings.get('skipGenerated', true),
    skipMinified: settings.get('skipMinified', true),
    budget: {
      cpuPercent: settings.get('cpuBudget', DEFAULT_BUDGET.cpuPercent),
      memoryBytes: settings.get('memoryBudget', DEFAULT_BUDGET.memoryBytes >> 20) * 2 ** 20,
      onBattery: settings.get('onBattery', DEFAULT_BUDGET.onBattery),
    },
  };
}

function hidden(section: string, folder: vscode.Uri): string[] {
  const configured = vscode.workspace.getConfiguration(section, folder).get<Record<string, unknown>>('exclude', {});
  // A condition ({ "when": … }) depends on sibling files; only unconditional patterns count here.
  return Object.keys(configured).filter((pattern) => configured[pattern] === true);
}

/**
 * The editor's `files.encoding` for a folder, and for the files of the languages with one of their own. The editor tells no
 * file's language before it opens it, so it follows from `files.associations` and from the extensions that add languages.
 */
function encodings(folder: vscode.Uri): EncodingRule[] {
  const encodingFor = (languageId: string): string =>
    vscode.workspace.getConfiguration('files', { uri: folder, languageId }).get('encoding', 'utf8');
  const files = vscode.workspace.getConfiguration('files', folder);
  const own = files.inspect('encoding')?.languageIds ?? [];
  const rules: EncodingRule[] = [];
  if (own.length > 0) {
    const associations = Object.entries(files.get<Record<string, string>>('associations', {}));
    for (const [glob, language] of associations) rules.push({ files: [glob], encoding: encodingFor(language) });
    for (const language of own) rules.push({ files: globsOf(language), encoding: encodingFor(language) });
  }
  rules.push({ files: ['*'], encoding: files.get('encoding', 'utf8') });
  return rules.every(({ encoding }) => encoding === 'utf8') ? [] : rules;
}

interface ContributedLanguage {
  readonly id: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
  readonly filenamePatterns?: readonly string[];
}

/** Globs of the names of a language's files. */
function globsOf(language: string): string[] {
  return vscode.extensions.all.flatMap(({ packageJSON }) => {
    const { contributes } = packageJSON as { contributes?: { languages?: readonly ContributedLanguage[] } };
    const all = contributes?.languages?.filter(({ id }) => id === language) ?? [];
    return all.flatMap(({ extensions = [], filenames = [], filenamePatterns = [] }) => [
      ...extensions.map((one) => `*${one}`),
      ...filenames,
      ...filenamePatterns,
    ]);
  });
}

/** Settings for a report: values that identify no person, else only whether they are the defaults. */
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

/** Whether results that the user works on rank slightly higher. */
export function isPersonal(): boolean {
  return vscode.workspace.getConfiguration('sextant.search').get('personal', true);
}

/** Shares of a limit at which a message is shown. */
export function alertThresholds(): number[] {
  const percents = vscode.workspace.getConfiguration('sextant.analytics').get('alertThresholds', [75, 90, 100]);
  return percents.map((percent) => percent / 100);
}

/** Whether the status bar shows the amount spent. */
export function showsSpent(): boolean {
  return vscode.workspace.getConfiguration('sextant.analytics').get('statusBar', false);
}

/** Path of a CSV file of seats; empty for none. */
export function rosterPath(): string {
  return vscode.workspace.getConfiguration('sextant.analytics').get('roster', '').trim();
}

/** Path of a group file; empty for one found in a workspace folder. */
export function groupsPath(): string {
  return vscode.workspace.getConfiguration('sextant.analytics').get('groups', '').trim();
}

export interface ServerSettings {
  readonly state: string;
  readonly data: string | undefined;
  readonly port: number | undefined;
  /** Largest body of a delivery to a webhook, in bytes. */
  readonly maxBodyBytes: number;
  /** The file of commands that triggers may run; none in a workspace that is not trusted. */
  readonly commands: string | undefined;
}

/** Options of the local server, which only the user's settings can set. A relative path is in the home folder, also without `~`. */
export function serverSettings(): ServerSettings {
  const settings = vscode.workspace.getConfiguration('sextant.server');
  const path = (name: string, value = settings.get(name, '').trim()): string | undefined => {
    if (value === '') return undefined;
    return resolve(homedir(), value.replace(/^~(?:[/\\]|$)/, ''));
  };
  return {
    state: serverStateFolder(path('stateFolder')),
    data: path('dataFile'),
    port: settings.get<number | null>('port', null) ?? undefined,
    maxBodyBytes: settings.get('maxWebhookBytes', 1_048_576),
    // Of the user alone, even if an editor ignored the scope of the setting: a workspace must not choose what runs here.
    commands: vscode.workspace.isTrusted
      ? path('commandsFile', settings.inspect<string>('commandsFile')?.globalValue?.trim() ?? '')
      : undefined,
  };
}

/** Whether the user's own settings have experts of the editor. */
export function hasOwnExperts(): boolean {
  const { globalValue = {} } = vscode.workspace.getConfiguration('sextant.server').inspect<object>('experts') ?? {};
  return Object.keys(globalValue).length > 0;
}

export interface AskSettings {
  /** `extractive`, `openai`, `vscode.lm` for any model of the editor, or `vscode.lm:<model id>`. */
  readonly provider: string;
  /** Whether the user chose it. */
  readonly isChosen: boolean;
  /** The model that orders passages and results, in the form of `provider`; empty for none. */
  readonly rerank: string;
  readonly baseUrl: string;
  readonly model: string;
}

export function askSettings(): AskSettings {
  const settings = vscode.workspace.getConfiguration('sextant.ask');
  const { globalValue } = settings.inspect<string>('provider') ?? {};
  return {
    provider: settings.get('provider', 'extractive').trim() || 'extractive',
    isChosen: globalValue !== undefined,
    rerank: settings.get('rerank', '').trim(),
    baseUrl: settings.get('openai.baseUrl', '').trim(),
    model: settings.get('openai.model', '').trim(),
  };
}
