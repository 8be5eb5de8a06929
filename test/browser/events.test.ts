import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import type { TriggerView, WebhookView } from '../../src/server/webhooks/views.ts';
import { findServer } from '../../src/server/state/published.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { assertAccessible } from './accessible.ts';
import { WIDTHS, Workbench, copySample, shotName, themesAt } from './support.ts';

/** As encoders write it that escape slashes; hidden in the page like any other. */
const ESCAPED = String.raw`"hush\/escaped"`;
const HOSTILE = '<img src=x onerror=document.title=1>';

describe('the page of webhook events', () => {
  const newFolder = temporaryFolder();
  let folder: string;
  let workbench: Workbench;
  let program: Server;
  const received: string[] = [];
  let answer = 'thanks';

  before(async () => {
    folder = newFolder();
    program = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        received.push(Buffer.concat(parts).toString());
        response.end(answer);
      });
    }).listen(0, '127.0.0.1');
    const root = copySample(join(folder, 'harbour'));
    workbench = await Workbench.open({ folder: root, env: { XDG_DATA_HOME: folder } });
    workbench.page.setDefaultTimeout(30_000);
    await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(async () => {
    await workbench.close();
    program.close();
  });

  const client = (): AdminClient => new AdminClient(findServer(join(folder, 'sextant/server'))!);
  const clipboard = (): Promise<string> => workbench.page.evaluate('navigator.clipboard.readText()');
  const row = (view: Frame, name: RegExp): Locator => view.getByRole('option', { name }).first();
  const send = (webhook: string, test: object): Promise<{ event_id: string }> =>
    client().ask('POST', `webhooks/${webhook}/send`, test);

  async function page(): Promise<Frame> {
    await workbench.run('Sextant Webhooks: Open Webhook Events');
    return workbench.view();
  }

  it('takes three inputs from nothing to the first forwarded event, and shows it', async () => {
    const { pick, query, page: window } = workbench;
    const { port } = program.address() as AddressInfo;
    // A command, an address, and Enter for the first sender.
    let inputs = 0;
    const input = async (work: () => Promise<void>): Promise<void> => {
      inputs++;
      await work();
    };
    const began = performance.now();
    await input(() => workbench.run('Sextant Webhooks: Forward Webhooks to a Local Program…'));
    await pick.getByText(/Port or URL of the program/).waitFor();
    // A busy editor empties the box once more after it has opened.
    await until('a wrong address is reported', async () => {
      await query.fill('x y');
      return pick.getByText('Type a port, or an http or https URL').isVisible();
    });
    await input(async () => {
      await query.fill(`${port}/hooks`);
      await query.press('Enter');
    });
    await pick.getByText('Anything, without a secret').waitFor();
    await workbench.shoot('events-forward');
    await input(() => window.keyboard.press('Enter'));
    await window.getByText(/Anything sent to http.* is forwarded to/).waitFor();
    await (await workbench.view()).getByText('No event yet').waitFor();
    await workbench.shoot('events-none');
    const [webhook] = (await client().ask<{ webhooks: WebhookView[] }>('GET', 'webhooks')).webhooks;
    const headers = { 'content-type': 'application/json', 'x-github-event': 'ping' };
    assert.equal((await fetch(webhook!.url, { method: 'POST', headers, body: '{"zen": "Keep it"}' })).status, 202);
    await until('the program has it', () => received.length > 0);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`      ${inputs} inputs, ${seconds} s from nothing to the first event`);
    assert.ok(inputs <= 3);
    const view = await workbench.view();
    await row(view, /GitHub ping .*succeeded/).waitFor();
    assert.deepEqual(received, ['{"zen": "Keep it"}']);
    await workbench.run('Notifications: Show Notifications');
    await window.getByRole('button', { name: 'Undo' }).last().click();
    await until('it is undone', async () => {
      const { webhooks } = await client().ask<{ webhooks: WebhookView[] }>('GET', 'webhooks');
      return webhooks.length === 0;
    });
    await workbench.run('Notifications: Clear All Notifications');
  });

  it('is searched while one types, by words, filter, header and result', async () => {
    const { page: window } = workbench;
    await client().ask('POST', 'webhooks', { name: 'hub', type: 'github' });
    const filter = { '==': [{ var: 'action' }, 'opened'] };
    await client().ask('POST', 'triggers', { name: 'opened', webhook: 'hub', filter });
    for (const template of ['github-push', 'github-pull-request']) await send('hub', { template });
    await send('hub', {
      text: `{"type": ${JSON.stringify(HOSTILE)}, "token": "hush-hush", "secret": ${ESCAPED}, "amount": 99.50}`,
    });
    const view = await page();
    await row(view, /pull_request\.opened.*succeeded: opened/).waitFor();
    await row(view, /push .*`action` is missing/).waitFor();
    await workbench.shoot('events-list');
    const box = view.getByRole('textbox', { name: 'Search events' });
    const finds = async (text: string, count: string): Promise<void> => {
      await box.fill(text);
      await view.getByText(count, { exact: true }).waitFor();
    };
    await finds('octocat', '2 events');
    await finds('header:X-GitHub-Event=push', '1 event');
    await finds('{"==": [{"var": "action"}, "opened"]}', '1 event');
    await finds('{"==": ', '0 events');
    await view.getByText(/is not JSON/).waitFor();
    await finds('', '4 events');
    await view.getByRole('button', { name: 'Result' }).click();
    await view.getByRole('menuitemcheckbox', { name: 'Succeeded' }).click();
    await view.getByText('2 events', { exact: true }).waitFor();
    assert.equal(await box.inputValue(), 'status:succeeded');
    await view.getByRole('button', { name: 'Clear Search' }).click();
    await row(view, /push .*`action` is missing/).waitFor();
    // By keyboard: into the list, and to the page of an event.
    await window.keyboard.press('ArrowDown');
    await window.keyboard.press('Enter');
    await view.getByRole('heading', { name: HOSTILE }).waitFor();
    assert.notEqual(await view.title(), '1');
  });

  it('shows an event, its secrets on request, and sends an edited one', async () => {
    const view = await page();
    assert.equal(await view.getByText(/hush/).count(), 0);
    await view.getByRole('button', { name: '99.50' }).waitFor();
    await workbench.shoot('events-event');
    await view.getByRole('button', { name: 'Show Secrets' }).click();
    await view.getByText('hush-hush').first().waitFor();
    await view.getByText('"hush/escaped"').waitFor();
    await view.getByText(/The signature in X-Hub-Signature-256 is of a secret of this webhook/).waitFor();
    await view.getByText(/did not fire: `action` is "opened"/).waitFor();
    await view.getByRole('button', { name: 'Edit and Resend' }).click();
    const body = view.getByRole('textbox', { name: 'Body' });
    await body.fill('{"type": ');
    await view.getByText(/The body is not JSON/).waitFor();
    await body.fill('{"action": "opened", "amount": 99.50}');
    await body.press('Control+Enter');
    await view.getByText(/^Edit of/).waitFor();
    await view.getByText('opened fired').waitFor();
    await view.getByRole('button', { name: /^evt_/ }).first().click();
    await view.getByText(/^1 edit of evt_/).waitFor();
    await workbench.shoot('events-edited');
    await view.getByRole('button', { name: 'Pin', exact: true }).click();
    await view.getByRole('heading', { name: 'Pinned' }).waitFor();
    await view.getByRole('button', { name: 'Copy', exact: true }).click();
    await view.getByRole('menuitem', { name: 'Copy as fetch' }).click();
    await until('the program is copied', async () => (await clipboard()).includes('await fetch('));
  });

  it('opens the filter of a trigger for a value, and counts the events for which it fires', async () => {
    const { page: window } = workbench;
    const view = await page();
    await row(view, /pull_request\.opened/).click();
    await view.getByRole('button', { name: '"Fix the parser"' }).click();
    await workbench.tab('opened.sextant-filter.json').waitFor();
    await window.getByText('Fires for 1 of the last 4').waitFor();
    await window.getByRole('button', { name: /^When .action. is "opened" and/ }).waitFor();
    await window.getByText(/←/).first().waitFor();
    await workbench.shoot('events-filter');
    await workbench.run('File: Save');
    await until('it is saved', async () => {
      const { filter } = await client().ask<TriggerView>('GET', 'triggers/opened');
      return JSON.stringify(filter).includes('pull_request.title');
    });
    await workbench.run('View: Close Editor');
  });

  it('keeps the chosen event as others arrive', async () => {
    const { page: window } = workbench;
    const view = await page();
    await row(view, /pull_request\.opened/).click();
    await view.getByRole('heading', { name: 'pull_request.opened' }).waitFor();
    const chosen = view.getByRole('option', { selected: true });
    const id = await chosen.getAttribute('id');
    await send('hub', { text: '{"action": "closed"}' });
    await until('the event has moved', async () => (await chosen.getAttribute('id')) !== id);
    assert.match(await chosen.innerText(), /pull_request\.opened/);
    await window.keyboard.press('Escape');
  });

  it('shows answers of several lines, a target that is down, and runs that wait for the editor', async () => {
    const view = await page();
    const { port } = program.address() as AddressInfo;
    const states = [
      ['answers', { type: 'forward', url: `http://127.0.0.1:${port}/` }, /thanks/],
      ['is down', { type: 'forward', url: 'http://127.0.0.1:9/', max_attempts: 1 }, /is down failed/],
      ['of the editor', { type: 'editor' }, /waits for a window that runs this expert/],
    ] as const;
    for (const [name, expert, shown] of states) {
      await client().ask('POST', 'experts', { name, ...expert });
      await client().ask('POST', 'webhooks', { name, type: 'anything' });
      await client().ask('POST', 'triggers', { name: `all of ${name}`, webhook: name, expert: name });
      answer = 'thanks\n'.repeat(40);
      const path = AdminClient.path(['webhooks', name, 'send']);
      await client().ask('POST', path, { text: '{"state": true}' });
      await row(view, new RegExp(name)).click();
      await view.getByText(shown).first().waitFor();
      for (const width of WIDTHS) {
        await workbench.page.setViewportSize({ width, height: 900 });
        for (const theme of themesAt(width)) {
          await workbench.showTheme(theme, view);
          const shot = shotName(`events-${name.replaceAll(' ', '-')}`, theme, width);
          await workbench.shoot(shot);
          await assertAccessible(view, shot, theme);
        }
      }
      await workbench.page.setViewportSize({ width: 1400, height: 900 });
      await view
        .getByRole('button', { name: /^(Back to the List|Close)$/ })
        .first()
        .click();
    }
    answer = 'thanks';
  });

  it('is readable and accessible in each theme when it is empty or has no server', async () => {
    const { page: window } = workbench;
    const view = await page();
    const box = view.getByRole('textbox', { name: 'Search events' });
    await box.fill('nothing has this in it');
    await view.getByText('0 events', { exact: true }).waitFor();
    for (const what of ['nothing-found', 'no-server']) {
      if (what === 'no-server') {
        await workbench.run('Sextant Webhooks: Stop Local Server');
        await view.getByRole('button', { name: 'Start Local Server' }).waitFor();
        const main = view.locator('.nothing vscode-button[appearance="primary"]');
        assert.deepEqual(await main.allTextContents(), ['Start Local Server']);
        await box.fill('nothing can be searched');
      }
      for (const width of WIDTHS) {
        await window.setViewportSize({ width, height: 900 });
        for (const theme of themesAt(width)) {
          await workbench.showTheme(theme, view);
          const shot = shotName(`events-${what}`, theme, width);
          await workbench.shoot(shot);
          await assertAccessible(view, shot, theme);
        }
      }
      await window.setViewportSize({ width: 1400, height: 900 });
    }
    assert.deepEqual(
      await view.locator('.notice').allTextContents(),
      [],
      'the server that is missing is all to report',
    );
    await view.getByRole('button', { name: 'Start Local Server' }).click();
    await until('the server', () => findServer(join(folder, 'sextant/server')));
    await box.fill('');
    await row(view, /pull_request/).waitFor();
  });

  it('is readable and accessible in each theme, from 300 to 1,400 pixels', async () => {
    const { page: window } = workbench;
    const view = await page();
    await workbench.run('View: Toggle Primary Side Bar Visibility');
    const widths = [1400, 700, 300];
    for (const width of widths) {
      await window.setViewportSize({ width, height: 900 });
      for (const theme of themesAt(width, widths)) {
        await workbench.showTheme(theme, view);
        for (const what of ['event', 'edit', 'list']) {
          if (what === 'event') {
            await row(view, /pull_request/).click();
            await view.getByRole('button', { name: 'Edit and Resend' }).waitFor();
          }
          if (what === 'edit') await view.getByRole('button', { name: 'Edit and Resend' }).click();
          if (what === 'list') {
            await view.getByRole('button', { name: 'Cancel' }).click();
            await view.getByRole('button', { name: width < 950 ? 'Back to the List' : 'Close' }).click();
            await view.getByRole('heading', { name: 'pull_request.opened' }).waitFor({ state: 'detached' });
          }
          const name = shotName(`events-${what}`, theme, width);
          await workbench.shoot(name);
          await assertAccessible(view, name, theme);
        }
      }
    }
  });
});
