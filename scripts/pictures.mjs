// node scripts/pictures.mjs [walkthrough] [first-result]
// Takes the pictures of the walkthrough and of the README from the real editor. `first-result` also prints how long it takes
// from nothing – no extension, no index, no account – to a first result on this repository. Build first.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/dependencies.mjs';
import { packageVsix } from './lib/package.mjs';
import { say } from './lib/say.mjs';
import { openWorkbench, runCommand } from './lib/workbench.mjs';

/** @typedef {import('playwright-core').Page} Page */

const wanted = process.argv.slice(2);
const temporary = mkdtempSync(join(tmpdir(), 'sextant-pictures-'));
try {
  if (wanted.length === 0 || wanted.includes('walkthrough')) await takeWalkthrough();
  if (wanted.length === 0 || wanted.includes('first-result')) await takeFirstResult();
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function takeWalkthrough() {
  for (const [name, theme] of Object.entries({ dark: 'Default Dark Modern', light: 'Default Light Modern' })) {
    const folder = join(temporary, name, 'harbour');
    cpSync(join(root, 'test/fixtures/sample'), folder, { recursive: true });
    const settings = { 'workbench.colorTheme': theme, 'editor.minimap.enabled': false };
    const size = { width: 1000, height: 620 };
    const { page, close } = await openWorkbench({ extensions: [root], folder, settings, size });
    const shoot = pictureTaker(page, join(root, 'media/walkthrough'), { x: 40, y: 0, width: 720, height: 450 });
    try {
      await page.locator('.activitybar').getByRole('tab', { name: 'Sextant' }).click();
      await page.getByRole('treeitem', { name: /^harbour 15 files indexed/ }).waitFor();
      await page.getByRole('treeitem', { name: /^Keys and passwords/ }).click();
      await page.getByRole('treeitem', { name: /^\.env/ }).waitFor();
      await shoot(`index-${name}`, { x: 0, y: 30, width: 480, height: 300 });
      await runCommand(page, 'View: Close Primary Side Bar');
      await search(page, 'retry a failed payment');
      await page.keyboard.press('ArrowDown');
      await page.locator('.monaco-editor .view-overlays .cdr').first().waitFor();
      await shoot(`search-${name}`, { x: 140, y: 0, width: 720, height: 450 });
      await page.keyboard.press('Escape');
      await runCommand(page, 'View: Close All Editors');
      await runCommand(page, 'Sextant: Ask About Workspace');
      // The editor puts a page in a frame in a frame.
      const view = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
      await view.getByRole('textbox').click();
      await page.keyboard.type('How is a failed payment retried?');
      await page.keyboard.press('Enter');
      await view.getByRole('button', { name: 'Copy as Markdown' }).waitFor();
      await shoot(`ask-${name}`, { x: 38, y: 28, width: 962, height: 450 });
    } finally {
      await close();
    }
  }
}

async function takeFirstResult() {
  // What a person has who has just cloned it: no index, nothing installed.
  const folder = join(temporary, 'sextant');
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${root}`, folder]);
  const vsix = join(root, 'out/sextant-code.vsix');
  if (!existsSync(vsix)) packageVsix();
  const began = performance.now();
  const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const settings = { 'editor.minimap.enabled': false };
  const { page, close } = await openWorkbench({ vsix, folder, settings, size: { width: 1000, height: 560 } });
  const shoot = pictureTaker(page, join(root, 'docs/first-result'), { x: 0, y: 0, width: 1000, height: 560 });
  try {
    await page.locator('.statusbar-item').filter({ hasText: 'Sextant' }).waitFor();
    const opened = seconds();
    await shoot('1-installed');
    await search(page, 'write a file so that a crash leaves the old one');
    const found = seconds();
    await shoot('2-found');
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await page
      .locator('.statusbar-item')
      .filter({ hasText: /^Ln (?!1,)/ })
      .waitFor();
    const shown = seconds();
    await shoot('3-opened');
    say(
      `From nothing: extension installed and the editor open ${opened}, first result ${found}, place opened ${shown}.`,
    );
  } finally {
    await close();
  }
}

/**
 * Opens the list, types, and waits for a first result.
 * @param {Page} page
 * @param {string} query
 */
async function search(page, query) {
  await runCommand(page, 'Sextant: Search Workspace');
  const pick = page.locator('.quick-input-widget');
  await pick.getByText(/^Search Workspace/).waitFor();
  await page.keyboard.type(query, { delay: 15 });
  // A result has a path and a line in its description.
  await pick.locator('.monaco-list-row').first().getByText(/:\d+$/).first().waitFor();
}

/**
 * @param {Page} page
 * @param {string} folder
 * @param {{ x: number, y: number, width: number, height: number }} whole
 */
function pictureTaker(page, folder, whole) {
  mkdirSync(folder, { recursive: true });
  return (/** @type {string} */ name, clip = whole) => page.screenshot({ path: join(folder, `${name}.png`), clip });
}
