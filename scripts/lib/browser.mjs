// The browser that shows the workbench in tests, and in `npm start` where there is no desktop VS Code.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pinnedNode, root } from './dependencies.mjs';
import { fail, say, step } from './say.mjs';

const KNOWN_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/microsoft-edge',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** Chromium, Chrome or Edge on this machine; `CHROMIUM` names another. */
export function findBrowser() {
  const named = process.env.CHROMIUM;
  if (named !== undefined && named !== '')
    return existsSync(named) ? named : fail(`CHROMIUM names ${named}, which does not exist.`);
  return KNOWN_PLACES.find((place) => existsSync(place));
}

/** @returns {Promise<string>} a browser's path; a missing browser is installed where possible */
export async function ensureBrowser() {
  const found = findBrowser();
  if (found !== undefined) return found;
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await step('Installing Chromium and a font with apt', () => {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      execFileSync('apt-get', ['update', '-qq'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
      const args = ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'];
      execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    });
  } else {
    say('There is no Chromium, Chrome or Edge; fetching one with Playwright.');
    try {
      const cli = join(root, 'node_modules/playwright-core/cli.js');
      execFileSync(pinnedNode(), [cli, 'install', 'chromium'], { stdio: 'inherit' });
      const { chromium } = await import('playwright-core');
      if (existsSync(chromium.executablePath())) return chromium.executablePath();
    } catch {
      // Playwright's message is above; the remedy follows.
    }
  }
  return (
    findBrowser() ??
    fail(
      'The tests need a browser. Install Chromium (Debian: "sudo apt-get install chromium fonts-dejavu-core"), or set CHROMIUM to one.',
    )
  );
}

/**
 * @param {string} userDataFolder
 * @param {{ width?: number, height?: number }} [size]
 */
export async function launchBrowser(userDataFolder, { width = 1280, height = 800 } = {}) {
  const executablePath = await ensureBrowser();
  const { chromium } = await import('playwright-core');
  return chromium.launchPersistentContext(userDataFolder, {
    executablePath,
    headless: true,
    viewport: { width, height },
    // Without a graphics card an animation costs half a processor for as long as it is shown.
    reducedMotion: 'reduce',
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--force-color-profile=srgb'],
    ],
  });
}

/**
 * Opens an address in the person's own browser, if there is a screen.
 * @param {string} url
 */
export function openForPerson(url) {
  /** @type {[string, ...string[]]} */
  const [command, ...args] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const { DISPLAY, WAYLAND_DISPLAY, SEXTANT_NO_BROWSER } = process.env;
  const hasScreen = process.platform !== 'linux' || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined;
  if (!hasScreen || SEXTANT_NO_BROWSER !== undefined) return false;
  try {
    execFileSync(command, [...args, url], { stdio: 'ignore', cwd: homedir() });
    return true;
  } catch {
    return false;
  }
}
