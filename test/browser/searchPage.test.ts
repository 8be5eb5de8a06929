import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { launchBrowser } from '../../scripts/lib/browser.mjs';
import { searchBeginning } from '../../src/extension/search/searchBeginning.ts';
import { importsOf, viewPage } from '../../src/extension/viewPage.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { ROOT, untilTrue } from './support.ts';

const BUILT = join(ROOT, 'dist/webview');
const ORIGIN = 'https://page.test';
const LABEL = 'Search code';
const PLACEHOLDER = 'Words, a name, "a phrase", lang:ts';

/** The page as the extension sends it. */
function page(): string {
  const textOf = (file: string): string => readFileSync(join(BUILT, file), 'utf8');
  return viewPage({
    title: 'Search',
    script: `${ORIGIN}/search.js`,
    imports: importsOf(textOf('search.js')).map((one) => `${ORIGIN}/${one}`),
    style: textOf('search.css'),
    beginning: searchBeginning(LABEL, PLACEHOLDER),
    drawsPictures: false,
    nonce: 'script-nonce',
    styleNonce: 'style-nonce',
    language: 'en',
    strings: '{}',
  });
}

describe('the page of the search view', () => {
  const newFolder = temporaryFolder();

  it('takes keys before its script comes, and the script keeps the box, its text and the focus', async () => {
    const context = await launchBrowser(newFolder());
    const tab = await context.newPage();
    const problems: string[] = [];
    tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    tab.on('pageerror', (error) => problems.push(error.message));
    await tab.addInitScript(`
      globalThis.sent = [];
      globalThis.acquireVsCodeApi = () => ({ postMessage: (m) => sent.push(m), getState: () => undefined, setState() {} });
    `);
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await tab.route(`${ORIGIN}/**`, async (route) => {
      const path = new URL(route.request().url()).pathname;
      if (path === '/') return route.fulfill({ body: page(), contentType: 'text/html' });
      await isReleased;
      return route.fulfill({ path: join(BUILT, basename(path)), contentType: 'text/javascript' });
    });
    await tab.goto(`${ORIGIN}/`, { waitUntil: 'commit' });
    const box = tab.getByRole('textbox', { name: LABEL });
    await box.click();
    await tab.keyboard.type('retr');
    // Its width changes: the script puts buttons beside a text.
    const placeOf = async (): Promise<unknown> => ({ ...(await box.boundingBox()), width: 0 });
    const before = await placeOf();
    assert.equal(await box.getAttribute('placeholder'), PLACEHOLDER);
    await tab.evaluate('globalThis.early = document.querySelector("input")');
    assert.equal(await tab.getByRole('button', { name: 'Language' }).count(), 0);

    release();
    await tab.getByRole('button', { name: 'Language' }).waitFor();
    await tab.keyboard.type('ies');
    assert.equal(await box.inputValue(), 'retries');
    assert.equal(
      await tab.evaluate('document.querySelector("input") === early && document.activeElement === early'),
      true,
    );
    assert.deepEqual(await placeOf(), before);
    await untilTrue(tab, 'JSON.stringify(sent).includes("retries")');
    assert.equal(await tab.locator('input').count(), 1);
    assert.deepEqual(problems, []);
    await context.close();
  });
});
