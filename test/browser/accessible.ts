import assert from 'node:assert/strict';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Frame, Page } from 'playwright-core';
import { ROOT, THEMES, type Theme } from './support.ts';

/** `page/judge.ts` and axe-core, as one script that defines `sextantTest`. */
const JUDGE = buildSync({
  entryPoints: [join(ROOT, 'test/browser/page/judge.ts')],
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'sextantTest',
  write: false,
}).outputFiles[0]!.text;

/**
 * Fails unless axe-core finds nothing, each text has a contrast of at least 4.5 to its background, and no element is wider than
 * the page. Themes other than the first have the same names and roles: only colours are checked. In the editor's page `parts`
 * selects our elements, whose names and colours are checked; without `parts` the whole page is.
 */
export async function assertAccessible(
  page: Frame | Page,
  name: string,
  theme: Theme,
  parts: readonly string[] = [],
  except: readonly string[] = [],
): Promise<void> {
  const args = [parts, except, theme !== THEMES[0]].map((arg) => JSON.stringify(arg)).join();
  // Compiling axe-core costs more than most checks, so a page keeps it.
  if (!(await page.evaluate<boolean>('"sextantTest" in globalThis')))
    await page.evaluate(`(() => { ${JUDGE}; globalThis.sextantTest = sextantTest; })()`);
  const problems: string[] = await page.evaluate(`sextantTest.judge(${args})`);
  assert.ok(problems.length === 0, `${name}:\n  ${problems.join('\n  ')}`);
}
