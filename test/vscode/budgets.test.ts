import * as assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { readLimits } from '../../src/analytics/budgets/budgetService.ts';
import { endpoints } from '../../src/analytics/contract.ts';
import type { BudgetArgument } from '../../src/extension/analytics/budgetActions.ts';
import type { CommandId } from '../../src/extension/commandIds.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { startServer, type TestServer } from '../../src/server/testing.ts';
import { AlertReceiver } from '../support/alertReceiver.ts';
import { forgetRequests, organizationOf, person, quickClient, serviceAccount } from '../support/budgets.ts';
import { sextant, until } from './support.ts';

const run = (name: string, argument?: unknown): Thenable<unknown> =>
  vscode.commands.executeCommand(`sextant.${name}`, argument);
const budget = (command: CommandId, argument: BudgetArgument = {}): Thenable<unknown> =>
  vscode.commands.executeCommand(command, { confirmed: true, ...argument });
const SET = endpoints.setUserBudgetOverrides.path;
const today = new Date().toISOString().slice(0, 10);

describe('changing budgets', () => {
  let folder: string;
  let server: TestServer;
  let remember: () => void;
  const { XDG_DATA_HOME: before } = process.env;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sextant-budgets-'));
    process.env.XDG_DATA_HOME = folder;
    remember = forgetRequests(folder);
    const hostile = '[x](command:workbench.action.quit)@x.io';
    server = await startServer({
      data: [
        ...organizationOf([
          [person('ada@x.io'), '100'],
          [person('bob@x.io'), ''],
          [person(hostile), '300'],
          [serviceAccount('=nightly'), '400'],
        ]),
        // Spending on each day of the month so far that exceeds the limit.
        ...Array.from({ length: Number(today.slice(8)) }, (_, i) => ({
          ...{ kind: 'credits', date: `${today.slice(0, 8)}${String(i + 1).padStart(2, '0')}` },
          ...{ user_email: 'ada@x.io', model_name: 'm', credits_consumed: 50 },
        })),
      ],
    });
    await run('connectAnalytics', { url: server.url, token: server.token });
    await until('budgets are there', async () => (await (await sextant()).analytics()).reports.budgets === 'ready');
  });
  afterEach(async () => {
    remember();
    await run('disconnectAnalytics');
    await server.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    if (before === undefined) delete process.env.XDG_DATA_HOME;
    else process.env.XDG_DATA_HOME = before;
    rmSync(folder, { recursive: true, force: true });
  });

  /** The limits of the service, by account. */
  async function limits(): Promise<Record<string, string>> {
    const { overrides } = await readLimits(quickClient(server, join(folder, 'own-requests')));
    return Object.fromEntries([...overrides.values()].map(({ identity, limit }) => [identity.name, limit]));
  }

  function shows(title: string, pattern: RegExp): Promise<unknown> {
    return until(`${title} has ${String(pattern)}`, () =>
      vscode.workspace.textDocuments.some(
        (one) => one.uri.path.startsWith(`/Budgets ${title}`) && pattern.test(one.getText()),
      ),
    );
  }
  const previewShows = (pattern: RegExp): Promise<unknown> => shows('preview', pattern);
  const reportShows = (pattern: RegExp): Promise<unknown> => shows('report', pattern);

  it('are followed by an alert, sent once, after a destination was added and a message was shown', async () => {
    const receiver = await AlertReceiver.start();
    try {
      await budget('sextant.setBudget', { account: 'ada@x.io', limit: '10' });
      await run('refreshAnalytics');
      assert.equal(receiver.received.length, 0, 'nothing is sent before it is set up');
      const destination = { name: 'ops', url: receiver.url(), kind: 'json', on: ['over'] };
      await run('setUpAlerts', destination);
      const preview = vscode.workspace.textDocuments.find(({ uri }) => uri.path.includes('Alerts to ops'));
      assert.match(preview?.getText() ?? '', /Example: ada@example\.com is 120 credits over/);
      await until('an alert', () => receiver.received.length === 1);
      const [{ alerts }] = receiver.bodies as [{ alerts: { kind: string; text: string }[] }];
      assert.deepEqual([alerts.length, alerts[0]!.kind], [1, 'over']);
      assert.match(alerts[0]!.text, /^ada@x\.io is [\d,]+ credits over the limit of 10 credits/);
      await run('refreshAnalytics');
      await run('setUpAlerts', destination);
      assert.equal(receiver.received.length, 1);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      assert.ok(files.some(({ name }) => /^alerts\.\d+\.json$/.test(name)));
      for (const { parentPath, name } of files)
        assert.equal(readFileSync(join(parentPath, name)).includes('T0PSECRET'), false, name);
    } finally {
      await run('setUpAlerts', { remove: 'ops' });
      await receiver.close();
    }
  });

  const fault = (rule: object): Promise<unknown> => new AdminClient(server).ask('POST', 'faults', rule);

  it('sets and clears the limit of one account, and undoes it', async () => {
    await budget('sextant.setBudget', { account: 'bob@x.io', limit: '999999999999999999' });
    assert.equal((await limits())['bob@x.io'], '999999999999999999');
    await budget('sextant.clearBudget', { account: 'ada@x.io' });
    assert.equal((await limits())['ada@x.io'], undefined);
    await budget('sextant.undoBudgets');
    assert.equal((await limits())['ada@x.io'], '100');
    await budget('sextant.setBudget', { account: 'nobody@x.io', limit: '5' });
    await previewShows(/no changes; 1 problem.*knows no such account/s);
  });

  it('raises a limit to the projected need, from the third day on', async function () {
    if (Number(today.slice(8)) <= 3) this.skip();
    await budget('sextant.raiseBudget', { account: 'ada@x.io' });
    const raised = Number((await limits())['ada@x.io']);
    assert.ok(raised >= 1400 && raised <= 2100, String(raised));
    await budget('sextant.raiseBudget', { account: '=nightly' });
    assert.equal((await limits())['=nightly'], '400', 'it is enough');
  });

  it('imports a file with a preview and a report, exports it, and undoes it', async () => {
    const before = await limits();
    const file = join(folder, 'limits.csv');
    writeFileSync(file, '\ufefflimit;account\r\n150;ADA@x.io\r\n;"\'=nightly"\r\n7;bob@x.io\r\n5;nobody\r\n');
    await budget('sextant.importBudgets', { file: vscode.Uri.file(file) });
    await reportShows(/All 3 limits are set as requested: 3 applied; 1 skipped/);
    const after = await limits();
    assert.deepEqual([after['ada@x.io'], after['bob@x.io'], after['=nightly']], ['150', '7', undefined]);

    const exported = join(folder, 'budgets.csv');
    await budget('sextant.undoBudgets');
    assert.deepEqual(await limits(), before);
    await budget('sextant.exportBudgets', { file: vscode.Uri.file(exported) });
    assert.match(readFileSync(exported, 'utf8'), /,"?'=nightly"?,400,/);
    await budget('sextant.importBudgets', { file: vscode.Uri.file(exported) });
    await previewShows(/no changes; 3 unchanged/);
  });

  it('imports rows that are pasted into a new editor', async () => {
    await budget('sextant.importBudgets', { paste: true });
    const editor = vscode.window.activeTextEditor!;
    await editor.edit((edit) => edit.insert(editor.selection.active, 'bob@x.io,77\n'));
    await budget('sextant.previewBudgetDraft');
    assert.equal((await limits())['bob@x.io'], '77');
  });

  it('resumes an interrupted batch, retries failed rows, and saves the rest', async () => {
    await fault({ path: SET, status: 500 });
    await budget('sextant.importBudgets', { csv: 'account,limit\nada@x.io,150\nbob@x.io,7\n' });
    await reportShows(/not ended yet.*The service failed.*Not sent/s);
    await budget('sextant.undoBudgets');
    assert.equal((await limits())['ada@x.io'], '100', 'first it has to be settled');
    await new AdminClient(server).ask('DELETE', 'faults');
    await budget('sextant.resumeBudgets');
    await budget('sextant.showBudgetReport');
    await reportShows(/All 2 limits are set as requested/);
    const { token } = await new AdminClient(server).ask<{ token: string }>('POST', 'tokens', {
      scopes: ['analytics:read'],
    });
    await run('connectAnalytics', { url: server.url, token });
    await until('budgets are there', async () => (await (await sextant()).analytics()).reports.budgets === 'ready');
    await budget('sextant.setBudget', { account: 'bob@x.io', limit: '8' });
    await reportShows(/Changing budgets needs the permission budgets:write/);
    const file = vscode.Uri.file(join(folder, 'failures.csv'));
    await budget('sextant.saveBudgetFailures', { file });
    assert.match(
      readFileSync(file.fsPath, 'utf8'),
      /bob@x\.io,,8,BUDGET_RESOURCE_CREDITS_CONSUMED,BUDGET_PERIOD_MONTHLY,not sent/,
    );
    await budget('sextant.retryBudgets');
    assert.equal((await limits())['bob@x.io'], '7');
  });

  it('saves rows that the preview refused with those that failed, and lists both in the report', async () => {
    await budget('sextant.importBudgets', { csv: 'account,limit\nada@x.io,150\nbob@x.io,5e3\nzoë,5\n' });
    await reportShows(/1 applied; 2 skipped/);
    const file = vscode.Uri.file(join(folder, 'failures.csv'));
    await budget('sextant.saveBudgetFailures', { file });
    const saved = readFileSync(file.fsPath, 'utf8');
    assert.match(saved, /\r\nbob@x\.io,,5e3,.*Line 3: .*\r\n,zoë,5,.*Line 4: /);
    assert.equal(saved[0], '\ufeff', 'for Excel');
  });

  it('imports 5,001 rows whose last request fails, resumes, and undoes them', async () => {
    const people = Array.from({ length: 5_001 }, (_, i) => [person(`dev${i}@x.io`), ''] as const);
    await server.close();
    server = await startServer({ data: organizationOf(people) });
    await run('connectAnalytics', { url: server.url, token: server.token });
    await until('budgets are there', async () => (await (await sextant()).analytics()).reports.budgets === 'ready');
    await fault({ path: SET, times: 1, latency: { ms: 0 } });
    await fault({ path: SET, status: 500 });
    await budget('sextant.importBudgets', {
      csv: `account,limit\n${people.map(([{ name }]) => `${name},50\n`).join('')}`,
    });
    await reportShows(/5,000 of 5,001 limits are set as requested: 1 not sent, 5,000 applied\..*not ended yet/s);
    await new AdminClient(server).ask('DELETE', 'faults');
    await budget('sextant.resumeBudgets');
    assert.equal(Object.keys(await limits()).length, 5_001);
    await budget('sextant.undoBudgets');
    assert.deepEqual(await limits(), {});
  });

  it('reminds once of a limit that was meant to end', async () => {
    const account = '[x](command:workbench.action.quit)@x.io';
    await budget('sextant.remindBudget', { account, on: today, note: 'back to 50' });
    await run('refreshAnalytics');
    const notified = (): string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.notified'));
    await until('the reminder was shown', () => notified().length === 1);
  });

  it('sends no request if no account is connected', async () => {
    await run('disconnectAnalytics');
    await budget('sextant.setBudget', { account: 'bob@x.io', limit: '5' });
    assert.equal((await limits())['bob@x.io'], undefined);
  });
});
