import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { writeMachineSettings } from '../../scripts/lib/editor.mjs';
import { openWorkbench, runCommand, type OpenOptions } from '../../scripts/lib/workbench.mjs';
import { until } from '../support/until.ts';

export const ROOT = join(import.meta.dirname, '../..');
const SHOTS = join(ROOT, 'out/shots');

export const THEMES = ['Default Dark Modern', 'Default Light Modern', 'Default High Contrast'] as const;
export type Theme = (typeof THEMES)[number];
/** How the window is marked in a theme, and how a view's page is told of its kind. */
const MARKS: Readonly<Record<Theme, { readonly window: string; readonly page: string }>> = {
  'Default Dark Modern': { window: 'vs-dark', page: 'vscode-dark' },
  'Default Light Modern': { window: 'vs', page: 'vscode-light' },
  'Default High Contrast': { window: 'hc-black', page: 'vscode-high-contrast' },
};
/** Colours that are still on their way to others. */
const NO_TRANSITION = 'document.getAnimations().every((one) => !(one instanceof CSSTransition))';

/**
 * Asks a page until an expression holds. `waitForFunction` would ask again within the page, whose policy refuses text as code:
 * it fails where the first answer is no.
 */
export async function untilTrue(page: Page | Frame, expression: string): Promise<void> {
  await until(expression, async () => (await page.evaluate(expression)) === true);
}

/** Each theme at each width, in an order that changes little at a time. */
export const LOOKS = [1400, 400].flatMap((width, at) =>
  (at === 0 ? THEMES : THEMES.toReversed()).map((theme) => ({ theme, width })),
);

/** Of a picture of something in a theme, at a width. */
export function shotName(what: string, theme: string, width: number): string {
  return `${what}-${theme.toLowerCase().replaceAll(' ', '-')}-${width}`;
}

/** A copy of the sample workspace, in a Git repository of its own. */
export function copySample(to: string): string {
  cpSync(join(ROOT, 'test/fixtures/sample'), to, { recursive: true });
  execFileSync('git', ['init', '-q', to]);
  return to;
}

export class Workbench {
  readonly page: Page;
  readonly close: () => Promise<void>;
  readonly #dataFolder: string;

  private constructor(page: Page, close: () => Promise<void>, dataFolder = '') {
    this.page = page;
    this.close = close;
    this.#dataFolder = dataFolder;
  }

  static async open(options: Partial<OpenOptions>): Promise<Workbench> {
    const { page, close, dataFolder } = await openWorkbench({ extensions: [ROOT], ...options });
    return new Workbench(page, close, dataFolder);
  }

  static of(page: Page): Workbench {
    return new Workbench(page, () => page.close());
  }

  /** Pictures of every view, to be looked at: out/shots. */
  async shoot(name: string): Promise<void> {
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }

  /** Another theme without another window: the editor takes its settings as they are written. `frame` is a view's page. */
  async showTheme(theme: Theme, frame?: Frame): Promise<void> {
    writeMachineSettings(this.#dataFolder, { 'workbench.colorTheme': theme });
    await this.page.locator(`.monaco-workbench.${MARKS[theme].window}`).waitFor();
    await frame?.locator(`body[data-vscode-theme-kind="${MARKS[theme].page}"]`).waitFor({ state: 'attached' });
    for (const one of [this.page, ...(frame ? [frame] : [])]) await untilTrue(one, NO_TRANSITION);
  }

  run(command: string): Promise<void> {
    return runCommand(this.page, command);
  }

  /** Types the address and the token of a service of usage and cost, as a person does. */
  async connect({ url, token }: { readonly url: string; readonly token: string }): Promise<void> {
    await this.run('Sextant: Connect to Usage and Cost');
    await this.pick.getByText('URL of the service').waitFor();
    await this.query.fill(url);
    await this.page.keyboard.press('Enter');
    await this.pick.getByText('API token, kept in').waitFor();
    await this.query.fill(token);
    await this.page.keyboard.press('Enter');
    // It is looked at first: what opens the palette earlier takes the input away, and nothing is connected.
    await this.pick.waitFor({ state: 'hidden' });
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

  /** Opens the search and types, as a person does. */
  async search(query: string): Promise<void> {
    await this.run('Sextant: Search Workspace');
    // Not before it is there: what is typed earlier goes to the editor.
    await this.pick.getByText(/^Search Workspace/).waitFor();
    await this.page.keyboard.type(query, { delay: 15 });
  }

  /** What a screen reader says of the list's rows: label, description, detail. */
  async rows(): Promise<string[]> {
    const rows = await this.pick.locator('.monaco-list-row').all();
    return Promise.all(rows.map(async (row) => (await row.getAttribute('aria-label')) ?? ''));
  }

  /** Loads the window again: later, as the editor writes what extensions keep every few seconds, and this takes it by surprise. */
  async reload(): Promise<void> {
    await this.page.waitForTimeout(7_000);
    await this.page.reload();
  }

  /** Waits until the list no longer changes: while one types, each word has its results. */
  async settled(): Promise<void> {
    for (let known = ''; ;) {
      const rows = (await this.rows()).join('\n');
      if (rows !== '' && rows === known) return;
      known = rows;
      await this.page.waitForTimeout(500);
    }
  }

  /** Waits until this is the first result. */
  async firstRow(label: string): Promise<void> {
    await this.pick.locator('.monaco-list-row').first().getByText(label, { exact: true }).waitFor();
  }

  /** The editors' names, in their order. */
  async tabs(): Promise<string[]> {
    const tabs = await this.page.locator('.tabs-container .tab').allInnerTexts();
    return tabs.map((text) => text.replaceAll(/\s+/g, ''));
  }

  tab(name: string): Locator {
    return this.page.locator('.tabs-container .tab').filter({ hasText: name });
  }

  /** What the status bar says of the cursor: `Ln 3, Col 5`. */
  cursor(): Promise<string> {
    return this.page
      .locator('.statusbar-item')
      .filter({ hasText: /^Ln \d+/ })
      .innerText();
  }

  /** Chooses from the menu that is open: by key, as a menu takes no click in its first moments. */
  async choose(name: string): Promise<void> {
    const item = this.page.getByRole('menuitem', { name });
    await item.hover();
    await this.page.keyboard.press('Enter');
    await item.waitFor({ state: 'hidden' });
  }

  /** Shows the side bar of Sextant. A click on its tab hides it if a reloaded window has just shown it. */
  async openSextantView(): Promise<void> {
    const header = this.page.getByRole('button', { name: 'Index Section' });
    await until('the side bar shows Sextant', async () => {
      if (await header.isVisible()) return true;
      await this.page.locator('.activitybar').getByRole('tab', { name: 'Sextant' }).click();
      return header.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** Unfolds a row of a tree. A click while the tree is being refreshed may be lost, so it clicks until it is unfolded. */
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

  /** Unfolds one of the views in the side bar. */
  async expand(view: string): Promise<void> {
    const header = this.page.getByRole('button', { name: `${view} Section` });
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
  }

  /** Folds one, which leaves the others its room. */
  async fold(view: string): Promise<void> {
    const header = this.page.getByRole('button', { name: `${view} Section` });
    if ((await header.getAttribute('aria-expanded')) === 'true') await header.click();
  }

  /** The page of the view that is open. The editor puts one in a frame in a frame, and makes both anew when it is shown again. */
  async view(): Promise<Frame> {
    const outer = await this.page.locator('iframe.webview.ready').elementHandle();
    const inner = await (await outer.contentFrame())!.waitForSelector('#active-frame');
    const frame = (await inner.contentFrame())!;
    await frame.waitForSelector('body > *:not(script)');
    return frame;
  }

  treeItem(name: RegExp): Locator {
    // What is scrolled away may stand once more at the top of its tree.
    return this.page.getByRole('treeitem', { name }).first();
  }
}
