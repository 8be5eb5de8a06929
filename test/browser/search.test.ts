import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { ROOT, Workbench, copySample } from './support.ts';

const RETRY = 'src/orders/retryPolicy.ts';
const HOSTILE = ['src/<img src=x onerror=document.title=1>.ts', 'src/markup.ts'] as const;

describe('Search Workspace', () => {
  const folder = temporaryFolder();
  let root: string;
  let workbench: Workbench;

  before(async () => {
    root = copySample(join(folder(), 'harbour'));
    writeFiles(root, {
      [HOSTILE[0]]: 'export function hostileName() {}\n',
      [HOSTILE[1]]: '// $(alert) **bold** [link](command:workbench.action.quit) <b>hostileText</b>\n',
    });
    // The editor renders visible rows only, and several views share the side bar.
    workbench = await Workbench.open({ folder: root, size: { height: 1500 } });
    await workbench.treeItem(/^README.md/).waitFor();
  });
  after(() => workbench.close());
  afterEach(async () => {
    await workbench.page.keyboard.press('Escape');
    await workbench.page.keyboard.press('Escape');
  });

  it('shows ranked results while the query is typed', async () => {
    await workbench.search('nextRetryDelay');
    await workbench.firstRow('nextRetryDelay');
    const [first] = await workbench.rows();
    assert.match(first ?? '', /^nextRetryDelay, src\/orders\/retryPolicy\.ts:6, export function nextRetryDelay/);
    await workbench.shoot('search-results');
  });

  it('sorts by rank, not by name', async () => {
    await workbench.search('price');
    await workbench.pick.locator('.monaco-list-row').nth(2).waitFor();
    const command = join(ROOT, 'dist/cli/sextant.js');
    const printed = execFileSync(process.execPath, [command, 'search', 'price', root, '--json', '--limit', '50']);
    const { results } = JSON.parse(printed.toString()) as { results: { path: string; line: number }[] };
    const places = (await workbench.rows()).map((row) => /[\w./]+:\d+/.exec(row)?.[0] ?? '');
    assert.ok(places.length >= 3);
    assert.deepEqual(
      places,
      results.slice(0, places.length).map(({ path, line }) => `${path}:${line}`),
    );
  });

  it('previews the focused result, and restores the editor on Escape', async () => {
    const { page } = workbench;
    await workbench.treeItem(/^README.md/).dblclick();
    await workbench.tab('README.md').waitFor();
    await workbench.search('verifyPassword hash');
    await workbench.firstRow('verifyPassword');
    await workbench.settled();
    const before = await workbench.tabs();
    // Moves through the list quickly: the preview ends at the last focused result.
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowUp'])
      await page.keyboard.press(key);
    await workbench.tab('passwordHash.ts').waitFor();
    await page.locator('.breadcrumbs-control').getByText('passwordHash.ts').waitFor();
    await page.locator('.monaco-editor .view-overlays .cdr').first().waitFor();
    await workbench.shoot('search-preview');
    await page.keyboard.press('Escape');
    await workbench.tab('passwordHash.ts').waitFor({ state: 'detached' });
    assert.deepEqual(await workbench.tabs(), before);
    assert.match(await page.locator('.tabs-container .tab.active').innerText(), /README/);
  });

  it('leaves the editor alone while the query is typed', async () => {
    await workbench.search('withRetries');
    await workbench.pick.getByText('withRetries', { exact: true }).first().waitFor();
    await workbench.page.keyboard.type(' lantern cart', { delay: 15 });
    await workbench.pick.getByText('Cart', { exact: true }).first().waitFor();
    assert.equal(await workbench.tab('retryPolicy.ts').count(), 0);
  });

  it('opens the result on Enter, with the cursor on the name', async () => {
    await workbench.search('verifyPassword');
    await workbench.pick.getByText('verifyPassword', { exact: true }).first().waitFor();
    // The first letters match, too, and would be selected.
    await workbench.settled();
    await workbench.page.keyboard.press('Enter');
    await workbench.tab('passwordHash.ts').waitFor();
    await workbench.pick.waitFor({ state: 'hidden' });
    await workbench.page.getByText('Ln 13, Col 23', { exact: true }).waitFor();
    await workbench.shoot('search-opened');
  });

  it('reports that there are no results, and what to do', async () => {
    await workbench.search('zzyzx');
    await workbench.pick.getByText('No results for “zzyzx”').waitFor();
    await workbench.pick.getByText('Try fewer or other words.').waitFor();
    await workbench.shoot('search-nothing');
  });

  it('names the malformed part of the query, and searches for the rest', async () => {
    await workbench.search('path:[ withRetries');
    await workbench.pick.getByText('“[” at character 6').waitFor();
    await workbench.pick.getByText('withRetries', { exact: true }).first().waitFor();
    const [problem, first] = await workbench.rows();
    assert.match(problem ?? '', /This \[ is not closed/);
    assert.match(first ?? '', /^withRetries, src\/orders\/retryPolicy\.ts:\d+/);
    await workbench.shoot('search-problem');
    assert.equal(await workbench.tab('retryPolicy.ts').count(), 0);
    // Enter opens the first result, not the line above it. The first letters have results, too.
    await workbench.settled();
    await workbench.page.keyboard.press('Enter');
    await workbench.tab('retryPolicy.ts').waitFor();
  });

  it('takes the fix of a problem, and opens a result to the side on Ctrl+Enter', async () => {
    const { page } = workbench;
    await workbench.search('lang:pyhton price');
    await workbench.settled();
    await workbench.pick.getByText('Use python').click();
    await until('the fix is taken', async () => (await workbench.query.inputValue()) === 'lang:python price');
    await workbench.settled();
    await page.keyboard.press('Control+Enter');
    await until('there are two groups', async () => (await page.locator('.editor-group-container').count()) === 2);
    await workbench.run('View: Close All Editors');
  });

  it('finds a file that is indexed while the list is open', async () => {
    await workbench.search('igniteLantern');
    await workbench.pick.getByText('No results for').waitFor();
    writeFiles(root, { 'src/lantern.ts': 'export function igniteLantern() {}\n' });
    await workbench.pick.getByText('igniteLantern', { exact: true }).first().waitFor();
    rmSync(join(root, 'src/lantern.ts'));
    await workbench.pick.getByText('No results for').waitFor();
  });

  it('shows hostile names and text as text', async () => {
    await workbench.search('hostileName');
    await workbench.pick.getByText('src/<img src=x onerror=document.title=1>.ts:1').waitFor();
    await workbench.page.keyboard.press('Escape');
    await workbench.search('hostileText');
    const text = '// $(alert) **bold** [link](command:workbench.action.quit) <b>hostileText</b>';
    await workbench.pick.getByText(text).waitFor();
    await workbench.shoot('search-hostile');
  });

  it('shows in the view which files are indexed, which are not, and why', async () => {
    await workbench.openSextantView();
    await workbench.treeItem(/harbour 17 files indexed/).waitFor();
    await workbench.unfold(/^Keys and passwords/);
    await workbench.treeItem(/^\.env/).waitFor();
    await workbench.shoot('index-view');
    await workbench.treeItem(/^\.env/).click();
    await workbench.tab('.env').waitFor();
  });

  it('has a status-bar item that leads to the search', async () => {
    await workbench.statusBarItem.click();
    await (await workbench.view()).getByRole('textbox', { name: 'Search code' }).waitFor();
  });

  it('offers every command in the palette', async () => {
    const commands = ['Search Workspace', 'Why Is This File (Not) Found?', 'Show Index Status', 'Copy Diagnostics'];
    for (const command of [...commands, 'Update Index', 'Rebuild Index', 'Show Log']) {
      await workbench.page.keyboard.press('F1');
      await workbench.pick.locator('input.input').fill(`>Sextant: ${command}`);
      await workbench.pick.getByText(`Sextant: ${command}`, { exact: true }).waitFor();
      await workbench.page.keyboard.press('Escape');
    }
  });

  describe('Ways to search', () => {
    before(async () => {
      for (const name of HOSTILE) rmSync(join(root, name));
      await workbench.openSextantView();
      await workbench.treeItem(/^harbour 15 files indexed/).waitFor();
    });

    const waitForQuery = (value: string): Promise<unknown> =>
      until(`the query is ${value}`, async () => (await workbench.query.inputValue()) === value);

    it('completes a filter while it is typed', async () => {
      await workbench.search('retry lang:ty');
      await workbench.firstRow('lang:typescript');
      await workbench.settled();
      await workbench.shoot('find-completion');
      await workbench.page.keyboard.press('Enter');
      await waitForQuery('retry lang:typescript ');
      await workbench.firstRow('withRetries');
      await workbench.page.keyboard.type('path:/src/o');
      await workbench.firstRow('path:/src/orders/');
      // The typed folder exists, so the filter is complete: Enter opens the first result, not the completion above it.
      await workbench.page.keyboard.press('Enter');
      await workbench.pick.waitFor({ state: 'hidden' });
    });

    it('shows recent queries while the query is empty, and removes one', async () => {
      await workbench.search('verifyPass');
      await workbench.settled();
      // Enter comes before the last letters are searched, and opens the first result of the letters before.
      await workbench.page.keyboard.type('word');
      await workbench.page.keyboard.press('Enter');
      await workbench.pick.waitFor({ state: 'hidden' });
      await workbench.search('');
      await workbench.firstRow('verifyPassword');
      await workbench.shoot('find-recent');
      await workbench.page.keyboard.press('Enter');
      await waitForQuery('verifyPassword');
      await workbench.pick.getByText('src/auth/passwordHash.ts:13').waitFor();
      await workbench.query.fill('');
      const row = workbench.pick.locator('.monaco-list-row').first();
      await row.getByText('verifyPassword', { exact: true }).waitFor();
      await row.hover();
      await row.getByRole('button', { name: 'Remove from Recent Queries' }).click();
      await workbench.pick
        .locator('.monaco-list-row')
        .getByText('verifyPassword', { exact: true })
        .waitFor({ state: 'detached' });
    });

    it('finds only definitions with "Search Symbol"', async () => {
      await workbench.run('Sextant: Search Symbol');
      await workbench.pick.getByText(/^Search Symbol \(/).waitFor();
      await workbench.type('retry delay');
      await workbench.firstRow('nextRetryDelay');
      await workbench.settled();
      assert.deepEqual((await workbench.rows()).length, 1);
      await workbench.shoot('find-symbol');
    });

    const boxOfView = async (): Promise<Locator> =>
      (await workbench.view()).getByRole('textbox', { name: 'Search code' });

    it("searches in a folder of the explorer, and explains a file there; other menus do not have 'Why'", async () => {
      const { page } = workbench;
      const menuOf = async (target: Locator, present: string, missing: string): Promise<void> => {
        await workbench.openMenu(target);
        await page.getByRole('menuitem', { name: present }).first().waitFor();
        assert.equal(await page.getByRole('menuitem', { name: missing }).count(), 0);
      };
      const [inFolder, why] = ['Search in Folder with Sextant', 'Why Is This File (Not) Found?'];
      await page
        .locator('.activitybar')
        .getByRole('tab', { name: /^Explorer/ })
        .click();
      await menuOf(workbench.treeItem(/^src/), inFolder, why);
      await workbench.shoot('explorer-folder-menu');
      await workbench.choose(inFolder);
      const box = await boxOfView();
      await until('it searches there', async () => (await box.inputValue()) === 'path:/src/ ');
      await page.keyboard.type('retry');
      const row = (await workbench.view()).getByRole('treeitem', { name: /^withRetries / });
      await row.first().waitFor();
      await page
        .locator('.activitybar')
        .getByRole('tab', { name: /^Explorer/ })
        .click();
      await menuOf(workbench.treeItem(/^README.md/), why, inFolder);
      await workbench.choose(why);
      await workbench.pick
        .getByText(/README\.md/)
        .first()
        .waitFor();
      await page.keyboard.press('Escape');
      await workbench.treeItem(/^README.md/).dblclick();
      await menuOf(workbench.tab('README.md'), 'Close', why);
      await page.keyboard.press('Escape');
      await menuOf(page.locator('.monaco-editor .view-lines').first(), 'Find Usages of Name', why);
      await page.keyboard.press('Escape');
    });

    it('finds the usages of exactly the name at the cursor', async () => {
      const { page } = workbench;
      await workbench.search('nextRetryDelay');
      await workbench.firstRow('nextRetryDelay');
      await workbench.settled();
      await page.keyboard.press('Enter');
      await page.getByText(/^Ln 6, Col \d+$/).waitFor();
      await workbench.run('Sextant: Find Usages of Name');
      const box = await boxOfView();
      await until(
        'it searches for the name',
        async () => (await box.inputValue()) === String.raw`/\bnextRetryDelay\b/`,
      );
      const view = await workbench.view();
      const row = (name: RegExp): Locator => view.getByRole('treeitem', { name });
      await row(/^retryPolicy\.ts src\/orders 2$/).waitFor();
      await row(/^export function nextRetryDelay.* line 6$|^nextRetryDelay.* line 6$/).waitFor();
      await row(/^await new Promise.*nextRetryDelay\(attempt\).* line 24$/).waitFor();
      await workbench.shoot('find-usages');
    });

    it('searches for the selection, and for code like it', async () => {
      await workbench.search('nextRetryDelay');
      await workbench.firstRow('nextRetryDelay');
      // The cursor is on the match of the last query.
      await workbench.settled();
      await workbench.page.keyboard.press('Enter');
      await workbench.page.getByText(/^Ln 6, Col \d+$/).waitFor();
      await workbench.run('Sextant: Search Selection');
      await waitForQuery('nextRetryDelay');
      await workbench.firstRow('nextRetryDelay');
      await workbench.page.keyboard.press('Escape');
      await workbench.page.keyboard.press('Control+a');
      await workbench.run('Sextant: Find Similar Code');
      await workbench.pick.getByText(/^Find Similar Code \(/).waitFor();
      await workbench.settled();
      const rows = await workbench.rows();
      assert.ok(rows.length > 0 && rows.every((row) => !row.includes(RETRY)), rows.join('\n'));
      await workbench.shoot('find-similar');
    });
  });
});
