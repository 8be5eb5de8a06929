import { homedir } from 'node:os';
import { resolve } from 'node:path';
import * as vscode from 'vscode';
import type { ProxySettings } from '../base/undici.ts';
import { serverStateFolder } from '../server/state/defaultFolder.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from '../workspace/folderOptions.ts';
import { DEFAULT_BUDGET } from '../workspace/governor.ts';
import { encodingRules, type EncodingRule } from '../workspace/encodings.ts';
import type { NamePatterns } from '../workspace/skip.ts';

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** A setting; `fallback` where its value is of another kind, which the editor marks but returns all the same. */
function setting<T>(section: string, name: string, fallback: T, folder?: vscode.Uri): T {
  const value = vscode.workspace.getConfiguration(section, folder).get<T>(name);
  return value !== undefined && kindOf(value) === kindOf(fallback) ? value : fallback;
}

/** A whole number between two limits. */
function count(section: string, name: string, fallback: number, least: number, most: number): number {
  return Math.round(Math.min(most, Math.max(least, setting(section, name, fallback))));
}

/** The patterns of an object that are on or off; `undefined` for a value of another kind. */
function patterns(section: string, name: string, folder: vscode.Uri): NamePatterns | undefined {
  const value = vscode.workspace.getConfiguration(section, folder).get<NamePatterns>(name);
  if (kindOf(value) !== 'object') return undefined;
  return Object.fromEntries(Object.entries(value!).filter(([glob, is]) => glob !== '' && typeof is === 'boolean'));
}

/** Rules and limits of a folder's index, from Sextant's and the editor's settings. */
export function indexOptions(folder: vscode.Uri): Omit<FolderOptions, 'root' | 'stateFolder'> {
  const section = 'sextant.index';
  // package.json has their defaults; a test checks that the index has the same.
  const secretFiles = patterns(section, 'secretFiles', folder);
  const generatedFiles = patterns(section, 'generatedFiles', folder);
  return {
    // Copy the editor's values: only plain data can cross threads.
    exclude: setting(section, 'exclude', DEFAULT_EXCLUDE, folder).filter(
      (glob: unknown) => typeof glob === 'string' && glob !== '',
    ),
    editorExclude: { 'files.exclude': hidden('files', folder), 'search.exclude': hidden('search', folder) },
    encodings: encodings(folder),
    maxFileBytes: setting(section, 'maxFileBytes', MAX_FILE_BYTES, folder),
    ...(secretFiles && { secretFiles }),
    ...(generatedFiles && { generatedFiles }),
    skipGenerated: setting(section, 'skipGenerated', true, folder),
    skipMinified: setting(section, 'skipMinified', true, folder),
    budget: {
      cpuPercent: count(section, 'cpuBudget', DEFAULT_BUDGET.cpuPercent, 5, 100),
      memoryBytes: count(section, 'memoryBudget', DEFAULT_BUDGET.memoryBytes >> 20, 256, 16_384) * 2 ** 20,
      onBattery: setting(section, 'onBattery', DEFAULT_BUDGET.onBattery),
    },
  };
}

function hidden(section: string, folder: vscode.Uri): string[] {
  const configured = patterns(section, 'exclude', folder) ?? {};
  // A condition ({ "when": … }) depends on sibling files; only unconditional patterns count here.
  return Object.keys(configured).filter((pattern) => configured[pattern]);
}

/**
 * The editor's `files.encoding` for a folder, and for the files of the languages with one of their own; and whether the editor guesses
 * first. It tells no file's language before it opens it, so that follows from `files.associations` and from the extensions that add languages.
 */
function encodings(folder: vscode.Uri): EncodingRule[] {
  const encodingFor = (languageId: string): string =>
    vscode.workspace.getConfiguration('files', { uri: folder, languageId }).get('encoding', 'utf8');
  const files = vscode.workspace.getConfiguration('files', folder);
  const own = files.inspect('encoding')?.languageIds ?? [];
  const rules: EncodingRule[] = [];
  if (own.length > 0) {
    const associations = Object.entries(files.get<Record<string, string>>('associations', {})).filter(
      ([glob]) => glob !== '',
    );
    for (const [glob, language] of associations) rules.push({ files: [glob], encoding: encodingFor(language) });
    for (const language of own) rules.push({ files: globsOf(language), encoding: encodingFor(language) });
  }
  rules.push({ files: ['*'], encoding: files.get('encoding', 'utf8') });
  return encodingRules(rules, files.get('autoGuessEncoding', false));
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

/**
 * Settings for a report: values that identify no person, else only whether they are the defaults. Those of a folder are the ones in
 * which it differs from the workspace.
 */
export function describeSettings(contributed: readonly string[], folder?: vscode.Uri): Record<string, string> {
  const described: Record<string, string> = {};
  const workspace = vscode.workspace.getConfiguration(undefined, null);
  const settings = folder ? vscode.workspace.getConfiguration(undefined, folder) : workspace;
  const areEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  for (const id of contributed) {
    const value: unknown = settings.get(id);
    if (folder && areEqual(value, workspace.get(id))) continue;
    const isDefault = areEqual(value, settings.inspect(id)?.defaultValue);
    const isPlain = typeof value === 'number' || typeof value === 'boolean';
    const shown = isPlain ? String(value) : Array.isArray(value) ? `${value.length} entries` : isDefault ? '' : 'set';
    described[id] = [shown, isDefault ? 'the default' : 'changed'].filter((text) => text !== '').join(', ');
  }
  return described;
}

/** The editor's proxy, unless it gives extensions none. */
export function proxySettings(): ProxySettings {
  if (setting<string>('http', 'proxySupport', 'override') === 'off') return {};
  const url = setting('http', 'proxy', '').trim();
  const noProxy = setting<unknown[]>('http', 'noProxy', []).join(',');
  return { ...(URL.canParse(url) && { url }), ...(noProxy !== '' && { noProxy }) };
}

export function maxResults(): number {
  return count('sextant.search', 'maxResults', 50, 1, 500);
}

/** Whether results that the user works on rank slightly higher. */
export function isPersonal(): boolean {
  return setting('sextant.search', 'personal', true);
}

/** Shares of a limit at which a message is shown. */
export function alertThresholds(): number[] {
  const percents = setting('sextant.analytics', 'alertThresholds', [75, 90, 100]);
  return percents.map((percent) => percent / 100);
}

/** Whether the status bar shows the amount spent. */
export function showsSpent(): boolean {
  return setting('sextant.analytics', 'statusBar', false);
}

/** Path of a CSV file of seats; empty for none. */
export function rosterPath(): string {
  return setting('sextant.analytics', 'roster', '').trim();
}

/** Path of a group file; empty for one found in a workspace folder. */
export function groupsPath(): string {
  return setting('sextant.analytics', 'groups', '').trim();
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
  const path = (name: string, value = setting('sextant.server', name, '').trim()): string | undefined => {
    if (value === '') return undefined;
    return resolve(homedir(), value.replace(/^~(?:[/\\]|$)/, ''));
  };
  return {
    state: serverStateFolder(path('stateFolder')),
    data: path('dataFile'),
    port: settings.get<number | null>('port', null) ?? undefined,
    maxBodyBytes: setting('sextant.server', 'maxWebhookBytes', 1_048_576),
    // Of the user alone, even if an editor ignored the scope of the setting: a workspace must not choose what runs here.
    commands: vscode.workspace.isTrusted
      ? path('commandsFile', settings.inspect<string>('commandsFile')?.globalValue?.trim() ?? '')
      : undefined,
  };
}

/** Whether the user's own settings have experts of the editor. */
export function hasOwnExperts(): boolean {
  const { globalValue } = vscode.workspace.getConfiguration('sextant.server').inspect<object>('experts') ?? {};
  return Object.keys(globalValue ?? {}).length > 0;
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
    provider: setting('sextant.ask', 'provider', 'extractive').trim() || 'extractive',
    isChosen: globalValue !== undefined,
    rerank: setting('sextant.ask', 'rerank', '').trim(),
    baseUrl: setting('sextant.ask', 'openai.baseUrl', '').trim(),
    model: setting('sextant.ask', 'openai.model', '').trim(),
  };
}
