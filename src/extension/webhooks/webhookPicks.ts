import * as vscode from 'vscode';
import type { AdminClient } from '../../server/admin/adminClient.ts';
import type { EventRowView } from '../../server/webhooks/rowViews.ts';
import type { WebhookView } from '../../server/webhooks/views.ts';
import type { ExpertView } from '../../webhooks/definitions.ts';
import { forwardName, isHttpUrl, NAME, SYSTEMS } from '../../webhooks/names.ts';
import { TEMPLATES } from '../../webhooks/templates.ts';
import { askOwnExpert, ownKinds, type OwnKind } from './experts/expertPicks.ts';
import type { OwnExpert } from './experts/ownExperts.ts';
import { ask, pick, type Choice, type Picked } from './inputs.ts';
import { shownRow } from './shownEvent.ts';

/* The questions of the webhook commands. Each resolves to `undefined` if the person cancels. */

export interface TriggerAnswers {
  readonly name: string;
  /** JSONLogic; without a filter every event fires. */
  readonly filter?: unknown;
  readonly expert: string;
  /** The URL of a new expert. */
  readonly forwardTo?: string;
  /** A new expert that the editor runs. */
  readonly own?: OwnExpert;
}

export function askName(title: string, prompt: string, taken: readonly string[] = []): Picked<string> {
  return ask(title, prompt, (text) => {
    if (taken.includes(text)) return vscode.l10n.t('This name is taken');
    return NAME.test(text)
      ? undefined
      : vscode.l10n.t('Type 1 to 64 letters, digits, spaces, dots, dashes and underscores');
  });
}

export function askType(title = vscode.l10n.t('Create Webhook: Sender'), isAnyFirst = false): Picked<string> {
  const systems = Object.entries(SYSTEMS).map(([value, label]) => ({ label, value }));
  const any = {
    label: vscode.l10n.t('Anything, without a secret'),
    detail: vscode.l10n.t('Any method and content, from this machine only'),
    value: 'anything',
  };
  const bearer = {
    label: vscode.l10n.t('Any sender, with a bearer token'),
    detail: vscode.l10n.t('Sender puts the secret into the Authorization header'),
    value: 'bearer_token',
  };
  const standard = {
    label: vscode.l10n.t('Any sender, with a signature'),
    detail: vscode.l10n.t('Sender signs each request (Standard Webhooks)'),
    value: 'standard_webhooks',
  };
  return pick(title, isAnyFirst ? [any, ...systems, bearer, standard] : [bearer, standard, ...systems, any]);
}

/** Whether a sender makes its secrets itself. */
export function isOwnSecret(type: string): boolean {
  return ['stripe', 'slack', 'shopify', 'pagerduty', 'twilio'].includes(type);
}

/** Copies a text, and reports that in the status bar. */
export async function copyText(text: string, done: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(done, 3_000);
}

/** Asks for the secret that the sender has already; an empty text means a new one. */
export async function askSecret(title = vscode.l10n.t('Create Webhook: Secret')): Picked<string> {
  return vscode.window.showInputBox({
    ...{ title, password: true, ignoreFocusOut: true },
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

export async function pickEvent(events: readonly EventRowView[], title: string): Picked<string> {
  if (events.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no event yet.'));
    return undefined;
  }
  const choices = events.map((event) => {
    const { id, type, sender, line, verdict, at } = shownRow(event, false);
    const label = type === '' ? sender : type;
    return { label, description: `${id}, ${verdict}, ${new Date(at).toLocaleString()}`, detail: line, value: id };
  });
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

export async function askTrigger(client: AdminClient, webhook: string): Picked<TriggerAnswers> {
  const title = vscode.l10n.t('Add Trigger to {0}', webhook);
  const name = await askTriggerName(client, title, vscode.l10n.t('Name (1 of 2)'));
  const target =
    name === undefined ? undefined : await askTarget(client, title, name, vscode.l10n.t('Action (2 of 2)'));
  return name === undefined || !target ? undefined : { name, ...target };
}

export async function askTriggerName(client: AdminClient, title: string, prompt: string): Picked<string> {
  const { triggers } = await client.ask<{ readonly triggers: readonly NamedObject[] }>('GET', 'triggers');
  return askName(title, prompt, namesOf(triggers));
}

/** Asks for the expert of a trigger: one that exists, or a new one that forwards to a URL. */
export async function askTarget(
  client: AdminClient,
  title: string,
  trigger: string,
  placeHolder?: string,
): Picked<Target> {
  const { experts } = await client.ask<{ readonly experts: readonly ExpertView[] }>('GET', 'experts');
  const choices = experts.map((expert): Choice<Chosen> => {
    const { name: label } = expert;
    return { label, detail: detailOf(expert), value: { expert: label } };
  });
  const forward = {
    label: vscode.l10n.t('Forward to a URL…'),
    detail: vscode.l10n.t('The raw body and headers, with retries'),
    value: { kind: 'forward' },
  } as const;
  const own = ownKinds().map((choice): Choice<Chosen> => ({ ...choice, value: { kind: choice.value } }));
  const chosen = await pick<Chosen>(title, [...choices, forward, ...own], placeHolder);
  if (chosen === undefined) return undefined;
  if ('expert' in chosen) return chosen;
  if (chosen.kind !== 'forward') {
    const expert = forwardName(trigger, namesOf(experts), chosen.kind);
    const made = await askOwnExpert(chosen.kind, title, expert);
    return made && { expert, own: made };
  }
  const forwardTo = await ask(title, vscode.l10n.t('URL that receives the events'), (text) =>
    isHttpUrl(text) ? undefined : vscode.l10n.t('Type an http or https URL without a password'),
  );
  if (forwardTo === undefined) return undefined;
  return { expert: forwardName(trigger, namesOf(experts)), forwardTo };
}

/** An expert that exists, or the kind of a new one. */
type Chosen = { readonly expert: string } | { readonly kind: OwnKind | 'forward' };
export type Target = Pick<TriggerAnswers, 'expert' | 'forwardTo' | 'own'>;

interface NamedObject {
  readonly name: string;
}

function namesOf(those: readonly NamedObject[]): string[] {
  return those.map(({ name }) => name);
}

function detailOf(expert: ExpertView): string {
  if (expert.type === 'forward') return expert.url;
  if (expert.type === 'command') return vscode.l10n.t('Run {0}', expert.argv.join(' '));
  if (expert.type === 'editor')
    return vscode.l10n.t('Run by the editor: {0}', expert.windows?.[0] ?? vscode.l10n.t('no window runs it now'));
  return vscode.l10n.t('Record the event only');
}
