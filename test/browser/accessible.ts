import assert from 'node:assert/strict';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Frame, Page } from 'playwright-core';
import { ROOT, THEMES, type Theme } from './support.ts';

/** The judge and axe-core, as one script for a page. */
const JUDGE = buildSync({
  entryPoints: [join(ROOT, 'test/browser/page/judge.ts')],
  bundle: true,
  format: 'iife',
  globalName: 'sextantTest',
  write: false,
}).outputFiles[0]!.text;

/**
 * Fails unless axe-core finds nothing, every text has a contrast of at least 4.5 to what is behind it, and nothing is wider than
 * the page. In other themes than the first, names and roles are the same, and only colours are checked. `parts` are selectors of what is ours in a page that is not, such as the workbench's: of them names and colours are
 * judged. Without any it is all of the page.
 */
export async function assertAccessible(
  page: Frame | Page,
  name: string,
  theme: Theme,
  parts: readonly string[] = [],
  except: readonly string[] = [],
): Promise<void> {
  const args = [parts, except, theme !== THEMES[0]].map((arg) => JSON.stringify(arg)).join();
  const script = `(() => { ${JUDGE}; return sextantTest.judge(${args}); })()`;
  const problems: string[] = await page.evaluate(script);
  assert.ok(problems.length === 0, `${name}:\n  ${problems.join('\n  ')}`);
}
