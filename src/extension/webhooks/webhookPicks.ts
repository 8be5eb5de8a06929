import * as vscode from 'vscode';
import { describeError } from '../../base/errors.ts';
import type { AdminClient } from '../../server/admin/adminClient.ts';
import type { EventSummaryView, WebhookView } from '../../server/webhooks/views.ts';
import type { Expert } from '../../webhooks/definitions.ts';
import { parseFilter } from '../../webhooks/filter/checkFilter.ts';
import { inWords } from '../../webhooks/filter/words.ts';
import { forwardName, isHttpUrl, NAME, SYSTEMS } from '../../webhooks/names.ts';
import { TEMPLATES } from '../../webhooks/templates.ts';

/* The questions of the webhook commands. Each resolves to `undefined` if the person cancels. */

export interface TriggerAnswers {
  readonly name: string;
  /** JSONLogic; without a filter every event fires. */
  readonly filter?: unknown;
  readonly expert: string;
  /** The URL of a new expert. */
  readonly forwardTo?: string;
}

type Picked<T> = Promise<T | undefined>;

interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

async function pick<T>(title: string, choices: readonly Choice<T>[], placeHolder?: string): Picked<T> {
  const chosen = await vscode.window.showQuickPick(choices, {
    title,
    matchOnDescription: true,
    matchOnDetail: true,
    ...(placeHolder !== undefined && { placeHolder }),
  });
  return chosen?.value;
}

export function askName(title: string, prompt: string, taken: readonly string[] = []): Picked<string> {
  return ask(title, prompt, (text) => {
    if (taken.includes(text)) return vscode.l10n.t('This name is taken');
    return NAME.test(text)
      ? undefined
      : vscode.l10n.t('Type 1 to 64 letters, digits, spaces, dots, dashes and underscores');
  });
}

async function ask(
  title: string,
  prompt: string,
  validateInput: (text: string) => string | vscode.InputBoxValidationMessage | undefined,
  value = '',
): Picked<string> {
  return vscode.window.showInputBox({ title, prompt, value, ignoreFocusOut: true, validateInput });
}

export function askType(): Picked<string> {
  const systems = Object.entries(SYSTEMS).map(([value, label]) => ({ label, value }));
  return pick(vscode.l10n.t('Create Webhook: Sender'), [
    {
      label: vscode.l10n.t('Any sender, with a bearer token'),
      detail: vscode.l10n.t('Sender puts the secret into the Authorization header'),
      value: 'bearer_token',
    },
    {
      label: vscode.l10n.t('Any sender, with a signature'),
      detail: vscode.l10n.t('Sender signs each request (Standard Webhooks)'),
      value: 'standard_webhooks',
    },
    ...systems,
  ]);
}

/** Asks for the secret that the sender has already; an empty text means a new one. */
export async function askSecret(): Picked<string> {
  return vscode.window.showInputBox({
    ...{ title: vscode.l10n.t('Create Webhook: Secret'), password: true, ignoreFocusOut: true },
    prompt: vscode.l10n.t(
      "The sender's own secret. Press Enter to make a new one, for a sender in which you can set it.",
    ),
  });
}

export function pickOverlap(webhook: string): Picked<number> {
  return pick(vscode.l10n.t('{0}: Validity of the Present Secret', webhook), [
    { label: vscode.l10n.t('Ends now'), value: 0 },
    { label: vscode.l10n.t('One hour'), value: 3600 },
    { label: vscode.l10n.t('One day'), value: 86_400 },
    { label: vscode.l10n.t('One week'), value: 7 * 86_400 },
  ]);
}

export async function pickWebhook(webhooks: readonly WebhookView[], title: string): Picked<string> {
  if (webhooks.length === 0) {
    const create = vscode.l10n.t('Create Webhook');
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no webhook yet.'), create).then((chosen) => {
      if (chosen === create) void vscode.commands.executeCommand('sextant.createWebhook');
    });
    return undefined;
  }
  const choices = webhooks.map(({ name, description, url }) => ({
    label: name,
    description,
    detail: url,
    value: name,
  }));
  return pick(title, choices);
}

export async function pickEvent(events: readonly EventSummaryView[], title: string): Picked<string> {
  if (events.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no event yet.'));
    return undefined;
  }
  const choices = events.map(({ event_id: id, webhook, status, received_at: at }) => ({
    ...{ label: webhook ?? id, description: `${status}, ${new Date(at).toLocaleString()}`, detail: id, value: id },
  }));
  return pick(title, choices);
}

/** Picks a template or an empty event, and whether to edit it before it is sent. */
export async function pickTemplate(
  webhook: string,
): Picked<{ readonly template: string | undefined; readonly edit: boolean }> {
  const title = vscode.l10n.t('Send Test Event to {0}', webhook);
  const templates = Object.entries(TEMPLATES).map(([value, { title: label }]) => ({ label, value }));
  const template = await pick<string>(title, [...templates, { label: vscode.l10n.t('Custom JSON'), value: '' }]);
  if (template === undefined) return undefined;
  if (template === '') return { template: undefined, edit: true };
  const edit = await pick(title, [
    { label: vscode.l10n.t('Send unchanged'), value: false },
    {
      label: vscode.l10n.t('Edit before sending'),
      detail: vscode.l10n.t("Send it with the button in the editor's title"),
      value: true,
    },
  ]);
  return edit === undefined ? undefined : { template, edit };
}

/** Asks for a filter; an empty text gives `null`, which removes the filter. */
export async function askFilter(title: string, prompt: string, before?: unknown): Picked<{ readonly filter: unknown }> {
  const text = await ask(title, prompt, explainFilter, before === undefined ? '' : JSON.stringify(before));
  return text === undefined ? undefined : { filter: text.trim() === '' ? null : (JSON.parse(text) as unknown) };
}

export async function askTrigger(client: AdminClient, webhook: string): Picked<TriggerAnswers> {
  const title = vscode.l10n.t('Add Trigger to {0}', webhook);
  const { triggers } = await client.ask<{ readonly triggers: readonly NamedObject[] }>('GET', 'triggers');
  const name = await askName(title, vscode.l10n.t('Name (1 of 3)'), namesOf(triggers));
  if (name === undefined) return undefined;
  const prompt = vscode.l10n.t('JSONLogic filter; leave empty for every event (2 of 3)');
  const answer = await askFilter(title, prompt);
  if (!answer) return undefined;
  const rule = answer.filter === null ? {} : answer;
  const { experts } = await client.ask<{ readonly experts: readonly Expert[] }>('GET', 'experts');
  const choices = experts.map((expert): Choice<string> => {
    const { name: label } = expert;
    const detail = expert.type === 'record' ? vscode.l10n.t('Record the event only') : expert.url;
    return { label, detail, value: label };
  });
  const forward = {
    label: vscode.l10n.t('Forward to a URL…'),
    detail: vscode.l10n.t('The raw body and headers, with retries'),
    value: '',
  };
  const expert = await pick(title, [...choices, forward], vscode.l10n.t('Action (3 of 3)'));
  if (expert === undefined) return undefined;
  if (expert !== '') return { name, ...rule, expert };
  const forwardTo = await ask(title, vscode.l10n.t('URL that receives the events'), (text) =>
    isHttpUrl(text) ? undefined : vscode.l10n.t('Type an http or https URL without a password'),
  );
  if (forwardTo === undefined) return undefined;
  return { name, ...rule, expert: forwardName(name, namesOf(experts)), forwardTo };
}

interface NamedObject {
  readonly name: string;
}

function namesOf(those: readonly NamedObject[]): string[] {
  return those.map(({ name }) => name);
}

/** Describes in words when a filter fires, or its error. */
function explainFilter(text: string): string | vscode.InputBoxValidationMessage | undefined {
  if (text.trim() === '') return undefined;
  try {
    const words = inWords(parseFilter(text));
    return { message: vscode.l10n.t('Fires when {0}', words), severity: vscode.InputBoxValidationSeverity.Info };
  } catch (error) {
    return describeError(error);
  }
}
