import assert from 'node:assert/strict';
import { join } from 'node:path';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { findServer } from '../../src/server/state/stateFolder.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { assertAccessible } from './accessible.ts';
import { THEMES, Workbench, copySample, shotName } from './support.ts';

/** What is around these is the editor's. */
const ROWS = '.tree-explorer-viewlet-tree-view .monaco-list-rows';
const WELCOMES = '.welcome-view-content';
const LIST = '.quick-input-list .monaco-list-rows';
/** Of the second line of a row: the editor's light theme has 4.4 there, and an extension has no say in it. */
const DETAILS = '.quick-input-list-label-meta';
const STEPS = '.getting-started .step-list-container';
const PICTURE = '.getting-started .getting-started-media';
/** So that all rows of all views have room: only rows that can be seen are there to be found. */
const HEIGHT = 2000;

describe('every view', () => {
  const folder = temporaryFolder();

  for (const theme of THEMES) {
    it(`is readable and accessible in ${theme}, at 400 and 1,400 pixels`, async () => {
      const home = folder();
      const workbench = await Workbench.open({
        folder: copySample(join(home, 'harbour')),
        env: { XDG_DATA_HOME: home },
        settings: { 'workbench.colorTheme': theme },
        size: { width: 1400, height: HEIGHT },
      });
      const { page, pick } = workbench;
      const look = async (what: string, parts: readonly string[], except: readonly string[] = []): Promise<void> => {
        for (const width of [400, 1400]) {
          await page.setViewportSize({ width, height: HEIGHT });
          const name = shotName(`view-${what}`, theme, width);
          await workbench.shoot(name);
          await assertAccessible(page, name, parts, except);
        }
      };
      try {
        await workbench.openSextantView();
        await workbench.treeItem(/^harbour 15 files indexed/).waitFor();
        await workbench.unfold(/^Languages/);
        await workbench.unfold(/^Keys and passwords/);
        for (const view of ['Search Results', 'Usage', 'Local Server']) await workbench.expand(view);
        await page.getByText('Search, and move the list here').waitFor();
        await page.getByText('Who uses the assistant').waitFor();
        await page.getByRole('button', { name: 'Start Local Server' }).last().waitFor();
        // Those that would have nothing to say are not there.
        for (const view of ['Cost', 'Budgets', 'Webhooks'])
          assert.equal(await page.getByRole('button', { name: `${view} Section` }).count(), 0, view);
        await look('empty', [ROWS, WELCOMES]);

        await workbench.search('retry a failed payment');
        await workbench.settled();
        await page.keyboard.press('ArrowDown');
        await page.locator('.monaco-editor .view-overlays .cdr').first().waitFor();
        await look('search', [LIST], [DETAILS]);
        await pick.getByRole('button', { name: 'Move to the Search Results View' }).click();
        await workbench.treeItem(/^retryPolicy\.ts/).waitFor();
        await workbench.run('Sextant: Try Usage and Cost with Sample Data');
        await workbench.treeItem(/^Last 7 days \d+ people/).waitFor();
        for (const view of ['Credits', 'Budgets', 'Webhooks']) await workbench.expand(view);
        await workbench.treeItem(/^Month \d{4}-\d\d [\d,]+/).waitFor();
        await workbench.treeItem(/@.*, \d+\.\d % of [\d,]+/).waitFor();
        await receiveEvents(join(home, 'sextant/server'));
        await workbench.treeItem(/^deploys .*no trigger fired/).waitFor();
        await workbench.treeItem(/^deploys succeeded/).waitFor();
        await look('full', [ROWS]);

        await workbench.run('Sextant: Why Is This File (Not) Found?');
        await pick.getByText('is indexed: typescript').waitFor();
        await page.keyboard.type('order', { delay: 15 });
        await pick.getByText(/^It is result \d+ for “order”/).waitFor();
        await look('why', [LIST], [DETAILS]);
      } finally {
        await workbench.close();
      }
    });
  }
});

describe('the walkthrough', () => {
  const folder = temporaryFolder();

  for (const theme of THEMES) {
    it(`has its pictures, and is readable and accessible, in ${theme}`, async () => {
      const workbench = await Workbench.open({
        folder: copySample(join(folder(), 'harbour')),
        settings: { 'workbench.colorTheme': theme },
        size: { width: 1400, height: 900 },
      });
      const { page, pick } = workbench;
      try {
        await workbench.run('Welcome: Open Walkthrough...');
        await workbench.firstRow('Get Started with Sextant');
        await page.keyboard.press('Enter');
        await page.getByText('Find code by saying what it does, and ask about it.').waitFor();
        for (const [step, command, opened] of STEPS_AND_COMMANDS) {
          await page.getByRole('button', { name: step }).click();
          const picture = page.locator(`${PICTURE} img`);
          await picture.and(page.locator('[alt]:not([alt=""])')).waitFor();
          await page.waitForFunction(`document.querySelector('${PICTURE} img').naturalWidth > 0`);
          const name = shotName(`walkthrough-${command}`, theme, 1400);
          await workbench.shoot(name);
          await assertAccessible(page, name, [STEPS, PICTURE]);
          await page.getByRole('button', { name: command, exact: true }).first().click();
          await opened(workbench);
        }
        assert.equal(await pick.isVisible(), false);
      } finally {
        await workbench.close();
      }
    });
  }
});

/** Each step's title and command, and how one sees that the command has done its work; back at the walkthrough after it. */
const STEPS_AND_COMMANDS: readonly (readonly [string, string, (workbench: Workbench) => Promise<void>])[] = [
  [
    'Search in plain words',
    'Search Workspace',
    async ({ pick, page }) => {
      await pick.getByText(/^Search Workspace/).waitFor();
      await page.keyboard.press('Escape');
    },
  ],
  [
    'Ask, and check the answer',
    'Ask About Workspace',
    async (workbench) => {
      await (await workbench.view()).getByRole('textbox').waitFor();
      await workbench.run('View: Close Editor');
    },
  ],
  [
    'See what is indexed, and what is not',
    'Show Index Status',
    async (workbench) => {
      await workbench.treeItem(/^harbour 15 files indexed/).waitFor();
    },
  ],
];

/** A webhook with a trigger, one event that it fires for and one that it does not. */
async function receiveEvents(state: string): Promise<void> {
  const client = new AdminClient(findServer(state)!);
  const { url, secret } = await client.ask<{ url: string; secret: string }>('POST', 'webhooks', { name: 'deploys' });
  const filter = { '==': [{ var: 'state' }, 'failed'] };
  await client.ask('POST', 'triggers', { name: 'failed', webhook: 'deploys', filter, expert: 'record' });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  for (const body of ['{"state": "done"}', '{"state": "failed"}'])
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 202);
}
