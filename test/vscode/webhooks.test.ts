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

  it('run triggers on test events, which open on the page of events', async () => {
    await run('addTrigger', { webhook: 'issues', name: 'opened', filter: OPENED, expert: 'record' });
    assert.deepEqual(
      (await triggers()).map(({ words }) => words),
      ['When an event comes to issues and `action` is "opened": record it.'],
    );
    await run('sendTestEvent', { webhook: 'issues', template: 'github-push' });
    assert.match((await newest()).evaluations[0]!.because!, /`action` is missing/);
    await run('sendTestEvent', { webhook: 'issues', template: 'github-pull-request' });
    const event = await newest();
    assert.deepEqual([event.status, event.is_test], ['succeeded', true]);
    await run('openEvent', { event: event.event_id });
    await until('the page is open', () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === 'Webhook Events');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('have filters that are edited as documents, tried for the last events while one types', async () => {
    const [trigger] = await triggers();
    await run('editTriggerFilter', { trigger });
    const { document } = vscode.window.activeTextEditor!;
    const titles = async (): Promise<(string | undefined)[]> =>
      (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', document.uri)).map(
        ({ command }) => command?.title,
      );
    const { length } = await events();
    assert.deepEqual(await titles(), [`Fires for 1 of the last ${length}`, 'When `action` is "opened"']);
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>(
      'vscode.executeInlayHintProvider',
      document.uri,
      all,
    );
    const label = hints[0]?.label;
    assert.ok(typeof label === 'string');
    assert.match(label, /^← \d+ events: `action` is "opened"/);
    const at = document.positionAt(document.getText().indexOf('action') + 1);
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      at,
    );
    assert.ok(items.some(({ label }) => label === 'pull_request.user.login'));
    const set = async (text: string): Promise<boolean> => {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
      return document.save();
    };
    assert.ok(await set('{"!": [{"==": [{"var": "action"}, "opened"]}]}'));
    assert.deepEqual((await triggers())[0]!.filter, { '!': [OPENED] });
    assert.deepEqual((await titles())[0], `Fires for ${length - 1} of the last ${length}`);
    assert.ok(await set(JSON.stringify(OPENED)));
    await run('filterByValue', { event: (await newest()).event_id, path: ['pull_request', 'draft'] });
    assert.deepEqual(JSON.parse(document.getText()), {
      and: [OPENED, { '==': [{ var: 'pull_request.draft' }, false] }],
    });
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    assert.deepEqual((await triggers())[0]!.filter, OPENED);
  });

  it('leave no expert behind if a trigger is refused', async () => {
    const forwardTo = 'http://127.0.0.1:9/';
    const experts = async (): Promise<string[]> =>
      (await client.ask<{ experts: Expert[] }>('GET', 'experts')).experts.map(({ name }) => name);
    await run('addTrigger', { webhook: 'issues', name: 'opened', expert: 'bot', forwardTo });
    assert.deepEqual([(await triggers()).length, await experts()], [1, ['record']], 'the name is taken');
    await run('addTrigger', { webhook: 'issues', name: 'second', expert: 'bot', forwardTo });
    let [, second] = await triggers();
    assert.deepEqual([second?.expert, await experts()], ['bot', ['record', 'bot']]);
    await run('changeTarget', { trigger: second, expert: 'record' });
    await run('renameTrigger', { trigger: second, name: 'renamed' });
    second = (await triggers()).find(({ name }) => name === 'renamed');
    assert.equal(second?.expert, 'record');
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
    const editor = await until('the draft is shown', () => vscode.window.activeTextEditor);
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
