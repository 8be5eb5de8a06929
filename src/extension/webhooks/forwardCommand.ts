import * as vscode from 'vscode';
import { AdminClient } from '../../server/admin/adminClient.ts';
import type { ForwardView } from '../../server/webhooks/views.ts';
import { isHttpUrl, SYSTEMS } from '../../webhooks/names.ts';
import type { CommandId } from '../commandIds.ts';
import { showSecret } from './secretPick.ts';
import { ask } from './inputs.ts';
import { askSecret, askType, copyText, isOwnSecret } from './webhookPicks.ts';

/** Forwards the webhooks of a sender to a local program: three inputs at the most, and one step to undo. */
export async function forwardWebhooks(client: AdminClient, onChange: () => void): Promise<void> {
  const title = vscode.l10n.t('Forward Webhooks to a Local Program');
  const prompt = vscode.l10n.t('Port or URL of the program, such as 3000/hooks');
  const given = await ask(title, prompt, (text) =>
    programUrl(text) === undefined
      ? vscode.l10n.t('Type a port, or an http or https URL without a password')
      : undefined,
  );
  const url = given === undefined ? undefined : programUrl(given);
  const from = url === undefined ? undefined : await askType(vscode.l10n.t('{0}: Sender', title), true);
  if (url === undefined || from === undefined) return;
  const secret = isOwnSecret(from) ? await askSecret(vscode.l10n.t('{0}: Secret', title)) : '';
  if (secret === undefined) return;
  const request = { url, from, ...(secret !== '' && { secret }) };
  const forward = await client.ask<ForwardView>('POST', 'forwards', request);
  onChange();
  const { webhook } = forward;
  if (forward.secret !== undefined && secret === '') showSecret({ ...webhook, secret: forward.secret });
  await vscode.commands.executeCommand('sextant.openEvents' satisfies CommandId);
  // Not awaited: the command ends before the message is closed.
  void report(client, forward, from, url).then(onChange, (error: unknown) =>
    vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error)),
  );
}

async function report(client: AdminClient, { name, webhook, is_new: isNew }: ForwardView, from: string, url: string) {
  const sender = SYSTEMS[webhook.type] ?? (from === 'anything' ? vscode.l10n.t('Anything') : name);
  const text = vscode.l10n.t('{0} sent to {1} is forwarded to {2}.', sender, webhook.url, url);
  const [copyUrl, undo] = [vscode.l10n.t('Copy URL'), vscode.l10n.t('Undo')];
  const chosen = await vscode.window.showInformationMessage(text, copyUrl, ...(isNew ? [undo] : []));
  if (chosen === copyUrl) await copyText(webhook.url, vscode.l10n.t('The URL of {0} was copied.', name));
  if (chosen !== undo) return;
  await client.ask('DELETE', AdminClient.path(['forwards', name], { force: true }));
  vscode.window.setStatusBarMessage(vscode.l10n.t('Nothing is forwarded to {0} any more.', url), 5_000);
}

/** The URL of a program from a port, a host or a URL: `3000/hooks` is `http://localhost:3000/hooks`. */
export function programUrl(text: string): string | undefined {
  const typed = text.trim();
  if (/^\d{1,5}(\/\S*)?$/.test(typed)) return programUrl(`http://localhost:${typed}`);
  if (/^[\w.-]+:\d{1,5}(\/\S*)?$/.test(typed)) return programUrl(`http://${typed}`);
  return isHttpUrl(typed) ? new URL(typed).href : undefined;
}
