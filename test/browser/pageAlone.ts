import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../../scripts/lib/browser.mjs';
import { importsOf, viewPage } from '../../src/extension/viewPage.ts';
import { ROOT } from './support.ts';

const BUILT = join(ROOT, 'dist/webview');
const ORIGIN = 'https://page.test';

/** A page without the editor. */
interface PageAlone {
  /** Of its script and style in the build. */
  readonly name: string;
  readonly title: string;
  readonly beginning: string;
  /** A script that runs before the page's own and stands for the extension. */
  readonly extension: string;
  /** The profile of the browser. */
  readonly folder: string;
  /** The page's scripts come when this resolves. */
  readonly coming?: () => Promise<void>;
}

/** Opens a page as the extension sends it. `problems` are its errors so far. */
export async function openAlone({
  extension,
  folder,
  coming,
  ...page
}: PageAlone): Promise<{ context: BrowserContext; tab: Page; problems: string[] }> {
  const context = await launchBrowser(folder);
  const tab = await context.newPage();
  const problems: string[] = [];
  tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  tab.on('pageerror', (error) => problems.push(error.message));
  await tab.addInitScript(extension);
  await tab.route(`${ORIGIN}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname;
    if (path === '/') return route.fulfill({ body: textOf(page), contentType: 'text/html' });
    await coming?.();
    return route.fulfill({ path: join(BUILT, basename(path)), contentType: 'text/javascript' });
  });
  await tab.goto(`${ORIGIN}/`, { waitUntil: 'commit' });
  return { context, tab, problems };
}

function textOf({ name, title, beginning }: Pick<PageAlone, 'name' | 'title' | 'beginning'>): string {
  const built = (file: string): string => readFileSync(join(BUILT, file), 'utf8');
  return viewPage({
    title,
    script: `${ORIGIN}/${name}.js`,
    imports: importsOf(built(`${name}.js`)).map((one) => `${ORIGIN}/${one}`),
    style: built(`${name}.css`),
    beginning,
    drawsPictures: false,
    nonce: 'script-nonce',
    styleNonce: 'style-nonce',
    language: 'en',
    strings: '{}',
  });
}
