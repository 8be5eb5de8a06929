import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { ROOT, Workbench, copySample } from './support.ts';

describe('Search Workspace', () => {
  const folder = temporaryFolder();
  let root: string;
  let workbench: Workbench;

  before(async () => {
    root = copySample(join(folder(), 'harbour'));
    writeFiles(root, {
      'src/<img src=x onerror=document.title=1>.ts': 'export function hostileName() {}\n',
      'src/markup.ts': '// $(alert) **bold** [link](command:workbench.action.quit) <b>hostileText</b>\n',
    });
    workbench = await Workbench.open({ folder: root });
    await workbench.treeItem(/^README.md/).waitFor();
  });
  after(() => workbench.close());
  afterEach(async () => {
    await workbench.page.keyboard.press('Escape');
    await workbench.page.keyboard.press('Escape');
  });

  it('shows ranked results while the query is typed', async () => {
    await workbench.search('nextRetryDelay');
    await workbench.pick.getByText('nextRetryDelay', { exact: true }).first().waitFor();
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

  it('opens the result on Enter, with the match selected', async () => {
    await workbench.search('verifyPassword');
    await workbench.pick.getByText('verifyPassword', { exact: true }).first().waitFor();
    // The first letters match, too, and would be selected.
    await workbench.settled();
    await workbench.page.keyboard.press('Enter');
    await workbench.tab('passwordHash.ts').waitFor();
    await workbench.pick.waitFor({ state: 'hidden' });
    await workbench.page.getByText('Ln 13, Col 37 (14 selected)').waitFor();
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
    // Enter opens the first result, not the line above it.
    await workbench.page.keyboard.press('Enter');
    await workbench.tab('retryPolicy.ts').waitFor();
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
    await workbench.pick.getByText(/^Search Workspace \(17 files indexed\)/).waitFor();
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
});

describe('without a folder', () => {
  let workbench: Workbench;
  before(async () => (workbench = await Workbench.open({})));
  after(() => workbench.close());

  it('explains what to do', async () => {
    await workbench.search('anything');
    // The message, not the title, which is in lower case.
    await workbench.pick.getByText('No folder is open', { exact: true }).waitFor();
    await workbench.page.keyboard.press('Escape');
    await workbench.openSextantView();
    await workbench.page.getByText('Open a folder to search its code').waitFor();
    await workbench.page.getByRole('button', { name: 'Open Folder' }).waitFor();
    await workbench.shoot('no-folder');
  });
});
