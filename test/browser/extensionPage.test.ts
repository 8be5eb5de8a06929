import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { packageVsix } from '../../scripts/lib/package.mjs';
import { until } from '../support/until.ts';
import { ROOT, Workbench } from './support.ts';

const VSIX = join(ROOT, 'out/sextant-code.vsix');
const { homepage } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { homepage: string };
const REPOSITORY = homepage.replace(/#.*/, '');

/** The repository file that an absolute address names. */
function fileOf(address: string): string | undefined {
  const path = new RegExp(`^${REPOSITORY}/(?:raw|blob)/HEAD/([^#?]+)`).exec(address)?.[1];
  return path === undefined ? undefined : join(ROOT, decodeURIComponent(path));
}

/**
 * The editor allows only https pictures on this page: its sanitizer removes relative, file and data addresses, and its policy
 * refuses http. Without a network the page shows alternative texts, so here a stand-in for the repository's address serves the
 * repository's files.
 */
describe('the installed extension and its page', () => {
  let workbench: Workbench;
  let page: Frame;

  before(async () => {
    if (!existsSync(VSIX)) packageVsix();
    workbench = await Workbench.open({ extensions: [], vsix: VSIX, size: { width: 1400, height: 1000 } });
    await workbench.page.context().route(`${REPOSITORY}/**`, (route) => {
      const file = fileOf(route.request().url());
      return file !== undefined && existsSync(file) ? route.fulfill({ path: file }) : route.fulfill({ status: 404 });
    });
    await workbench.run('Extensions: Show Installed Extensions');
    await workbench.page
      .getByRole('listitem', { name: /^Sextant – Code Search/ })
      .first()
      .click();
    page = await frameWith(workbench.page, (frame) => frame.locator('h1', { hasText: 'Sextant' }));
  });
  after(() => workbench.close());

  it('shows every picture', async () => {
    const pictures = page.locator('img');
    const written = readFileSync(join(ROOT, 'README.md'), 'utf8').match(/!\[/g);
    assert.equal(await pictures.count(), written?.length);
    for (const picture of await pictures.all()) {
      await picture.scrollIntoViewIfNeeded();
      const address = (await picture.getAttribute('src')) ?? '';
      await until(address, () => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0));
      assert.notEqual(
        (await picture.getAttribute('alt')) ?? '',
        '',
        `${address} has a text for where it cannot be loaded`,
      );
    }
    await workbench.shoot('extension-page');
  });

  it('has a target for every link', async () => {
    // The editor adds the link that scrolls to the top.
    const links = await page.locator('a:not(#scroll-to-top)').all();
    assert.ok(links.length > 10);
    for (const link of links) {
      const address = (await link.getAttribute('href')) ?? '';
      if (address.startsWith('#')) {
        assert.equal(await page.locator(`[id="${address.slice(1)}"]`).count(), 1, address);
        continue;
      }
      assert.match(address, /^https:\/\//, await link.innerText());
      if (address.startsWith(REPOSITORY)) assert.ok(existsSync(fileOf(address) ?? ''), address);
    }
  });

  it('explains what to do without a folder', async () => {
    await workbench.run('Sextant Search: Find Code');
    // The README is in a frame, too.
    const view = await frameWith(workbench.page, (frame) => frame.getByRole('button', { name: 'Open Folder' }));
    await view.getByRole('textbox', { name: 'Search code' }).fill('refund');
    await view.getByRole('button', { name: 'Clear' }).waitFor();
    assert.equal(await view.getByRole('button', { name: 'Open Folder' }).count(), 1);
    await workbench.openSextantView();
    await workbench.expand('Index');
    await workbench.page.getByText('Open a folder to search its code').waitFor();
    await workbench.page.getByRole('button', { name: 'Open Folder' }).waitFor();
    // Nothing else is offered.
    for (const name of ['Search Workspace', 'Update Index', 'Search Symbol', 'Ask About Workspace'])
      assert.equal(await workbench.page.locator('.sidebar').getByRole('button', { name }).count(), 0, name);
    await workbench.shoot('no-folder');
  });
});

/** The frame within the window that has an element. */
function frameWith(page: Page, element: (frame: Frame) => Locator): Promise<Frame> {
  return until('a frame has the element', async () => {
    for (const frame of page.frames()) {
      if (frame === page.mainFrame()) continue;
      // The editor may replace the frame of a view meanwhile.
      try {
        if ((await element(frame).count()) > 0) return frame;
      } catch (error) {
        if (!frame.isDetached()) throw error;
      }
    }
    return undefined;
  });
}
