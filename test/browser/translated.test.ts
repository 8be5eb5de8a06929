import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getL10nPseudoLocalized } from '@vscode/l10n-dev';
import type { Locator } from 'playwright-core';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { ROOT, Workbench, copySample } from './support.ts';

type Strings = Record<string, string>;

/** A text in which no word is a translated one: the translation here has other letters in all of them. */
const ENGLISH_WORD = /(?<![\p{L}/.@_-])[A-Za-z]{3,}(?![\p{L}/.@_-])/u;

describe('a translation', () => {
  const folder = temporaryFolder();
  let workbench: Workbench;
  let nls: Strings;

  before(async () => {
    const extension = join(folder(), 'extension');
    for (const part of ['package.json', 'package.nls.json', 'l10n', 'media', 'dist/extension', 'dist/webview'])
      cpSync(join(ROOT, part), join(extension, part), { recursive: true });
    const translate = (file: string): Strings =>
      getL10nPseudoLocalized(JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Strings) as Strings;
    nls = translate('package.nls.json');
    writeFiles(extension, {
      'package.nls.de.json': JSON.stringify(nls),
      'l10n/bundle.l10n.de.json': JSON.stringify(translate('l10n/bundle.l10n.json')),
    });
    workbench = await Workbench.open({
      extensions: [extension],
      folder: copySample(join(folder(), 'harbour')),
      locale: 'de',
      size: { width: 1400, height: 1200 },
    });
  });
  after(() => workbench.close());

  const assertTranslated = async (what: Locator, ...except: readonly RegExp[]): Promise<void> => {
    await what.first().waitFor();
    const texts = (await what.allInnerTexts()).flatMap((text) => text.split('\n'));
    const english = texts.filter((text) =>
      ENGLISH_WORD.test(except.reduce((rest, one) => rest.replaceAll(one, ''), text)),
    );
    assert.deepEqual(english, []);
  };

  it('is shown by the views', async () => {
    const { page } = workbench;
    await workbench.openSextantView();
    await page.getByRole('treeitem', { name: /^harbour 15/ }).waitFor();
    for (const view of ['results', 'usage', 'server']) {
      const header = page.locator('.pane-header').filter({ hasText: nls[`view.${view}`]! });
      await header.waitFor();
      if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
    }
    await assertTranslated(page.locator('.welcome-view-content'));
    await assertTranslated(
      page.locator('.tree-explorer-viewlet-tree-view .monaco-list-row'),
      ...[/harbour|typescript.*|kB|gitignore/g],
    );
    await workbench.shoot('translated-views');
  });

  it('is shown by the commands, the search and the page of answers', async () => {
    const { page, pick } = workbench;
    await workbench.run(`Sextant: ${nls['command.searchWorkspace']}`);
    await assertTranslated(pick.locator('.quick-input-title'), /Sextant/g);
    await page.keyboard.press('Escape');
    await workbench.run(`Sextant: ${nls['command.askWorkspace']}`);
    const view = await workbench.view();
    await view.getByRole('textbox').waitFor();
    await assertTranslated(view.locator('body'));
    await workbench.shoot('translated-answers');
  });
});
