import * as assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { findServer } from '../../src/server/state/published.ts';
import type {
  EventDetailView,
  EventPageView,
  EventSummaryView,
  TriggerView,
  WebhookView,
} from '../../src/server/webhooks/views.ts';
import type { Expert } from '../../src/webhooks/definitions.ts';
import { sextant, until } from './support.ts';

const run = (name: string, argument?: unknown): Thenable<unknown> =>
  vscode.commands.executeCommand(`sextant.${name}`, argument);
const clipboard = (): Thenable<string> => vscode.env.clipboard.readText();
const OPENED = { '==': [{ var: 'action' }, 'opened'] };

describe('webhooks', () => {
  let folder: string;
  let client: AdminClient;

  const webhooks = async (): Promise<readonly WebhookView[]> =>
    (await client.ask<{ webhooks: WebhookView[] }>('GET', 'webhooks')).webhooks;
  const triggers = async (): Promise<readonly TriggerView[]> =>
    (await client.ask<{ triggers: TriggerView[] }>('GET', 'triggers')).triggers;
  const events = async (): Promise<readonly EventSummaryView[]> =>
    (await client.ask<EventPageView>('GET', 'events')).events;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sextant-webhooks-'));
    await set(join(folder, 'state'), 50_000);
    await vscode.commands.executeCommand('sextant.webhooks.focus');
  });
  after(async () => {
    await run('stopServer');
    await set();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    rmSync(folder, { recursive: true, force: true });
  });

  async function set(state?: string, maxWebhookBytes?: number): Promise<void> {
    const { Global } = vscode.ConfigurationTarget;
    for (const [name, value] of Object.entries({ stateFolder: state, maxWebhookBytes }))
      await vscode.workspace.getConfiguration('sextant.server').update(name, value, Global);
  }

  /** The text that Enter copies in the list of a new secret: its first row. */
  async function copiedSecret(): Promise<string> {
    await vscode.env.clipboard.writeText('');
    const secret = await until('the secret is copied', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return (await clipboard()) || undefined;
    });
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    return secret;
  }

  async function post(secret: string, body: string): Promise<number> {
    const [{ url } = { url: '' }] = await webhooks();
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }

  /** The newest event, after its triggers and runs. */
  function newest(): Promise<EventDetailView> {
    return until('the newest event is finished', async () => {
      const [event] = await events();
      const isFinished = event && !['received', 'pending'].includes(event.status);
      return isFinished && client.ask<EventDetailView>('GET', `events/${event.event_id}`);
    });
  }

  async function openedText(text?: string): Promise<string> {
    const event = (await newest()).event_id;
    await run('openEvent', { event, text });
    const { document } = vscode.window.activeTextEditor!;
    assert.equal(document.uri.scheme, 'sextant-text', 'it is read-only');
    return document.getText();
  }

  it('start no server by themselves', async () => {
    for (const command of ['createWebhook', 'sendTestEvent', 'replayEvent', 'refreshWebhooks']) await run(command);
    assert.equal((await (await sextant()).localServer()).kind, 'stopped');
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  it('are created, and show their secret once, to copy', async () => {
    await run('startServer');
    client = new AdminClient(findServer(join(folder, 'state'))!);
    await run('createWebhook', { name: 'issues', type: 'bearer_token' });
    const secret = await copiedSecret();
    assert.match(secret, /^whsec_/);
    assert.equal(await post(secret, '{"n": 1.0}'), 202);
    assert.equal(await post(secret, JSON.stringify('x'.repeat(50_000))), 413, 'more than the setting allows');
    assert.deepEqual(
      (await webhooks()).map(({ name, type }) => [name, type]),
      [['issues', 'bearer_token']],
    );
    await run('copyWebhookUrl', { webhook: 'issues' });
    assert.equal(await clipboard(), (await webhooks())[0]!.url);

    await run('rotateWebhook', { webhook: 'issues', overlapSeconds: 3600 });
    const second = await copiedSecret();
    assert.deepEqual([await post(secret, '2'), await post(second, '2')], [202, 202]);
    await run('rotateWebhook', { webhook: 'issues', overlapSeconds: 0 });
    const third = await copiedSecret();
    assert.deepEqual([await post(secret, '2'), await post(second, '2'), await post(third, '2')], [401, 401, 202]);
  });

  it('run triggers on test events, whose documents explain why a trigger fired or not', async () => {
    await run('addTrigger', { webhook: 'issues', name: 'opened', filter: OPENED, expert: 'record' });
    assert.deepEqual(
      (await triggers()).map(({ words }) => words),
      ['When an event comes to issues and `action` is "opened": record it.'],
    );
    await run('sendTestEvent', { webhook: 'issues', template: 'github-push' });
    assert.match(await openedText(), /opened did not fire: `action` is "opened": `action` is missing/);
    await run('sendTestEvent', { webhook: 'issues', template: 'github-pull-request' });
    const event = await newest();
    assert.deepEqual([event.status, event.is_test], ['succeeded', true]);
    assert.match(await openedText('explanation'), /opened fired\.\n {4}== → true/);
    assert.match(await openedText('body'), /^\{\n {2}"action": "opened",\n/);
    assert.equal(vscode.window.activeTextEditor!.document.languageId, 'json');
    assert.match(await openedText('headers'), /^X-GitHub-Event: pull_request$/m);
    assert.equal(await openedText('raw'), event.body);
  });

  it('leave no expert behind if a trigger is refused', async () => {
    const forwardTo = 'http://127.0.0.1:9/';
    const experts = async (): Promise<string[]> =>
      (await client.ask<{ experts: Expert[] }>('GET', 'experts')).experts.map(({ name }) => name);
    await run('addTrigger', { webhook: 'issues', name: 'opened', expert: 'bot', forwardTo });
    assert.deepEqual([(await triggers()).length, await experts()], [1, ['record']], 'the name is taken');
    await run('addTrigger', { webhook: 'issues', name: 'second', expert: 'bot', forwardTo });
    const [, second] = await triggers();
    assert.deepEqual([second?.expert, await experts()], ['bot', ['record', 'bot']]);
    await run('deleteTrigger', { trigger: second, force: true });
  });

  it('can be enabled and disabled, like triggers, whose filter can be edited', async () => {
    const [trigger] = await triggers();
    await run('disableTrigger', { trigger });
    assert.match((await triggers())[0]!.words, /It is disabled\.$/);
    await run('editTriggerFilter', { trigger, filter: null });
    assert.equal((await triggers())[0]!.words, 'When an event comes to issues: record it. It is disabled.');
    await run('enableTrigger', { trigger });
    await run('editTriggerFilter', { trigger, filter: OPENED });
    assert.deepEqual((await triggers())[0], trigger);
    await run('disableWebhook', { webhook: 'issues' });
    assert.equal((await webhooks())[0]!.enabled, false);
    await run('enableWebhook', { webhook: 'issues' });
    assert.equal((await webhooks())[0]!.enabled, true);
  });

  it('send an edited test event', async () => {
    const before = (await events()).length;
    await run('sendEditedEvent');
    assert.equal((await events()).length, before, 'no test event is being edited');
    await run('sendTestEvent', { webhook: 'issues', template: 'github-pull-request', edit: true });
    const editor = vscode.window.activeTextEditor!;
    const text = editor.document.getText();
    assert.match(text, /"action": "opened"/);
    const replace = async (by: string): Promise<void> => {
      const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
      await editor.edit((edit) => edit.replace(new vscode.Range(new vscode.Position(0, 0), end), by));
    };
    // For that, the editor closes and reopens the document.
    await vscode.languages.setTextDocumentLanguage(editor.document, 'jsonc');
    await replace('{');
    await run('sendEditedEvent');
    assert.equal((await events()).length, before, 'the text is not JSON');
    const edited = text.replace('opened', 'closed').replace('"number": 2', '"number": 2.0');
    await replace(edited);
    await run('sendEditedEvent');
    const event = await newest();
    assert.equal(event.body, edited);
    assert.equal(new Map(event.headers).get('X-GitHub-Event'), 'pull_request');
    assert.match(event.evaluations[0]!.because!, /`action` was "closed"/);
    const { document } = editor;
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    const { length } = await events();
    // The draft ends with its tab, since the editor reuses the name.
    await until('it is closed', () => document.isClosed);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'json', content: text }));
    await run('sendEditedEvent');
    assert.equal((await events()).length, length);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('replay an event, and copy it as a curl command', async () => {
    const { event_id: id, body } = await newest();
    await run('replayEvent', { event: id });
    const again = await newest();
    assert.deepEqual([again.replay_of, again.body], [id, body]);
    await run('copyEventCurl', { event: id });
    assert.match(
      await clipboard(),
      /^curl 'http:\/\/127\.0\.0\.1:\d+\/webhooks\/wh_[^']+' \\\n {2}-H "Authorization: Bearer \$SECRET"/,
    );
    await run('replayEvent', { event: 'evt_9999999999' });
    assert.equal((await newest()).event_id, again.event_id, 'a missing event is reported');
  });

  it('are deleted with their triggers, or not at all', async () => {
    // In tests the editor shows no question, and returns no answer.
    await run('deleteWebhook', { webhook: 'issues' });
    await run('deleteTrigger', { trigger: (await triggers())[0] });
    assert.deepEqual([(await webhooks()).length, (await triggers()).length], [1, 1]);
    await run('deleteTrigger', { trigger: (await triggers())[0], force: true });
    assert.equal((await triggers()).length, 0);
    await run('deleteWebhook', { webhook: 'issues' });
    assert.equal((await webhooks()).length, 1, 'no confirmation was given');
    await run('deleteWebhook', { webhook: 'issues', force: true });
    assert.equal((await webhooks()).length, 0);
    await run('createWebhook', { name: 'used', type: 'standard_webhooks' });
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await run('addTrigger', { webhook: 'used', name: 'all', expert: 'record' });
    await run('deleteWebhook', { webhook: 'used', force: true });
    assert.deepEqual([await webhooks(), await triggers()], [[], []]);
  });
});
