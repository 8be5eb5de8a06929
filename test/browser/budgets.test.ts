import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Frame, Locator } from 'playwright-core';
import { readLimits } from '../../src/analytics/budgets/budgetService.ts';
import { endpoints } from '../../src/analytics/contract.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { FaultClient } from '../../src/server/admin/faultClient.ts';
import { startServer, type TestServer } from '../../src/server/testing.ts';
import { forgetRequests, organizationOf, person, quickClient, serviceAccount } from '../support/budgets.ts';
import { COMMAND } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { assertAccessible } from './accessible.ts';
import { HEIGHT, showWidth } from './dashboard.ts';
import { LOOKS, Workbench, copySample, shotName } from './support.ts';

const SET = endpoints.setUserBudgetOverrides.path;
const HOSTILE = '$(bug)<img src=x onerror=alert(1)>[x](command:workbench.action.files.newUntitledFile)@x.io';
/** One more row than the limit of a request. */
const MANY = 5_001;
const many = Array.from({ length: MANY }, (_, i) => `dev${String(i + 1).padStart(4, '0')}@x.io`);

/** The Budgets tab, used as a person uses it. */
class BudgetsTab {
  readonly workbench: Workbench;
  readonly problems: string[] = [];
  frame!: Frame;

  constructor(workbench: Workbench) {
    this.workbench = workbench;
  }

  async connect(server: { readonly url: string; readonly token: string }): Promise<void> {
    await this.workbench.connect(server);
    await this.workbench.run('Sextant Usage: Open Dashboard');
    this.frame = await this.workbench.view();
    await this.workbench.run('View: Close Primary Side Bar');
    await this.frame.getByRole('tab', { name: 'Budgets' }).click();
    await this.loaded();
  }

  async loaded(): Promise<void> {
    await this.frame.locator('[role=tabpanel][aria-labelledby="tab-budgets"]').waitFor();
    await this.frame.locator('.bar:not(.loading)').waitFor({ state: 'attached' });
    await this.frame.locator('.skeleton').waitFor({ state: 'detached' });
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole('button', { name }).first();
  }

  /** Waits until a change is at a step, with a text. */
  step(kind: 'looking' | 'preview' | 'running' | 'report' | 'refused', text: string | RegExp): Promise<void> {
    return this.frame.locator(`.change.${kind}`).getByText(text).first().waitFor();
  }

  async close(): Promise<void> {
    await this.frame
      .locator('.change')
      .getByRole('button', { name: /^(Close|Cancel)$/ })
      .click();
    await this.frame.locator('.change').waitFor({ state: 'detached' });
  }

  /** Closes a change by its key. Until it is closed, its buttons are there, too. */
  async leave(): Promise<void> {
    await this.press('Escape');
    await this.frame.locator('.change').waitFor({ state: 'detached' });
  }

  limitOf(name: string): Locator {
    return this.frame.getByRole('row').filter({ hasText: name }).locator('.limit > span').first();
  }

  hasFocus(locator: Locator): Promise<void> {
    return locator.and(this.frame.locator(':focus')).waitFor();
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.workbench.page.keyboard.press(key);
  }

  /** Opens the form for pasted rows, fills it in, and opens the preview. */
  async paste(csv: string): Promise<void> {
    await this.button('Import CSV…').click();
    const { page } = this.workbench;
    // Pastes as a person does: typing thousands of lines takes a browser minutes.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(csv)})`);
    const field = this.frame.getByLabel('Rows copied from a spreadsheet');
    await field.click();
    await this.press('Control+V');
    await until('it is pasted', async () => (await field.inputValue()) === csv);
    await this.frame.getByRole('group', { name: 'Import limits' }).getByRole('button', { name: 'Preview' }).click();
  }

  /** Writes a path into a dialog of the editor, once the dialog proposes a path, until `isDone`. */
  async dialog(proposed: RegExp, path: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
    const { query, pick, page } = this.workbench;
    await until('a path is proposed', async () => (await pick.isVisible()) && proposed.test(await query.inputValue()));
    await until('the dialog is done', async () => {
      if (await pick.isVisible()) {
        // The dialog may overwrite the typed path with its proposal, and ignores Enter while it reads a folder.
        if ((await query.inputValue()) === path) await page.keyboard.press('Enter');
        else await query.fill(path);
      }
      await page.waitForTimeout(300);
      return isDone();
    });
  }

  /** Takes pictures in each theme at both widths, and collects their problems for one report. */
  async look(state: string): Promise<void> {
    for (const { theme, width } of LOOKS) {
      await this.workbench.showTheme(theme, this.frame);
      await showWidth(this.workbench, this.frame, width);
      const name = shotName(`budgets-${state}`, theme, width);
      await this.workbench.shoot(name);
      await assertAccessible(this.frame, name, theme).catch((error: unknown) => this.problems.push(String(error)));
    }
    await this.workbench.page.setViewportSize({ width: 1400, height: HEIGHT });
  }

  judge(): void {
    const problems = this.problems.splice(0);
    assert.equal(problems.length, 0, problems.join('\n'));
  }
}

describe('the table of budgets', () => {
  const newFolder = temporaryFolder();
  let folder: string;
  let server: TestServer;
  let faults: FaultClient;
  let tab: BudgetsTab;
  let remember: () => void;
  const today = new Date().toISOString().slice(0, 10);

  before(async () => {
    folder = newFolder();
    remember = forgetRequests(folder);
    server = await startServer({
      data: [
        ...organizationOf([
          [person('ada@x.io'), '100'],
          [person('bob@x.io'), ''],
          [person('eve@x.io'), '1000'],
          [person(HOSTILE), '300'],
          [serviceAccount('=nightly'), '400'],
          ...many.map((name) => [person(name), ''] as const),
        ]),
        ...(
          [
            ['ada@x.io', 120],
            ['eve@x.io', 950],
            [HOSTILE, 20],
            ['bob@x.io', 7],
          ] as const
        ).map(([user_email, credits_consumed]) => ({
          ...{ kind: 'credits', date: today, model_name: 'm', user_email, credits_consumed },
        })),
      ],
    });
    faults = new FaultClient(new AdminClient(server));
    tab = new BudgetsTab(
      await Workbench.open({
        folder: copySample(join(folder, 'harbour')),
        size: { width: 1400, height: HEIGHT },
        env: { XDG_DATA_HOME: folder },
      }),
    );
    tab.workbench.page.on('dialog', () => tab.problems.push('a name was run'));
    await tab.connect(server);
  });
  after(async () => {
    remember();
    await tab.workbench.close();
    await server.close();
  });
  beforeEach(async () => {
    await faults.clearFaults();
    await server.reset();
    // What an earlier test has left in the editor.
    if ((await tab.frame.locator('.change').count()) > 0) await tab.close();
    await tab.button('Refresh').click();
    await tab.loaded();
    await until('the limits are those of the beginning', async () => (await tab.limitOf('ada@x.io').innerText()) === '100');
  }); // oxfmt-ignore
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await tab.workbench.shoot('budgets-failed');
    tab.judge();
  });

  /** The limits that the service has, by name. */
  async function limits(): Promise<Record<string, string>> {
    const { overrides } = await readLimits(quickClient(server, newFolder()));
    return Object.fromEntries([...overrides.values()].map(({ identity, limit }) => [identity.name, limit]));
  }

  it('changes, adds and clears limits with the keyboard alone', async () => {
    await tab.frame.locator('[data-row="0"]').focus();
    await tab.press('Tab');
    const edit = tab.button('Change the limit of ada@x.io');
    await tab.hasFocus(edit);
    await tab.press('Enter');
    const field = tab.frame.getByRole('textbox', { name: 'Limit of ada@x.io, in credits a month' });
    await tab.hasFocus(field);
    await tab.workbench.page.keyboard.type('5e3');
    await tab.frame.getByRole('alert').getByText('A spreadsheet shortened the number').waitFor();
    await tab.press('Enter');
    assert.equal(await tab.frame.locator('.change').count(), 0, 'it goes no further');
    await tab.press('Escape');
    await tab.hasFocus(edit);
    await tab.press('Enter');
    await tab.hasFocus(field);
    await tab.workbench.page.keyboard.type('999999999999999998');
    await tab.press('Enter');
    await tab.step('preview', '100 → 999,999,999,999,999,998, in credits a month.');
    await tab.hasFocus(tab.frame.locator('.change'));
    // The key that opened the preview does not apply the change.
    await tab.press('Enter', 'Tab');
    await tab.hasFocus(tab.frame.locator('.change vscode-button').filter({ hasText: 'Apply' }));
    assert.equal((await limits())['ada@x.io'], '100');
    await tab.press('Enter');
    await tab.step('report', 'applied and verified');
    assert.equal((await limits())['ada@x.io'], '999999999999999998');
    await tab.hasFocus(tab.frame.locator('.change'));
    await tab.press('Escape');
    await tab.hasFocus(edit);
    await until('it is listed', async () => (await tab.limitOf('ada@x.io').innerText()) === '999,999,999,999,999,998');

    await tab.button('Add Limit…').click();
    await tab.hasFocus(tab.frame.getByRole('combobox', { name: 'Account' }));
    // The accounts with “b” are listed; the next keys are quicker than the answer about “bo”.
    await tab.press('b');
    await tab.frame.getByRole('option', { name: HOSTILE }).waitFor();
    // A button takes the click while the list of accounts is open, although the list moves it.
    await tab.button('Preview').click();
    await tab.frame.getByText('Type a limit like 5000.').waitFor();
    await tab.press('o', 'ArrowDown', 'Enter');
    await tab.hasFocus(tab.frame.getByRole('textbox', { name: 'Limit of bob@x.io, in credits a month' }));
    await tab.workbench.page.keyboard.type('7');
    await tab.press('Enter');
    await tab.step('preview', 'none → 7, in credits a month.');
    await tab.press('Tab', 'Enter');
    await tab.step('report', 'applied and verified');
    await tab.leave();
    await tab.button('Clear the limit of bob@x.io').focus();
    await tab.press('Enter');
    await tab.step('preview', '7 → none, in credits a month.');
    await tab.press('Tab', 'Enter');
    await tab.step('report', 'applied and verified');
    await tab.leave();
    assert.equal((await limits())['bob@x.io'], undefined);
    await tab.button('Undo…').focus();
    await tab.press('Enter');
    await tab.step('preview', 'none → 7, in credits a month.');
    await tab.leave();
  }); // oxfmt-ignore

  it("shows another process's change, and overwrites it only on request", async () => {
    const env = { ...process.env, SEXTANT_ANALYTICS_URL: server.url, SEXTANT_ANALYTICS_TOKEN: server.token };
    const args = [COMMAND, 'budgets', 'set', 'ada@x.io', '200', '--yes'];
    await promisify(execFile)(process.execPath, args, { env: { ...env, XDG_DATA_HOME: folder } });
    await tab.button('Change the limit of ada@x.io').click();
    await tab.frame.getByRole('textbox', { name: /^Limit of ada/ }).fill('500');
    await tab.press('Enter');
    await tab.step('preview', 'Another client changed the limit from 100 to 200. Your change: 500.');
    await until('it is listed', async () => (await tab.limitOf('ada@x.io').innerText()) === '200');
    await tab.look('conflict');
    await tab.button('Overwrite').click();
    await tab.step('preview', '200 → 500');
    await tab.button('Apply').click();
    await tab.step('report', 'applied and verified');
    assert.equal((await limits())['ada@x.io'], '500');
  });

  it('imports 5,001 rows, fails midway, resumes, and undoes all of them', async () => {
    const before = await limits();
    await tab.paste(`account,limit\n${many.map((name) => `${name},50\n`).join('')}`);
    await tab.step('preview', '5,001 changes: 5,001 new.');
    const rows = tab.frame.locator('.change .scroll');
    await rows.focus();
    await tab.press('End');
    await rows.getByText('dev5001@x.io').waitFor();
    // The second request fails; it has one row.
    await faults.addFault({ path: SET, times: 1, latency: { ms: 500 } });
    await faults.addFault({ path: SET, status: 500 });
    await tab.button('Apply 5,001 Changes').click();
    await tab.step('running', 'of 5,001');
    await tab.step('report', /5,000 of 5,001 limits are set as requested: .*1 not sent/);
    await tab.look('interrupted-report');
    await tab.button(/^Not sent/).click();
    await tab.frame.locator('.change .line').filter({ hasText: 'dev5001@x.io' }).waitFor();
    await tab.close();
    await tab.frame.getByText('The last change was interrupted.').waitFor();
    await tab.look('interrupted');
    await faults.clearFaults();
    await tab.button('Resume').click();
    await tab.step('report', 'All 5,001 limits are set as requested: 5,001 applied.');
    assert.equal(Object.keys(await limits()).length, 4 + MANY);
    await tab.button('Undo…').click();
    await tab.step('preview', '5,001 changes: 5,001 cleared.');
    await tab.button('Apply 5,001 Changes').click();
    await tab.step('report', 'All 5,001 limits are set as requested');
    assert.deepEqual(await limits(), before);
  });

  it("imports a file with the editor's dialog, lists its problems, and saves the skipped rows", async () => {
    const file = join(folder, 'limits.csv');
    const failures = join(folder, 'failures.csv');
    writeFileSync(file, '\ufefflimit;account\r\n150;ADA@x.io\r\n;"\'=nightly"\r\n1000;eve@x.io\r\n5e3;bob@x.io\r\n9;nobody@x.io\r\n');
    await tab.button('Import CSV…').click();
    await tab.button('Choose a File…').click();
    await tab.dialog(/\/harbour\/$/, file, async () => (await tab.frame.locator('.change').count()) > 0);
    await tab.step('preview', '2 changes: 1 changed, 1 cleared; 1 unchanged; 2 problems.');
    await tab.look('preview');
    // At this width no reason is cut.
    const reasons = tab.frame.locator('.change .why');
    const isCut = (one: { scrollHeight: number; clientHeight: number }): boolean => one.scrollHeight > one.clientHeight;
    for (const reason of await reasons.all()) assert.equal(await reason.evaluate(isCut), false);
    await tab.button(/^Invalid 1/).click();
    await tab.frame.locator('.change .line').getByText('“5e3”: A spreadsheet shortened the number').waitFor();
    await tab.button('Apply 2 Changes').click();
    await tab.step('report', 'All 2 limits are set as requested: 2 applied; 2 skipped.');
    await tab.look('report');
    await tab.button('Save Failures as CSV').click();
    await tab.dialog(/\/failures\.csv$/, failures, () => existsSync(failures) && readFileSync(failures).length > 0);
    assert.match(readFileSync(failures, 'utf8'), /\r\nbob@x\.io,,5e3,.*\r\nnobody@x\.io,,9,/);
    const exported = join(folder, 'budgets.csv');
    await tab.close();
    await tab.button('Save Limits as CSV').click();
    await tab.dialog(/\/budgets\.csv$/, exported, () => existsSync(exported) && readFileSync(exported).length > 0);
    assert.match(readFileSync(exported, 'utf8'), /ada@x\.io,,150,BUDGET_RESOURCE_CREDITS_CONSUMED/i);
  }); // oxfmt-ignore

  it('stops on request, and runs nothing in a name', async () => {
    await tab.frame.getByText(HOSTILE, { exact: true }).first().waitFor();
    await tab.paste(`account,limit\n"${HOSTILE}",301\nada@x.io,150\n`);
    await tab.step('preview', '2 changes: 2 changed.');
    await tab.frame.locator('.change .line').getByText(HOSTILE, { exact: true }).waitFor();
    await faults.addFault({ path: SET, latency: { ms: 3000 } });
    await tab.button('Apply 2 Changes').click();
    await tab.step('running', 'of 2');
    await tab.workbench.shoot('budgets-running');
    await until('the request is under way', async () => (await faults.faults()).some(({ hits }) => hits > 0));
    await tab.frame.locator('.change').getByRole('button', { name: 'Cancel' }).click();
    await tab.step('report', /2 limits are set as requested/);
    // Stopping waits for the request under way.
    assert.equal((await limits())['ada@x.io'], '150');
    await tab.button('Verify Only').click();
    await tab.step('report', 'All 2 limits are set as requested: 2 applied.');
  });

  it('sets a limit with pickers and a message, and reports an interrupted change at the next start', async () => {
    const { workbench } = tab;
    const { page, pick, query } = workbench;
    const set = async (limit: string): Promise<Locator> => {
      await workbench.run('Sextant Usage: Set Limit…');
      await pick.getByText('limit 100').waitFor();
      await query.fill('bob@x.io');
      await workbench.firstRow('bob@x.io');
      await page.keyboard.press('Enter');
      await pick.getByText('Limit of bob@x.io, in credits a month').waitFor();
      await query.fill(limit);
      await query.press('Enter');
      const modal = page.locator('.monaco-dialog-box');
      await modal.getByText(`bob@x.io: none → ${limit}, in credits a month`).waitFor();
      return modal;
    };
    const first = await set('7');
    await workbench.shoot('budgets-modal');
    await page.keyboard.press('Escape');
    await first.waitFor({ state: 'detached' });
    assert.equal((await limits())['bob@x.io'], undefined);
    await (await set('8')).getByRole('button', { name: 'Apply' }).click();
    await until('it is set', async () => (await limits())['bob@x.io'] === '8');
    await tab.limitOf('bob@x.io').waitFor();

    // The window closes during a request, whose result is unknown.
    await faults.addFault({ path: SET, status: 500, latency: { ms: 60_000 } });
    await tab.paste('account,limit\nada@x.io,150\nbob@x.io,9\n');
    await tab.button('Apply 2 Changes').click();
    await tab.step('running', 'of 2');
    await until('a request is under way', async () => (await faults.faults()).some(({ hits }) => hits > 0));
    await page.reload();
    await faults.clearFaults();
    await workbench.connect(server);
    await workbench.run('Notifications: Show Notifications');
    await page
      .locator('.notifications-center')
      .getByText(/^0 of 2 limits are set as requested: 2 sent and unknown/)
      .waitFor();
    await workbench.shoot('budgets-start');
    await page.keyboard.press('Escape');
    await workbench.run('Notifications: Clear All Notifications');
    await workbench.run('View: Close Primary Side Bar');
    tab.frame = await workbench.view();
    await tab.frame.getByText('The last change was interrupted.').waitFor();
    await tab.button('Resume').click();
    await tab.step('report', 'All 2 limits are set as requested: 2 applied.');
    assert.equal((await limits())['bob@x.io'], '9');
  });

  it('shows that a command waits for the service, and can be cancelled', async () => {
    const { page, pick } = tab.workbench;
    await faults.addFault({ path: endpoints.getUserBudgetOverrides.path, latency: { ms: 60_000 } });
    await tab.workbench.run('Sextant Usage: Set Limit…');
    await tab.workbench.run('Notifications: Show Notifications');
    const reading = page
      .locator('.notifications-center .notification-list-item')
      .filter({ hasText: 'Reading budgets' });
    await reading.getByRole('button', { name: 'Cancel' }).click();
    await reading.waitFor({ state: 'detached' });
    await faults.clearFaults();
    await tab.workbench.run('Sextant Usage: Set Limit…');
    await pick.getByText('limit 100').waitFor();
    await page.keyboard.press('Escape');
  });

  it('keeps a list of accounts open, with a message, where none matches the typed name', async () => {
    const { page, pick, query } = tab.workbench;
    await tab.workbench.run('Sextant Usage: Clear Override…');
    await pick.getByText('limit 100').waitFor();
    await query.fill('adda@x.io');
    await tab.workbench.enter();
    await page.getByText('No account with an override matches adda@x.io.').first().waitFor();
    await query.fill('ada@x.io');
    await tab.workbench.firstRow('ada@x.io');
    await page.keyboard.press('Escape');
    await tab.workbench.run('Notifications: Clear All Notifications');
  });

  it('names the missing permission, and hides nothing', async () => {
    const { token } = await new AdminClient(server).ask<{ token: string }>('POST', 'tokens', { scopes: ['analytics:read'] }); // oxfmt-ignore
    await tab.connect({ url: server.url, token });
    await tab.button('Change the limit of ada@x.io').click();
    await tab.frame.getByRole('textbox', { name: /^Limit of ada/ }).fill('500');
    await tab.press('Enter');
    await tab.step('preview', '100 → 500');
    await tab.button('Apply').click();
    await tab.step('report', 'Changing budgets needs the permission budgets:write');
    await tab.look('forbidden');
    assert.equal(await tab.limitOf('ada@x.io').innerText(), '100');
    await tab.close();
    await tab.connect(server);
  });

  it('is readable and accessible at each step, in each theme, at 400 and 1,400 pixels', async () => {
    await tab.frame.locator('.budgets select').selectOption('all');
    await tab.frame.getByRole('row').filter({ hasText: 'bob@x.io' }).getByText('default', { exact: true }).waitFor();
    await tab.look('table');
    await tab.frame.locator('.budgets select').selectOption('over');
    await tab.frame.getByRole('row').filter({ hasText: 'eve@x.io' }).waitFor({ state: 'detached' });
    await tab.frame.locator('.budgets select').selectOption('own');
    await tab.button('Change the limit of eve@x.io').click();
    await tab.frame.getByRole('textbox', { name: /^Limit of eve/ }).fill('1,500');
    await tab.frame.getByRole('alert').getByText('Write the limit without separators').waitFor();
    await tab.look('edit');
    await tab.press('Escape');
    await tab.button('Add Limit…').click();
    await tab.frame.getByRole('textbox', { name: 'Limit, in credits a month' }).fill('7');
    await tab.frame.getByRole('combobox', { name: 'Account' }).fill('x');
    await tab.frame.locator('.proposed [role=option]').nth(3).waitFor();
    await tab.press('ArrowDown');
    await tab.look('add');
    await tab.press('Escape', 'Escape');
    await tab.button('Import CSV…').click();
    await tab.look('import');
    await tab.frame.getByRole('group', { name: 'Import limits' }).getByRole('button', { name: 'Cancel' }).click();
    await tab.button('Clear the limit of eve@x.io').click();
    await tab.step('preview', '1,000 → none');
    await tab.look('one');
    await tab.close();
    await tab.frame.getByRole('button', { name: 'ada@x.io', exact: true }).first().click();
    await tab.frame.getByText('Override: 100, in credits a month.').waitFor();
    await tab.look('person');
    await tab.frame.getByRole('tab', { name: 'Budgets' }).click();
    await tab.loaded();
    await tab.frame.getByLabel('Anonymise').check();
    await tab.frame.getByText('Names are hidden in lists, previews and reports.').waitFor();
    await tab.look('hidden');
    await tab.frame.getByLabel('Anonymise').uncheck();
    await tab.frame.getByText('Names are hidden in lists, previews and reports.').waitFor({ state: 'detached' });
  });
});
