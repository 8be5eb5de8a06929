import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findServer } from '../../src/server/state/published.ts';
import { serve, stop } from '../support/servers.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { ROOT, Workbench, copySample } from './support.ts';

const FACTS = [
  { kind: 'org', plan: 'usd', enterprise: true },
  { kind: 'user', user_email: 'ada@example.com' },
];

describe('the local server view', () => {
  const newFolder = temporaryFolder();
  let folder: string;
  const state = (): string => join(folder, 'sextant/server');
  const dataFile = (): string => join(folder, 'harbour/facts.ndjson');

  function writeFacts(): void {
    writeFileSync(dataFile(), FACTS.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
  }

  /** Opens a window in a new folder: its machine settings name a data file, and the server's state is there. */
  async function open(options: Parameters<typeof Workbench.open>[0] = {}): Promise<Workbench> {
    const root = copySample(join(folder, 'harbour'));
    // The workspace's settings of the server are ignored.
    const settings = { 'sextant.server.dataFile': 'other.ndjson', 'sextant.server.stateFolder': root };
    const machineSettings = { 'sextant.server.dataFile': dataFile() };
    writeFiles(root, { '.vscode/settings.json': JSON.stringify(settings) });
    writeFacts();
    const workbench = await Workbench.open({
      folder: root,
      env: { XDG_DATA_HOME: folder },
      ...(options.trust ? {} : { machineSettings }),
      ...options,
    });
    try {
      await showWay(workbench);
      return workbench;
    } catch (error) {
      await workbench.shoot('server-not-opened');
      await workbench.close();
      throw error;
    }
  }

  /** Until then the palette lists no command to stop. */
  const hasStopped = (): Promise<true> => until('the server has stopped', () => findServer(state()) === undefined);

  /** Shows the view that leads to a server. */
  async function showWay(workbench: Workbench): Promise<void> {
    await workbench.openSextantView();
    await workbench.fold('Index');
    await workbench.expand('Usage and Webhooks');
  }

  describe('in one window', () => {
    let workbench: Workbench;

    before(async () => {
      folder = newFolder();
      workbench = await open({ extensions: [ROOT, join(ROOT, 'test/fixtures/breaker')] });
    });
    after(() => workbench.close());
    afterEach(async () => {
      if (findServer(state()) !== undefined) await workbench.run('Sextant Webhooks: Stop Local Server');
      await hasStopped();
      rmSync(state(), { recursive: true, force: true });
      rmSync(dataFile(), { force: true });
      writeFacts();
      await workbench.run('Notifications: Clear All Notifications');
    });

    it('leads from nothing to a server and back', async () => {
      const { page } = workbench;
      const start = page.getByRole('button', { name: 'Start Local Server' }).last();
      await start.waitFor();
      await workbench.shoot('server-stopped');
      await start.click();
      await workbench.treeItem(/^Running in this window/).waitFor();
      await workbench.treeItem(/^Address http:\/\/127\.0\.0\.1:\d+/).waitFor();
      await workbench.treeItem(/^Data facts\.ndjson/).hover();
      await workbench.shoot('server-running');

      const copied = page.getByText('The token of the local server was copied.');
      await workbench.clickRow(/^Token click to copy/, copied.first());

      writeFileSync(dataFile(), '{"kind":"user"}\n');
      await workbench.run('Sextant Webhooks: Restart Local Server');
      await workbench.treeItem(/^Not running facts\.ndjson, line 1: user_email must be/).waitFor();
      await workbench.treeItem(/^Change Settings/).waitFor();
      await workbench.shoot('server-failed');
      await page.keyboard.press('Escape');

      writeFileSync(dataFile(), '');
      await workbench.clickRow(/^Start Again/, workbench.treeItem(/^Data none; all answers are empty/));
      await workbench.run('Sextant Webhooks: Stop Local Server');
      await hasStopped();
      await start.waitFor();
    });

    it('injects faults by scenario, and adds, corrects, changes and removes fault rules', async () => {
      const { page, pick, query } = workbench;
      await page.getByRole('button', { name: 'Start Local Server' }).last().click();
      await workbench.clickRow(/^Scenario none/, pick.getByText('every request is answered 503'));
      await workbench.shoot('server-scenarios');
      await pick.getByText('every request is answered 503').click();
      await workbench.treeItem(/^Scenario outage/).waitFor();
      await workbench.clickRow(/^Faults 1 rule, 0 hits/, pick.getByText('hit 0 of 0 requests; from outage'));
      await workbench.shoot('server-faults');
      await pick.getByText('Add Rule').click();
      await pick.getByText('Add Fault Rule').waitFor();
      await query.fill('{"status":42}');
      await query.press('Enter');
      await pick.getByText('status must be an HTTP status from 400 to 599').waitFor();
      await workbench.shoot('server-fault-refused');
      await query.fill('{"path":"/healthz","status":500}');
      await query.press('Enter');
      const rule = pick.locator('.monaco-list-row').filter({ hasText: '/healthz' });
      await rule.click();
      await pick.getByText('Change Fault Rule').waitFor();
      await query.fill('{"path":"/healthz","status":418}');
      await query.press('Enter');
      await rule.getByText('418').waitFor();
      await page.keyboard.press('Escape');
      await workbench.treeItem(/^Faults 2 rules, 0 hits/).waitFor();
      const value = findServer(state())!;
      assert.equal((await fetch(`${value.url}/healthz`)).status, 418);
      await workbench.run('Sextant Webhooks: Manage Local Server Faults');
      await rule.getByText('hit 1 of 1 requests').waitFor();
      await rule.hover();
      await rule.getByRole('button', { name: 'Remove' }).click();
      await rule.waitFor({ state: 'detached' });
      await pick.getByText('Remove All Rules').click();
      await pick.getByText('Remove All Rules').waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await workbench.treeItem(/^Faults none/).waitFor();
    });

    it("reports that the server's thread stopped, and offers to start the server again", async () => {
      const { page } = workbench;
      // The extension of the test sees each new thread once it runs.
      await workbench.run('Test: Watch Threads');
      await page.getByText('Threads are watched').waitFor();
      await page.getByRole('button', { name: 'Start Local Server' }).last().click();
      await workbench.treeItem(/^Running in this window/).waitFor();
      await workbench.run('Test: Break the Threads');
      await workbench.treeItem(/^Not running A thread of Sextant stopped/).waitFor();
      await workbench.run('Notifications: Show Notifications');
      const notification = page.locator('.notification-list-item').filter({ hasText: 'A thread of Sextant stopped' });
      await notification.first().waitFor();
      await workbench.shoot('server-broken');
      await notification.getByRole('button', { name: 'Start', exact: true }).first().click();
      await workbench.treeItem(/^Running in this window/).waitFor();
    });

    it('shows the server of a terminal with its process, and notices its end', async () => {
      const { page } = workbench;
      await workbench.run('View: Show Explorer');
      const server = await serve(['--state', state()]);
      try {
        // No command is needed: the view that leads to a server attaches to one.
        await showWay(workbench);
        await page
          .locator('.activitybar')
          .getByRole('tab', { name: /^Server and Webhooks/ })
          .click();
        await workbench.treeItem(new RegExp(`^Attached to the server of process ${server.child.pid}`)).waitFor();
        await workbench.treeItem(new RegExp(`^Address ${server.info.url}`)).waitFor();
        await workbench.shoot('server-attached');
        assert.equal(await stop(server), 0);
        await workbench.treeItem(/^Attached/).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Start Local Server' }).last().waitFor();
      } finally {
        server.child.kill('SIGKILL');
      }
    });

    it('cancels a start from its notification', async () => {
      const { page } = workbench;
      // A pipe has no end, so the server reads it until the start is cancelled.
      const pipe = dataFile();
      rmSync(pipe);
      execFileSync('mkfifo', [pipe]);
      const lines = `while echo '{"kind":"user","user_email":"ada@x"}'; do sleep 0.01; done > "$0"`;
      const writer = spawn('sh', ['-c', lines, pipe]);
      try {
        const start = page.getByRole('button', { name: 'Start Local Server' }).last();
        await start.click();
        const notification = page.locator('.notification-list-item').filter({ hasText: 'Starting the local server' });
        await workbench.treeItem(/^Starting [\d,]+ lines read/).waitFor();
        await workbench.run('Notifications: Show Notifications');
        await notification.getByText(/[\d,]+ lines read/).waitFor();
        await workbench.shoot('server-starting');
        await notification.getByRole('button', { name: 'Cancel' }).click();
        await start.waitFor();
        await notification.waitFor({ state: 'detached' });
        writer.kill();
        rmSync(pipe);
        writeFileSync(dataFile(), '');
        await start.click();
        await workbench.treeItem(/^Running in this window/).waitFor();
      } finally {
        writer.kill();
      }
    });
  });

  it('starts no server by itself in an untrusted folder, and ignores its settings on request', async () => {
    folder = newFolder();
    const workbench = await open({ trust: true });
    const { page } = workbench;
    try {
      await page.getByText('Restricted Mode is intended for safe code browsing').waitFor();
      // The extension is active by now.
      await workbench.expand('Index');
      await workbench.treeItem(/^harbour 17 files indexed/).waitFor();
      await workbench.fold('Index');
      const start = page.getByRole('button', { name: 'Start Local Server' }).last();
      await start.waitFor();
      assert.equal(existsSync(state()), false);
      await start.click();
      await workbench.treeItem(/^Running in this window/).waitFor();
      await workbench.treeItem(/^Data a simulated organization/).waitFor();
      await workbench.shoot('server-untrusted');
    } finally {
      await workbench.close();
    }
  });
});
