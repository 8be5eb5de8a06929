import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { formatCount } from '../../src/base/format.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { FaultClient } from '../../src/server/admin/faultClient.ts';
import { startServer, type TestServer } from '../../src/server/testing.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Dashboard, HEIGHT, TAB_NAMES, fillCache, showWidth } from './dashboard.ts';
import { THEMES } from './support.ts';

/** Teams of the simulated people, by the first letters of their names. */
const GROUPS = `account,team,cost_center
${'abcdefghijkl'
  .split('')
  .map((letter, i) => `${letter}*,${['Search', 'Payments', 'Mobile'][i % 3]},CC-${100 + (i % 4) * 100}`)
  .join('\n')}
m*,Infrastructure,CC-900
s*,Data Science,CC-900
*@*,Platform,CC-500
`;

const LIMITS = 'column,group,limit\norganization,,4000000\nteam,Search,1000\nteam,Payments,900000\n';

describe('the dashboard', () => {
  const newFolder = temporaryFolder();
  let server: TestServer;
  let dashboard: Dashboard;
  let faults: FaultClient;
  let folder: string;
  let isConnected = false;

  before(async () => {
    server = await startServer({ seed: 7, users: 120, plan: 'credits' });
    faults = new FaultClient(new AdminClient(server));
    folder = newFolder();
    // Some tabs need more requests than the limit per minute.
    await fillCache(folder, server, { hasLanguages: true });
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

  it('says how teams become known, and lists the accounts in a new group file', async () => {
    await connected();
    await dashboard.tab('Teams');
    await dashboard.frame.getByRole('heading', { name: 'No teams are known yet' }).waitFor();
    await dashboard.workbench.shoot('dashboard-teams-empty');
    await dashboard.button('Create File').click();
    const { page } = dashboard.workbench;
    await page.getByText('account,team,cost_center,from,to').waitFor();
    await dashboard.workbench.shoot('dashboard-teams-new-file');
    await dashboard.workbench.run('View: Revert and Close Editor');
    await dashboard.find();
    writeFileSync(join(dashboard.root, 'sextant-groups.csv'), GROUPS);
    writeFileSync(join(dashboard.root, 'sextant-budgets.csv'), LIMITS);
    await dashboard.button('Refresh').click();
    await dashboard.text('Most per person').waitFor();
    await dashboard.text('Limits of groups, used this month').waitFor();
    await dashboard.workbench.run('Notifications: Show Notifications');
    const messages = page.locator('.notifications-center');
    await messages.getByText(/^Near or over their limit this month: Team Search \(/).waitFor();
    await page.keyboard.press('Escape');
    await dashboard.frame.getByLabel('Group by').selectOption('cost_center');
    await dashboard.frame.locator('[data-row]', { hasText: 'CC-' }).first().waitFor();
    await dashboard.frame.getByLabel('Group by').selectOption('team');
    await dashboard.frame.getByRole('button', { name: 'Payments', exact: true }).click();
    await dashboard.frame.locator('[role=tab][aria-selected=true]').getByText('People').waitFor();
    await dashboard.frame.getByRole('columnheader', { name: 'Team' }).waitFor();
    await dashboard.frame.getByLabel('Filter').fill('');
  });

  it('limits its pages to a group, divides days by groups, and opens a link to the view, but no other link', async () => {
    await connected();
    const { frame, workbench } = dashboard;
    const only = frame.getByLabel(/^Group(?! by)/);
    await dashboard.tab('People');
    await only.selectOption({ label: 'Payments' });
    await frame.getByRole('row', { name: 'Payments' }).first().waitFor();
    await frame.getByRole('row', { name: 'Search' }).first().waitFor({ state: 'detached' });
    await workbench.shoot('dashboard-people-of-group');
    await only.selectOption('');
    await dashboard.tab('Credits');
    await frame.getByLabel('Group by').selectOption('column:team');
    await frame.getByRole('heading', { name: 'Credits by day, team' }).waitFor();
    await workbench.shoot('dashboard-credits-by-team');
    const link = (query: string): string => `code-oss://sextant.sextant-code/dashboard?${query}`;
    await openLink(link('v=1&tab=people&preset=7d&compare=true&group=resource&only=team%3DPayments'));
    await frame.locator('[role=tab][aria-selected=true]').getByText('People').waitFor();
    assert.equal(await only.inputValue(), 'team=Payments');
    await openLink(link('v=1&tab=people&preset=7d&compare=true&group=resource&url=https%3A%2F%2Fevil.example.com'));
    await workbench.page.getByText('The link is not one to a view of the dashboard').first().waitFor();
    await only.selectOption('');
    await dashboard.days('28d');
  });

  it('has the groups in the side bar, with who needs attention, and leads from there to the people of one', async () => {
    await connected();
    const { frame, workbench } = dashboard;
    await dashboard.tab('Overview');
    const over = /^Team Search is [\d,]+ credits over the limit of 1,000 credits/;
    await frame.getByText(over).waitFor();
    await workbench.run('Usage and Budgets: Focus on Cost View');
    // The group file was written outside of the editor.
    await workbench.run('Sextant Usage: Refresh Usage and Cost');
    await workbench.unfold(/^Team$/);
    await workbench.treeItem(over).waitFor();
    const row = workbench.treeItem(/^Payments [\d,]+, \d+ stopped/);
    await row.waitFor();
    await workbench.shoot('dashboard-side-bar-teams');
    await row.click();
    await frame.locator('[role=tab][aria-selected=true]').getByText('People').waitFor();
    const only = frame.getByLabel(/^Group(?! by)/);
    assert.equal(await only.inputValue(), 'team=Payments');
    await only.selectOption('');
    await workbench.run('View: Close Primary Side Bar');
  });

  it('keeps the limit of a group, and previews its parts for the members as one change', async () => {
    await connected();
    const { frame, workbench } = dashboard;
    const { pick, query } = workbench;
    /** Picks Mobile in the list with this title. */
    const pickMobile = async (title: string): Promise<void> => {
      await pick.getByText(title).waitFor();
      await query.fill('Mobile');
      await workbench.firstRow('Mobile');
      await workbench.enter();
      await pick.getByText('Limit of a month').waitFor();
    };
    await dashboard.tab('Budgets');
    await dashboard.button('Limit of a Group…').click();
    await pickMobile('Limit of a Group');
    await query.fill('70001');
    await workbench.enter();
    await frame.getByText('of 70,001').first().waitFor();
    const file = readFileSync(join(dashboard.root, 'sextant-budgets.csv'), 'utf8');
    assert.match(file, /^team,Mobile,70001$/m);
    await dashboard.button('Spread over Members…').click();
    await pickMobile('Spread a Limit');
    await workbench.enter();
    await pick.getByText('As the members spent').waitFor();
    await workbench.enter();
    await frame.locator('vscode-button', { hasText: 'Apply' }).waitFor();
    await workbench.shoot('dashboard-spread-preview');
    await dashboard.button('Cancel').click();
  });

  /** Opens a link as the system hands it to the editor, and lets Sextant have it. */
  async function openLink(uri: string): Promise<void> {
    const { page } = dashboard.workbench;
    await dashboard.workbench.run('Developer: Open URL');
    await page.keyboard.insertText(uri);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Open', exact: true }).click();
  }

  it('shows each tab in each theme, readable and accessible, at 400 and 1,400 pixels', async () => {
    await connected();
    for (const theme of THEMES) {
      await dashboard.theme(theme);
      for (const tab of TAB_NAMES) {
        await dashboard.tab(tab);
        await dashboard.loaded();
        await dashboard.look(tab.toLowerCase().replaceAll(/\W+/g, '-'), theme);
      }
    }
    await dashboard.workbench.page.setViewportSize({ width: 1400, height: HEIGHT });
    dashboard.judge();
  });

  it('keeps a choice with a long name within a narrow page', async () => {
    await connected();
    const { frame, workbench } = dashboard;
    await dashboard.tab('Credits');
    await frame.getByLabel('Only').waitFor();
    await frame.evaluate(`for (const select of document.querySelectorAll('header select'))
      select.append(new Option('A long name, as of an expert or a product, '.repeat(9)));`);
    await showWidth(workbench, frame, 400);
    assert.equal(await frame.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    await frame.evaluate("document.querySelectorAll('header select').forEach((select) => select.lastChild.remove())");
    await workbench.page.setViewportSize({ width: 1400, height: HEIGHT });
  });

  it('works with the keyboard alone', async () => {
    await connected();
    const { page } = dashboard.workbench;
    // The arrow keys move from the selected tab.
    await dashboard.tab('Overview');
    await dashboard.days('28d');
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
    await dashboard.workbench.reload('"anonymise":true');
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

  describe('in states of error, delay and size', () => {
    before(async () => {
      await connected();
      await dashboard.tab('Overview');
      await dashboard.loaded();
    });

    it('reports at 01:00 UTC that yesterday is missing, and shows it at 03:00', async () => {
      await dashboard.days('7d');
      await dashboard.loaded();
      await dashboard.days('custom');
      const to = dashboard.frame.getByLabel('To', { exact: true });
      const newest = (await to.getAttribute('max'))!;
      const next = new Date(Date.parse(newest) + 86_400_000).toISOString().slice(0, 10);
      // Another account, with an empty cache.
      await using early = await startServer({ seed: 7, users: 120, plan: 'credits', now: `${next}T01:00:00Z` });
      await dashboard.days('7d');
      await dashboard.connect(early);
      await dashboard.text('Some days are not available yet').waitFor();
      const active = dashboard.frame.locator('.tile').filter({ hasText: /^Active/ });
      const before = new Date(Date.parse(newest) - 86_400_000).toISOString().slice(0, 10);
      await active.getByText(`on ${before}`).waitFor();
      await dashboard.drawn();
      await dashboard.lookInAllThemes('partial');
      early.clock.set(`${next}T03:00:00Z`);
      await dashboard.button('Try Again').click();
      await active.getByText(`on ${newest}`).waitFor();
      await dashboard.text('Some days are not available yet').waitFor({ state: 'detached' });
      await dashboard.connect(server);
    });

    it('shows that it loads, and reports a failing service', async () => {
      await faults.addFault({ latency: { ms: 60_000 } });
      await dashboard.otherDays();
      await dashboard.frame.locator('.skeleton').waitFor();
      await dashboard.frame.locator('.bar.loading').waitFor();
      assert.equal(await dashboard.frame.evaluate('document.getAnimations().length'), 0, 'nothing moves');
      await dashboard.lookInAllThemes('loading');
      await faults.clearFaults();
      await faults.addFault({ status: 500 });
      await dashboard.otherDays();
      await dashboard.frame.getByRole('heading', { name: 'The service fails' }).waitFor();
      await dashboard.button('Try Again').waitFor();
      await dashboard.lookInAllThemes('500');
      await faults.clearFaults();
      await dashboard.button('Try Again').click();
      await dashboard.frame.locator('.charts .card').first().waitFor();
    });

    it('shows the end of the pause that the service requires', async () => {
      // Another account, since no request is sent during its pause.
      await using busy = await startServer({ seed: 7, users: 20, plan: 'credits' });
      await new FaultClient(new AdminClient(busy)).addFault({ status: 429, retryAfter: 600 });
      await dashboard.connect(busy);
      await dashboard.frame.getByRole('heading', { name: 'The service asks for a pause' }).waitFor();
      await dashboard
        .text(/It accepts no requests until \d\d:\d\d:\d\d UTC\. This page then continues by itself\./)
        .waitFor();
      await dashboard.lookInAllThemes('429');
    });

    it('explains empty tabs of an organization without usage', async () => {
      await using empty = await startServer({ data: [{ kind: 'org', plan: 'credits', enterprise: true }] });
      await dashboard.connect(empty);
      for (const tab of TAB_NAMES) {
        await dashboard.tab(tab);
        await dashboard.loaded();
        await dashboard.frame.locator('.instead h2').waitFor();
        if (tab !== 'Overview')
          await dashboard.workbench.shoot(`dashboard-empty-${tab.toLowerCase().replaceAll(/\W+/g, '-')}`);
      }
      await dashboard.tab('Overview');
      await dashboard.lookInAllThemes('empty');
    });

    it('shows cached data and its age offline, and an error for days outside the cache', async () => {
      await dashboard.connect(server);
      await dashboard.days('28d');
      // Usage of today may still change; that of finished days does not, and is not requested again.
      await dashboard.tab('Budgets');
      await dashboard.loaded();
      await dashboard.frame.locator('.charts .card').nth(1).waitFor();
      await server.close();
      await dashboard.frame.getByRole('button', { name: 'Refresh' }).click();
      await dashboard.text('Offline – showing cached data').waitFor();
      await dashboard.text(/The figures are from \d{4}-\d\d-\d\d \d\d:\d\d UTC, /).waitFor();
      await dashboard.lookInAllThemes('offline-known');
      await dashboard.tab('Overview');
      await dashboard.oldestDays();
      await dashboard.frame.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
      await dashboard.button('Try Again').waitFor();
      await dashboard.lookInAllThemes('offline');
    });

    describe('of ten thousand people', () => {
      let large: TestServer;
      let known: number;

      before(async () => {
        large = await startServer({ seed: 7, users: 10_000, plan: 'credits' });
        known = await fillCache(folder, large);
        await dashboard.days('28d');
        await dashboard.connect(large);
        await dashboard.frame.locator('.charts .card').first().waitFor();
      });
      after(() => large.close());

      it('lists all of them from the cache, renders few rows, sorts and filters', async () => {
        const { frame } = dashboard;
        await dashboard.tab('People');
        const first = frame.locator('[data-row="0"]');
        await first.waitFor();
        await frame.getByText(`${formatCount(known)} rows`, { exact: true }).waitFor();
        await dashboard.workbench.shoot('dashboard-people-10000');
        await first.focus();
        await dashboard.workbench.page.keyboard.press('End');
        await frame.locator(`[data-row="${known - 1}"]:focus`).waitFor();
        assert.ok((await frame.locator('[data-row]').count()) <= 80);
        assert.ok((await frame.locator('*').count()) < 4_000);
        await frame.getByRole('columnheader', { name: 'Credits' }).getByRole('button').click();
        await frame.locator('[role=columnheader][aria-sort=descending]', { hasText: 'Credits' }).waitFor();
        const name = (await frame.locator('[data-row="3"]').textContent()) ?? '';
        await frame.getByLabel('Filter').fill(name.toUpperCase());
        await frame.getByText(`1 of ${formatCount(known)} rows`, { exact: true }).waitFor();
        await first.getByText(name).waitFor();
        await frame.getByLabel('Filter').fill('');
        await frame.getByText(`${formatCount(known)} rows`, { exact: true }).waitFor();
      });

      it('shows the people loaded so far and an estimate of all, stops, keeps them and resumes', async () => {
        const { frame } = dashboard;
        await dashboard.tab('People');
        await dashboard.days('90d');
        await frame.locator('[data-row="0"]').waitFor();
        const progress = frame.locator('.progress p');
        await progress.getByText(/^[\d,]+ of (about|at least) [\d,]+ people, about .* left$/).waitFor();
        const so = async (): Promise<number> => Number(/[\d,]+/.exec((await progress.textContent()) ?? '')?.[0].replaceAll(',', ''));
        await dashboard.workbench.shoot('dashboard-people-coming');
        await dashboard.button('Stop').click();
        await progress.getByText(/^Stopped: [\d,]+ of /).waitFor();
        const stopped = await so();
        await frame.getByText(`${formatCount(stopped)} rows`, { exact: true }).waitFor();
        await dashboard.workbench.shoot('dashboard-people-stopped');
        await dashboard.button('Resume').click();
        const resumed = await until('it goes on', async () => {
          const text = (await progress.textContent()) ?? '';
          return !text.startsWith('Stopped') && (await so());
        });
        assert.ok(resumed >= stopped, `${resumed} of ${stopped}`);
        await until('more came', async () => (await so()) > stopped);
        await dashboard.button('Stop').click();
      }); // oxfmt-ignore
    });
  });
});
