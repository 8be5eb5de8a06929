import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { assertAccessible } from './accessible.ts';
import { Workbench, copySample } from './support.ts';

/** Themes and how a page is told of their kind. */
const THEMES = {
  'Default Dark Modern': 'vscode-dark',
  'Default Light Modern': 'vscode-light',
  'Default High Contrast': 'vscode-high-contrast',
} as const;
type Theme = keyof typeof THEMES;
const ALL_THEMES = Object.keys(THEMES) as Theme[];
const HEIGHT = 1000;

/** How many marks each chart has that is drawn for the width it has now. */
const MARKS = `[...document.querySelectorAll('.charts .card')].map((card) => {
  const width = card.querySelector('.drawing').getBoundingClientRect().width;
  const plot = card.querySelector('svg.plot');
  const isFit = plot !== null && Math.abs(plot.getBoundingClientRect().width - width) < 2;
  return isFit ? card.querySelectorAll('.plot .mark').length : 0;
})`;

/** The dashboard, as a person sees it. */
class Dashboard {
  readonly workbench: Workbench;
  readonly root: string;
  readonly #problems: string[] = [];
  frame!: Frame;

  private constructor(workbench: Workbench, root: string) {
    this.workbench = workbench;
    this.root = root;
  }

  static async open(folder: string): Promise<Dashboard> {
    const root = copySample(join(folder, 'harbour'));
    const size = { width: 1400, height: HEIGHT };
    const workbench = await Workbench.open({ folder: root, size, env: { XDG_DATA_HOME: folder } });
    return new Dashboard(workbench, root);
  }

  /** By its command, with nothing beside it. */
  async show(): Promise<void> {
    await this.workbench.run('Sextant: Open Dashboard');
    await this.find();
    await this.workbench.run('View: Close Primary Side Bar');
  }

  async find(): Promise<void> {
    this.frame = await this.workbench.view();
    await this.frame.locator('main').waitFor();
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole('button', { name }).first();
  }

  /** Another theme without another window: the editor takes the folder's settings as they are written. */
  async theme(name: Theme): Promise<void> {
    mkdirSync(join(this.root, '.vscode'), { recursive: true });
    writeFileSync(join(this.root, '.vscode/settings.json'), JSON.stringify({ 'workbench.colorTheme': name }));
    await this.frame.locator(`body[data-vscode-theme-kind="${THEMES[name]}"]`).waitFor({ state: 'attached' });
  }

  /** Pictures at both widths; what is wrong with them is told by `judge`, all of it at once. */
  async look(state: string, theme: Theme): Promise<void> {
    for (const width of [1400, 400]) {
      await this.workbench.page.setViewportSize({ width, height: HEIGHT });
      await this.frame.waitForFunction(`innerWidth < ${width} && innerWidth > ${width - 120}`);
      const name = `dashboard-${state}-${theme.toLowerCase().replaceAll(' ', '-')}-${width}`;
      await this.drawn();
      await this.workbench.shoot(name);
      await assertAccessible(this.frame, name).catch((error: unknown) => this.#problems.push(String(error)));
    }
  }

  judge(): void {
    const problems = this.#problems.splice(0);
    assert.equal(problems.length, 0, problems.join('\n'));
  }

  /** Fails where a chart has nothing in it. Each is drawn anew for its width. */
  async drawn(): Promise<void> {
    await until('each chart is drawn', async () => {
      const marks = await this.frame.evaluate<number[]>(MARKS);
      return marks.every((count) => count > 0);
    });
  }
}

describe('the dashboard', () => {
  const newFolder = temporaryFolder();
  let dashboard: Dashboard;

  before(async () => {
    dashboard = await Dashboard.open(newFolder());
  });
  after(async () => {
    await dashboard.workbench.close();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await dashboard.workbench.shoot('dashboard-failed');
  });

  it('says what it is for while nothing is connected', async () => {
    await dashboard.show();
    await dashboard.button('Try with Sample Data').waitFor();
    for (const theme of ALL_THEMES) {
      await dashboard.theme(theme);
      await dashboard.look('welcome', theme);
    }
    dashboard.judge();
    await dashboard.workbench.page.setViewportSize({ width: 1400, height: HEIGHT });
  });
});
