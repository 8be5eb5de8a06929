import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { findServer } from '../../src/server/state/published.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { assertAccessible } from './accessible.ts';
import { LOOKS, Workbench, copySample, shotName, untilTrue } from './support.ts';
import { until } from '../support/until.ts';

/** Our rows; elements around them are the editor's. */
const ROWS = '.tree-explorer-viewlet-tree-view .monaco-list-rows';
const WELCOMES = '.welcome-view-content';
const LIST = '.quick-input-list .monaco-list-rows';
/** The second line of a row. The editor's light theme has a contrast of 4.4 there, and extensions cannot change it. */
const DETAILS = '.quick-input-list-label-meta';
const WALKTHROUGH = '.gettingStartedDetailsContent';
/** Room for all rows of all views, since the editor renders visible rows only. */
const HEIGHT = 2000;

describe('every view', () => {
  const folder = temporaryFolder();

  let home: string;
  let workbench: Workbench;

  before(async () => {
    home = folder();
    workbench = await Workbench.open({
      folder: copySample(join(home, 'harbour')),
      env: { XDG_DATA_HOME: home },
      // Git colours names in the editor's colours.
      settings: { 'git.decorations.enabled': false },
      size: { width: 1400, height: HEIGHT },
    });
  });
  after(() => workbench.close());

  it('is readable and accessible in each theme, at 400 and 1,400 pixels', async () => {
    const { page, pick } = workbench;
    const problems: string[] = [];
    const look = async (what: string, parts: readonly string[], except: readonly string[] = []): Promise<void> => {
      for (const { theme, width } of LOOKS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await workbench.showTheme(theme);
        const name = shotName(`view-${what}`, theme, width);
        await workbench.shoot(name);
        await assertAccessible(page, name, theme, parts, except).catch((error: unknown) =>
          problems.push(String(error)),
        );
      }
      await page.setViewportSize({ width: 1400, height: HEIGHT });
      await widenSideBar(page);
      assert.equal(problems.length, 0, problems.join('\n'));
    };
    await workbench.openSextantView();
    await workbench.treeItem(/^harbour 15 files indexed/).waitFor();
    await workbench.unfold(/^Languages/);
    await workbench.unfold(/^Keys and passwords/);
    await workbench.expand('Usage and Webhooks');
    await page.getByText('Who uses the assistant').waitFor();
    await page.getByRole('button', { name: 'Start Local Server' }).last().waitFor();
    // Views without content are hidden.
    for (const view of ['Usage', 'Cost', 'Budgets', 'Local Server', 'Webhooks'])
      assert.equal(await page.getByRole('button', { name: `${view} Section`, exact: true }).count(), 0, view);
    await workbench.fold('Index');
    await look('empty', [WELCOMES]);
    await workbench.expand('Index');

    await workbench.search('retry a failed payment');
    await workbench.settled();
    await page.keyboard.press('ArrowDown');
    await page.locator('.monaco-editor .view-overlays .cdr').first().waitFor();
    await look('search', [LIST], [DETAILS]);
    await page.keyboard.press('Escape');
    await workbench.run('Sextant Usage: Try Usage and Cost with Sample Data');
    await workbench.treeItem(/^Last 7 days \d+ people/).waitFor();
    for (const view of ['Credits', 'Budgets']) await workbench.expand(view);
    await workbench.treeItem(/^Month \d{4}-\d\d [\d,]+/).waitFor();
    await workbench.treeItem(/@.*, \d+\.\d % of [\d,]+/).waitFor();
    await look('usage', [ROWS]);
    await receiveEvents(join(home, 'sextant/server'));
    await workbench.run('Server and Webhooks: Focus on Webhooks View');
    await workbench.treeItem(/^\{"state": "done"\} no trigger fired/).waitFor();
    await workbench.treeItem(/^\{"state": "failed"\} succeeded/).waitFor();
    await look('webhooks', [ROWS]);

    await workbench.search('withRetries');
    await workbench.settled();
    await page.keyboard.press('Enter');
    await workbench.tab('retryPolicy.ts').waitFor();
    await workbench.run('Sextant: Why Is This File (Not) Found?');
    await pick.getByText('is indexed: typescript').waitFor();
    await workbench.type('order');
    await pick.getByText(/^Result \d+ for “order”/).waitFor();
    await look('why', [LIST], [DETAILS]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');

    await openWalkthrough(workbench);
    for (const { step } of STEPS) {
      await unfoldStep(workbench, step);
      await look(`walkthrough-${step.split(' ')[0]}`, [WALKTHROUGH]);
    }
  });

  it('includes the walkthrough, which runs the command of each step', async () => {
    for (const { step, command, done } of STEPS) {
      const button = workbench.page.locator(WALKTHROUGH).getByRole('button', { name: command, exact: true });
      // The page is drawn again, and a step folded, when a view beside it opens.
      await until('the button is clicked', async () => {
        await openWalkthrough(workbench);
        await unfoldStep(workbench, step);
        return succeeds(button.click({ timeout: 5000 }));
      });
      await done(workbench);
    }
  });
});

/** Each step, its command, and a check of the result. */
const STEPS: readonly { step: string; command: string; done: (workbench: Workbench) => Promise<void> }[] = [
  {
    step: 'Search in plain words',
    command: 'Find Code',
    done: async (workbench) =>
      (await workbench.viewNamed('Search')).getByRole('textbox', { name: 'Search code' }).waitFor(),
  },
  {
    step: 'Ask, and check the answer',
    command: 'Ask About Workspace',
    done: async (workbench) => (await workbench.viewNamed('Ask About Workspace')).getByRole('textbox').waitFor(),
  },
  {
    step: 'See what is left out, and why',
    command: 'Show Index Status',
    done: (workbench) => workbench.treeItem(/^Left out/).waitFor(),
  },
];

async function openWalkthrough(workbench: Workbench): Promise<void> {
  const title = workbench.pick.getByText('Get Started with Sextant', { exact: true });
  // A list loses the focus, and closes, when a view that opens takes it.
  await until('the walkthrough is chosen', async () => {
    await workbench.run('Welcome: Open Walkthrough...');
    return succeeds(title.click({ timeout: 5000 }));
  });
  await workbench.page.locator(WALKTHROUGH).getByText('Find code by describing it').waitFor();
}

function succeeds(action: Promise<void>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}

/** Shows the text and the picture of a step. */
async function unfoldStep({ page }: Workbench, step: string): Promise<void> {
  const unfolded = page.locator(`${WALKTHROUGH} .expanded`).getByText(step, { exact: true });
  const row = page.locator(`${WALKTHROUGH} .getting-started-step`).filter({ hasText: step });
  await until('the step is unfolded', async () => {
    if (!(await unfolded.isVisible())) await succeeds(row.click({ timeout: 5000 }));
    return succeeds(unfolded.waitFor({ timeout: 5000 }));
  });
  const hasPicture = `[...document.querySelectorAll('${WALKTHROUGH} img')].some((one) => one.alt && one.naturalWidth > 0)`;
  await untilTrue(page, hasPicture);
}

/** Widens the side bar, which stays narrow after a narrow window. */
async function widenSideBar(page: Page): Promise<void> {
  const { x, width } = (await page.locator('.part.sidebar').boundingBox())!;
  await page.mouse.move(x + width + 2, 400);
  await page.mouse.down();
  await page.mouse.move(x + 300, 400, { steps: 3 });
  await page.mouse.up();
}

/** Creates a webhook with a trigger, an event that fires the trigger and one that does not. */
async function receiveEvents(state: string): Promise<void> {
  const client = new AdminClient(findServer(state)!);
  const { url, secret } = await client.ask<{ url: string; secret: string }>('POST', 'webhooks', { name: 'deploys' });
  const filter = { '==': [{ var: 'state' }, 'failed'] };
  await client.ask('POST', 'triggers', { name: 'failed', webhook: 'deploys', filter, expert: 'record' });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  for (const body of ['{"state": "done"}', '{"state": "failed"}'])
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 202);
}
