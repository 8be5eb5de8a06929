import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../../scripts/lib/browser.mjs';
import { isSoak } from '../support/runs.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { ROOT, Workbench, copySample } from './support.ts';

const startFolder = temporaryFolder();
let state: string | undefined;

/** Runs `npm start` for the tests of a suite. The extension is packed once. */
function started(args: () => readonly string[]): {
  readonly url: () => string;
  readonly page: () => Page;
  readonly workbench: () => Workbench;
} {
  let child: ChildProcess;
  let url: string;
  let browser: BrowserContext;
  let page: Page;

  before(async () => {
    state ??= startFolder();
    const env = {
      ...process.env,
      ...{ SEXTANT_NO_BROWSER: '1', SEXTANT_START_STATE: state },
      ...(!isSoak && { SEXTANT_NO_LOGS: '1' }),
    };
    child = spawn(process.execPath, [join(ROOT, 'scripts/start.mjs'), ...args(), '--browser'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    url = await addressOf(child);
    browser = await launchBrowser(startFolder());
    page = await browser.newPage();
    await page.goto(url);
  });
  after(async () => {
    await browser.close();
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    assert.deepEqual(await exit, [0, null]);
  });
  return { url: () => url, page: () => page, workbench: () => Workbench.of(page) };
}

describe('npm start', () => {
  const start = started(() => []);

  it('opens its own sample, trusted, with the search view in front and the results of an example', async () => {
    const view = await start.workbench().view();
    const box = view.getByRole('textbox', { name: 'Search code' });
    await view.getByRole('treeitem', { name: /^withRetries / }).waitFor();
    assert.equal(await box.inputValue(), 'retry a failed payment');
    await until('the box has the focus', () =>
      view.evaluate('document.hasFocus() && document.activeElement.tagName === "INPUT"'),
    );
    assert.equal(await start.page().getByText('Restricted Mode').count(), 0);
    await start.workbench().shoot('npm-start-sample');
    // Enter opens the first result.
    await start.page().keyboard.press('Enter');
    await start.workbench().tab('retryPolicy.ts').waitFor();
  });
});

describe('npm start on a folder', () => {
  const start = started(() => [copySample(join(startFolder(), 'harbour'))]);
  let page: Page;
  let workbench: Workbench;

  before(() => {
    page = start.page();
    workbench = start.workbench();
  });

  it('refuses requests without the token', async () => {
    const { origin } = new URL(start.url());
    assert.equal((await fetch(`${origin}/`)).status, 403);
    assert.equal((await fetch(`${origin}/?tkn=wrong`)).status, 403);
  });

  it('opens VS Code with the extension installed, and finds code in an untrusted folder', async () => {
    await page.getByText('Restricted Mode is intended for safe code browsing').waitFor();
    // The search view takes the focus, which closes an open list.
    await (await workbench.view()).getByRole('button', { name: /files indexed/ }).waitFor();
    await workbench.search('where are passwords hashed');
    await workbench.pick.getByText('hashPassword', { exact: true }).first().waitFor();
    await workbench.shoot('npm-start');
    await page.keyboard.press('Enter');
    await workbench.tab('passwordHash.ts').waitFor();
  });

  it('keeps working when the folder is trusted', async () => {
    await page.locator('a.monaco-link', { hasText: 'Manage' }).click();
    await page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).first().click();
    await page.getByText('Restricted Mode is intended for safe code browsing').waitFor({ state: 'hidden' });
    await workbench.search('nextRetryDelay');
    await workbench.pick.getByText('nextRetryDelay', { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
  });

  it("shows a sample organization's usage from the local server with one command", async () => {
    await workbench.run('Sextant Usage: Try Usage and Cost with Sample Data');
    await workbench.treeItem(/^Last 7 days \d+ people/).waitFor();
    await workbench.shoot('npm-start-usage');
  });
});

async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stdout ?? []) {
    said += String(chunk);
    const found = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(said)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error(`npm start ended without an address:\n${said}`);
}
