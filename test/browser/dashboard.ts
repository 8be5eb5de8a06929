import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { accountKey } from '../../src/analytics/client/account.ts';
import { AnalyticsClient } from '../../src/analytics/client/analyticsClient.ts';
import { AnalyticsData } from '../../src/analytics/client/analyticsData.ts';
import { AnswerCache } from '../../src/analytics/client/answerCache.ts';
import { RequestBudget } from '../../src/analytics/client/requestBudget.ts';
import { costReport } from '../../src/analytics/reports/costReport.ts';
import { spendingReport } from '../../src/analytics/reports/spendingReport.ts';
import { peopleReport, usageReport } from '../../src/analytics/reports/usageReport.ts';
import { AdjustableClock } from '../../src/base/clock.ts';
import { dayOf, formatDay } from '../../src/base/day.ts';
import type { TestServer } from '../../src/server/testing.ts';
import { until } from '../support/until.ts';
import { assertAccessible } from './accessible.ts';
import { THEMES, Workbench, copySample, shotName, type Theme } from './support.ts';

export const HEIGHT = 1000;
export const TAB_NAMES = ['Overview', 'People', 'Languages & Editors', 'Credits', 'Cost', 'Budgets'];
/** Pictures of all tabs in all states take ten minutes; otherwise states are looked at in one tab. */
const EVERY_TAB = process.env.SEXTANT_EVERY_TAB !== undefined;
/** What a tab has, in whatever state it is. */
const SOMETHING = ['card', 'tiles', 'instead', 'skeleton'].map((name) => `.panel .${name}`).join();

/** How many marks each chart has that is drawn for the width it has now. */
const MARKS = `[...document.querySelectorAll('.panel > .charts .card')].map((card) => {
  const width = card.querySelector('.drawing')?.getBoundingClientRect().width;
  const plot = card.querySelector('svg.plot');
  const isFit = plot !== null && Math.abs(plot.getBoundingClientRect().width - width) < 2;
  return isFit ? card.querySelectorAll('.plot .mark').length : 0;
})`;

/** The dashboard, as a person sees it. */
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

  /** To another account, beside the page. */
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

  /** Seven days of which nobody has asked for anything, nor as what was before others. */
  async otherDays(): Promise<void> {
    const last = dayOf(Date.now()) - 100 - 20 * ++this.#others;
    await this.days('custom');
    await this.frame.getByLabel('From', { exact: true }).fill(formatDay(last - 6));
    await this.frame.getByLabel('To', { exact: true }).fill(formatDay(last));
  }

  /** Until the tab is there and nothing loads any more. */
  async loaded(): Promise<void> {
    await this.frame.locator('.bar:not(.loading)').waitFor({ state: 'attached' });
    await this.frame.locator('.skeleton').waitFor({ state: 'detached' });
  }

  async theme(name: Theme): Promise<void> {
    await this.workbench.showTheme(name, this.frame);
  }

  /** Pictures at both widths; what is wrong with them is told by `judge`, all of it at once. */
  async look(state: string, theme: Theme): Promise<void> {
    for (const width of [1400, 400]) {
      await showWidth(this.workbench, this.frame, width);
      const name = shotName(`dashboard-${state}`, theme, width);
      await this.drawn();
      await this.workbench.shoot(name);
      await assertAccessible(this.frame, name, theme).catch((error: unknown) => this.#problems.push(String(error)));
    }
  }

  /** The same in each theme, and back to the width that one works at; of every tab where {@link EVERY_TAB} is asked for. */
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

  /** Fails where a chart has nothing in it. Each is drawn anew for its width. */
  async drawn(): Promise<void> {
    await until('each chart is drawn', async () => {
      const marks = await this.frame.evaluate<number[]>(MARKS);
      return marks.every((count) => count > 0);
    });
  }
}

/** The top of the page, once it has its width. */
export async function showWidth({ page }: Workbench, frame: Frame, width: number): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT });
  await until('the page has its width', async () => {
    const shown = await frame.evaluate<number>('innerWidth');
    return shown < width && shown > width - 120;
  });
  await frame.evaluate('scrollTo(0, 0)');
}

/** Leaves in the folder of state what another window would have of the last 28 days; gives how many people there are. */
export async function fillCache(folder: string, connection: TestServer): Promise<number> {
  const clock = new AdjustableClock();
  const sleep = (ms: number): Promise<void> => {
    clock.advance(ms);
    return Promise.resolve();
  };
  const client = new AnalyticsClient(connection, new RequestBudget(join(folder, 'budget'), { clock, sleep }));
  const data = new AnalyticsData(
    client,
    new AnswerCache(join(folder, 'sextant/analytics/answers'), accountKey(connection)),
  );
  const range = { first: data.newestDay - 27, last: data.newestDay };
  const [people] = await Promise.all([
    peopleReport(data, range),
    usageReport(data, range),
    costReport(data, range),
    spendingReport(data, range),
  ]);
  return people.distinct!;
}
