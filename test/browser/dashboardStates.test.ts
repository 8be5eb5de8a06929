import assert from 'node:assert/strict';
import { formatCount } from '../../src/base/format.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { FaultClient } from '../../src/server/admin/faultClient.ts';
import { startServer, type TestServer } from '../../src/server/testing.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Dashboard, TAB_NAMES, fillCache } from './dashboard.ts';

describe('the dashboard in states of error and delay', () => {
  const newFolder = temporaryFolder();
  let server: TestServer;
  let dashboard: Dashboard;
  let faults: FaultClient;

  before(async () => {
    server = await startServer({ seed: 7, users: 120, plan: 'credits' });
    faults = new FaultClient(new AdminClient(server));
    dashboard = await Dashboard.open(newFolder());
    await dashboard.workbench.connect(server);
    await dashboard.show();
    await dashboard.frame.locator('.charts .card').first().waitFor();
  });
  after(async () => {
    await dashboard.workbench.close();
    await server.close();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed')
      await dashboard.workbench.shoot(
        `dashboard-states-failed-${this.currentTest.title.slice(0, 20).replaceAll(' ', '-')}`,
      );
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
    await dashboard.otherDays();
    await dashboard.frame.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    await dashboard.button('Try Again').waitFor();
    await dashboard.lookInAllThemes('offline');
  });
});

describe('the dashboard of ten thousand people', () => {
  const newFolder = temporaryFolder();
  let server: TestServer;
  let dashboard: Dashboard;
  let known: number;

  before(async () => {
    server = await startServer({ seed: 7, users: 10_000, plan: 'credits' });
    const folder = newFolder();
    known = await fillCache(folder, server);
    dashboard = await Dashboard.open(folder);
    await dashboard.workbench.connect(server);
    await dashboard.show();
    await dashboard.frame.locator('.charts .card').first().waitFor();
  });
  after(async () => {
    await dashboard.workbench.close();
    await server.close();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await dashboard.workbench.shoot('dashboard-10000-failed');
  });

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
  }); // prettier-ignore
});
