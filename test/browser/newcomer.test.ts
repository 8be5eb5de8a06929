import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Workbench, copySample } from './support.ts';

const WORDS = 'retry a failed payment';

/** Counts keys and clicks. Words that are typed into a box that has the focus already are not counted. */
class Hand {
  actions = 0;
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  async press(key: string): Promise<void> {
    this.actions++;
    await this.#workbench.page.keyboard.press(key);
  }

  async click(target: Locator): Promise<void> {
    this.actions++;
    await target.click();
  }

  async type(words: string): Promise<void> {
    await this.#workbench.page.keyboard.type(words, { delay: 15 });
  }
}

describe('a newcomer with a folder open', () => {
  const folder = temporaryFolder();
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ folder: copySample(join(folder(), 'harbour')) });
    await workbench.treeItem(/^README.md/).waitFor();
  });
  after(() => workbench.close());

  /** Waits for the box of the search view, types, and waits for the place that answers. */
  async function findInView(hand: Hand): Promise<void> {
    const view = await workbench.view();
    await until('the box has the focus', () =>
      view.evaluate('document.hasFocus() && document.activeElement.tagName === "INPUT"'),
    );
    await view.getByRole('textbox', { name: 'Search code' }).fill('');
    await hand.type(WORDS);
    await view.getByRole('treeitem', { name: /^withRetries / }).waitFor();
  }

  async function leaveView(): Promise<void> {
    await workbench.page
      .locator('.activitybar')
      .getByRole('tab', { name: /^Explorer/ })
      .click();
    await workbench.page.locator('iframe.webview.ready').waitFor({ state: 'detached' });
  }

  it('lists no command in the palette that needs a selection, a result, an account or a server', async () => {
    const { page, pick } = workbench;
    const listed = async (typed: string): Promise<string[]> => {
      await pick.locator('input.input').fill(`>${typed}`);
      await workbench.settled();
      return (await workbench.rows()).map((row) => row.replace(/,.*/, ''));
    };
    // A palette that opens before the editor has read the extension's commands stays without them.
    const [first, ...others] = await until('the commands are known', async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('F1');
      const names = await listed('Sextant');
      return names[0] !== 'No matching commands' && names;
    });
    assert.equal(first, 'Sextant Search: Find Code');
    await workbench.shoot('palette-sextant');
    const needing =
      /Selection|Similar|Usages of|Result|Resume|Undo|Retry|Override|Stop|Restart|Replay|Rotate|Disconnect/;
    assert.deepEqual(
      others.filter((name) => needing.test(name)),
      [],
    );
    assert.equal((await listed('find code'))[0], first);
    await page.keyboard.press('Escape');
  });

  it('reaches a first result by one click, by one key, or by two keys of the palette', async () => {
    const { page, pick } = workbench;
    const byIcon = new Hand(workbench);
    await byIcon.click(page.locator('.activitybar').getByRole('tab', { name: 'Sextant' }));
    await findInView(byIcon);
    await leaveView();

    const byKey = new Hand(workbench);
    await byKey.press('Shift+Alt+S');
    await findInView(byKey);
    await leaveView();

    const byPalette = new Hand(workbench);
    await byPalette.press('F1');
    await workbench.query.waitFor();
    await byPalette.type('find code');
    await pick.locator('.monaco-list-row.focused').getByText('Sextant Search: Find Code').waitFor();
    await workbench.shoot('newcomer-palette');
    await byPalette.press('Enter');
    await findInView(byPalette);
    assert.deepEqual([byIcon.actions, byKey.actions, byPalette.actions], [1, 1, 2]);
  });

  it("needs as few keys as with the editor's own search, which finds those words only where they are quoted", async () => {
    const { page } = workbench;
    const own = new Hand(workbench);
    await own.press('Control+Shift+F');
    const box = page.locator('.search-view textarea').first();
    await until('its box has the focus', () =>
      page.evaluate('document.activeElement?.closest(".search-view") !== null'),
    );
    await own.type(WORDS);
    // The README of the sample has the words as an example.
    await page.locator('.search-view .message').getByText('1 result in 1 file').waitFor();
    await page.locator('.search-view .monaco-list-row', { hasText: 'README.md' }).waitFor();
    assert.equal(own.actions, 1);
    // It takes literal text.
    await box.fill('withRetries');
    await page.locator('.search-view .monaco-list-row', { hasText: 'retryPolicy.ts' }).waitFor();
    await workbench.shoot('newcomer-own-search');
  });
});
