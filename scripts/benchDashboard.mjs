// npm run bench:dashboard [-- --first]
// The first screen of 300 people in the real editor: how long after its command it is whole, from the service and from the
// cache. Then the dashboard of ten thousand people: how long after its command the first figures are there, from the
// cache, and which tasks of its page take longer than 50 ms during scrolling, sorting and searching. Then how long all people of
// an organization of 5,000 take, compared with the minimum by the service's rate limit. `--first` measures the first screen
// alone. Build first.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pinnedNode } from './lib/dependencies.mjs';
import { report } from './lib/report.mjs';

// The script runs the TypeScript sources, which needs the pinned Node.
if (!process.features.typescript) {
  process.exit(spawnSync(pinnedNode(), [...process.argv.slice(1)], { stdio: 'inherit' }).status ?? 1);
}
const { values } = parseArgs({ options: { first: { type: 'boolean', default: false } } });
const { AnalyticsClient } = await import('../src/analytics/client/analyticsClient.ts');
const { ServiceData } = await import('../src/analytics/client/analyticsData.ts');
const { AnswerCache } = await import('../src/analytics/client/answerCache.ts');
const { RequestBudget } = await import('../src/analytics/client/requestBudget.ts');
const { RATE_LIMITS } = await import('../src/analytics/contract.ts');
const { startServer } = await import('../src/server/testing.ts');
const { until } = await import('../test/support/until.ts');
const { Dashboard, fillCache } = await import('../test/browser/dashboard.ts');

const OPENINGS = 7;
/** Marks of the page, in the order of the table. */
const MARKS = ['filled', 'loaded', 'judged'];
const folder = mkdtempSync(join(tmpdir(), 'sextant-bench-'));
try {
  await firstScreen();
  if (!values.first) {
    report('dashboard', [['from the command, from the cache', 'figure'], ...(await inTheEditor()), await allPeople()]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Times of the first screen of organizations of 300 people, each with an empty cache. The page itself marks when it
 * shows something, as questions from here arrive late on a busy machine.
 */
async function firstScreen() {
  const dashboard = await Dashboard.open(join(folder, 'first'));
  const { workbench } = dashboard;
  const rows = [['from', 'first figures', 'all tiles', 'what needs attention']];
  const measure = async (/** @type {string} */ what, /** @type {() => Promise<void>} */ begin) => {
    await begin();
    const pressed = Number(await workbench.page.evaluate('window.pressed'));
    await dashboard.find();
    const times = await until('all is shown', async () => {
      const since = `(name) => performance.getEntriesByName(name).map(({ startTime }) => performance.timeOrigin + startTime).find((time) => time > ${pressed})`;
      /** @type {(number | null)[]} */
      const found = await dashboard.frame.evaluate(`${JSON.stringify(MARKS)}.map(${since})`);
      return found.every((time) => typeof time === 'number') ? found : undefined;
    });
    rows.push([what, ...times.map((time) => `${Math.round(time - pressed)} ms`)]);
  };
  try {
    // The last key or click: Enter after the token, or the click on the command.
    await workbench.page.evaluate(
      "for (const type of ['mousedown', 'keydown']) addEventListener(type, ({ timeStamp }) => (window.pressed = performance.timeOrigin + timeStamp), true)",
    );
    await workbench.run('Sextant Usage: Open Dashboard');
    for (const [seed, plan] of /** @type {const} */ ([
      [7, 'credits'],
      [8, 'credits'],
      [9, 'usd'],
    ])) {
      await using server = await startServer({ seed, users: 300, plan, rateLimit: true });
      await measure(`the service, ${plan}`, () => workbench.connect(server));
      for (let i = 0; i < 3; i++) {
        await workbench.run('View: Close All Editors');
        await measure(`the cache, ${plan}`, () => workbench.run('Sextant Usage: Open Dashboard'));
      }
    }
  } finally {
    await workbench.close();
  }
  report('first', rows);
}

async function inTheEditor() {
  await using server = await startServer({ seed: 7, users: 10_000, plan: 'credits' });
  const people = await fillCache(folder, server);
  const dashboard = await Dashboard.open(folder);
  const { workbench } = dashboard;
  try {
    await workbench.connect(server);
    // The time of the command, by the clock that all frames share.
    await workbench.page.evaluate(
      "addEventListener('mousedown', ({ timeStamp }) => (window.pressed = performance.timeOrigin + timeStamp), true)",
    );
    /** @type {number[]} */
    const times = [];
    for (let i = 0; i < OPENINGS; i++) {
      if (i > 0) await workbench.run('View: Close All Editors');
      await workbench.run('Sextant Usage: Open Dashboard');
      const pressed = await workbench.page.evaluate('window.pressed');
      await dashboard.find();
      await dashboard.frame.locator('.charts .card').first().waitFor();
      const filled = "performance.timeOrigin + performance.getEntriesByName('filled')[0].startTime";
      times.push(Math.round(Number(await dashboard.frame.evaluate(filled)) - Number(pressed)));
    }
    const [first, ...again] = times;
    const figures = [
      [`${people} people: first figures, with loading the code`, `${first} ms`],
      ['then', `${again.sort((a, b) => a - b).join(', ')} ms`],
    ];

    await workbench.run('View: Close Primary Side Bar');
    await dashboard.tab('People');
    const { frame } = dashboard;
    await frame.locator('[data-row="0"]').waitFor();
    await dashboard.loaded();
    await frame.evaluate(`{
      window.long = [];
      const own = (list) => list.getEntries().filter(({ name }) => name === 'self').map(({ duration }) => Math.round(duration));
      new PerformanceObserver((list) => window.long.push(...own(list))).observe({ type: 'longtask' });
    }`);
    const rows = [['on the page', 'times', 'tasks over 50 ms', 'the longest']];
    /**
     * @param {string} what
     * @param {number} many
     * @param {(i: number) => Promise<unknown>} act
     */
    const watch = async (what, many, act) => {
      await frame.evaluate('window.long = []');
      for (let i = 0; i < many; i++) await act(i);
      // Wait for the work of the previous action.
      await workbench.page.waitForTimeout(500);
      /** @type {number[]} */
      const long = await frame.evaluate('window.long');
      rows.push([what, String(many), String(long.length), long.length > 0 ? `${Math.max(...long)} ms` : '–']);
    };
    await frame.locator('[data-row="0"]').hover();
    await watch('scrolls of 600 pixels', 60, async () => {
      await workbench.page.mouse.wheel(0, 600);
      await workbench.page.waitForTimeout(30);
    });
    const heads = frame.locator('[role=columnheader]:has(button)');
    const columns = await heads.count();
    await watch('sorts', 2 * columns, async (i) => {
      const head = heads.nth(i % columns);
      const before = await head.getAttribute('aria-sort');
      await head.getByRole('button').click();
      await until('the order is another', async () => (await head.getAttribute('aria-sort')) !== before);
    });
    const filter = frame.getByLabel('Filter');
    await watch('searches, key by key', 6, async (i) => {
      await filter.fill('');
      await filter.pressSequentially(['an', 'mil', 'ee', 'ada', 'o', 'serv'][i] ?? '', { delay: 40 });
      await frame.getByText(/^[\d,]+ of [\d,]+ rows$/).waitFor();
    });
    report('dashboard/tasks', rows);
    return figures;
  } finally {
    await workbench.close();
  }
}

async function allPeople() {
  await using server = await startServer({ seed: 7, users: 5000, plan: 'credits', rateLimit: true });
  const client = new AnalyticsClient(server, new RequestBudget(join(folder, 'requests')));
  const data = new ServiceData(client, new AnswerCache(join(folder, 'answers'), 'account'));
  const range = { first: data.newestDay - 27, last: data.newestDay };
  const began = performance.now();
  const { rows } = await data.activity(range);
  const seconds = (performance.now() - began) / 1000;
  const pages = Math.ceil(rows.length / 100);
  const { burst, perMinute } = RATE_LIMITS.analytics;
  const least = ((pages - burst) * 60) / perMinute;
  const times = (seconds / least).toFixed(2);
  return [
    `${rows.length} people from the service, beside what ${burst} requests at once and ${perMinute} a minute allow`,
    `${seconds.toFixed(1)} s, ${times} times`,
  ];
}
