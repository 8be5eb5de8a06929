import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { findServer } from '../../src/server/state/published.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import type { EventDetailView, EventPageView, WebhookView } from '../../src/server/webhooks/views.ts';
import type { ExpertView } from '../../src/webhooks/definitions.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Workbench, copySample } from './support.ts';

describe('the Webhooks view', () => {
  const newFolder = temporaryFolder();
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = newFolder();
    const root = copySample(join(folder, 'harbour'));
    workbench = await Workbench.open({ folder: root, env: { XDG_DATA_HOME: folder } });
    await workbench.openSextantView();
    await workbench.fold('Index');
    assert.equal(await workbench.page.getByRole('button', { name: 'Webhooks Section', exact: true }).count(), 0);
  });
  after(() => workbench.close());
  // Each test has a server without data, and no open editors, in the same window.
  beforeEach(async () => {
    await workbench.run('Sextant Webhooks: Start Local Server');
    await workbench.expand('Webhooks');
    await button('Create Webhook').waitFor();
  });
  afterEach(async () => {
    await workbench.run('View: Close All Editors');
    await workbench.run('Sextant Webhooks: Stop Local Server');
    await until('the server has stopped', () => findServer(state()) === undefined);
    rmSync(state(), { recursive: true });
  });

  const state = (): string => join(folder, 'sextant/server');
  const button = (name: string) => workbench.page.getByRole('button', { name }).last();
  const client = (): AdminClient => new AdminClient(findServer(state())!);

  async function post(body: string, secret: string): Promise<void> {
    const [webhook] = (await client().ask<{ webhooks: WebhookView[] }>('GET', 'webhooks')).webhooks;
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    assert.equal((await fetch(webhook!.url, { method: 'POST', headers, body })).status, 202);
  }

  it('creates a webhook for a system with the secret that the system made', async () => {
    const { page, pick } = workbench;
    await workbench.run('Sextant Webhooks: Create Webhook');
    await pick.getByText(/Name, such as deploys/).waitFor();
    await page.keyboard.type('payments');
    await page.keyboard.press('Enter');
    await pick.getByText('Any sender, with a signature').waitFor();
    await workbench.shoot('webhooks-senders');
    await page.keyboard.type('stripe');
    await pick.getByText('PagerDuty').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await pick.getByText(/The sender's own secret/).waitFor();
    await page.keyboard.type('whsec_ofStripe1234');
    await page.keyboard.press('Enter');
    await pick.getByText('URL and Secret').waitFor();
    await pick.getByText('whsec_ofStripe1234').first().waitFor();
    await page.keyboard.press('Escape');
    await workbench.treeItem(/^payments no trigger yet, Stripe/).waitFor();
  });

  it('creates a webhook and a trigger by keyboard, and explains why an event did not fire it', async () => {
    const { page, pick } = workbench;
    const { keyboard } = page;
    await workbench.shoot('webhooks-none');

    await workbench.run('Sextant Webhooks: Create Webhook');
    await pick.getByText(/Name, such as deploys/).waitFor();
    await keyboard.type('issues');
    await keyboard.press('Enter');
    await pick.getByText('Sender puts the secret into the Authorization header').first().waitFor();
    await keyboard.press('Enter');
    await pick.getByText('URL and Secret').waitFor();
    const secret = await pick
      .getByText(/^whsec_/)
      .first()
      .innerText();
    await keyboard.press('Enter');
    await pick.getByText('Secret was copied').waitFor();
    await workbench.shoot('webhooks-secret');
    await keyboard.press('Escape');
    await workbench.treeItem(/^issues no trigger yet, bearer token/).waitFor();

    await workbench.run('Sextant Webhooks: Add Webhook Trigger');
    await pick.getByText('issues', { exact: true }).waitFor();
    await keyboard.press('Enter');
    await pick.getByText('Name (1 of 2)').waitFor();
    await keyboard.type('opened');
    await keyboard.press('Enter');
    await pick.getByText('Record the event only').waitFor();
    await keyboard.press('Enter');
    await workbench.treeItem(/^opened When an event comes to issues: record it/).waitFor();
    await workbench.openMenu(workbench.treeItem(/^opened When/));
    await workbench.choose('Edit Filter…');
    await workbench.tab('opened.sextant-filter.json').waitFor();
    await page.getByText('No event to try yet').waitFor();
    await page.locator('.monaco-editor .view-line').first().click();
    await keyboard.press('ControlOrMeta+a');
    await keyboard.insertText('{"==": [{"var": "action"}, "opened"]}');
    // The editor has closed the first quote and bracket.
    await keyboard.press('ControlOrMeta+Shift+End');
    await keyboard.press('Delete');
    await page.getByText(/When .action. is "opened"/).waitFor();
    await workbench.shoot('webhooks-filter');
    await keyboard.press('ControlOrMeta+s');
    await workbench.treeItem(/^opened When an event comes to issues and `action` is "opened": record it/).waitFor();

    await post('{"action": "closed", "number": 1.0}', secret);
    // The event appears without a refresh.
    const event = workbench.treeItem(/^closed no trigger fired/);
    await event.waitFor();
    await page.getByText('Fires for 0 of the last 1').waitFor();
    await workbench.run('Sextant Webhooks: Send Test Event');
    await pick.getByText('issues', { exact: true }).waitFor();
    await keyboard.press('Enter');
    await pick.getByText('GitHub: pull request opened').waitFor();
    await keyboard.type('pull request');
    await workbench.settled();
    await keyboard.press('Enter');
    await pick.getByText('Send unchanged').waitFor();
    await keyboard.press('Enter');
    await workbench.treeItem(/^pull_request\.opened succeeded/).waitFor();
    await event.click();
    await workbench.tab('Webhook Events').waitFor();
    const view = await workbench.view();
    await view.getByText(/opened did not fire: `action` is "opened": `action` was "closed"/).waitFor();
    await view.getByText(/^issues · \d.* · 35 B · evt_/).waitFor();
    await workbench.shoot('webhooks-event');
    // The list of events is no event.
    const replay = (row: Locator): Promise<number> => row.locator('[aria-label^="Replay Webhook Event"]').count();
    assert.deepEqual([await replay(event), await replay(workbench.treeItem(/^Events 2/))], [1, 0]);
  });

  it('shows refused deliveries and reasons, below their webhook and for unknown addresses', async () => {
    const { page } = workbench;
    const { url } = await client().ask<WebhookView>('POST', 'webhooks', { name: 'w' });
    await workbench.treeItem(/^w no trigger yet/).waitFor();
    const headers = { authorization: 'Bearer whsec_wrong', 'content-type': 'application/json' };
    const refused = async (to: string): Promise<number> =>
      (await fetch(to, { method: 'POST', headers, body: '{}' })).status;
    assert.deepEqual([await refused(url), await refused(url), await refused(`${url}x`)], [401, 401, 404]);
    await workbench.treeItem(/^2 refused last: \S.*, \d/).waitFor();
    await workbench.treeItem(/^1 refused, unknown webhook last: there is no webhook/).waitFor();
    await workbench.shoot('webhooks-refused');
    await workbench.clickRow(/^2 refused/, workbench.tab('Refused by w').first());
    await page
      .locator('.view-line')
      .getByText(/Z\s+w\s+401\s/)
      .nth(1)
      .waitFor();
    await workbench.shoot('webhooks-refusals');
    assert.equal(await refused(url), 401);
    await workbench.treeItem(/^3 refused/).waitFor();
  });

  it('reports lost events', async () => {
    const { page } = workbench;
    await client().ask('POST', 'webhooks', { name: 'w' });
    await client().ask('POST', 'webhooks/w/send', { template: 'github-push' });
    await workbench.treeItem(/^push no trigger fired/).waitFor();
    const journal = join(state(), 'webhooks/events');
    const file = join(
      journal,
      readdirSync(journal).find((name) => /^segment-.*\.log$/.test(name))!,
    );
    const bytes = readFileSync(file);
    bytes[100]! ^= 1;
    writeFileSync(file, bytes);
    await client().ask('POST', 'journal/verify');
    await workbench.clickRow(
      /^The journal is damaged events were lost/,
      workbench.tab('Damage to the journal').first(),
    );
    await page.locator('.view-line').getByText(/bytes/).first().waitFor();
    await workbench.shoot('webhooks-damage');
  });

  it("sends an edited test event with the button in its editor's title", async () => {
    const { page, pick } = workbench;
    const { keyboard } = page;
    await client().ask('POST', 'webhooks', { name: 'w' });
    await workbench.treeItem(/^w no trigger yet/).waitFor();
    await workbench.run('Sextant Webhooks: Send Test Event');
    await pick.getByText('w', { exact: true }).waitFor();
    await keyboard.press('Enter');
    await pick.getByText('PagerDuty: incident triggered').waitFor();
    await keyboard.type('PagerDuty');
    await workbench.settled();
    await keyboard.press('Enter');
    await pick.getByText('Edit before sending').waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    const send = page.getByRole('button', { name: 'Send Test Event in Editor' });
    await send.waitFor();
    await workbench.shoot('webhooks-edit');
    await send.click();
    await page.getByText(/evt_\d+ was sent to w\./).waitFor();
    await workbench.treeItem(/^incident\.triggered no trigger fired/).waitFor();

    // The file remains a test event when saved under another name and after a reload.
    const file = join(folder, 'harbour/incident.json');
    rmSync(file, { force: true });
    await workbench.run('File: Save As...');
    await until('a path is proposed', async () =>
      (await workbench.query.inputValue().catch(() => '')).includes('harbour'),
    );
    await until('it is saved', async () => {
      if (await pick.isVisible()) {
        // The dialog may overwrite the typed path with its proposal, and ignores Enter while it reads a folder.
        if ((await workbench.query.inputValue()) === file) await keyboard.press('Enter');
        else await workbench.query.fill(file);
      }
      await page.waitForTimeout(300);
      return existsSync(file);
    });
    await workbench.tab('incident.json').waitFor();
    await send.waitFor();
    await workbench.reload(`"path":"${file}","scheme"`);
    await workbench.tab('incident.json').waitFor();
    await workbench.run('Sextant Webhooks: Start Local Server');
    await workbench.expand('Webhooks');
    await workbench.treeItem(/^w no trigger yet/).waitFor();
    await send.click();
    await page.getByText(/evt_\d+ was sent to w\./).waitFor();
    assert.equal((await client().ask<EventPageView>('GET', 'events')).events.length, 2);
  });

  it('prompts for a webhook, an event, a URL and what a forward sends, and confirms a deletion', async () => {
    const { page, pick, query } = workbench;
    const { keyboard } = page;
    const answer = async (question: RegExp | string, text = ''): Promise<void> => {
      await pick.getByText(question).first().waitFor();
      if (text !== '') await query.fill(text);
      await workbench.settled();
      await keyboard.press('Enter');
    };
    const input = async (question: RegExp | string, text: string, wrong?: { text: string; why: string }) => {
      await pick.getByText(question).waitFor();
      if (wrong) {
        await query.fill(wrong.text);
        await pick.getByText(wrong.why).waitFor();
        await keyboard.press('Enter');
      }
      await query.fill(text);
      if (text !== '') await pick.getByText(question).waitFor();
      await keyboard.press('Enter');
    };
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
    const { url } = await client().ask<WebhookView>('POST', 'webhooks', { name: 'w' });
    await client().ask('POST', 'webhooks', { name: 'other' });
    await client().ask('POST', 'triggers', { name: 'taken', webhook: 'other' });
    await workbench.treeItem(/^w no trigger yet/).waitFor();

    await workbench.run('Sextant Webhooks: Add Webhook Trigger');
    await answer('w', 'w');
    await input('Name (1 of 2)', 'all', { text: 'taken', why: 'This name is taken' });
    await answer('Forward to a URL…', 'Forward to a URL');
    const withPassword = { text: 'http://u:p@127.0.0.1:9/', why: 'Type an http or https URL without a password' };
    await input('URL that receives the events', 'http://127.0.0.1:9/', withPassword);
    await workbench.treeItem(/^all When an event comes to w: run all forward/).waitFor();

    await workbench.openMenu(workbench.treeItem(/^all When/));
    await workbench.choose('Edit Forward…');
    await answer('Add Header…', 'URL');
    await input('URL that receives the events', 'http://127.0.0.1:9/hooks', withPassword);
    await pick.getByText('http://127.0.0.1:9/hooks').waitFor();
    await answer('Add Header…', 'Add Header');
    await input('Name of the header', 'X-Given-Up');
    await pick.getByText('Value of X-Given-Up').waitFor();
    await keyboard.press('Escape');
    await answer('Add Header…', 'Add Header');
    await input('Name of the header', 'X-Stage', { text: 'X Stage', why: 'Type the name of a header' });
    await input('Value of X-Stage', 'of-the-receiver');
    await pick.getByText('Header X-Stage').waitFor();
    await pick.getByText('value not shown').waitFor();
    await workbench.shoot('webhooks-forward');
    await answer('Add Header…', 'Signature');
    await answer('No Signature', 'GitHub');
    await input('The key that signs', '');
    await pick.getByText(/: Key$/).waitFor();
    await keyboard.press('Escape');
    const forwards = async (): Promise<unknown> => {
      const { experts } = await client().ask<{ experts: ExpertView[] }>('GET', 'experts');
      return experts.flatMap((one) => (one.type === 'forward' ? [[one.url, one.headers, one.sign]] : []));
    };
    assert.deepEqual(await forwards(), [['http://127.0.0.1:9/hooks', ['X-Stage'], 'github']]);
    await workbench.openMenu(workbench.treeItem(/^all When/));
    await workbench.choose('Edit Forward…');
    await answer('Header X-Stage', 'X-Stage');
    await input('New value of X-Stage', '');
    await pick.getByText('Add Header…').waitFor();
    assert.equal(await pick.getByText('Header X-Stage').count(), 0);
    await keyboard.press('Escape');
    assert.deepEqual(await forwards(), [['http://127.0.0.1:9/hooks', undefined, 'github']]);

    await workbench.openMenu(workbench.treeItem(/^all When/));
    await workbench.choose('Disable Trigger');
    await workbench.treeItem(/^all disabled, When an event comes to w/).waitFor();
    await workbench.openMenu(workbench.treeItem(/^w bearer token/));
    await workbench.choose('Disable Webhook');
    await workbench.treeItem(/^w disabled, bearer token/).waitFor();
    await workbench.shoot('webhooks-disabled');
    await workbench.openMenu(workbench.treeItem(/^w disabled/));
    await workbench.choose('Enable Webhook');
    await workbench.treeItem(/^w bearer token/).waitFor();

    await workbench.run('Sextant Webhooks: Send Test Event');
    await answer('w', 'w');
    await answer('PagerDuty: incident triggered', 'Custom JSON');
    await page.getByRole('button', { name: 'Send Test Event in Editor' }).click();
    await workbench.treeItem(/^\{\} no trigger fired/).waitFor();
    const [event] = (await client().ask<EventPageView>('GET', 'events')).events;
    assert.equal((await client().ask<EventDetailView>('GET', `events/${event!.event_id}`)).body, '{}\n');

    await workbench.run('Sextant Webhooks: Replay Webhook Event');
    await answer(event!.event_id);
    await page.getByText(`${event!.event_id} was replayed as evt_`).waitFor();
    await workbench.run('Sextant Webhooks: Copy Webhook URL');
    await answer('w', 'w');
    await until('the URL is copied', async () => (await clipboard()) === url);
    await workbench.run('Sextant Webhooks: Copy Webhook Event as curl');
    await answer(event!.event_id);
    await until('the command is copied', async () => (await clipboard()).startsWith(`curl '${url}'`));
    await workbench.run('Sextant Webhooks: Rotate Webhook Secret');
    await answer('w', 'w');
    await answer('Ends now');
    await pick.getByText('URL and Secret').waitFor();
    await keyboard.press('Escape');

    const modal = page.locator('.monaco-dialog-box');
    const deletes = async (webhook: string, button: string): Promise<void> => {
      await workbench.run('Sextant Webhooks: Delete Webhook');
      await answer(webhook, webhook);
      await modal.getByText(`Delete the webhook ${webhook}?`).waitFor();
      await modal.getByRole('button', { name: button }).click();
      await modal.waitFor({ state: 'detached' });
    };
    await deletes('w', 'Cancel');
    await workbench.treeItem(/^w bearer token/).waitFor();
    await workbench.treeItem(/^taken When/).hover();
    await workbench.openMenu(workbench.treeItem(/^taken When/));
    await workbench.choose('Delete Trigger');
    await modal.getByText('When an event comes to other: record it.').waitFor();
    await modal.getByRole('button', { name: 'Delete', exact: true }).click();
    await workbench.treeItem(/^other no trigger yet/).waitFor();
    await deletes('other', 'Delete');
    await workbench.treeItem(/^other/).waitFor({ state: 'detached' });
    await workbench.run('Sextant Webhooks: Delete Webhook');
    await answer('w', 'w');
    await modal.getByText('Its triggers are deleted too: all.').waitFor();
    await workbench.shoot('webhooks-delete');
    await modal.getByRole('button', { name: 'Delete All' }).click();
    await until('it is deleted', async () => {
      const { webhooks } = await client().ask<{ webhooks: WebhookView[] }>('GET', 'webhooks');
      return webhooks.length === 0;
    });
  });
});
