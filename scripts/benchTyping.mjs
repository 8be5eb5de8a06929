// npm run bench:typing [-- FOLDER]
// The time from the last key to the first result, in the real editor: each query is typed into an empty list, 20 ms a
// key. The list waits for a pause of 60 ms before it searches, which is part of the figures. Build first.
import { resolve } from 'node:path';
import { root } from './lib/dependencies.mjs';
import { say } from './lib/say.mjs';
import { openWorkbench, runCommand } from './lib/workbench.mjs';

const QUERIES = [
  ...['retry', 'parse query', 'lease', 'atomic file', 'open a segment', 'ignore rules', 'nested gitignore', 'checksum'],
  ...['withRetries', 'parseQueryLanguage', 'write_file_atomic', 'documentId', 'EngineReader', 'merge segments'],
  ...['who may write an index', 'what is left out and why', 'how long indexing takes', 'cut a torn tail'],
  ...['sym:parse*', 'lang:typescript error', 'path:src snippet', '"one writer"'],
];

const folder = resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? root);
const { page, close } = await openWorkbench({ extensions: [root], folder });
try {
  await page.locator('.activitybar').getByRole('tab', { name: 'Sextant' }).click();
  await page
    .getByRole('treeitem', { name: /files indexed/ })
    .first()
    .waitFor({ timeout: 600_000 });
  await runCommand(page, 'Sextant: Search Workspace');
  const input = page.locator('.quick-input-widget input.input');
  const rows = page.locator('.quick-input-widget .monaco-list-row');
  await page.evaluate(`{
    const list = document.querySelector('.quick-input-list');
    window.sextantTyping = { key: 0, shown: 0 };
    addEventListener('keydown', () => Object.assign(window.sextantTyping, { key: performance.now(), shown: 0 }), true);
    new MutationObserver(() => {
      const times = window.sextantTyping;
      if (times.shown === 0 && list.querySelector('.monaco-list-row')) times.shown = performance.now();
    }).observe(list, { childList: true, subtree: true });
  }`);
  /** @type {number[]} */
  const times = [];
  // The first round includes compilation, and is not counted.
  for (const round of [0, 1, 2]) {
    for (const query of QUERIES) {
      await input.fill('');
      await rows.first().waitFor({ state: 'detached' });
      await page.keyboard.type(query, { delay: 20 });
      await rows.first().waitFor();
      /** @type {number} */
      const took = await page.evaluate('window.sextantTyping.shown - window.sextantTyping.key');
      // With slower typing, results appear before the last key.
      if (round > 0 && took > 0) times.push(took);
    }
  }
  times.sort((a, b) => a - b);
  const quantile = (/** @type {number} */ q) => `${Math.round(times[Math.floor(q * (times.length - 1))] ?? 0)} ms`;
  say(`${times.length} queries on ${folder}, from the last key to the first result, of which 60 ms wait for a pause:`);
  say(`p50 ${quantile(0.5)}, p95 ${quantile(0.95)}, maximum ${quantile(1)}`);
} finally {
  await close();
}
