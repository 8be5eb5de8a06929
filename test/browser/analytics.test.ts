import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { FaultClient } from '../../src/server/admin/faultClient.ts';
import { startServer, type DataRecordInput } from '../../src/server/testing.ts';
import { AlertReceiver } from '../support/alertReceiver.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Workbench, copySample } from './support.ts';

const HOSTILE = '$(bug)<img src=x onerror=alert(1)>[x](command:workbench.action.files.newUntitledFile)@example.com';
const CREDITS = { resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED', period: 'BUDGET_PERIOD_MONTHLY' };

/** One person over a limit, one near it, and a hostile name. */
function facts(): DataRecordInput[] {
  const today = new Date().toISOString().slice(0, 10);
  const people = [
    ['ada@example.com', 120],
    [HOSTILE, 80],
    ['bob@example.com', 10],
  ] as const;
  return [
    { kind: 'org', plan: 'credits', enterprise: true },
    ...people.flatMap(([user_email, credits_consumed]) => [
      { kind: 'user', user_email },
      { kind: 'credits', date: today, user_email, model_name: 'cedar', credits_consumed },
      { kind: 'override', user_email, ...CREDITS, config: { limit: '100' } },
    ]),
  ];
}

describe('usage, cost and budgets in the side bar', () => {
  const newFolder = temporaryFolder();
  let workbench: Workbench;

  before(async () => {
    const folder = newFolder();
    const root = copySample(join(folder, 'harbour'));
    writeFileSync(join(root, 'sextant-groups.csv'), 'account,team\n*@*,Everybody\n');
    workbench = await Workbench.open({
      folder: root,
      size: { width: 1000, height: 1500 },
      env: { XDG_DATA_HOME: folder },
      settings: { 'sextant.analytics.statusBar': true },
    });
    await workbench.openSextantView();
  });
  after(() => workbench.close());

  it('lead from an empty view to the figures of sample data', async () => {
    const { page } = workbench;
    await workbench.expand('Usage and Webhooks');
    const start = page
      .getByRole('link', { name: 'Try with sample data' })
      .or(page.getByRole('button', { name: 'Try with sample data' }));
    await start.first().click();
    await workbench.treeItem(/^Last 7 days \d+ people/).waitFor();
    await workbench.treeItem(/^Suggestions accepted \d+\.\d %/).waitFor();
    await workbench.treeItem(/^As of \d{4}-\d\d-\d\d \d\d:\d\d UTC/).waitFor();
    // These views come with the account; the first is named after the plan's unit.
    for (const view of ['Credits', 'Budgets']) await workbench.expand(view);
    await workbench.treeItem(/^Month \d{4}-\d\d [\d,]+/).waitFor();
    await workbench.treeItem(/@.*, \d+\.\d % of [\d,]+/).waitFor();
    await page
      .locator('.statusbar-item')
      .filter({ hasText: /[\d,]+ credits/ })
      .waitFor();
    await workbench.unfold(/^Products/);
    await workbench.treeItem(/^CLI Agent [\d,]+/).waitFor();
    await workbench.treeItem(/^Products/).click();
    await workbench.unfold(/^Team/);
    await workbench.treeItem(/^Everybody [\d,]+/).waitFor();
    await workbench.shoot('usage-sample');
    await workbench.run('Sextant Usage: Disconnect from Usage and Cost');
    await workbench.treeItem(/^Last 7 days/).waitFor({ state: 'detached' });
  });

  it('show a connected service, report a person over a limit once, and run nothing in a name', async () => {
    await using server = await startServer({ data: facts() });
    const { page } = workbench;
    page.on('dialog', () => {
      throw new Error('a name was run');
    });
    await workbench.run('Sextant Usage: Connect to Usage and Cost');
    await workbench.pick.getByText('URL of the service').waitFor();
    await workbench.query.fill('http://example.com');
    await workbench.pick.getByText('would be sent the token without encryption').waitFor();
    await workbench.shoot('usage-connect');
    await page.keyboard.press('Escape');

    await workbench.connect(server);
    await workbench.expand('Budgets');
    const rows = page.getByRole('treeitem', { name: / % of 100/ });
    await rows.nth(2).waitFor();
    await workbench.run('Notifications: Show Notifications');
    const alert = page
      .locator('.notifications-center')
      .getByText(/^Near or over their limit this month: ada@example\.com \(120\.0 %\)/);
    await alert.waitFor();
    if ((await page.locator('.notifications-center a[href^="command:"]').count()) > 0)
      throw new Error('a name is a link');
    const labels = await Promise.all((await rows.all()).map((row) => row.getAttribute('aria-label')));
    if (!(labels[0] ?? '').startsWith('ada@example.com, 120.0 % of 100, Over the limit'))
      throw new Error(labels.join('\n'));
    await page.getByRole('treeitem').filter({ hasText: HOSTILE }).first().waitFor();
    await workbench.shoot('usage-budgets');

    await page.keyboard.press('Escape');
    await workbench.run('Notifications: Clear All Notifications');
    await workbench.run('Sextant Usage: Refresh Usage and Cost');
    await rows.nth(2).waitFor();
    await workbench.run('Notifications: Show Notifications');
    if (await alert.isVisible()) throw new Error('it was shown twice');

    const faults = new FaultClient(new AdminClient(server));
    await faults.addFault({ status: 500 });
    await workbench.run('Sextant Usage: Refresh Usage and Cost');
    await workbench.treeItem(/^The service fails – showing cached data/).waitFor();
    await workbench.shoot('usage-failing');
    await server.close();
    await workbench.run('Sextant Usage: Refresh Usage and Cost');
    await workbench.treeItem(/^Offline – showing cached data/).waitFor();
    await workbench.shoot('usage-offline');
    await workbench.run('Sextant Usage: Disconnect from Usage and Cost');
    await rows.first().waitFor({ state: 'detached' });
  });

  it('begin with what failed, before the address, which a narrow side bar cuts', async () => {
    await using server = await startServer({ seed: 5, users: 5 });
    await workbench.connect(server);
    await workbench.treeItem(/^Last 7 days \d people/).waitFor();
    await new FaultClient(new AdminClient(server)).addFault({ path: '/analytics/v0/*', status: 401 });
    await workbench.run('Sextant Usage: Refresh Usage and Cost');
    await workbench
      .treeItem(/^The token is refused 127\.0\.0\.1:\d+ refuses the token/)
      .first()
      .waitFor();
    await workbench.run('Sextant Usage: Disconnect from Usage and Cost');
    await workbench
      .treeItem(/^The token is refused/)
      .first()
      .waitFor({ state: 'detached' });
  });

  it('switch between two organizations in one click, in the side bar and in the status bar', async () => {
    await using acme = await startServer({ seed: 3, users: 60 });
    await using globex = await startServer({ seed: 4, users: 5 });
    const { page } = workbench;
    const item = page.locator('.statusbar-item').filter({ hasText: /^\s*(acme|\$\(bug\) Globex)$/ });
    await workbench.connect(acme, 'acme');
    await workbench.treeItem(/^Last 7 days \d+ people/).waitFor();
    if ((await item.count()) > 0) throw new Error('there is only one');
    await workbench.connect(globex, '$(bug) Globex');
    await workbench.treeItem(/^Organization \$\(bug\) Globex/).waitFor();
    await item.filter({ hasText: '$(bug) Globex' }).waitFor();
    await workbench.treeItem(/^Last 7 days \d people/).waitFor();
    await workbench.shoot('organizations');
    await workbench.clickRow(/^acme 127\.0\.0\.1/, workbench.treeItem(/^Organization acme/));
    await workbench.treeItem(/^Last 7 days \d\d people/).waitFor();
    await item.filter({ hasText: 'acme' }).click();
    await workbench.shoot('organizations-pick');
    await workbench.pick.getByText('Globex').first().click();
    await workbench.treeItem(/^Organization \$\(bug\) Globex/).waitFor();
    await workbench.run('Sextant Usage: Disconnect from Usage and Cost');
    await item.first().waitFor({ state: 'detached' });
    await workbench.run('Sextant Usage: Disconnect from Usage and Cost');
    await workbench.treeItem(/^Last 7 days/).waitFor({ state: 'detached' });
  });

  it('keep what was typed for a destination of alerts until it is added, and ask for one kind at least', async () => {
    const receiver = await AlertReceiver.start();
    await using server = await startServer({ data: facts() });
    const { page, pick, query } = workbench;
    await workbench.connect(server);
    /** Opens the form, whose first field proposes `url`. */
    const open = async (url: string): Promise<void> => {
      await workbench.run('Sextant Usage: Set Up Alerts…');
      await pick.getByText('Add Destination…').click();
      await pick.getByText('URL of a webhook of Slack').waitFor();
      assert.equal(await query.inputValue(), url);
    };
    const next = async (text: string): Promise<void> => {
      await workbench.enter();
      await pick.getByText(text).first().waitFor();
    };
    const placeholder = (text: string): Promise<void> => pick.getByPlaceholder(text).waitFor();

    await open('');
    const url = receiver.url();
    await query.fill(url);
    await next('Name of the destination');
    await query.fill('ops');
    await page.keyboard.press('Escape');
    await open(url);
    await next('Name of the destination');
    assert.equal(await query.inputValue(), '');
    await query.fill('ops');
    await workbench.enter();
    await placeholder('What to report');
    // The hover of a row under the mouse would cover the box.
    await page.mouse.move(0, 0);
    await pick.getByRole('checkbox', { name: 'Toggle all checkboxes' }).click();
    await workbench.enter();
    await placeholder('What to report: select at least one');
    await pick.getByRole('checkbox', { name: 'Over the limit' }).first().click();
    await next('Quiet hours');
    await query.fill('20:00-07:00');
    await workbench.enter();
    const question = page.getByRole('dialog').getByText('Send alerts to');
    await question.waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await open(url);
    await next('Name of the destination');
    assert.equal(await query.inputValue(), 'ops');
    await workbench.enter();
    await placeholder('What to report');
    await pick.getByText('1 Selected').waitFor();
    await next('Quiet hours');
    assert.equal(await query.inputValue(), '20:00-07:00');
    await query.fill('');
    await workbench.enter();
    await question.waitFor();
    await page.getByRole('button', { name: 'Send Alerts' }).click();
    await until('an alert is sent', () => receiver.received.length === 1);
    await receiver.close();
    await open('');
    await page.keyboard.press('Escape');
    await workbench.run('Sextant Usage: Disconnect from Usage and Cost');
  });
});
