import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { FaultClient } from '../../src/server/admin/faultClient.ts';
import { startServer, type TestServer } from '../../src/server/testing.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Dashboard, HEIGHT, fillCache } from './dashboard.ts';
import { THEMES } from './support.ts';

const TABS = ['Overview', 'People', 'Languages & Editors', 'Credits', 'Cost', 'Budgets'];

describe('the dashboard', () => {
  const newFolder = temporaryFolder();
  let server: TestServer;
  let dashboard: Dashboard;
  let faults: FaultClient;
  let isConnected = false;

  before(async () => {
    server = await startServer({ seed: 7, users: 120, plan: 'credits' });
    faults = new FaultClient(new AdminClient(server));
    const folder = newFolder();
    // Some tabs need more requests than the limit per minute.
    await fillCache(folder, server);
    dashboard = await Dashboard.open(folder);
  });
  after(async () => {
    await dashboard.workbench.close();
    await server.close();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await dashboard.workbench.shoot('dashboard-failed');
  });

  /** Connects the account if it is not, so each test also runs alone. */
  async function connected(): Promise<void> {
    if (isConnected) return;
    isConnected = true;
    await dashboard.workbench.connect(server);
    await dashboard.show();
    await dashboard.frame.getByRole('tab').first().waitFor();
  }

  it('explains its purpose while no account is connected', async () => {
    await dashboard.show();
    await dashboard.button('Try with Sample Data').waitFor();
    for (const theme of THEMES) {
      await dashboard.theme(theme);
      await dashboard.look('welcome', theme);
    }
    dashboard.judge();
    await dashboard.workbench.page.setViewportSize({ width: 1400, height: HEIGHT });
  });

  it('shows each tab in each theme, readable and accessible, at 400 and 1,400 pixels', async () => {
    await connected();
    for (const theme of THEMES) {
      await dashboard.theme(theme);
      for (const tab of TABS) {
        await dashboard.tab(tab);
        await dashboard.loaded();
        await dashboard.look(tab.toLowerCase().replaceAll(/\W+/g, '-'), theme);
      }
    }
    await dashboard.workbench.page.setViewportSize({ width: 1400, height: HEIGHT });
    dashboard.judge();
  });

  it('works with the keyboard alone', async () => {
    await connected();
    const { page } = dashboard.workbench;
    await dashboard.days('28d');
    // The arrow keys move from the selected tab.
    await dashboard.tab('Overview');
    await dashboard.loaded();
    await dashboard.frame.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowRight');
    await dashboard.frame.locator('[role=tab][aria-selected=true]:focus').getByText('People').waitFor();
    await dashboard.loaded();
    const first = dashboard.frame.locator('[data-row="0"]');
    await first.waitFor();
    for (let i = 0; i < 60 && (await dashboard.frame.locator('[data-row="0"]:focus').count()) === 0; i++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await until('the last row has the focus', async () => {
      const row = await dashboard.frame.locator('[data-row]:focus').getAttribute('data-row');
      return Number(row) > 100;
    });
    await page.keyboard.press('Home');
    await dashboard.frame.locator('[data-row="0"]:focus').waitFor();
    const name = (await first.textContent()) ?? '';
    await page.keyboard.press('Enter');
    await dashboard.frame.getByRole('heading', { name, exact: true }).waitFor();
    await dashboard.loaded();
    await dashboard.frame.locator('.charts .card').nth(1).waitFor();
    await dashboard.workbench.shoot('dashboard-person');
    await dashboard.frame.locator('.card .mark[tabindex="0"]').first().focus();
    await page.keyboard.press('ArrowRight');
    await dashboard.frame.locator('.tooltip').waitFor();
    await dashboard.workbench.shoot('dashboard-tooltip');
    await page.keyboard.press('Escape');
    await dashboard.frame.locator('.tooltip').waitFor({ state: 'detached' });
    await dashboard.button(/^Show Table: /).focus();
    await page.keyboard.press('Enter');
    await dashboard.frame.locator('.twin table').waitFor();
    await dashboard.button(/^Show Chart: /).click();
    await dashboard.button('All people').focus();
    await page.keyboard.press('Enter');
    await first.waitFor();
  });

  it('exports tables, summaries and pictures to the chosen file', async () => {
    await connected();
    await dashboard.tab('Credits');
    await dashboard.loaded();
    const card = dashboard.frame.locator('.card').first();
    const write = async (menu: Locator, item: string, file: string): Promise<Buffer> => {
      const path = join(dashboard.root, file);
      await menu.click();
      await dashboard.frame.getByRole('button', { name: item }).and(dashboard.frame.locator(':visible')).click();
      const { query, pick, page } = dashboard.workbench;
      // The dialog's proposal replaces a name that is typed earlier.
      await until('a name is proposed', async () => /\/credits-[^/]*$/.test(await query.inputValue()));
      await query.fill(path);
      await until(`${file} is written`, async () => {
        // The dialog ignores Enter while it reads the folder.
        if (await pick.isVisible()) await page.keyboard.press('Enter');
        await page.waitForTimeout(300);
        return existsSync(path) && readFileSync(path).length > 0;
      });
      return readFileSync(path);
    };
    const header = dashboard.frame.locator('header .menu summary');
    const own = card.locator('.menu summary');
    assert.match(String(await write(header, 'Table as CSV', 'out.csv')), /^resource,billed_amount_usd,.*\r\n/);
    assert.match(String(await write(header, 'Summary as Markdown', 'out.md')), /^# Credits\n/);
    const svg = String(await write(own, 'Picture as SVG', 'out.svg'));
    assert.match(svg, /^<svg .*>Credits by day, models and machines<\/text>.*<\/svg>$/s);
    // The grid lines are as faint as on the page.
    assert.match(svg, /stroke-opacity="0\.\d+"/);
    assert.doesNotMatch(svg, /var\(--|class=|tabindex/);
    const png = await write(own, 'Picture as PNG', 'out.png');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.readUInt32BE(16) > 800);
  });

  it('restores its tab and selections when the window is reloaded', async () => {
    await connected();
    await dashboard.tab('Cost');
    await dashboard.frame.locator('header select').nth(1).selectOption('product');
    await dashboard.frame.getByLabel('Anonymise').check();
    await dashboard.loaded();
    await dashboard.workbench.reload();
    await dashboard.find();
    // The editor in a browser loses secrets with its page: the page reports that and keeps the selection.
    await dashboard.frame.getByRole('heading', { name: 'The token is missing' }).waitFor();
    await dashboard.button('Connect').waitFor();
    await dashboard.workbench.shoot('dashboard-gone');
    await dashboard.workbench.connect(server);
    await dashboard.frame.locator('.charts .card').first().waitFor();
    assert.equal(await dashboard.frame.locator('header select').nth(1).inputValue(), 'product');
    assert.ok(await dashboard.frame.getByLabel('Anonymise').isChecked());
    await dashboard.frame.getByRole('tab', { name: 'Cost', selected: true }).waitFor();
  });

  it('explains how to replace a refused or unauthorized token, in each theme and width', async () => {
    await connected();
    // Connecting shows the side bar again.
    await dashboard.workbench.run('View: Close Primary Side Bar');
    await dashboard.frame.getByLabel('Anonymise').setChecked(false);
    const state = async (name: string, rule: unknown, title: string, next: string): Promise<void> => {
      await faults.addFault(rule);
      await dashboard.tab('Overview');
      await dashboard.otherDays();
      await dashboard.frame.getByRole('heading', { name: title }).waitFor();
      await dashboard.button(next).waitFor();
      await dashboard.lookInAllThemes(name);
      await faults.clearFaults();
    };
    await state('401', { status: 401 }, 'The token is refused', 'Connect Again');
    await state('403', { status: 403 }, 'The token lacks permission', 'Connect Again');
    await dashboard.button('Try Again').click();
    await dashboard.frame.locator('.charts .card').first().waitFor();
  });
});
