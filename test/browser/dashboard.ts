import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { accountKey } from '../../src/analytics/client/account.ts';
import { AnalyticsClient } from '../../src/analytics/client/analyticsClient.ts';
import { ServiceData } from '../../src/analytics/client/analyticsData.ts';
import { AnswerCache } from '../../src/analytics/client/answerCache.ts';
import { RequestBudget } from '../../src/analytics/client/requestBudget.ts';
import { costReport } from '../../src/analytics/reports/costReport.ts';
import { loadLanguages } from '../../src/analytics/reports/languageReport.ts';
import { spendingReport } from '../../src/analytics/reports/spendingReport.ts';
import { peopleReport, usageReport } from '../../src/analytics/reports/usageReport.ts';
import { AdjustableClock } from '../../src/base/clock.ts';
import { dayOf, formatDay, parseDay } from '../../src/base/day.ts';
import type { TestServer } from '../../src/server/testing.ts';
import { until } from '../support/until.ts';
import { assertAccessible } from './accessible.ts';
import { THEMES, WIDTHS, Workbench, copySample, shotName, themesAt, type Theme } from './support.ts';

export const HEIGHT = 1000;
export const TAB_NAMES = ['Overview', 'People', 'Teams', 'Languages & Editors', 'Credits', 'Cost', 'Budgets'];
/** Whether each state is checked in all tabs, which takes ten minutes, or in one. */
const EVERY_TAB = process.env.SEXTANT_EVERY_TAB !== undefined;
/** Content of a tab: each state shows one kind at least. */
const SOMETHING = ['card', 'tiles', 'instead', 'skeleton'].map((name) => `.panel .${name}`).join();

/** Number of marks in each chart; 0 for a chart drawn for another width. */
const MARKS = `[...document.querySelectorAll('.panel > .charts .card')].map((card) => {
  const width = card.querySelector('.drawing')?.getBoundingClientRect().width;
  const plot = card.querySelector('svg.plot');
  const isFit = plot !== null && Math.abs(plot.getBoundingClientRect().width - width) < 2;
  return isFit ? card.querySelectorAll('.plot .mark').length : 0;
})`;

/** The dashboard, used as a person uses it. */
export class Dashboard {
  readonly workbench: Workbench;
  readonly root: string;
  readonly #problems: string[] = [];
  #others = 0;
  frame!: Frame;

  private constructor(workbench: Workbench, root: string) {
    this.workbench = workbench;
    this.root = root;
  }

  static async open(folder: string, settings: Readonly<Record<string, unknown>> = {}): Promise<Dashboard> {
    const root = copySample(join(folder, 'harbour'));
    const size = { width: 1400, height: HEIGHT };
    const workbench = await Workbench.open({ folder: root, size, env: { XDG_DATA_HOME: folder }, settings });
    return new Dashboard(workbench, root);
  }

  /** Opens the dashboard by its command, and closes the side bar. */
  async show(): Promise<void> {
    await this.workbench.run('Sextant Usage: Open Dashboard');
    await this.find();
    await this.workbench.run('View: Close Primary Side Bar');
  }

  /** Connects to another account, with the command. */
  async connect(server: Pick<TestServer, 'url' | 'token'>): Promise<void> {
    await this.workbench.connect(server);
    await this.workbench.run('View: Close Primary Side Bar');
  }

  async find(): Promise<void> {
    this.frame = await this.workbench.view();
    await this.frame.locator('main').waitFor();
  }

  text(text: string | RegExp): Locator {
    return this.frame.getByText(text).first();
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole('button', { name }).first();
  }

  async tab(name: string): Promise<void> {
    const tab = this.frame.getByRole('tab', { name, exact: true });
    await tab.click();
    const id = await tab.getAttribute('id');
    await this.frame.locator(`[role=tabpanel][aria-labelledby="${id}"]`).waitFor();
  }

  async days(preset: string): Promise<void> {
    await this.frame.locator('header select').first().selectOption(preset);
  }

  /** Selects seven days that no request covered: one for a week has the ninety days before its end. */
  async otherDays(): Promise<void> {
    const last = dayOf(Date.now()) - 5 - 95 * ++this.#others;
    await this.days('custom');
    await this.frame.getByLabel('From', { exact: true }).fill(formatDay(last - 6));
    await this.frame.getByLabel('To', { exact: true }).fill(formatDay(last));
  }

  /** Selects seven of the oldest days, which are in no history that another request covered. */
  async oldestDays(): Promise<void> {
    await this.days('custom');
    const from = this.frame.getByLabel('From', { exact: true });
    const oldest = parseDay((await from.getAttribute('min'))!)!;
    await from.fill(formatDay(oldest + 7));
    await this.frame.getByLabel('To', { exact: true }).fill(formatDay(oldest + 13));
  }

  /** Waits until the tab has content and finishes loading. */
  async loaded(): Promise<void> {
    await this.frame.locator('.bar:not(.loading)').waitFor({ state: 'attached' });
    await this.frame.locator('.skeleton').waitFor({ state: 'detached' });
  }

  async theme(name: Theme): Promise<void> {
    await this.workbench.showTheme(name, this.frame);
  }

  /** Takes pictures at the widths of this theme, and collects their problems for one report. */
  async look(state: string, theme: Theme): Promise<void> {
    for (const width of WIDTHS.filter((one) => themesAt(one).includes(theme))) {
      await showWidth(this.workbench, this.frame, width);
      const name = shotName(`dashboard-${state}`, theme, width);
      await this.drawn();
      await this.workbench.shoot(name);
      await assertAccessible(this.frame, name, theme).catch((error: unknown) => this.#problems.push(String(error)));
    }
  }

  /** Takes them in each theme, of every tab if {@link EVERY_TAB}, and then restores the usual width. */
  async lookInAllThemes(state: string): Promise<void> {
    const shown = await this.frame.locator('[role=tab][aria-selected=true]').innerText();
    const others = EVERY_TAB ? TAB_NAMES.filter((name) => name !== shown) : [];
    for (const theme of THEMES) {
      await this.theme(theme);
      await this.look(state, theme);
      for (const name of others) {
        await this.tab(name);
        await this.frame.locator(SOMETHING).first().waitFor();
        await this.look(`${state}-${name.toLowerCase().replaceAll(/\W+/g, '-')}`, theme);
      }
      if (EVERY_TAB) await this.tab(shown);
    }
    await this.workbench.page.setViewportSize({ width: 1400, height: HEIGHT });
    this.judge();
  }

  judge(): void {
    const problems = this.#problems.splice(0);
    assert.equal(problems.length, 0, problems.join('\n'));
  }

  /** Waits until each chart is drawn for its present width and has marks. */
  async drawn(): Promise<void> {
    await until('each chart is drawn', async () => {
      const marks = await this.frame.evaluate<number[]>(MARKS);
      return marks.every((count) => count > 0);
    });
  }
}

/** Resizes the page, waits for its width, and scrolls it and its lists to the start, as a check of contrast scrolls them. */
export async function showWidth({ page }: Workbench, frame: Frame, width: number): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT });
  await until('the page has its width', async () => {
    const shown = await frame.evaluate<number>('innerWidth');
    return shown < width && shown > width - 120;
  });
  await frame.evaluate("scrollTo(0, 0); for (const list of document.querySelectorAll('.scroll')) list.scrollTo(0, 0)");
}

/**
 * Fills the cache as another window would, with the last 28 days; returns the number of people. `hasLanguages` adds the report
 * of languages, which takes a request for each day and 250 people.
 */
export async function fillCache(
  folder: string,
  connection: TestServer,
  { hasLanguages = false } = {},
): Promise<number> {
  const clock = new AdjustableClock();
  const sleep = (ms: number): Promise<void> => {
    clock.advance(ms);
    return Promise.resolve();
  };
  const client = new AnalyticsClient(connection, new RequestBudget(join(folder, 'budget'), { clock, sleep }));
  const data = new ServiceData(
    client,
    new AnswerCache(join(folder, 'sextant/analytics/answers'), accountKey(connection)),
  );
  const range = { first: data.newestDay - 27, last: data.newestDay };
  const [people] = await Promise.all([
    peopleReport(data, range),
    usageReport(data, range),
    costReport(data, range),
    spendingReport(data, range),
    hasLanguages && loadLanguages(data, range, {}, () => undefined),
  ]);
  return people.distinct!;
}
