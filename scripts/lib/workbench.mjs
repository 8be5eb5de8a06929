// Opens the workbench for tests: to run a test entry in its extension host, or to use it as a person does.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from './browser.mjs';
import {
  ensureEditor,
  installFolder,
  installVsix,
  makeDataFolder,
  startServer,
  workbenchUrl,
  writeMachineSettings,
} from './editor.mjs';

/** @typedef {import('playwright-core').Page} Page */

/**
 * @typedef {object} OpenOptions
 * @property {import('./editor.mjs').Which} [which]
 * @property {string | undefined} [folder]
 * @property {string | undefined} [workspace] a .code-workspace file, in place of a folder
 * @property {string[]} [extensions] folders of extensions: the first is under development, others are installed
 * @property {string} [tests] the entry of tests to run in the extension host
 * @property {string} [vsix] installed before the editor starts
 * @property {Record<string, unknown>} [settings]
 * @property {Record<string, unknown>} [machineSettings] settings of scope `machine`, which the editor reads from this file only
 * @property {NodeJS.ProcessEnv} [env]
 * @property {{ width?: number, height?: number }} [size]
 * @property {boolean} [trust] whether workspace trust is on
 * @property {boolean} [isStill] stops the editor's animations; benchmarks and pictures keep them
 */

/**
 * Stops the animations of the editor, not those of our pages: without a graphics card, a spinner or a progress bar draws the
 * window sixty times a second, which costs a sixth of the processor time. The editor spins even with reduced motion.
 */
const STILL = `if (window === top) {
  const still = new CSSStyleSheet();
  still.replaceSync('*, ::before, ::after { animation: none !important; transition: none !important; }');
  document.adoptedStyleSheets.push(still);
}`;

/**
 * Opens a workbench in a headless browser. `close` deletes all its files.
 * @param {OpenOptions} options
 * @param {(page: Page) => Promise<void> | void} [beforeLoad]
 */
export async function openWorkbench(options, beforeLoad) {
  const editor = await ensureEditor(options.which ?? 'newest');
  const dataFolder = makeDataFolder(options.settings);
  if (options.machineSettings) writeMachineSettings(dataFolder, options.machineSettings);
  const remove = () => rmSync(dataFolder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const { env = {}, trust = false, extensions: [developed, ...others] = [] } = options;
    for (const folder of others) installFolder(dataFolder, folder);
    if (options.vsix !== undefined) installVsix(editor, dataFolder, options.vsix);
    const [server, browser] = await Promise.all([
      startServer(editor, {
        dataFolder,
        forTests: true,
        // Windows of concurrent tests share no server and no account.
        env: { XDG_DATA_HOME: join(dataFolder, 'share'), ...env },
        trust,
        // The package runs beside all extensions of the editor, as on a user's machine.
        allBuiltIn: options.vsix !== undefined,
      }),
      launchBrowser(join(dataFolder, 'browser'), options.size),
    ]);
    const page = browser.pages()[0] ?? (await browser.newPage());
    page.setDefaultTimeout(120_000);
    const said = /** @type {string[]} */ ([]);
    page.on('console', (message) => said.push(`[${message.type()}] ${message.text()}`));
    if (options.isStill) await page.addInitScript(STILL);
    await beforeLoad?.(page);
    // A workbench in a browser accepts one extension under development.
    await page.goto(workbenchUrl(server, { ...options, extensions: developed === undefined ? [] : [developed] }));
    const close = async () => {
      await browser.close();
      await server.stop();
      remove();
    };
    return { page, server, said, dataFolder, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Runs a test entry (a module with `run()`) in a real extension host.
 * @param {OpenOptions & { limitMs?: number, onTimeout?: (page: Page) => Promise<unknown> }} options
 * @returns {Promise<{ code: number | 'timeout' | 'closed', said: string[] }>}
 */
export async function runInEditor({ limitMs = 900_000, onTimeout, ...options }) {
  /** @type {(code: number | 'closed') => void} */
  let done = () => undefined;
  const finished = new Promise((resolve) => (done = resolve));
  const workbench = await openWorkbench(options, async (page) => {
    await page.exposeFunction('codeAutomationExit', (/** @type {number} */ code) => done(code));
    page.once('close', () => done('closed'));
    page.once('crash', () => done('closed'));
  });
  try {
    const code = await Promise.race([finished, new Promise((late) => setTimeout(late, limitMs, 'timeout').unref())]);
    if (code === 'timeout') await onTimeout?.(workbench.page);
    return { code, said: workbench.said };
  } finally {
    await workbench.close();
  }
}

/**
 * Runs a command through the palette, which is opened until that works: an open palette does not add an extension's later
 * commands, and closes when an opening editor takes the focus.
 * @param {Page} page
 * @param {string} title
 */
export async function runCommand(page, title) {
  const input = page.locator('.quick-input-widget input.input');
  const row = page
    .locator('.quick-input-list .monaco-list-row')
    .filter({ has: page.getByText(title, { exact: true }) });
  await page.locator('.monaco-workbench').waitFor();
  for (const end = Date.now() + 120_000; ;) {
    await page.keyboard.press('F1');
    try {
      await input.waitFor({ timeout: 1500 });
      await input.fill(`>${title}`, { timeout: 1500 });
      await row.first().waitFor({ timeout: 1500 });
      // A click that went through, but was given up, would run the command twice.
      await row.first().click({ timeout: 15_000 });
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    // A slow command may open its list after an Escape.
    for (let isOpen = true; isOpen && Date.now() <= end;) {
      await page.keyboard.press('Escape');
      isOpen = await input.waitFor({ state: 'hidden', timeout: 1500 }).then(
        () => false,
        () => true,
      );
    }
  }
}
