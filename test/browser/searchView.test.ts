import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { assertAccessible } from './accessible.ts';
import { THEMES, Workbench, copySample, shotName, themesAt } from './support.ts';

const HOSTILE = 'src/<img src=x onerror=document.title=1>.ts';

/** Whether lines in the editor have a visible border on their left. */
const BAR = `[...document.querySelectorAll('.monaco-editor .view-overlays .cdr')].some((line) => {
  const { borderLeftStyle, borderLeftWidth, borderLeftColor } = getComputedStyle(line);
  return borderLeftStyle === 'solid' && borderLeftWidth === '2px' && !/, 0\\)$/.test(borderLeftColor);
})`;

describe('the search view', () => {
  const folder = temporaryFolder();
  let root: string;
  let workbench: Workbench;

  before(async () => {
    root = copySample(join(folder(), 'harbour'));
    writeFiles(root, { [HOSTILE]: 'export function hostileName() {} // <b>hostileText</b> $(alert)\n' });
    workbench = await Workbench.open({ folder: root });
    await workbench.treeItem(/^README.md/).waitFor();
  });
  after(() => workbench.close());

  const box = (view: Frame): Locator => view.getByRole('textbox', { name: 'Search code' });
  const row = (view: Frame, name: RegExp): Locator => view.getByRole('treeitem', { name }).first();
  const focused = (view: Frame): Promise<unknown> =>
    until('the box has the focus', () =>
      view.evaluate('document.hasFocus() && document.activeElement.tagName === "INPUT"'),
    );

  /** Opens the view by its command and searches. */
  async function search(query: string): Promise<Frame> {
    await workbench.run('Sextant Search: Find Code');
    const view = await workbench.view();
    await focused(view);
    await box(view).fill(query);
    return view;
  }

  it('has the focus when it is opened from the activity bar, and shows results for the typed words', async () => {
    const { page } = workbench;
    await page.locator('.activitybar').getByRole('tab', { name: 'Sextant' }).click();
    const view = await workbench.view();
    await focused(view);
    await workbench.shoot('searchview-start');
    await page.keyboard.type('retry a failed payment', { delay: 15 });
    await row(view, /^withRetries export async function withRetries/).waitFor();
    await view.locator('.found', { hasText: /^\d+ files$/ }).waitFor();
    await workbench.shoot('searchview-full');
  });

  it('previews on move, opens on Enter with the cursor on the name, and restores the editor on Escape', async () => {
    const { page } = workbench;
    await page
      .locator('.activitybar')
      .getByRole('tab', { name: /^Explorer/ })
      .click();
    await workbench.treeItem(/^README.md/).dblclick();
    await workbench.tab('README.md').waitFor();
    const before = await workbench.tabs();
    const view = await search('verifyPassword');
    await row(view, /^verifyPassword /).waitFor();
    await page.keyboard.press('ArrowDown');
    await workbench.tab('passwordHash.ts').waitFor();
    await page.locator('.monaco-editor .view-overlays .cdr').first().waitFor();
    await workbench.shoot('searchview-preview');
    // The view keeps the focus: typing goes on in the box.
    await page.keyboard.press('Escape');
    await workbench.tab('passwordHash.ts').waitFor({ state: 'detached' });
    assert.deepEqual(await workbench.tabs(), before);
    await focused(view);
    await page.keyboard.press('ArrowDown');
    await workbench.tab('passwordHash.ts').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Ln 13, Col 23', { exact: true }).waitFor();
    await page.locator('.editor-instance .monaco-editor.focused').waitFor();
  });

  it('shows no preview after Escape, however late the place is found', async () => {
    const { page } = workbench;
    await workbench.run('View: Close All Editors');
    // Reading the file takes longer than sending a key.
    writeFiles(root, { 'src/large.md': `slowlyLocated first\n${'filler\n'.repeat(70_000)}slowlyLocated last\n` });
    const view = await search('slowlyLocated');
    await row(view, /^slowlyLocated /).waitFor();
    // Escape comes while places are located.
    await view.evaluate(`for (const key of ['ArrowDown', ...Array(300).fill(['ArrowDown', 'ArrowUp']).flat(), 'Escape'])
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`);
    await focused(view);
    // This search waits for the places.
    await box(view).fill('withRetries');
    await row(view, /^withRetries /).waitFor();
    await page.waitForTimeout(500);
    rmSync(join(root, 'src/large.md'));
    assert.deepEqual(await workbench.tabs(), []);
  });

  it('opens to the side on Ctrl+Enter, and the first result on Enter in the box', async () => {
    const { page } = workbench;
    await search('withRetries');
    // Enter comes before the results.
    await page.keyboard.press('Control+Enter');
    await until('there are two groups', async () => (await page.locator('.editor-group-container').count()) === 2);
    await workbench.tab('retryPolicy.ts').waitFor();
    await workbench.run('View: Close All Editors');
  });

  it('folds and unfolds files, and moves through all rows, by keyboard', async () => {
    const { page } = workbench;
    const view = await search('price');
    await row(view, /^import_prices\.py /).waitFor();
    const active = (): Promise<unknown> =>
      view.evaluate(
        'document.getElementById(document.querySelector("[role=tree]").getAttribute("aria-activedescendant"))?.innerText',
      );
    await page.keyboard.press('ArrowDown');
    await until('a place is active', async () => String(await active()).includes('line'));
    await page.keyboard.press('ArrowLeft');
    const isFile = (): Promise<unknown> =>
      until('the file is active', async () => String(await active()).startsWith('import_prices.py'));
    await isFile();
    await page.keyboard.press('ArrowLeft');
    await view.locator('[role=treeitem][aria-expanded=false]').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await view.locator('[role=treeitem][aria-expanded=false]').waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await isFile();
    await page.keyboard.press('ArrowUp');
    await focused(view);
    // A letter in the list is typed into the box.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('s');
    await until('it is typed', async () => (await box(view).inputValue()) === 'prices');
  });

  it('writes the filters of chips into the query, and shows typed ones', async () => {
    const { page } = workbench;
    const view = await search('order');
    await view.getByRole('button', { name: 'Language' }).click();
    await view.getByRole('menuitemcheckbox', { name: /^typescript/ }).waitFor();
    await workbench.shoot('searchview-languages');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await view.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await view.getByRole('menuitemcheckbox', { name: /^go/ }).click();
    await until('the filter is written', async () => (await box(view).inputValue()) === 'order lang:go');
    await view.getByRole('button', { name: 'Language: go' }).waitFor();
    await focused(view);
    await box(view).fill('order lang:ts path:/src/orders/');
    await view.getByRole('button', { name: 'Folder: /src/orders/' }).waitFor();
    await view.getByRole('button', { name: 'Kind' }).click();
    await view.getByRole('menuitemcheckbox', { name: 'Tests' }).click();
    await view.getByRole('button', { name: 'Kind: Tests' }).waitFor();
    await view.getByRole('button', { name: 'Changed' }).click();
    await view.getByRole('button', { name: 'Changed', pressed: true }).waitFor();
    assert.match(await box(view).inputValue(), /^order lang:ts path:\/src\/orders\/\*\*\/\{\{test,.* changed:$/);
    await box(view).fill('retry delay');
    await view.getByRole('button', { name: 'Symbol' }).click();
    await until('the filter is written', async () => (await box(view).inputValue()) === 'sym:*retry*delay*');
    await row(view, /^nextRetryDelay /).waitFor();
  });

  it('shows each problem at its place, and takes a fix', async () => {
    const view = await search('lang:pyhton price file:a/b');
    await view.getByText(/There is no language “pyhton”/).waitFor();
    assert.deepEqual(
      await view.evaluate('[...document.querySelectorAll(".mirror u")].map((one) => one.dataset.text)'),
      ['pyhton', '/'],
    );
    await workbench.shoot('searchview-problems');
    await view.getByRole('button', { name: 'Use python' }).click();
    await view.getByRole('button', { name: 'Use path:' }).click();
    await until('both are solved', async () => (await box(view).inputValue()) === 'lang:python price path:a/b');
    await view.getByText('There is no language').waitFor({ state: 'detached' });
  });

  it('completes a filter while it is typed', async () => {
    const { page } = workbench;
    const view = await search('retry lang:ty');
    await view.getByRole('button', { name: /^lang:typescript/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until('it is completed', async () => (await box(view).inputValue()) === 'retry lang:typescript ');
    await row(view, /^withRetries /).waitFor();
  });

  it('keeps searches and recent ones over a restart, and removes them', async () => {
    const { page } = workbench;
    let view = await search('lantern cart');
    await view.getByRole('button', { name: 'Keep This Search' }).click();
    await view.getByRole('button', { name: 'Remove from Kept Searches', pressed: true }).waitFor();
    await workbench.reload('"query":"lantern cart"', '"sextant.keptSearches":["lantern cart"');
    await workbench.run('Sextant Search: Find Code');
    view = await workbench.view();
    await focused(view);
    await until('the query is restored', async () => (await box(view).inputValue()) === 'lantern cart');
    await view.getByRole('button', { name: 'Clear' }).click();
    await view.getByRole('button', { name: 'lantern cart', exact: true }).waitFor();
    await view.getByRole('button', { name: 'verifyPassword', exact: true }).waitFor();
    await workbench.shoot('searchview-history');
    // Kept searches come first.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Delete');
    await view.getByRole('button', { name: 'lantern cart', exact: true }).waitFor({ state: 'detached' });
    await view.getByRole('button', { name: 'verifyPassword', exact: true }).click();
    await row(view, /^verifyPassword /).waitFor();
  });

  it('follows changed files while it is open, and shows hostile names and text as text', async () => {
    const view = await search('hostileText');
    await view.getByText('<b>hostileText</b> $(alert)').waitFor();
    await view.getByText('<img src=x onerror=document.title=1>.ts').first().waitFor();
    writeFiles(root, { 'src/lantern.ts': 'export function igniteLantern() {} // hostileText\n' });
    await row(view, /^igniteLantern /).waitFor();
    rmSync(join(root, 'src/lantern.ts'));
    await row(view, /^igniteLantern /).waitFor({ state: 'detached' });
    await box(view).fill('zzyzx');
    await view.getByText('No results').first().waitFor();
    await workbench.shoot('searchview-nothing');
  });

  it('reports how many more files there are, and fetches them', async () => {
    const files = Array.from({ length: 120 }, (_, i) => [
      `many/file${i}.ts`,
      `export const halyard${i} = 'halyard';\n`,
    ]);
    writeFiles(root, Object.fromEntries(files) as Record<string, string>);
    const view = await search('halyard path:many');
    await view.locator('.found', { hasText: '50 of about 120 files' }).waitFor();
    await workbench.shoot('searchview-many');
    await view.evaluate('document.querySelector("[role=tree]").scrollTo(0, 1e6)');
    await view.locator('.found', { hasText: /^120 files$/ }).waitFor();
    assert.ok((await view.getByRole('treeitem').count()) < 80);
    rmSync(join(root, 'many'), { recursive: true });
  });

  it('shows a paused index, and resumes it', async () => {
    const view = await search('price');
    await workbench.run('Sextant: Pause Indexing');
    await view.getByText(/Results are partial: indexing is paused/).waitFor();
    await workbench.shoot('searchview-paused');
    await view.getByRole('button', { name: 'Resume' }).click();
    await view.getByText(/Results are partial/).waitFor({ state: 'detached' });
    await view.getByRole('button', { name: /files indexed/ }).click();
    await view.getByRole('menuitem', { name: 'Pause Indexing' }).waitFor();
    await workbench.page.keyboard.press('Escape');
  });

  it('copies and exports results, and takes those of the list', async () => {
    const { page, pick } = workbench;
    await workbench.search('withRetries');
    await workbench.settled();
    await pick.getByRole('button', { name: 'Show in the Search View' }).click();
    const view = await workbench.view();
    await row(view, /^withRetries /).waitFor();
    assert.equal(await box(view).inputValue(), 'withRetries');
    await workbench.run('Sextant: Export Results as Markdown');
    await page.locator('.view-lines').getByText('# `withRetries`').waitFor();
    await workbench.run('Sextant: Open Results in a Search Editor');
    await page
      .locator('.view-lines')
      .getByText(/#.Query:.withRetries/)
      .waitFor();
    await workbench.run('View: Close All Editors');
  });

  it("opens a row's own menu, which is about that row although the results change meanwhile", async () => {
    const { page } = workbench;
    const view = await search('verifyPassword');
    await workbench.openMenu(row(view, /^verifyPassword /));
    for (const word of ['anchored', 'moored']) {
      writeFiles(root, { 'src/menu.ts': `// verifyPassword ${word}\n` });
      await row(view, new RegExp(`verifyPassword ${word}`)).waitFor();
    }
    await workbench.choose('Why Is It Here?');
    await workbench.pick.getByText(/^Result 1 for/).waitFor();
    rmSync(join(root, 'src/menu.ts'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  });

  it('is readable and accessible in each theme, at the width of the side bar', async () => {
    const { page } = workbench;
    const problems: string[] = [];
    const states: readonly (readonly [string, string])[] = [
      ['empty', ''],
      ['full', 'retry a failed payment lang:ts'],
      ['problems', 'lang:pyhton price file:a/b path:'],
      ['nothing', 'zzyzx'],
    ];
    for (const [name, query] of states) {
      const view = await search(query);
      if (name === 'full') {
        await row(view, /^withRetries /).waitFor();
        await page.keyboard.press('ArrowDown');
      } else await page.waitForTimeout(500);
      for (const theme of THEMES) {
        await workbench.showTheme(theme, view);
        const shot = shotName(`searchview-${name}`, theme, 300);
        await workbench.shoot(shot);
        await assertAccessible(view, shot, theme).catch((error: unknown) => problems.push(String(error)));
        // High contrast has no backgrounds: there the previewed definition has a bar.
        if (name === 'full' && theme === THEMES[2]) await until('the definition has a bar', () => page.evaluate(BAR));
      }
    }
    assert.equal(problems.length, 0, problems.join('\n'));
  });

  it('is readable at each width, in each theme, and shows the match of a long line', async () => {
    const { page } = workbench;
    const long = `const ${'veryLongPrefix + '.repeat(30)}farAwayMatch;\n`;
    writeFiles(root, { 'src/long.ts': long });
    await page.setViewportSize({ width: 1900, height: 800 });
    const view = await search('farAwayMatch');
    const place = row(view, /farAwayMatch; line 1$/);
    await place.waitFor();
    const problems: string[] = [];
    const widths = [700, 1400, 300];
    for (const width of widths) {
      await sizeSideBar(width);
      const match = await until('the match is in view', async () => {
        const [line, mark] = [await place.boundingBox(), await place.locator('mark').boundingBox()];
        const end = (line?.x ?? 0) + (line?.width ?? 0) - 40;
        return line && mark && mark.x > line.x && mark.x + mark.width <= end ? mark : undefined;
      });
      assert.ok(match.width > 50);
      for (const theme of themesAt(width, widths)) {
        await workbench.showTheme(theme, view);
        const shot = shotName('searchview-wide', theme, width);
        await workbench.shoot(shot);
        await assertAccessible(view, shot, theme).catch((error: unknown) => problems.push(String(error)));
        // High contrast has no backgrounds of marks.
        if (theme !== THEMES[2]) continue;
        const outline = await view.evaluate('getComputedStyle(document.querySelector("mark")).outlineColor');
        assert.doesNotMatch(String(outline), /, 0\)$/, 'the mark has a border');
      }
    }
    rmSync(join(root, 'src/long.ts'));
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(problems.length, 0, problems.join('\n'));
  });

  it('has names for screen readers', async () => {
    const view = await search('verifyPassword');
    await row(view, /^verifyPassword /).waitFor();
    const names = (await view.getByRole('tree').ariaSnapshot()).split('\n').slice(0, 3);
    assert.deepEqual(
      names.map((name) => name.trim().replaceAll("'", '')),
      [
        '- tree "Results":',
        '- treeitem "passwordHash.ts src/auth 1" [expanded] [level=1]',
        '- treeitem "verifyPassword export async function verifyPassword(password: string, stored: string): Promise<boolean> { line 13" [level=2]:',
      ],
    );
    const page = await view.locator('body').ariaSnapshot();
    for (const named of ['textbox "Search code"', 'button "Language"', 'button "Folder"', 'button "Clear"'])
      assert.ok(page.includes(named), named);
  });

  /** Drags the border of the side bar until the view has a width. */
  async function sizeSideBar(width: number): Promise<void> {
    const { page } = workbench;
    await until(`the side bar is ${width} pixels wide`, async () => {
      const box = (await page.locator('.part.sidebar').boundingBox())!;
      if (Math.abs(box.width - width) <= 2) return true;
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width, y);
      await page.mouse.down();
      await page.mouse.move(box.x + width, y, { steps: 4 });
      await page.mouse.up();
      return false;
    });
  }
});
