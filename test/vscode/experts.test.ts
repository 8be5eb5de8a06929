import * as assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { findServer } from '../../src/server/state/published.ts';
import type { EventDetailView, NewWebhookView } from '../../src/server/webhooks/views.ts';
import type { ExpertView } from '../../src/webhooks/definitions.ts';
import { folder, sextant, until } from './support.ts';

const run = (name: string, argument?: unknown): Thenable<unknown> =>
  vscode.commands.executeCommand(`sextant.${name}`, argument);
const BODY = { issue: { title: 'verifyPassword fails' }, action: 'opened' };

/** Whether this editor can start a process in a terminal. */
async function hasTerminals(): Promise<boolean> {
  const terminal = vscode.window.createTerminal({ name: 'probe', hideFromUser: true });
  try {
    const pid = await Promise.race([terminal.processId, setTimeout(10_000, undefined)]);
    return pid !== undefined;
  } finally {
    terminal.dispose();
  }
}

describe('experts of the editor', () => {
  let place: string;
  let client: AdminClient;
  let workspace: string;
  let out: string;
  let tasks: string;

  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('sextant.server');
  async function set(name: string, value?: unknown): Promise<void> {
    await settings().update(name, value, vscode.ConfigurationTarget.Global);
  }

  before(async () => {
    await (await sextant()).indexed();
    workspace = folder().fsPath;
    place = mkdtempSync(join(tmpdir(), 'sextant-experts-'));
    out = join(place, 'event.json');
    tasks = join(workspace, '.vscode', 'tasks.json');
    mkdirSync(join(workspace, '.vscode'), { recursive: true });
    const file = '${command:sextant.webhookEventFile}';
    const task = (label: string, command: string, args: string[]): object => ({
      label,
      type: 'process',
      command,
      args,
    });
    const after = { ...task('after', 'cp', [file, out]), dependsOn: 'break', dependsOrder: 'sequence' };
    const text = JSON.stringify({
      version: '2.0.0',
      tasks: [
        task('keep', 'cp', [file, out]),
        task('break', 'sh', ['-c', 'exit 3']),
        task('wait', 'sleep', ['600']),
        after,
        task('input', 'echo', ['${input:never}']),
      ],
      inputs: [{ id: 'never', type: 'promptString', description: 'Nobody types this' }],
    });
    writeFileSync(tasks, text);
    await until('the editor knows the tasks', async () =>
      (await vscode.tasks.fetchTasks()).some(({ name }) => name === 'input'),
    );
    await set('stateFolder', join(place, 'state'));
    await run('startServer');
    client = new AdminClient(await until('the server', () => findServer(join(place, 'state'))));
  });
  after(async () => {
    await set('experts');
    await run('stopServer');
    await set('stateFolder');
    rmSync(tasks);
    await vscode.commands.executeCommand('notifications.clearAll');
    rmSync(place, { recursive: true, force: true });
  });

  let made = 0;
  /** Creates a webhook whose events go to an expert. */
  async function hook(expert: string): Promise<string> {
    const name = `to ${expert} ${++made}`;
    await client.ask<NewWebhookView>('POST', 'webhooks', { name, type: 'anything' });
    await client.ask('POST', 'triggers', { name, webhook: name, expert });
    return name;
  }
  /** Creates an expert of the editor before a window does. */
  async function create(name: string): Promise<void> {
    const { experts } = await client.ask<{ experts: ExpertView[] }>('GET', 'experts');
    if (!experts.some((one) => one.name === name)) await client.ask('POST', 'experts', { name, type: 'editor' });
  }
  async function send(webhook: string): Promise<string> {
    const path = AdminClient.path(['webhooks', webhook, 'send']);
    return (await client.ask<{ event_id: string }>('POST', path, { body: BODY })).event_id;
  }
  const detail = (id: string): Promise<EventDetailView> => client.ask('GET', `events/${id}`);
  const ended = (id: string): Promise<EventDetailView> =>
    until('the run', async () => {
      const event = await detail(id);
      return !['received', 'pending'].includes(event.status) && event;
    });
  async function connected(name: string): Promise<string> {
    return until(`${name} is run here`, async () => {
      const { experts } = await client.ask<{ experts: ExpertView[] }>('GET', 'experts');
      const found = experts.find((one) => one.name === name);
      return found?.type === 'editor' && found.windows?.[0];
    });
  }

  it('start a task of the workspace with the event in a file, and keep its exit code', async function () {
    // The oldest editor's package has no programs for terminals, which tasks need.
    if (process.env.SEXTANT_TEST_EDITOR === 'oldest' && !(await hasTerminals())) return this.skip();
    await set('experts', { keeper: { task: 'keep', workspace }, breaker: { task: 'break', workspace } });
    assert.equal(await connected('keeper'), `task keep in ${workspace}`);
    const id = await send(await hook('keeper'));
    const { status, runs } = await ended(id);
    const result = runs[0]?.attempts.at(-1)?.answer;
    const attempts = JSON.stringify(runs[0]?.attempts);
    assert.deepEqual([status, result], ['succeeded', 'The task keep ended.'], attempts);
    const { event_id: event, expert, body } = JSON.parse(readFileSync(out, 'utf8')) as Record<string, string>;
    assert.deepEqual([event, expert, JSON.parse(body!)], [id, 'keeper', BODY]);
    await assert.rejects(async () => run('webhookEventFile'), /only while a trigger runs the task/);

    await connected('breaker');
    await client.ask('PATCH', 'experts/breaker', { max_attempts: 1 });
    const broken = await ended(await send(await hook('breaker')));
    assert.deepEqual([broken.status, broken.runs[0]?.attempts[0]?.error], ['failed', 'exit code 3']);
  });

  it('answer a question about the workspace, which is stored with the event', async () => {
    await set('experts', { where: { ask: 'Where is {{issue.title}}?', workspace } });
    await connected('where');
    const { status, runs } = await ended(await send(await hook('where')));
    const answer = runs[0]?.attempts[0]?.answer ?? '';
    assert.equal(status, 'succeeded', answer);
    assert.match(answer, /^## Where is verifyPassword fails\?\n/);
    assert.match(answer, /src\/auth\/passwordHash\.ts/);
  });

  it('say which of them the server refuses, run the others, and those when it has them no longer', async () => {
    await client.ask('POST', 'experts', { name: 'taken', type: 'forward', url: 'http://127.0.0.1:9/' });
    for (const name of ['not a name!', 'taken']) {
      await set('experts', { [name]: { ask: 'Where?', workspace }, beside: { ask: 'Where is it?', workspace } });
      await connected('beside');
      assert.equal((await ended(await send(await hook('beside')))).status, 'succeeded', name);
      // Opens the setting, as a person does with the button of the warning.
      await vscode.commands.executeCommand('notification.acceptPrimaryAction');
      await until('the settings', () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === 'Settings');
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    }
    await client.ask('DELETE', 'experts/taken');
    await connected('taken');
  });

  it('wait while their folder is open in no window, and end a task at the time limit', async () => {
    await set('experts', { far: { task: 'keep', workspace: '/nowhere' }, slow: { task: 'wait', workspace } });
    await connected('slow');
    await create('far');
    const waiting = await send(await hook('far'));
    const slow = await hook('slow');
    // The limit may come before the task has its process.
    for (const limit of [2_000, 1, 50, 100, 200, 400]) {
      await client.ask('PATCH', 'experts/slow', { max_attempts: 1, timeout_ms: limit });
      const late = await ended(await send(slow));
      assert.equal(late.runs[0]?.attempts[0]?.error, `no end within ${limit / 1000} s`);
      await until('the task was ended', () => vscode.tasks.taskExecutions.every(({ task }) => task.name !== 'wait'));
    }
    const { runs } = await detail(waiting);
    assert.deepEqual([runs[0]?.state, runs[0]?.waits_for], ['waiting', 'a window of the editor that runs this expert']);
  });

  it('go on while another expert of the settings changes, and have their time limit from their own start', async function () {
    if (process.env.SEXTANT_TEST_EDITOR === 'oldest' && !(await hasTerminals())) return this.skip();
    const where = { ask: 'Where is verifyPassword?', workspace };
    const tasks = { slow: { task: 'wait', workspace }, keeper: { task: 'keep', workspace } };
    await set('experts', { ...tasks, where });
    for (const expert of ['slow', 'keeper', 'where']) await connected(expert);
    await client.ask('PATCH', 'experts/slow', { max_attempts: 1, timeout_ms: 20_000 });
    await client.ask('PATCH', 'experts/keeper', { max_attempts: 1, timeout_ms: 15_000 });
    const slow = await send(await hook('slow'));
    await until('it runs', () => vscode.tasks.taskExecutions.some(({ task }) => task.name === 'wait'));
    const behind = await send(await hook('keeper'));
    await set('experts', { ...tasks, where: { ...where, ask: 'Where is it now?' } });
    await until('the change is known', async () => (await connected('where')).endsWith('Where is it now?'));
    const errorsOf = async (id: string): Promise<unknown> =>
      (await ended(id)).runs[0]?.attempts.map(({ error, answer }) => error ?? answer);
    assert.deepEqual(await errorsOf(slow), ['no end within 20 s']);
    assert.deepEqual(await errorsOf(behind), ['The task keep ended.']);
  });

  it('give up a task that does not start, and run others then', async function () {
    if (process.env.SEXTANT_TEST_EDITOR === 'oldest' && !(await hasTerminals())) return this.skip();
    await set('experts', {
      blocked: { task: 'after', workspace },
      asked: { task: 'input', workspace },
      breaker: { task: 'break', workspace },
    });
    const errors: (string | undefined)[] = [];
    for (const expert of ['blocked', 'breaker', 'asked', 'breaker', 'asked', 'breaker']) {
      await connected(expert);
      // A task waits for the one before it, which is given up some seconds after its limit.
      const timeout_ms = expert === 'asked' ? 3_000 : 60_000;
      await client.ask('PATCH', `experts/${expert}`, { max_attempts: 1, timeout_ms });
      const event = await ended(await send(await hook(expert)));
      errors.push(event.runs[0]?.attempts[0]?.error);
      // Dismisses the input, once the next task has run beside it.
      if (expert === 'breaker') await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    }
    const late = 'no end within 3 s';
    assert.deepEqual(errors, ['the task was ended', 'exit code 3', late, 'exit code 3', late, 'exit code 3']);
  });

  it('send a prompt to a model only after consent to it', async function () {
    const extension = vscode.extensions.getExtension('sextant.sextant-test-model');
    const model = (await extension?.activate()) as
      | { isRegistered: boolean; pieces: readonly string[]; requests: { content: string }[][] }
      | undefined;
    if (!model?.isRegistered) return this.skip();
    model.pieces = ['A password ', 'is wrong.'];
    const before = model.requests.length;
    const triage = { model: 'vscode.lm:parrot', prompt: 'Summarize: {{issue.title}}' };
    await create('triage');
    const id = await send(await hook('triage'));
    await set('experts', { triage });
    await setTimeout(3_000);
    assert.equal((await detail(id)).runs[0]?.state, 'waiting');
    assert.equal(model.requests.length, before, 'nothing was sent');
    // The question is a notification; its button is pressed as a person does.
    await vscode.commands.executeCommand('notification.acceptPrimaryAction');
    const { status, runs } = await ended(id);
    assert.deepEqual([status, runs[0]?.attempts.at(-1)?.answer], ['succeeded', 'A password is wrong.']);
    assert.deepEqual(
      model.requests.slice(before).map(([message]) => message?.content),
      ['Summarize: verifyPassword fails'],
    );
  });

  it('are created with their trigger only if the settings can be written', async () => {
    await set('experts');
    const asks = `asks ${++made}`;
    await client.ask('POST', 'webhooks', { name: asks, type: 'anything' });
    const namesOf = async (kind: 'triggers' | 'experts'): Promise<readonly string[]> =>
      (await client.ask<Record<string, { name: string }[]>>('GET', kind))[kind]!.map(({ name }) => name);
    const own = { name: 'asker', ask: 'Where is {{issue.title}}?', workspace };
    const add = (webhook: string): Thenable<unknown> =>
      run('addTrigger', { webhook, name: 'to asker', expert: 'asker', own });
    const hasAny = async (): Promise<boolean[]> => [
      (await namesOf('triggers')).includes('to asker'),
      (await namesOf('experts')).includes('asker'),
      'asker' in (settings().get<object>('experts') ?? {}),
    ];
    // The editor writes no settings while they have unsaved changes.
    await vscode.commands.executeCommand('workbench.action.openRemoteSettingsFile');
    const { document } = await until('the settings are open', () => vscode.window.activeTextEditor);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), ' ');
    await vscode.workspace.applyEdit(edit);
    try {
      await add(asks);
      assert.deepEqual(await hasAny(), [false, false, false]);
    } finally {
      await vscode.commands.executeCommand('workbench.action.files.revert');
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    }

    await add('missing');
    assert.deepEqual(await hasAny(), [false, false, false]);
    await add(asks);
    assert.deepEqual(await hasAny(), [true, true, true]);
    await set('experts');
  });

  it('count in the user settings only', async () => {
    await set('experts');
    const file = join(workspace, '.vscode', 'settings.json');
    const had = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    const hostile = { evil: { task: 'keep', workspace } };
    writeFileSync(file, JSON.stringify({ 'sextant.server.experts': hostile }));
    try {
      await create('evil');
      const id = await send(await hook('evil'));
      await setTimeout(3_000);
      assert.equal((await detail(id)).runs[0]?.waits_for, 'a window of the editor that runs this expert');
    } finally {
      if (had === undefined) rmSync(file);
      else writeFileSync(file, had);
    }
  });
});
