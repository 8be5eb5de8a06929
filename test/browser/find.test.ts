import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Workbench, copySample } from './support.ts';

const RETRY = 'src/orders/retryPolicy.ts';

describe('Ways to search', () => {
  const folder = temporaryFolder();
  let root: string;
  let workbench: Workbench;

  before(async () => {
    root = copySample(join(folder(), 'harbour'));
    // The editor renders visible rows only, and several views share the side bar.
    workbench = await Workbench.open({ folder: root, size: { height: 1500 } });
    await workbench.openSextantView();
    await workbench.treeItem(/^harbour 15 files indexed/).waitFor();
  });
  after(() => workbench.close());
  afterEach(async () => {
    await workbench.page.keyboard.press('Escape');
    await workbench.page.keyboard.press('Escape');
  });

  const waitForQuery = (value: string): Promise<unknown> =>
    until(`the query is ${value}`, async () => (await workbench.query.inputValue()) === value);

  /** Searches and moves the list to the view. */
  async function keep(query: string): Promise<void> {
    await workbench.search(query);
    await workbench.settled();
    await workbench.pick.getByRole('button', { name: 'Move to the Search Results View' }).click();
    await workbench.pick.waitFor({ state: 'hidden' });
  }

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
    await workbench.page.keyboard.type('retry delay', { delay: 15 });
    await workbench.firstRow('nextRetryDelay');
    await workbench.settled();
    assert.deepEqual((await workbench.rows()).length, 1);
    await workbench.shoot('find-symbol');
  });

  it('searches for the selection, and for code like it', async () => {
    await workbench.search('nextRetryDelay');
    await workbench.firstRow('nextRetryDelay');
    // The selection is the match of the last query.
    await workbench.settled();
    await workbench.page.keyboard.press('Enter');
    await workbench.page.getByText(/\(14 selected\)/).waitFor();
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

  it('keeps results in a view, and follows lines that move', async () => {
    const { page } = workbench;
    await workbench.expand('Search Results');
    await page.getByText('Search, then move the results here').waitFor();
    await workbench.shoot('find-results-empty');
    await keep('withRetries');
    await workbench.treeItem(/^retryPolicy\.ts/).waitFor();
    const line = workbench.treeItem(/line \d+: export async function withRetries/);
    await line.waitFor();
    await workbench.shoot('find-results-full');
    await line.click();
    await workbench.tab('retryPolicy.ts').waitFor();
    await page.locator('.monaco-editor .view-overlays .cdr').first().waitFor();
    await workbench.shoot('find-results-opened');
    const before = Number(/line (\d+):/.exec((await line.getAttribute('aria-label')) ?? '')?.[1]);
    const text = readFileSync(join(root, RETRY), 'utf8');
    writeFiles(root, { [RETRY]: `// new\n// lines\n${text}` });
    await workbench.treeItem(new RegExp(`line ${before + 2}: export async function withRetries`)).waitFor();
    writeFiles(root, { [RETRY]: '// nothing\n' });
    await page.getByText(/lines are missing\. Refresh to search again/).waitFor();
    assert.equal(await line.count(), 0);
    await workbench.shoot('find-results-gone');
    writeFiles(root, { [RETRY]: text });
    await line.waitFor();
  });

  it('copies and exports results', async () => {
    const { page } = workbench;
    await workbench.run('Sextant: Export Results as Markdown');
    await page.locator('.view-lines').getByText('# `withRetries`').waitFor();
    await workbench.run('Sextant: Open Results in a Search Editor');
    await page
      .locator('.view-lines')
      .getByText(/#.Query:.withRetries/)
      .waitFor();
    await workbench.shoot('find-results-exported');
  });

  it('keeps results over a restart, searches again, and removes one or all', async () => {
    const { page } = workbench;
    await workbench.reload();
    await workbench.openSextantView();
    await workbench.expand('Search Results');
    const line = workbench.treeItem(/line \d+: export async function withRetries/);
    await line.waitFor();
    writeFiles(root, { 'src/again.ts': 'export const again = withRetries;\n' });
    const added = workbench.treeItem(/line 1: export const again = withRetries/);
    await workbench.treeItem(/^harbour 16 files indexed/).waitFor();
    assert.equal(await added.count(), 0);
    await workbench.run('Sextant: Search Again');
    await added.waitFor();
    await added.hover();
    await added.getByRole('button', { name: 'Remove' }).click();
    await added.waitFor({ state: 'detached' });
    await line.waitFor();
    rmSync(join(root, 'src/again.ts'));
    await workbench.run('Sextant: Clear Results');
    await page.getByText('Search, then move the results here').waitFor();
  });
});
