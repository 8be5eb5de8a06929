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
      await page.getByRole('button', { name: 'Index Section' }).click();
      const view = await search(page, QUESTION);
      await page.keyboard.press('ArrowDown');
      await page.locator('.monaco-editor .view-overlays .cdr').first().waitFor();
      await page.locator('.tab.active', { hasText: 'retryPolicy.ts' }).waitFor();
      await page.mouse.move(size.width - 1, size.height - 60);
      await shoot(`search-${name}`, { x: 0, y: 30, width: 720, height: 450 });
      await view.getByRole('tree').press('Escape');
      await runCommand(page, 'View: Close Primary Side Bar');
      await runCommand(page, 'View: Close All Editors');
      await runCommand(page, 'Sextant: Ask About Workspace');
      await pageOf(page).getByRole('textbox').click();
      await page.keyboard.type('How is a failed payment retried?');
      await page.keyboard.press('Enter');
      await pageOf(page).getByRole('button', { name: 'Copy as Markdown' }).waitFor();
      await pageOf(page).locator('[class^=token-]').first().waitFor();
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
  const size = { width: 1120, height: 560 };
  const settings = {
    'workbench.colorTheme': 'Default Dark Modern',
    'workbench.layoutControl.enabled': false,
    'editor.minimap.enabled': false,
    'editor.occurrencesHighlight': 'off',
    'breadcrumbs.enabled': false,
  };
  // As installed: an extension under development puts that into the window's title.
  const { page, close } = await openWorkbench({ vsix: packageVsix(), folder, settings, size });
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
    // The first search loads the words of the index.
    let view = await search(page, QUESTION);
    await view.getByRole('button', { name: 'Clear' }).click();
    await page
      .locator('.activitybar')
      .getByRole('tab', { name: /^Explorer/ })
      .click();
    await page.getByRole('treeitem', { name: /^README.md/ }).waitFor();
    await keep(900);
    await page.keyboard.press('Shift+Alt+S');
    view = pageOf(page);
    await view.getByRole('textbox', { name: 'Search code' }).waitFor();
    await keep(700);
    for (const word of QUESTION.split(/(?<= )/)) {
      await page.keyboard.type(word);
      await keep(350);
    }
    await firstResult(view);
    const [results] = frames.slice(-1);
    if (results) results.ms = 1200;
    await page.keyboard.press('ArrowDown');
    await page.locator('.tab.active', { hasText: 'retryPolicy.ts' }).waitFor();
    await keep(1500);
    for (
      let at = 0;
      at < 10 && !(await page.locator('.tab.active', { hasText: 'orderService.ts' }).isVisible());
      at++
    ) {
      await page.keyboard.press('ArrowDown');
      await page.waitForTimeout(500);
    }
    await keep(1500);
    await page.keyboard.press('Enter');
    await page.locator('.editor-instance .monaco-editor.focused').waitFor();
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
 * Opens the search view, types, and waits for a first result.
 * @param {Page} page
 * @param {string} query
 */
async function search(page, query) {
  await runCommand(page, 'Sextant Search: Find Code');
  const view = pageOf(page);
  await view.getByRole('textbox', { name: 'Search code' }).fill(query);
  await firstResult(view);
  return view;
}

/**
 * The page of the open view, which the editor puts in a frame in a frame.
 * @param {Page} page
 */
function pageOf(page) {
  return page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
}

/** @param {ReturnType<typeof pageOf>} view */
function firstResult(view) {
  return view.getByRole('treeitem').first().waitFor();
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
