import assert from 'node:assert/strict';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Workbench, copySample } from './support.ts';

/** Height for the status rows and the three views below, since the editor renders visible rows only. */
const TALL = 1800;

describe('the status of a folder', () => {
  const folder = temporaryFolder();
  let root: string;
  let workbench: Workbench;

  before(async () => {
    root = copySample(join(folder(), 'harbour'));
    writeFiles(root, { 'dist/main.js': 'x', 'notes.log': 'x', 'web/big.txt': 'x'.repeat(1_048_577) });
    workbench = await Workbench.open({ folder: root, size: { height: TALL } });
    await workbench.openSextantView();
    await workbench.treeItem(/^harbour 15 files indexed/).waitFor();
  });
  after(() => workbench.close());
  afterEach(async () => {
    await workbench.page.keyboard.press('Escape');
    await workbench.page.keyboard.press('Escape');
  });

  it("shows a folder's files and languages", async () => {
    await workbench.treeItem(/^Files 15 · 13 kB of text/).waitFor();
    await workbench.treeItem(/^Left out 6/).waitFor();
    await workbench.treeItem(/^Index on disk \d+ kB/).waitFor();
    await workbench.treeItem(/^Last change \d/).waitFor();
    await workbench.unfold(/^Languages 8 · typescript, go,/);
    await workbench.treeItem(/^typescript 7 files · 8 kB · 63 %/).waitFor();
    await workbench.treeItem(/^python 1 file · /).waitFor();
    await workbench.unfold(/^Ignored by .gitignore 2/);
    await workbench.treeItem(/^notes\.log/).waitFor();
    await workbench.shoot('status-full');
  });

  it('opens a search within a language', async () => {
    await workbench.treeItem(/^python 1 file/).click();
    await workbench.pick.getByText('import_prices.py').first().waitFor();
    assert.equal(await workbench.pick.locator('input.input').inputValue(), 'lang:python ');
  });

  it('works with the keyboard alone', async () => {
    const { page } = workbench;
    await workbench.run('Sextant: Show Index Status');
    await page.locator('.tree-explorer-viewlet-tree-view .monaco-list:focus').waitFor();
    // The rows are below the folder. The tree may be drawn again between two keys, on a busy machine.
    for (const [i, name] of [/^Files/, /^Languages/].entries())
      await until(`${name.source} has the focus`, async () => {
        await page.keyboard.press('Home');
        for (let down = 0; down <= i; down++) await page.keyboard.press('ArrowDown');
        return (await page.getByRole('treeitem', { name }).and(page.locator('.focused')).count()) > 0;
      });
  });

  it('opens a skipped file, copies its path, and lists all files of a reason in an editor', async () => {
    await workbench.treeItem(/^notes\.log/).click();
    await workbench.tab('notes.log').waitFor();
    await workbench.treeItem(/^Too large 1/).hover();
    await workbench
      .treeItem(/^Too large 1/)
      .getByRole('button', { name: 'Open List in Editor' })
      .click();
    await workbench.page
      .locator('.view-lines')
      .getByText(/web\/big\.txt.*1048577.bytes/)
      .waitFor();
    await workbench.shoot('status-list');
    // A folder is revealed in the explorer.
    await workbench.treeItem(/^dist/).click();
    await workbench.page.locator('.explorer-folders-view').getByRole('treeitem', { name: /^dist/ }).waitFor();
    await workbench.openSextantView();
  });

  it('explains a skipped file from its row', async () => {
    const row = workbench.treeItem(/^notes\.log/);
    await row.hover();
    await row.getByRole('button', { name: 'Why Is This File (Not) Found?' }).click();
    await workbench.pick.getByText('notes.log is not indexed: it is ignored.').waitFor();
  });

  it('reports a deleted folder, and what to do', async () => {
    renameSync(root, `${root}-moved`);
    await workbench.run('Sextant: Update Index');
    await workbench.treeItem(/^harbour The folder is missing/).waitFor();
    await workbench.treeItem(/^The folder is missing$/).waitFor();
    await workbench.treeItem(/^If it was moved, open its new location\./).waitFor();
    await workbench.treeItem(/^Update Index/).waitFor();
    const said = `${root}: The folder is missing. If it was moved, open its new location.`;
    await workbench.page.getByText(said).first().waitFor();
    await workbench.run('Notifications: Clear All Notifications');
    // The index stays, for the folder may come back.
    await workbench.run('Sextant: Rebuild Index');
    await workbench.page.getByText(said).first().waitFor();
    await workbench.run('Notifications: Clear All Notifications');
    await workbench.treeItem(/^Files 15 · /).waitFor();
    await workbench.search('retry a failed payment');
    await workbench.pick.getByText('harbour: The folder is missing. Run “Show Index Status”').waitFor();
    assert.equal(await workbench.pick.getByText(/up to date in a moment/).count(), 0);
    await workbench.page.keyboard.press('Escape');
    await workbench.page.keyboard.press('Escape');
    await workbench.shoot('status-failing');
    renameSync(`${root}-moved`, root);
    await workbench.clickRow(/^Update Index/, workbench.treeItem(/^harbour 15 files indexed/));
    await workbench.treeItem(/^The folder is missing/).waitFor({ state: 'detached' });
  });

  describe('Why Is This File (Not) Found?', () => {
    before(async () => {
      // Before the explorer reads the folder: it may not follow one that was missing for a while.
      writeFiles(root, { 'worker/.gitignore': '# made\nqueue.go\n', 'node_modules/pad/index.js': 'x' });
      await workbench.run('View: Show Explorer');
      await workbench.treeItem(/^README.md/).waitFor();
    });

    it("names the rule from a file's menu in the explorer, and opens it", async () => {
      const { page } = workbench;
      await workbench.unfold(/^worker/);
      await workbench.openMenu(workbench.treeItem(/^queue\.go/));
      await workbench.choose('Why Is This File (Not) Found?');
      await workbench.pick.getByText('worker/queue.go is not indexed: it is ignored.').waitFor();
      await workbench.pick.getByText('The rule is worker/.gitignore:2: queue.go').waitFor();
      await workbench.shoot('why-ignored');
      await workbench.pick.getByText('Open Rule').click();
      await workbench.tab('.gitignore').waitFor();
      await page.getByText('Ln 2, Col 9 (8 selected)').waitFor();
    });

    it('names the setting of an exclude pattern', async () => {
      await workbench.unfold(/^node_modules/);
      await workbench
        .treeItem(/^pad|^index\.js/)
        .first()
        .waitFor();
      if ((await workbench.treeItem(/^index\.js/).count()) === 0) await workbench.treeItem(/^pad/).click();
      await workbench.openMenu(workbench.treeItem(/^index\.js/));
      await workbench.choose('Why Is This File (Not) Found?');
      await workbench.pick.getByText('sextant.index.exclude has the pattern **/node_modules').waitFor();
      for (const setting of ['sextant.index.exclude', 'search.exclude'])
        await workbench.pick.getByText(setting, { exact: true }).waitFor();
      await workbench.shoot('why-excluded');
      await workbench.pick.getByText('sextant.index.exclude', { exact: true }).click();
      await workbench.tab('Settings').waitFor();
    });

    it('shows the rank for a query while it is typed, and opens the first result', async () => {
      await workbench.treeItem(/^README\.md/).dblclick();
      await workbench.tab('README.md').waitFor();
      await workbench.run('Sextant: Why Is This File (Not) Found?');
      await workbench.pick.getByText('README.md is indexed: markdown').waitFor();
      await workbench.type('retry a failed payment');
      await workbench.pick.getByText(/^(?:Result \d+|Not a result) for “retry a failed payment”/).waitFor();
      await workbench.page.locator('.quick-input-widget input.input').fill('harbour books');
      await workbench.pick.getByText(/^Result \d+ for “harbour books”/).waitFor();
      await workbench.shoot('why-rank');
      await workbench.page.locator('.quick-input-widget input.input').fill('zzyzx lang:go');
      await workbench.pick.getByText('It does not match the filter lang:go').waitFor();
      await workbench.pick.getByText('It has none of these words, and no name like them: zzyzx').waitFor();
      await workbench.shoot('why-unmatched');
    });

    it('compares a search result with the first', async () => {
      const { page } = workbench;
      await workbench.search('order');
      await workbench.pick.locator('.monaco-list-row').nth(2).waitFor();
      await workbench.settled();
      await workbench.pick.locator('.monaco-list-row').nth(2).hover();
      await workbench.pick.locator('.monaco-list-row').nth(2).getByRole('button', { name: 'Why Is It Here?' }).click();
      await workbench.pick.getByText('Result 3 for “order”').waitFor();
      await workbench.pick.getByText(/^3rd: [^\d]+$/).waitFor();
      assert.equal(await workbench.pick.getByText('this file : first result').count(), 0);
      await workbench.shoot('why-sentences');
      await workbench.pick.getByText('Details', { exact: true }).click();
      await workbench.pick.getByText('this file : first result').waitFor();
      await workbench.shoot('why-compared');
      await workbench.pick.getByText(/^First result: /).click();
      await workbench.tab('orderService.ts').waitFor();
      await page.getByText(/^Ln 12, /).waitFor();
    });

    it('explains what to do when no file is open', async () => {
      await workbench.run('View: Close All Editors');
      await workbench.run('Sextant: Why Is This File (Not) Found?');
      await workbench.page.getByText('Open a file first').first().waitFor();
      await workbench.run('Notifications: Clear All Notifications');
    });

    it('copies diagnostics and shows them', async () => {
      await workbench.run('Sextant: Copy Diagnostics');
      await workbench.page.getByText('nothing was sent').first().waitFor();
      const lines = workbench.page.locator('.view-lines');
      await lines.getByText('Versions').waitFor();
      // A test before deleted the folder.
      await lines.getByText('failed: The folder is missing.').waitFor();
      await workbench.shoot('diagnostics');
    });
  });

  describe('of a folder whose files all change', () => {
    // Shows the status again, which other tests have left.
    before(() => workbench.openSextantView());

    it('shows that a folder is empty', async () => {
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
      await workbench.run('Sextant: Update Index');
      await workbench.treeItem(/^harbour 0 files indexed/).waitFor();
      await workbench.treeItem(/^Left out nothing/).waitFor();
      await workbench.shoot('status-empty');
    });

    it('shows progress, speed, the remaining time, and that searches are partial', async () => {
      // The files come while the index is paused, so that it starts with all of them.
      await workbench.run('Sextant: Pause Indexing');
      const files: Record<string, string> = {};
      const text = Array.from({ length: 60 }, (_, i) => `export const lantern${i} = harbour(${i});\n`).join('');
      for (let i = 0; i < 24_000; i++) files[`src/part${i % 100}/file${i}.ts`] = `// ${i}\n${text}`;
      writeFiles(root, files);
      await workbench.run('Sextant: Resume Indexing');
      await workbench.search('lantern7');
      await workbench.pick.getByText(/^Search Workspace \(.* – results are partial\)/).waitFor();
      await workbench.pick
        .getByText(/^file\d+\.ts$|^lantern7$/)
        .first()
        .waitFor();
      await workbench.page.keyboard.press('Escape');
      await workbench.openSextantView();
      await workbench.treeItem(/^Progress \d+ %, [\d,]+ of 24,000 files/).waitFor();
      await workbench.treeItem(/^Speed [\d,]+ files a second/).waitFor();
      await workbench.treeItem(/^Time left about \d+ /).waitFor();
      await workbench.shoot('status-loading');
      await workbench.treeItem(/^harbour 24,000 files indexed/).waitFor();
      await workbench.treeItem(/^Time left/).waitFor({ state: 'detached' });
      await workbench.run('Sextant: Rebuild Index');
      const dialog = workbench.page.locator('.monaco-dialog-box');
      await dialog.getByText('Delete the index of 24,000 files and build it again?').waitFor();
      await workbench.shoot('status-rebuild');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await workbench.treeItem(/^harbour 24,000 files indexed/).waitFor();
    });
  });
});
