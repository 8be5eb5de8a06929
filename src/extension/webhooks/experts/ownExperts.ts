import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join, normalize, resolve } from 'node:path';
import * as vscode from 'vscode';

/** An expert of the user's settings. */
export type OwnExpert = { readonly name: string } & OwnWork;
export type OwnWork =
  /** Starts a task of a workspace folder. */
  | { readonly task: string; readonly workspace: string }
  /** Answers a question from the index of a workspace folder. */
  | { readonly ask: string; readonly workspace: string }
  /** Sends a prompt to a language model of the editor. */
  | { readonly model: string; readonly prompt: string };

export const SECTION = 'sextant.server';
const SETTING = 'experts';

/**
 * The experts of the user's own settings. Those of a workspace do not count, even if an editor ignored the scope of the setting: a
 * workspace must not choose what runs here.
 */
export function ownExperts(): OwnExpert[] {
  return Object.entries(globalValue() ?? {}).flatMap(([name, value]): OwnExpert[] => {
    const work = workOf(value);
    return work ? [{ name, ...work }] : [];
  });
}

/** Adds an expert to the user's settings, or replaces it. Returns what undoes that. */
export async function keepOwnExpert({ name, ...work }: OwnExpert): Promise<() => Promise<void>> {
  const before = globalValue();
  await setGlobalValue({ ...before, [name]: work });
  return () => setGlobalValue(before);
}

async function setGlobalValue(value: Readonly<Record<string, unknown>> | undefined): Promise<void> {
  await vscode.workspace.getConfiguration(SECTION).update(SETTING, value, vscode.ConfigurationTarget.Global);
}

function globalValue(): Readonly<Record<string, unknown>> | undefined {
  return vscode.workspace.getConfiguration(SECTION).inspect<Record<string, unknown>>(SETTING)?.globalValue;
}

function workOf(value: unknown): OwnWork | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { task, ask, model, prompt, workspace } = value as Readonly<Record<string, unknown>>;
  const isText = (one: unknown): one is string => typeof one === 'string' && one.trim() !== '';
  if (isText(model)) return isText(prompt) ? { model, prompt } : undefined;
  if (!isText(workspace)) return undefined;
  if (isText(task)) return { task, workspace };
  return isText(ask) ? { ask, workspace } : undefined;
}

/** The open workspace folder of an expert, if it is open in this window. */
export function folderOf(expert: OwnExpert): vscode.WorkspaceFolder | undefined {
  if (!('workspace' in expert)) return undefined;
  const wanted = pathOf(expert.workspace);
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file' && pathOf(uri.fsPath) === wanted);
}

function pathOf(text: string): string {
  const path = text.trim().replace(/^~(?=$|[/\\])/, homedir());
  return normalize(join(isAbsolute(path) ? path : resolve(homedir(), path), '.'));
}

/** Identifies what is sent to a model, for the user's consent to it. */
export function consentKey(expert: Extract<OwnExpert, { readonly model: string }>): string {
  const { name, model, prompt } = expert;
  return createHash('sha256')
    .update(JSON.stringify([name, model, prompt]))
    .digest('hex');
}

/** What an expert does, in lists and events. */
export function describeExpert(expert: OwnExpert): string {
  const text =
    'task' in expert
      ? vscode.l10n.t('task {0} in {1}', expert.task, expert.workspace)
      : 'ask' in expert
        ? vscode.l10n.t('asks {0}: {1}', expert.workspace, expert.ask)
        : vscode.l10n.t('asks the model {0}: {1}', expert.model, expert.prompt);
  return text.length <= 300 ? text : `${text.slice(0, 299)}…`;
}
