import * as vscode from 'vscode';
import { AdminClient } from '../../../server/admin/adminClient.ts';
import type { NewExpertView } from '../../../server/webhooks/views.ts';
import type { ExpertView } from '../../../webhooks/definitions.ts';
import { isHttpUrl, SIGNING_TYPES, SYSTEMS } from '../../../webhooks/names.ts';
import { showKey } from '../secretPick.ts';
import { ask, pick, type Choice } from '../inputs.ts';
import type { OwnExpert, OwnWork } from './ownExperts.ts';

/** The kinds of experts that a window runs. */
export type OwnKind = 'task' | 'ask' | 'model';

export function ownKinds(): Choice<OwnKind>[] {
  return [
    {
      label: vscode.l10n.t('Run a Task…'),
      detail: vscode.l10n.t('A task of this workspace, in a window that has it open'),
      value: 'task',
    },
    {
      label: vscode.l10n.t('Ask the Workspace…'),
      detail: vscode.l10n.t('The most relevant code, from the index; sends nothing'),
      value: 'ask',
    },
    {
      label: vscode.l10n.t('Ask a Language Model…'),
      detail: vscode.l10n.t('Sends a prompt with parts of the event to a model of the editor'),
      value: 'model',
    },
  ];
}

/** Asks what an expert of the editor does; it is kept in the user's settings. */
export async function askOwnExpert(kind: OwnKind, title: string, name: string): Promise<OwnExpert | undefined> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Experts of the editor work in trusted workspaces only.'));
    return undefined;
  }
  const work =
    kind === 'task' ? await askTask(title) : kind === 'ask' ? await askQuestion(title) : await askModel(title);
  return work && { name, ...work };
}

async function askTask(title: string): Promise<OwnWork | undefined> {
  const tasks = (await vscode.tasks.fetchTasks()).flatMap(({ name, source, scope }): Choice<OwnWork>[] => {
    if (typeof scope !== 'object') return [];
    const label = source === 'Workspace' ? name : `${source}: ${name}`;
    return [{ label, description: scope.name, value: { task: label, workspace: scope.uri.fsPath } }];
  });
  if (tasks.length > 0) return pick(title, tasks, vscode.l10n.t('Task to run'));
  void vscode.window.showInformationMessage(
    vscode.l10n.t('This workspace has no tasks. Add them in .vscode/tasks.json.'),
  );
  return undefined;
}

async function askQuestion(title: string): Promise<OwnWork | undefined> {
  const folder = await pickFolder(title);
  const text = folder && (await askTemplate(title, vscode.l10n.t('Question'), 'Where is {{issue.title}} handled?'));
  return text === undefined || !folder ? undefined : { ask: text, workspace: folder.uri.fsPath };
}

async function askModel(title: string): Promise<OwnWork | undefined> {
  const models = await vscode.lm.selectChatModels();
  const choices = models.map(({ name, vendor, id }) => ({
    label: name,
    description: vendor,
    value: `vscode.lm:${id}`,
  }));
  const any = { label: vscode.l10n.t('Any language model of the editor'), value: 'vscode.lm' };
  const model = await pick(title, [...choices, any], vscode.l10n.t('Model that receives the prompt'));
  const label = vscode.l10n.t('Prompt, sent to the model for each event');
  const prompt = model === undefined ? undefined : await askTemplate(title, label, 'Summarize this event: {{}}');
  return model === undefined || prompt === undefined ? undefined : { model, prompt };
}

function askTemplate(title: string, label: string, value: string): Promise<string | undefined> {
  const prompt = vscode.l10n.t('{0}. {1} stands for a value of the event, {2} for its body.', label, '{{a.b}}', '{{}}');
  return ask(title, prompt, (text) => (text.trim() === '' ? vscode.l10n.t('Type a text') : undefined), value);
}

async function pickFolder(title: string): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  if (folders.length > 1)
    return pick(
      title,
      folders.map((value) => ({ label: value.name, description: value.uri.fsPath, value })),
      vscode.l10n.t('Folder to ask'),
    );
  if (folders.length === 0)
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a folder first: an expert answers from it.'));
  return folders[0];
}

type Forward = Extract<ExpertView, { readonly type: 'forward' }>;
type Change =
  | { readonly kind: 'url' }
  | { readonly kind: 'add' }
  | { readonly kind: 'header'; readonly header: string }
  | { readonly kind: 'sign' };

/** Changes the URL, the headers or the signature of a forward, one after another until the list is closed. */
export async function editForward(client: AdminClient, name: string): Promise<void> {
  const path = AdminClient.path(['experts', name]);
  for (;;) {
    const { experts } = await client.ask<{ readonly experts: readonly ExpertView[] }>('GET', 'experts');
    const expert = experts.find((one) => one.name === name);
    if (expert?.type !== 'forward') {
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} is no forward to a URL.', name));
      return;
    }
    const title = vscode.l10n.t('{0}: Edit Forward', name);
    const chosen = await pick(title, choicesOf(expert), vscode.l10n.t('What to change'));
    if (!chosen) return;
    const change = await askChange(title, expert, chosen);
    if (!change) continue;
    const { secret } = await client.ask<NewExpertView>('PATCH', path, change);
    if (secret !== undefined && change.secret === undefined) {
      showKey(name, secret);
      return;
    }
  }
}

function choicesOf({ url, headers = [], sign }: Forward): Choice<Change>[] {
  const none = vscode.l10n.t('none');
  return [
    { label: vscode.l10n.t('URL'), description: url, value: { kind: 'url' } },
    ...headers.map((header): Choice<Change> => ({
      label: vscode.l10n.t('Header {0}', header),
      description: vscode.l10n.t('value not shown'),
      value: { kind: 'header', header },
    })),
    { label: vscode.l10n.t('Add Header…'), value: { kind: 'add' } },
    {
      label: vscode.l10n.t('Signature'),
      description: sign === undefined ? none : (SYSTEMS[sign] ?? sign),
      detail: vscode.l10n.t('Signs each attempt as a sender does'),
      value: { kind: 'sign' },
    },
  ];
}

type ForwardChange = Readonly<Record<string, unknown>> & { readonly secret?: string };

async function askChange(title: string, { url }: Forward, change: Change): Promise<ForwardChange | undefined> {
  if (change.kind === 'url') {
    const given = await ask(title, vscode.l10n.t('URL that receives the events'), urlProblem, url);
    return given === undefined ? undefined : { url: given };
  }
  if (change.kind === 'sign') return askSignature(title);
  const header = change.kind === 'header' ? change.header : await askHeaderName(title);
  if (header === undefined) return undefined;
  const prompt =
    change.kind === 'header'
      ? vscode.l10n.t('New value of {0}; empty removes it', header)
      : vscode.l10n.t('Value of {0}', header);
  const value = await vscode.window.showInputBox({ title, prompt, password: true, ignoreFocusOut: true });
  if (value === undefined || (value === '' && change.kind === 'add')) return undefined;
  return { set_headers: { [header]: value === '' ? null : value } };
}

function urlProblem(text: string): string | undefined {
  return isHttpUrl(text) ? undefined : vscode.l10n.t('Type an http or https URL without a password');
}

function askHeaderName(title: string): Promise<string | undefined> {
  return ask(title, vscode.l10n.t('Name of the header, such as Authorization'), (text) =>
    /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(text) ? undefined : vscode.l10n.t('Type the name of a header'),
  );
}

async function askSignature(title: string): Promise<ForwardChange | undefined> {
  const types = SIGNING_TYPES.filter((type) => type !== 'hmac').map((value) => ({
    label: SYSTEMS[value] ?? vscode.l10n.t('Standard Webhooks'),
    value,
  }));
  const none = { label: vscode.l10n.t('No Signature'), value: '' };
  const sign = await pick(title, [none, ...types], vscode.l10n.t('Sender in whose way each attempt is signed'));
  if (sign === undefined) return undefined;
  if (sign === '') return { sign: null };
  const secret = await vscode.window.showInputBox({
    ...{ title, password: true, ignoreFocusOut: true },
    prompt: vscode.l10n.t('The key that signs. Press Enter to make a new one.'),
  });
  return secret === undefined ? undefined : { sign, ...(secret !== '' && { secret }) };
}
