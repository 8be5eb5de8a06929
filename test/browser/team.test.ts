import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { pushFolder } from '../../src/context/push.ts';
import { SextantServer } from '../../src/server/server.ts';
import { WireClient } from '../../src/wire/wireClient.ts';
import type { Locator } from 'playwright-core';
import { until } from '../support/until.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { assertAccessible } from './accessible.ts';
import { THEMES, WIDTHS, Workbench, copySample, shotName, themesAt } from './support.ts';

const REMOTE = '// $(alert) **bold** <b>text</b>\nexport function lighthouseTariff(): number {\n  return 7;\n}\n';

/** Whether an end of its text is not shown. */
const isCut = (element: { scrollWidth: number; clientWidth: number }): boolean =>
  element.scrollWidth > element.clientWidth;

describe('Search Team Code', () => {
  const folder = temporaryFolder();
  let server: SextantServer;
  let workbench: Workbench;

  before(async () => {
    const root = copySample(join(folder(), 'harbour'));
    const other = folder();
    writeFiles(other, { 'src/tariff.ts': REMOTE });
    server = await SextantServer.start({ state: folder() });
    const client = new WireClient({ url: server.url, token: server.token, userAgent: 'test' });
    const push = (name: string, root: string): Promise<unknown> =>
      pushFolder(
        { root, stateFolder: root, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES },
        { name, ref: 'main', url: 'https://git.example.com/blob/{ref}/{path}#L{line}' },
        client,
        () => undefined,
        new AbortController().signal,
      );
    await push('acme/harbour', root);
    await push('acme/tools', other);
    await client.close();
    workbench = await Workbench.open({ folder: root });
    await workbench.treeItem(/^README.md/).waitFor();
  });
  after(async () => {
    await workbench.close();
    await server.close();
  });

  function keptUrl(): unknown {
    const settings = join(workbench.dataFolder, 'data/data/User/settings.json');
    return (JSON.parse(readFileSync(settings, 'utf8')) as Record<string, unknown>)['sextant.team.url'];
  }

  async function open(): Promise<void> {
    await workbench.run('Sextant: Search Team Code');
    await workbench.pick.getByText('Search Team Code', { exact: true }).waitFor();
  }

  it('asks for URL and token once, and keeps them only if the service accepts the token', async () => {
    const { page, pick, query } = workbench;
    await workbench.run('Sextant: Search Team Code');
    await pick.getByText('URL of the service that your').waitFor();
    await query.fill('http://search.example.com');
    await pick.getByText('Type an https URL').waitFor();
    await query.fill(server.url);
    await workbench.enter();
    const token = pick.getByText(`Token for ${server.url}`);
    await token.waitFor();
    await page.keyboard.press('Escape');
    /** Goes on to the token with the proposed URL. */
    const askAgain = async (): Promise<void> => {
      await workbench.run('Sextant: Search Team Code');
      await pick.getByText('URL of the service that your').waitFor();
      assert.equal(await query.inputValue(), server.url);
      await workbench.enter();
      await token.waitFor();
    };
    await askAgain();
    await query.fill('wrong');
    await workbench.enter();
    await page.getByText('refuses the token: it is wrong or was revoked. Connect with another.').first().waitFor();
    assert.equal(keptUrl(), undefined);
    await askAgain();
    await query.fill((await server.createToken('first', ['context:use', 'repositories:read'])).token);
    await workbench.enter();
    await pick.getByText('Search Team Code', { exact: true }).waitFor();
    assert.equal(keptUrl(), server.url);
    await page.keyboard.press('Escape');
  });

  it('opens the local file where it is the same', async () => {
    await open();
    await workbench.type('nextRetryDelay');
    await workbench.pick.getByText('acme/harbour · src/orders/retryPolicy.ts:6').first().waitFor();
    await workbench.shoot('team-results');
    await workbench.enter();
    await workbench.tab('retryPolicy.ts').waitFor();
    await workbench.pick.waitFor({ state: 'hidden' });
    await workbench.page.locator('.breadcrumbs-control').getByText('orders').waitFor();
    await until('the cursor is on the name', async () => (await workbench.cursor()).startsWith('Ln 6,'));
    // The preview showed the same before; keys go to the editor once it has the focus.
    await workbench.page.locator('.monaco-editor.focused').first().waitFor();
  });

  it('opens a read-only document of the service where it is not, with its text as it is', async () => {
    await open();
    await workbench.type('lighthouseTariff repo:acme/t*');
    await workbench.firstRow('lighthouseTariff');
    const [row] = await workbench.rows();
    assert.match(row ?? '', /^lighthouseTariff, acme\/tools · src\/tariff\.ts:2, export function lighthouseTariff/);
    await workbench.enter();
    await workbench.tab('tariff.ts').waitFor();
    await workbench.page.getByText('// $(alert) **bold** <b>text</b>').waitFor();
    // The tab's hover names the repository.
    await workbench.tab('tariff.ts').hover();
    await workbench.page.locator('.workbench-hover').getByText('/acme/tools/src/tariff.ts', { exact: true }).waitFor();
    await workbench.page.keyboard.type('x');
    await workbench.page.getByText('Cannot edit in read-only editor').first().waitFor();
    await workbench.shoot('team-document');
  });

  it('is a scope of the search view, with the same service and token', async () => {
    const { page } = workbench;
    await workbench.run('Sextant Search: Find Code');
    const view = await workbench.view();
    const box = view.getByRole('textbox', { name: 'Search code' });
    const row = (name: RegExp): Locator => view.getByRole('treeitem', { name }).first();
    const searchIn = async (from: string, to: string): Promise<void> => {
      await view.getByRole('button', { name: from }).click();
      await view
        .getByRole('menuitemcheckbox', { name: to })
        .or(view.getByRole('menuitemradio', { name: to }))
        .click();
    };
    await box.fill('lighthouseTariff');
    await view.getByText('No results').first().waitFor();
    await searchIn('This Workspace', 'Team Code');
    await row(/^tariff\.ts acme\/tools · src/).waitFor();
    assert.equal(await view.getByRole('button', { name: 'Folder' }).count(), 0);
    assert.equal(await view.locator('footer').count(), 0, 'the index is that of the workspace');
    await row(/^lighthouseTariff export function/).hover();
    assert.equal(await view.getByLabel('Why Is It Here?').count(), 0);
    const problems: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      for (const theme of themesAt(width)) {
        await workbench.showTheme(theme, view);
        const shot = shotName('team-scope', theme, width);
        await workbench.shoot(shot);
        await assertAccessible(view, shot, theme).catch((error: unknown) => problems.push(String(error)));
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(problems.length, 0, problems.join('\n'));

    await box.focus();
    await page.keyboard.press('Enter');
    // Its tab and the cursor are there since the test before. The editor takes the focus, and would take the text.
    await page.locator('.monaco-editor.focused').first().waitFor();
    await workbench.tab('tariff.ts').waitFor();
    await until('the cursor is on the name', async () => (await workbench.cursor()).startsWith('Ln 2,'));
    await box.fill('nextRetryDelay');
    await row(/^retryPolicy\.ts acme\/harbour · src\/orders/).waitFor();
    await box.focus();
    await page.keyboard.press('Enter');
    await workbench.tab('retryPolicy.ts').waitFor();
    // The opened editor takes the focus, and would take the text.
    await until('the cursor is on the name', async () => (await workbench.cursor()).startsWith('Ln 6,'));
    await page.locator('.monaco-editor.focused').first().waitFor();
    await box.fill('tariff repo:nothing');
    await view.getByText('No repository that you may read matches repo:nothing.').waitFor();
    await box.fill('nextRetryDelay');
    await searchIn('Search in: Team Code', 'This Workspace');
    await row(/^retryPolicy\.ts src\/orders/).waitFor();
    await view.locator('footer').waitFor();
  });

  it('is a scope of questions, whose citations open as results do', async () => {
    const { page } = workbench;
    // The search view there is a page, too.
    await workbench.run('View: Close Primary Side Bar');
    await page.locator('iframe.webview').waitFor({ state: 'detached' });
    await workbench.run('Sextant: Ask About Workspace');
    const view = await workbench.view();
    const chip = view.getByRole('button', { name: 'Team Code' });
    const ask = async (question: string): Promise<void> => {
      await view.getByRole('textbox').fill(question);
      await view.getByRole('textbox').press('Enter');
      await view.getByRole('heading', { name: question, exact: true }).waitFor();
      await view.locator('article').last().getByRole('button', { name: 'Copy as Markdown' }).waitFor();
    };
    await ask('lighthouse tariff');
    assert.equal(await view.getByText('acme/tools/').count(), 0);
    await chip.click();
    await view.locator('.chip[aria-pressed="true"]').waitFor();
    await ask('what is the lighthouse tariff?');
    await view.getByText('The question went to the team’s service').waitFor();
    const problems: string[] = [];
    for (const [theme, width] of THEMES.map((one, i) => [one, [400, 1400][i % 2]!] as const)) {
      await page.setViewportSize({ width, height: 800 });
      await workbench.showTheme(theme, view);
      const shot = shotName('team-answer', theme, width);
      const model = view.locator('.provider .chip > span', { hasText: 'Passages, no model' });
      if (width === 1400 && (await model.evaluate(isCut))) problems.push(`${shot}: the name of the model is cut`);
      await workbench.shoot(shot);
      await assertAccessible(view, shot, theme).catch((error: unknown) => problems.push(String(error)));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(problems.length, 0, problems.join('\n'));
    await view.getByRole('button', { name: /lighthouseTariff\s*acme\/tools\/src\/tariff\.ts/ }).click();
    await page.getByText('// $(alert) **bold** <b>text</b>').first().waitFor();
    await until('the cursor is on the name', async () => (await workbench.cursor()).startsWith('Ln 2,'));
  });

  it('asks for another token once the kept one is revoked, in the list and in the search view, and keeps the URL', async () => {
    const { page, pick, query } = workbench;
    const replacement = await server.createToken('replacement', ['context:use', 'repositories:read']);
    await server.revokeToken('first');
    const refused = `${server.url} refuses the token: it is wrong or was revoked`;
    await open();
    await workbench.type('lighthouseTariff');
    await workbench.firstRow(refused);
    await pick.getByText('Press Enter to enter another token').waitFor();
    await workbench.shoot('team-refused');
    await workbench.enter();
    await pick.getByText(`Token for ${server.url}`).waitFor();
    await query.fill('wrong');
    await workbench.enter();
    await page.getByText('refuses the token: it is wrong or was revoked. Connect with another.').first().waitFor();
    await open();
    await workbench.type('lighthouseTariff');
    await workbench.firstRow(refused);
    await workbench.enter();
    await pick.getByText(`Token for ${server.url}`).waitFor();
    await query.fill(replacement.token);
    await workbench.enter();
    await workbench.firstRow('lighthouseTariff');
    assert.equal(await query.inputValue(), 'lighthouseTariff');
    await page.keyboard.press('Escape');

    await server.revokeToken('replacement');
    // Answers are a page, too.
    await workbench.run('View: Close All Editors');
    await page.locator('iframe.webview').waitFor({ state: 'detached' });
    await workbench.run('Sextant Search: Find Code');
    const view = await workbench.view();
    const row = view.getByRole('treeitem', { name: /^tariff\.ts acme\/tools · src/ }).first();
    await view.getByRole('textbox', { name: 'Search code' }).fill('lighthouseTariff');
    await view.getByRole('button', { name: 'This Workspace' }).click();
    await view.getByRole('menuitemcheckbox', { name: 'Team Code' }).click();
    const notice = view.locator('.notice', { hasText: refused });
    await notice.waitFor();
    const said = (await notice.innerText()).replaceAll(/\s+/g, ' ').trim();
    assert.equal(said, `The search failed: ${refused}. Enter Another Token Try Again`);
    const problems: string[] = [];
    for (const [theme, width] of THEMES.map((one, i) => [one, [1400, 400][i % 2]!] as const)) {
      await page.setViewportSize({ width, height: 800 });
      await workbench.showTheme(theme, view);
      const shot = shotName('team-scope-refused', theme, width);
      await workbench.shoot(shot);
      await assertAccessible(view, shot, theme).catch((error: unknown) => problems.push(String(error)));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(problems.length, 0, problems.join('\n'));
    await view.getByRole('button', { name: 'Enter Another Token' }).click();
    await pick.getByText(`Token for ${server.url}`).waitFor();
    await query.fill(server.token);
    await workbench.enter();
    await row.waitFor();
    assert.equal(await view.getByRole('button', { name: 'Enter Another Token' }).count(), 0);
    assert.equal(keptUrl(), server.url);
    await view.getByRole('button', { name: 'Search in: Team Code' }).click();
    await view.getByRole('menuitemcheckbox', { name: 'This Workspace' }).click();
    await workbench.run('View: Close Primary Side Bar');
    await page.locator('iframe.webview').waitFor({ state: 'detached' });
  });

  it('asks for another token below a failed answer, and then asks again', async () => {
    const { page, pick, query } = workbench;
    const revoked = await server.createToken('asker', ['context:use', 'repositories:read']);
    await workbench.run('Sextant: Disconnect Team Service');
    await page.getByText('The team service was disconnected.').first().waitFor();
    await workbench.run('Sextant: Search Team Code');
    await pick.getByText('URL of the service that your').waitFor();
    await query.fill(server.url);
    await workbench.enter();
    await pick.getByText(`Token for ${server.url}`).waitFor();
    await query.fill(revoked.token);
    await workbench.enter();
    await pick.getByText('Search Team Code', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await server.revokeToken('asker');
    await workbench.run('Sextant: Ask About Workspace');
    const view = await workbench.view();
    await view.getByRole('button', { name: 'Team Code' }).click();
    await view.locator('.chip[aria-pressed="true"]').waitFor();
    await view.getByRole('textbox').fill('where is the lighthouse tariff?');
    await view.getByRole('textbox').press('Enter');
    const failure = view.locator('article').last();
    await failure.getByText(`${server.url} refuses the token: it is wrong or was revoked.`, { exact: true }).waitFor();
    const buttons = (await failure.locator('.buttons').innerText()).replaceAll(/\s+/g, ' ').trim();
    assert.equal(buttons, 'Enter Another Token Ask Again');
    const problems: string[] = [];
    for (const [theme, width] of THEMES.map((one, i) => [one, [1400, 400][i % 2]!] as const)) {
      await page.setViewportSize({ width, height: 800 });
      await workbench.showTheme(theme, view);
      const shot = shotName('team-answer-refused', theme, width);
      await workbench.shoot(shot);
      await assertAccessible(view, shot, theme).catch((error: unknown) => problems.push(String(error)));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(problems.length, 0, problems.join('\n'));
    await failure.getByRole('button', { name: 'Enter Another Token' }).click();
    await pick.getByText(`Token for ${server.url}`).waitFor();
    await query.fill(server.token);
    await workbench.enter();
    await view
      .getByRole('button', { name: /lighthouseTariff\s*acme\/tools\/src\/tariff\.ts/ })
      .last()
      .waitFor();
    await failure.getByText('refuses the token').waitFor({ state: 'detached' });
  });

  it('reports filters that match nothing, and is forgotten by a command', async () => {
    await open();
    await workbench.type('tariff repo:nothing');
    await workbench.pick.getByText('No repository that you may read matches repo:nothing.').waitFor();
    await workbench.shoot('team-nothing');
    assert.equal(await workbench.pick.getByRole('option').count(), 1, 'fewer words would not help');
    await workbench.page.keyboard.press('Escape');
    // Answers are a page, too.
    await workbench.run('View: Close All Editors');
    await workbench.page.locator('iframe.webview').waitFor({ state: 'detached' });
    await workbench.run('Sextant Search: Find Code');
    const view = await workbench.view();
    const row = (name: RegExp): Locator => view.getByRole('treeitem', { name }).first();
    await view.getByRole('textbox', { name: 'Search code' }).fill('nextRetryDelay');
    await view.getByRole('button', { name: 'This Workspace' }).click();
    await view.getByRole('menuitemcheckbox', { name: 'Team Code' }).click();
    await row(/^retryPolicy\.ts acme/).waitFor();
    await workbench.run('Sextant: Disconnect Team Service');
    await workbench.page.getByText('The team service was disconnected.').first().waitFor();
    // The search view shows results of the workspace, its scope from now on.
    await row(/^retryPolicy\.ts src\/orders/).waitFor();
    await workbench.run('Sextant: Search Team Code');
    await workbench.pick.getByText('URL of the service that your').waitFor();
    await workbench.page.keyboard.press('Escape');
  });
});
