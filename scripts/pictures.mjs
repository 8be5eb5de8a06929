// node scripts/pictures.mjs [walkthrough] [animation]
// Takes the pictures of the walkthrough, and the animation of the README, from the real editor. Build first.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import UPNG from 'upng-js';
import { root } from './lib/dependencies.mjs';
import { packageVsix } from './lib/package.mjs';
import { say } from './lib/say.mjs';
import { openWorkbench, runCommand } from './lib/workbench.mjs';

/** @typedef {import('playwright-core').Page} Page */

const QUESTION = 'retry a failed payment';
/** A palette makes a picture a third as large, and keeps the animation below the limit for tracked files; 64 colours show no bands in the editor's themes. */
const COLOURS = 64;

const wanted = process.argv.slice(2);
const temporary = mkdtempSync(join(tmpdir(), 'sextant-pictures-'));
try {
  if (wanted.length === 0 || wanted.includes('walkthrough')) await takeWalkthrough();
  if (wanted.length === 0 || wanted.includes('animation')) await takeAnimation();
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
      await page.getByRole('button', { name: 'Search Section' }).click();
      await page.getByRole('button', { name: 'Index Section' }).click();
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

/** Takes the README's animation: a search in plain words, the preview that follows the arrow keys, and Enter. */
async function takeAnimation() {
  const folder = join(temporary, 'animation', 'harbour');
  cpSync(join(root, 'test/fixtures/sample'), folder, { recursive: true });
  const size = { width: 900, height: 500 };
  const settings = {
    'workbench.colorTheme': 'Default Dark Modern',
    'workbench.layoutControl.enabled': false,
    'editor.minimap.enabled': false,
    'editor.occurrencesHighlight': 'off',
    'breadcrumbs.enabled': false,
  };
  // As installed: an extension under development puts that into the window's title.
  const { page, close } = await openWorkbench({ vsix: packageVsix(), folder, settings, size });
  const pick = page.locator('.quick-input-widget');
  const frames = /** @type {{ picture: Buffer, ms: number }[]} */ ([]);
  /** Keeps the next picture that differs from the last one and stands still. */
  const keep = async (/** @type {number} */ ms) => {
    await page.mouse.move(size.width - 1, size.height / 2);
    for (let seen = frames.at(-1)?.picture, end = Date.now() + 30_000; Date.now() < end;) {
      const picture = await page.screenshot({ animations: 'disabled' });
      if (seen?.equals(picture) && !frames.at(-1)?.picture.equals(picture)) return frames.push({ picture, ms });
      seen = picture;
      await page.waitForTimeout(1000);
    }
    throw new Error(`Frame ${frames.length + 1} of the animation does not differ from the one before.`);
  };
  try {
    await search(page, QUESTION);
    await page.keyboard.press('Escape');
    await runCommand(page, 'View: Close Primary Side Bar');
    await runCommand(page, 'View: Close All Editors');
    await page.keyboard.press('F1');
    await pick.getByRole('textbox').fill('>Sextant: Search');
    await pick.getByText('Sextant: Search Workspace', { exact: true }).waitFor();
    await keep(900);
    await page.keyboard.press('Enter');
    await pick.getByText(/^Search Workspace/).waitFor();
    await keep(500);
    for (const word of QUESTION.split(/(?<= )/)) {
      await page.keyboard.type(word);
      await keep(350);
    }
    await firstResult(page);
    const [results] = frames.slice(-1);
    if (results) results.ms = 1200;
    await page.keyboard.press('ArrowDown');
    await page.locator('.tab.active', { hasText: 'orderService.ts' }).waitFor();
    await keep(1500);
    await page.keyboard.press('ArrowUp');
    await page.locator('.tab.active', { hasText: 'retryPolicy.ts' }).waitFor();
    await keep(1500);
    await page.keyboard.press('Enter');
    await pick.waitFor({ state: 'hidden' });
    await keep(2000);
  } finally {
    await close();
  }
  const pictures = frames.flatMap(({ picture }) => UPNG.toRGBA8(UPNG.decode(arrayBuffer(picture))));
  const delays = frames.map(({ ms }) => ms);
  const file = UPNG.encode(pictures, size.width, size.height, COLOURS, delays);
  writeFileSync(join(root, 'docs/images/search.png'), Buffer.from(file));
  const seconds = delays.reduce((sum, ms) => sum + ms, 0) / 1000;
  say(`docs/images/search.png: ${frames.length} frames, ${seconds} s, ${Math.ceil(file.byteLength / 1000)} kB.`);
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
  await firstResult(page);
}

/**
 * Waits for a first result, which has a path and a line in its description.
 * @param {Page} page
 */
function firstResult(page) {
  return page.locator('.quick-input-widget .monaco-list-row').first().getByText(/:\d+$/).first().waitFor();
}

/** @param {Buffer} bytes */
function arrayBuffer({ buffer, byteOffset, byteLength }) {
  return /** @type {ArrayBuffer} */ (buffer.slice(byteOffset, byteOffset + byteLength));
}

/**
 * @param {Page} page
 * @param {string} folder
 * @param {{ x: number, y: number, width: number, height: number }} whole
 */
function pictureTaker(page, folder, whole) {
  mkdirSync(folder, { recursive: true });
  return async (/** @type {string} */ name, clip = whole) => {
    const picture = UPNG.decode(arrayBuffer(await page.screenshot({ clip })));
    const file = UPNG.encode(UPNG.toRGBA8(picture), picture.width, picture.height, COLOURS);
    writeFileSync(join(folder, `${name}.png`), Buffer.from(file));
  };
}
