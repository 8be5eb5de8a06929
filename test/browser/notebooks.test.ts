import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { Workbench, copySample } from './support.ts';

const CELLS = [
  { cell_type: 'markdown', metadata: {}, source: ['# Lantern stock\n', '\n', 'How many lanterns the harbour has.'] },
  {
    cell_type: 'code',
    execution_count: 1,
    metadata: {},
    outputs: [{ output_type: 'stream', name: 'stdout', text: ['beacon printed\n'] }],
    source: ['def count_lanterns(shelves):\n', '    return sum(shelf.lanterns for shelf in shelves)'],
  },
];

describe('notebooks', () => {
  const folder = temporaryFolder();
  let workbench: Workbench;

  before(async () => {
    const root = copySample(join(folder(), 'harbour'));
    const notebook = { cells: CELLS, metadata: {}, nbformat: 4, nbformat_minor: 5 };
    writeFiles(root, { 'analysis/stock.ipynb': JSON.stringify(notebook, undefined, 1) });
    workbench = await Workbench.open({ folder: root });
  });
  after(() => workbench.close());
  afterEach(() => workbench.run('View: Close All Editors'));

  it('are searched by their cells, previewed and opened at the cell, and leave the editor as it was', async () => {
    const { page } = workbench;
    const cell = page.locator('.notebook-editor .cell-editor-container .view-lines').first();
    await workbench.openSextantView();
    await workbench.treeItem(/^harbour 16 files indexed/).waitFor();
    await workbench.search('count_lanterns price');
    await workbench.firstRow('stock.ipynb');
    await workbench.settled();
    for (const key of ['ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    await cell.getByText('count_lanterns').first().waitFor();
    await page.locator('.notebook-editor .cdr').first().waitFor({ state: 'attached' });
    await workbench.shoot('notebook-preview');
    await page.keyboard.press('Escape');
    await until('the preview is closed', async () => !(await workbench.tabs()).includes('stock.ipynb'));

    await workbench.search('how many lanterns are there');
    await workbench.pick.getByText('# How many lanterns the harbour has.').waitFor();
    await workbench.settled();
    await workbench.enter();
    await page.getByText('Cell 1 of 2').waitFor();

    await workbench.search('count_lanterns');
    await workbench.firstRow('count_lanterns');
    await workbench.settled();
    await workbench.enter();
    await page.getByText('Cell 2 of 2').waitFor();
    await page.locator('.notebook-editor .native-edit-context:focus').waitFor({ state: 'attached' });
    const leftOf = async (element: Locator): Promise<number> => (await element.boundingBox())?.x ?? 0;
    const cursor = page.locator('.notebook-editor .cursors-layer .cursor:visible').first();
    await until('the cursor is at the name', async () => (await leftOf(cursor)) > (await leftOf(cell)) + 20);
    await workbench.shoot('notebook-opened');

    await workbench.run('Sextant: Why Is This File (Not) Found?');
    await workbench.pick
      .getByText(/^analysis\/stock\.ipynb is /)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');

    // What a cell printed is not found.
    await workbench.search('"beacon printed" -lang:md');
    await workbench.settled();
    assert.equal((await workbench.rows()).filter((row) => row.includes('stock.ipynb')).length, 0);
  });
});
