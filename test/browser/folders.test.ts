import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { ROOT, Workbench } from './support.ts';

describe('a workspace of several folders', () => {
  const folder = temporaryFolder();
  let workspace: string;
  let workbench: Workbench;

  /** Writes the workspace file as the editor does, again until the editor notices and shows this row. */
  async function setFolders(
    row: RegExp,
    ...folders: ({ readonly path: string; readonly name?: string } | { readonly uri: string; readonly name: string })[]
  ): Promise<void> {
    await until(`the row ${row}`, async () => {
      writeFileSync(workspace, JSON.stringify({ folders }));
      await workbench.page.waitForTimeout(2_000);
      return (await workbench.page.getByRole('treeitem', { name: row }).count()) > 0;
    });
  }

  /** Searches until nothing is found: removing the first folder restarts the extensions, which closes an open list. */
  async function findsNothing(query: string): Promise<void> {
    await until(`nothing is found for ${query}`, async () => {
      await workbench.page.keyboard.press('Escape');
      await workbench.search(query);
      await workbench.page.waitForTimeout(2_000);
      return workbench.pick.getByText(`No results for “${query}”`).isVisible();
    });
  }

  before(async () => {
    const root = folder();
    writeFiles(root, {
      'ferry/pier.ts': 'export function moorAtPier() {}\n',
      'tram/stop.ts': 'export function waitAtStop() {}\n',
    });
    workspace = join(root, 'city.code-workspace');
    writeFileSync(workspace, JSON.stringify({ folders: [{ path: 'ferry' }] }));
    workbench = await Workbench.open({
      workspace,
      extensions: [ROOT, join(ROOT, 'test/browser/memoryFiles')],
      size: { height: 1200 },
      settings: { 'files.autoSave': 'off' },
    });
    await workbench.openSextantView();
    await workbench.treeItem(/^ferry 1 file indexed/).waitFor();
  });
  after(() => workbench.close());
  afterEach(async () => {
    await workbench.page.keyboard.press('Escape');
    await workbench.page.keyboard.press('Escape');
  });

  it('indexes a folder that is added, and finds in both', async () => {
    await setFolders(/^tram 1 file indexed/, { path: 'ferry' }, { path: 'tram' });
    await workbench.search('at stop pier');
    for (const place of ['tram/stop.ts:1', 'ferry/pier.ts:1'])
      await workbench.pick.getByText(place, { exact: true }).waitFor();
    // One short line for all folders.
    await workbench.pick.getByText('Search Workspace (2 files indexed)', { exact: true }).waitFor();
    await workbench.shoot('folders-two');
  });

  it('copies diagnostics with the settings in which a folder differs from the workspace', async () => {
    writeFiles(dirname(workspace), { 'tram/.vscode/settings.json': '{ "sextant.index.maxFileBytes": 2048 }' });
    const lines = workbench.page.locator('.view-lines');
    let text = '';
    await until('the folder has its setting', async () => {
      await workbench.run('View: Close All Editors');
      await workbench.run('Sextant: Copy Diagnostics');
      await lines.getByText('Sextant diagnostics').waitFor();
      await workbench.page.keyboard.press('Control+F');
      await workbench.page.keyboard.insertText('Folder <folder 2>');
      await workbench.page.keyboard.press('Escape');
      text = (await lines.innerText()).replaceAll('\u00a0', ' ');
      return /Folder <folder 2>\s+sextant\.index\.maxFileBytes +2048, changed\s+state/.test(text);
    });
    assert.match(text, /Folder <folder 1>\s+state/);
    await workbench.run('View: Close All Editors');
    rmSync(join(dirname(workspace), 'tram/.vscode'), { recursive: true });
    await workbench.treeItem(/^tram 1 file indexed/).waitFor();
  });

  it('names the folder of each file in the search view, whose title and status stay one line', async () => {
    await workbench.run('Sextant Search: Find Code');
    const view = await workbench.view();
    await view.getByRole('textbox', { name: 'Search code' }).fill('at stop pier');
    for (const [file, folder] of [
      ['stop.ts', 'tram'],
      ['pier.ts', 'ferry'],
    ] as const) {
      const row = view.getByRole('treeitem', { level: 1, name: `${file} ${folder} 1`, exact: true });
      await row.waitFor();
      assert.equal(await row.locator('.folder').innerText(), folder);
    }
    await view.getByRole('button', { name: '2 files indexed', exact: true }).waitFor();
    await workbench.page.getByRole('button', { name: 'Search Section', exact: true }).waitFor();
    await workbench.shoot('folders-view');
    await workbench.openSextantView();
  });

  it('names a folder as its workspace file does', async () => {
    const named = { path: 'tram', name: 'Old Town' };
    await setFolders(/^Old Town 1 file indexed/, { path: 'ferry' }, named);
    await workbench.search('waitAtStop');
    await workbench.pick.getByText('Old Town/stop.ts:1', { exact: true }).waitFor();
    await workbench.run('Sextant Search: Find Code');
    const view = await workbench.view();
    await view.getByRole('textbox', { name: 'Search code' }).fill('waitAtStop');
    await view.getByRole('treeitem', { level: 1, name: 'stop.ts Old Town 1', exact: true }).waitFor();
    await workbench.openSextantView();
  });

  it('searches in one of the folders from its menu in the explorer', async () => {
    const { page } = workbench;
    await page
      .locator('.activitybar')
      .getByRole('tab', { name: /^Explorer/ })
      .click();
    await workbench.openMenu(workbench.treeItem(/^Old Town/));
    await workbench.choose('Search in Folder with Sextant');
    const view = await workbench.view();
    const box = view.getByRole('textbox', { name: 'Search code' });
    await until('it searches there', async () => (await box.inputValue()) === 'path:"/Old Town/" ');
    await page.keyboard.type('stop pier');
    await view.getByRole('treeitem', { level: 1, name: 'stop.ts Old Town 1', exact: true }).waitFor();
    await view.getByText('1 file', { exact: true }).first().waitFor();
    assert.equal(await box.inputValue(), 'path:"/Old Town/" stop pier');
    await workbench.openSextantView();
  });

  it('finds what is saved, and not yet saved, in a folder that was removed and is added again', async () => {
    const { page } = workbench;
    await setFolders(/^tram 1 file indexed/, { path: 'ferry' }, { path: 'tram' });
    const finds = async (query: string): Promise<void> => {
      await workbench.search(query);
      const row = workbench.pick.getByRole('option', { name: new RegExp(`tram/stop\\.ts:1, .*${query}`) });
      await row.waitFor();
      await page.keyboard.press('Escape');
    };
    await workbench.search('waitAtStop');
    await workbench.firstRow('waitAtStop');
    await workbench.enter();
    await workbench.pick.waitFor({ state: 'hidden' });
    await workbench.tab('stop.ts').click();
    // At once: the opened result still moves the cursor.
    await page.keyboard.insertText('/* trolleybus */ ');
    await finds('trolleybus');
    const removed = async (): Promise<void> => {
      await setFolders(/^ferry 1 file indexed/, { path: 'ferry' });
      await workbench.treeItem(/^tram/).waitFor({ state: 'detached' });
      await workbench.tab('stop.ts').click();
    };
    await removed();
    await page.keyboard.insertText('/* funicular */ ');
    await workbench.run('File: Save');
    await setFolders(/^tram 1 file indexed/, { path: 'ferry' }, { path: 'tram' });
    await finds('funicular');
    await removed();
    await page.keyboard.insertText('/* monorail */ ');
    await setFolders(/^tram 1 file indexed/, { path: 'ferry' }, { path: 'tram' });
    await finds('monorail');
    await workbench.tab('stop.ts').click();
    await workbench.run('File: Save');
    await workbench.run('View: Close All Editors');
  });

  it('reports that a folder outside any disk is not indexed, and what to do', async () => {
    const virtual = { uri: 'memory:/orbit', name: 'orbit' };
    await setFolders(/^orbit The folder is not on a local disk/, { path: 'ferry' }, { path: 'tram' }, virtual);
    await workbench.treeItem(/^The files are not on a local disk \(memory\)/).waitFor();
    await workbench.shoot('folders-virtual');
  });

  it('forgets a removed folder, even the first', async () => {
    await setFolders(/^tram 1 file indexed/, { path: 'tram' });
    await workbench.treeItem(/^ferry/).waitFor({ state: 'detached' });
    await findsNothing('moorAtPier');
    assert.equal(await workbench.page.getByRole('treeitem', { name: /^tram 1 file indexed/ }).count(), 1);
  });

  it('explains what to do when no open folder is on a disk', async () => {
    await setFolders(/^orbit The folder is not on a local disk/, { uri: 'memory:/orbit', name: 'orbit' });
    await workbench.treeItem(/^tram/).waitFor({ state: 'detached' });
    await workbench.treeItem(/^The files are not on a local disk \(memory\)/).waitFor();
    // No command is listed that needs an index.
    await workbench.page.keyboard.press('F1');
    await workbench.query.fill('>Sextant:');
    await workbench.settled();
    const rows = await workbench.rows();
    assert.deepEqual(
      rows.filter((row) => /Search Workspace|Search Symbol|Ask|Index\b(?! Status| View)/.test(row)),
      [],
    );
    await workbench.shoot('folders-only-virtual');
  });
});
