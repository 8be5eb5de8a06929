// npm run bench:typing [-- FOLDER]
// The time from the last key to the first result, in the real editor: each query is typed into an empty box, as fast as people
// type, in the search view. It waits for a pause before it searches, which is part of the figures. And the time from the view's key to its
// painted box. Build first.
import { join, resolve } from 'node:path';
import { TYPING_PAUSE_MS } from '../src/protocol/limits.ts';
import { root } from './lib/dependencies.mjs';
import { report } from './lib/report.mjs';
import { openWorkbench } from './lib/workbench.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Frame} Frame */

const SAMPLE = join(root, 'test/fixtures/sample');
/** Each finds something in the sample. */
const OF_SAMPLE = [
  ...['retry', 'price', 'order', 'receipt', 'session', 'cart', 'queue', 'amount', 'verifyPassword', 'nextRetryDelay'],
  ...[
    'retry a failed payment',
    'where are passwords hashed',
    'give the money back',
    'how long to wait',
    'send a receipt',
  ],
  ...['sym:next*', 'lang:typescript price', 'path:src order', '"next attempt"', 'delivery lang:sql'],
];
/** Each finds something in a large program in any language. */
const OF_OTHERS = [
  ...[
    'retry',
    'parse options',
    'lock',
    'read file',
    'open a device',
    'ignore case',
    'buffer size',
    'checksum',
    'error',
  ],
  ...[
    'init',
    'get_page',
    'handlePageFault',
    'isValid',
    'who may write a page',
    'what is freed and when',
    'wait for a lock',
  ],
  ...['how long a timer takes', 'sym:parse*', 'path:src error', 'send a packet', 'update the cache', 'allocate memory'],
];
/** The first round includes compilation, and is not counted. */
const ROUNDS = 3;
const OPENINGS = 20;
/** Between two keys: 150 words a minute. */
const KEY_MS = 80;
const FIND_KEY = 'Shift+Alt+S';

/** Records when a key was pressed in the window, and when a page's box had the focus and its script; the clock is common to all frames. */
const CLOCK = `
  addEventListener('keydown', () => { globalThis.sextantKey = Date.now(); }, true);
  // The editor writes a page into its frame, which ends its callbacks of frames, but no timers.
  const timer = window === top ? undefined : setInterval(() => {
    if (document.activeElement?.tagName !== 'INPUT' || !document.querySelector('.chip')) return;
    clearInterval(timer);
    globalThis.sextantTakesKeys = Date.now();
  }, 4);
`;
/** When the browser painted the first text of the page, which is in its box. */
const PAINTED = `performance.timeOrigin + (performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN)`;

const [named] = process.argv.slice(2);
const folder = named === undefined ? SAMPLE : resolve(process.env.INIT_CWD ?? '.', named);
const queries = folder === SAMPLE ? OF_SAMPLE : OF_OTHERS;
const { page, close } = await openWorkbench({ extensions: [root], folder }, async (opened) => {
  await opened.addInitScript(CLOCK);
});
try {
  await page.locator('.activitybar').getByRole('tab', { name: 'Sextant' }).click();
  let view = await viewOf(page);
  await view.getByRole('button', { name: /files indexed/ }).waitFor({ timeout: 1_200_000 });
  // The first merges of a new index take a while.
  await page.waitForTimeout(10_000);
  /** @type {number[]} */
  const paints = [];
  /** @type {number[]} */
  const focuses = [];
  for (let i = 0; i < OPENINGS; i++) {
    await page.keyboard.press('Control+Shift+E');
    await page.locator('iframe.webview.ready').waitFor({ state: 'detached' });
    await page.waitForTimeout(300);
    await page.keyboard.press(FIND_KEY);
    view = await viewOf(page);
    const painted = await until(() => view.evaluate(PAINTED));
    const takesKeys = await until(() => view.evaluate('globalThis.sextantTakesKeys'));
    const key = Number(await page.evaluate('globalThis.sextantKey'));
    paints.push(painted - key);
    focuses.push(takesKeys - key);
  }
  report('typing', [
    [folder === SAMPLE ? 'the sample' : folder, 'p50 ms', 'p95 ms', 'longest', 'times'],
    row(`from ${FIND_KEY} to the painted view`, paints),
    row(`from ${FIND_KEY} to a box that takes keys`, focuses),
    row(`from the last key to the first result, with the pause of ${TYPING_PAUSE_MS} ms`, await typeInView(view)),
  ]);
} finally {
  await close();
}

/** @param {Frame} view */
async function typeInView(view) {
  const box = view.getByRole('textbox', { name: 'Search code' });
  const rows = view.getByRole('treeitem');
  // A row counts when the search of the typed query is done.
  await view.evaluate(`{
    globalThis.sextantTyping = { key: 0, shown: 0 };
    const look = () => {
      const times = globalThis.sextantTyping;
      const isDone = document.querySelector('[role=tree][aria-busy=false] [role=treeitem]') !== null;
      if (times.shown === 0 && isDone) times.shown = performance.now();
    };
    addEventListener('keydown', () => {
      globalThis.sextantTyping = { key: performance.now(), shown: 0 };
      // The page draws in the frame after the key; if the results have come by then, and are the same, nothing changes.
      requestAnimationFrame(() => requestAnimationFrame(look));
    }, true);
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true });
  }`);
  /** @type {number[]} */
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of queries) {
      await box.fill('');
      await rows.first().waitFor({ state: 'detached' });
      await page.keyboard.type(query, { delay: KEY_MS });
      await rows.first().waitFor();
      const took = await until(() => view.evaluate('globalThis.sextantTyping.shown - globalThis.sextantTyping.key'));
      if (round > 0) times.push(took);
    }
  }
  return times;
}

/**
 * The positive result of a measurement, as soon as there is one.
 * @param {() => Promise<unknown>} measure
 */
async function until(measure) {
  for (let left = 500; left > 0; left--) {
    const value = Number(await measure());
    if (value > 0) return value;
    await page.waitForTimeout(20);
  }
  throw new Error('A measurement did not end within 10 s.');
}

/**
 * The page of the search view, which the editor nests in another.
 * @param {Page} window
 * @returns {Promise<Frame>}
 */
async function viewOf(window) {
  const outer = await window.locator('iframe.webview.ready').elementHandle();
  const inner = await (await outer.contentFrame())?.waitForSelector('#active-frame');
  const frame = await inner?.contentFrame();
  if (!frame) throw new Error('The search view has no page.');
  await frame.waitForSelector('body > *:not(script)');
  return frame;
}

/**
 * @param {string} what
 * @param {number[]} times
 */
function row(what, times) {
  times.sort((a, b) => a - b);
  const quantile = (/** @type {number} */ q) => String(Math.round(times[Math.floor(q * (times.length - 1))] ?? 0));
  return [what, quantile(0.5), quantile(0.95), quantile(1), String(times.length)];
}
