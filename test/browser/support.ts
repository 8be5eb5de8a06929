import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { writeMachineSettings } from '../../scripts/lib/editor.mjs';
import { openWorkbench, runCommand, type OpenOptions } from '../../scripts/lib/workbench.mjs';
import { isSoak } from '../support/runs.ts';
import { until } from '../support/until.ts';

export const ROOT = join(import.meta.dirname, '../..');
const SHOTS = join(ROOT, 'out/shots');

export const THEMES = ['Default Dark Modern', 'Default Light Modern', 'Default High Contrast'] as const;
export type Theme = (typeof THEMES)[number];
/** Markers of a theme: a class of the window, and an attribute value in a view's page. */
const MARKS: Readonly<Record<Theme, { readonly window: string; readonly page: string }>> = {
  'Default Dark Modern': { window: 'vs-dark', page: 'vscode-dark' },
  'Default Light Modern': { window: 'vs', page: 'vscode-light' },
  'Default High Contrast': { window: 'hc-black', page: 'vscode-high-contrast' },
};
/** Whether no colour is in transition. */
const NO_TRANSITION = 'document.getAnimations().every((one) => !(one instanceof CSSTransition))';

/**
 * Evaluates an expression in a page until it is true. `waitForFunction` evaluates text within the page, whose policy refuses
 * that: it fails if the first result is false.
 */
export async function untilTrue(page: Page | Frame, expression: string): Promise<void> {
  await until(expression, async () => (await page.evaluate(expression)) === true);
}

/** Whether an element is visible within ten seconds, for steps that a busy editor may miss and a test repeats. */
export function appears(element: Locator): Promise<boolean> {
  return element.waitFor({ timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

export const WIDTHS = [1400, 400] as const;

/** Whether each state is looked at in each theme at each width: for pictures, and in `npm run soak`. */
const EVERY_LOOK = process.env.SEXTANT_SHOTS === '1' || isSoak;

/**
 * Themes in which a state is looked at in this width. The first theme, in which names and layout are checked, is looked at in
 * each; the others, in which only colours are checked, in the first or in the last.
 */
export function themesAt(width: number, widths: readonly number[] = WIDTHS): readonly Theme[] {
  const only = [widths[0], widths.at(-1)];
  return THEMES.filter((_, at) => EVERY_LOOK || at === 0 || only[at - 1] === width);
}

/** The themes at each width, ordered for few changes. */
export const LOOKS = WIDTHS.flatMap((width, at) => {
  const themes = themesAt(width);
  return (at === 0 ? themes : themes.toReversed()).map((theme) => ({ theme, width }));
});

/** File name of a picture, by its subject, theme and width. */
export function shotName(what: string, theme: string, width: number): string {
  return `${what}-${theme.toLowerCase().replaceAll(' ', '-')}-${width}`;
}

/** Copies the sample workspace into a new Git repository. */
export function copySample(to: string): string {
  cpSync(join(ROOT, 'test/fixtures/sample'), to, { recursive: true });
  execFileSync('git', ['init', '-q', to]);
  return to;
}

/** What a test reads of an element in the page. */
interface Labelled {
  getAttribute(name: string): string | null;
}

/** Most of the text of a page that is printed when a test fails. */
const MAX_TEXT = 3_000;
/** Text of a page, its inputs, and what has the focus there. */
const DESCRIPTION = `[
  document.body?.innerText,
  ...Array.from(document.querySelectorAll('input'), (one) => 'input: ' + one.value),
  'focus: ' + (document.activeElement?.outerHTML ?? '').slice(0, 200),
].join('\\n')`;

/** What the editor has stored of its window. */
const STORED = `(async () => {
  const resultOf = (request) => new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
  const values = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await resultOf(indexedDB.open(name));
    if (database.objectStoreNames.contains('ItemTable'))
      values.push(...(await resultOf(database.transaction('ItemTable').objectStore('ItemTable').getAll())));
    database.close();
  }
  return values.map(String);
})()`;

export class Workbench {
  static readonly opened = new Set<Workbench>();
  readonly page: Page;
  readonly close: () => Promise<void>;
  readonly dataFolder: string;

  private constructor(page: Page, close: () => Promise<void>, dataFolder = '') {
    this.page = page;
    this.close = async () => {
      Workbench.opened.delete(this);
      await close();
    };
    this.dataFolder = dataFolder;
    Workbench.opened.add(this);
  }

  static async open(options: Partial<OpenOptions>): Promise<Workbench> {
    const { page, close, dataFolder } = await openWorkbench({ extensions: [ROOT], isStill: true, ...options });
    return new Workbench(page, close, dataFolder);
  }

  static of(page: Page): Workbench {
    return new Workbench(page, () => page.close());
  }

  /** With SEXTANT_SHOTS=1 saves a picture of the window in out/shots, for people to check. */
  async shoot(name: string): Promise<void> {
    if (process.env.SEXTANT_SHOTS !== '1') return;
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }

  /** Changes the theme in the open window, since the editor watches its settings. `frame` is a view's page. */
  async showTheme(theme: Theme, frame?: Frame): Promise<void> {
    const window = this.page.locator(`.monaco-workbench.${MARKS[theme].window}`);
    // A busy editor may miss a change of its settings, so they are written again.
    await until(`the theme is ${theme}`, async () => {
      writeMachineSettings(this.dataFolder, { 'workbench.colorTheme': theme });
      return appears(window);
    });
    await frame?.locator(`body[data-vscode-theme-kind="${MARKS[theme].page}"]`).waitFor({ state: 'attached' });
    for (const one of [this.page, ...(frame ? [frame] : [])]) await untilTrue(one, NO_TRANSITION);
  }

  /** What the window and the views' pages show, as text. */
  async describe(): Promise<string> {
    const pages = this.page.frames().filter((frame) => !frame.parentFrame() || frame.url().includes('/fake.html'));
    const texts = pages.map((one) => one.evaluate<string>(DESCRIPTION).catch(String));
    const shown = (await Promise.all(texts)).map((text) => text.replaceAll(/\n\s*\n/g, '\n').slice(0, MAX_TEXT));
    return ['', ...shown, ''].join('\n    --- the page ---\n');
  }

  run(command: string): Promise<void> {
    return runCommand(this.page, command);
  }

  /** Connects a service, under the proposed name unless `name` is given. */
  async connect({ url, token }: { readonly url: string; readonly token: string }, name?: string): Promise<void> {
    await this.run('Sextant Usage: Connect to Usage and Cost');
    await this.pick.getByText('URL of the service').waitFor();
    await this.query.fill(url);
    await this.enter();
    await this.pick.getByText('API token, kept in').waitFor();
    await this.query.fill(token);
    await this.enter();
    await this.pick.getByText('Name of the organization').waitFor();
    if (name !== undefined) await this.query.fill(name);
    await this.enter();
    // Waits for the check of the token: opening the palette earlier closes the input, and nothing is connected.
    await this.pick.waitFor({ state: 'hidden' });
    // The view that is shown next takes the focus, and would close the palette.
    await appears(this.page.locator('.tree-explorer-viewlet-tree-view .monaco-list:focus'));
  }

  get statusBarItem(): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: 'Sextant' });
  }

  get pick(): Locator {
    return this.page.locator('.quick-input-widget');
  }

  get query(): Locator {
    return this.pick.locator('input.input');
  }

  /** Opens the search and types a query. */
  async search(query: string): Promise<void> {
    await this.run('Sextant: Search Workspace');
    await this.pick.getByText(/^Search Workspace/).waitFor();
    await this.type(query);
  }

  /** Types into the open list. An editor or a view that opens late takes the focus, and would take the keys. */
  type(query: string): Promise<void> {
    return this.query.pressSequentially(query, { delay: 15 });
  }

  /** Accepts the open list or input. */
  enter(): Promise<void> {
    return this.query.press('Enter');
  }

  /** Labels of the list's rows for screen readers: label, description, detail. */
  rows(): Promise<string[]> {
    const rows = this.pick.locator('.monaco-list-row');
    return rows.evaluateAll((all: readonly Labelled[]) => all.map((row) => row.getAttribute('aria-label') ?? ''));
  }

  /** Reloads the window once the editor has stored texts: it stores what views keep every few seconds, and a reload does not. */
  async reload(...texts: readonly string[]): Promise<void> {
    await until(`${texts.join(', ')} are stored`, async () => {
      // Values are JSON within JSON.
      const values = (await this.page.evaluate<string[]>(STORED)).map((value) => value.replaceAll('\\', ''));
      return texts.every((text) => values.some((value) => value.includes(text)));
    });
    await this.page.reload();
  }

  /** Waits until the list stops changing: each typed word changes it. */
  async settled(): Promise<void> {
    for (let known = ''; ;) {
      const rows = (await this.rows()).join('\n');
      if (rows !== '' && rows === known) return;
      known = rows;
      await this.page.waitForTimeout(500);
    }
  }

  /** Waits until the first result has this label. */
  async firstRow(label: string): Promise<void> {
    await this.pick.locator('.monaco-list-row').first().getByText(label, { exact: true }).waitFor();
  }

  /** Names of the open editors, in order. */
  async tabs(): Promise<string[]> {
    const tabs = await this.page.locator('.tabs-container .tab').allInnerTexts();
    return tabs.map((text) => text.replaceAll(/\s+/g, ''));
  }

  tab(name: string): Locator {
    return this.page.locator('.tabs-container .tab').filter({ hasText: name });
  }

  /** The cursor's position in the status bar: `Ln 3, Col 5`. */
  cursor(): Promise<string> {
    return this.page
      .locator('.statusbar-item')
      .filter({ hasText: /^Ln \d+/ })
      .innerText();
  }

  /** Chooses from the open menu by key, since a menu ignores clicks in its first moments. */
  async choose(name: string): Promise<void> {
    const item = this.page.getByRole('menuitem', { name });
    await item.hover();
    await this.page.keyboard.press('Enter');
    await item.waitFor({ state: 'hidden' });
  }

  /**
   * Shows the index in the side bar of Sextant, and folds the search above it. Not by a click on the tab, which hides the side
   * bar if a reloaded window has just shown it.
   */
  async openSextantView(): Promise<void> {
    await this.run('Sextant: Focus on Index View');
    await this.page.getByRole('button', { name: 'Index Section' }).waitFor();
    await this.fold('Search');
  }

  /** Unfolds a row of a tree. Clicks until that works: a click during a refresh of the tree may be lost. */
  async unfold(name: RegExp): Promise<void> {
    const row = this.treeItem(name);
    await row.waitFor();
    await until(`${name} is unfolded`, async () => {
      if ((await row.getAttribute('aria-expanded')) === 'true') return true;
      await row.click();
      await this.page.waitForTimeout(300);
      return (await row.getAttribute('aria-expanded')) === 'true';
    });
  }

  /** Clicks a row of a tree until `shown` appears: a click during a refresh of the tree may be lost. */
  async clickRow(name: RegExp, shown: Locator): Promise<void> {
    await until(`a click on ${name}`, async () => {
      await this.treeItem(name)
        .click({ timeout: 10_000 })
        .catch(() => undefined);
      return appears(shown);
    });
  }

  /** Unfolds a view in the side bar. */
  async expand(view: string): Promise<void> {
    const header = this.#header(view);
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
  }

  /** The header of a view; with restored results, that of the results also names the query. */
  #header(view: string): Locator {
    return this.page.getByRole('button', { name: new RegExp(`^${view}( - .*)? Section$`) });
  }

  /** Folds a view, which gives its room to the others. */
  async fold(view: string): Promise<void> {
    const header = this.#header(view);
    if ((await header.getAttribute('aria-expanded')) === 'true') await header.click();
  }

  /** The frame of the open view. The editor nests it in another, and creates both again when the view is shown again. */
  async view(): Promise<Frame> {
    const shown = this.page.locator('iframe.webview.ready');
    // The one before may still be there.
    const outer = await until('one view is shown', async () => {
      const [first, ...others] = await shown.elementHandles();
      return others.length === 0 && first;
    });
    const inner = await (await outer.contentFrame())!.waitForSelector('#active-frame');
    const frame = (await inner.contentFrame())!;
    await frame.waitForSelector('body > *:not(script)');
    return frame;
  }

  /** The frame of the view with this title, where another one may be shown, too. */
  async viewNamed(title: string): Promise<Frame> {
    const isShown = async (frame: Frame): Promise<boolean> =>
      (await frame.title()) === title && (await frame.locator('body > *:not(script)').count()) > 0;
    return until(`the view ${title} is shown`, async () => {
      for (const frame of this.page.frames()) {
        // A frame of another view may be removed meanwhile.
        if (frame.parentFrame() && (await isShown(frame).catch(() => false))) return frame;
      }
      return undefined;
    });
  }

  /** Opens the menu of a row of a tree, once the rows above it no longer come and go. */
  async openMenu(row: Locator): Promise<void> {
    for (let known = ''; ;) {
      const place = JSON.stringify(await row.boundingBox());
      if (place === known) break;
      known = place;
      await this.page.waitForTimeout(500);
    }
    await row.click({ button: 'right' });
  }

  treeItem(name: RegExp): Locator {
    // A tree repeats rows at its top when they are scrolled out of view.
    return this.page.getByRole('treeitem', { name }).first();
  }
}
